//! Numbers for programs: `backscroll.statistics/1`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use backscroll_history::{Scope, Statistics};
use serde_json::json;

use crate::desk::Desk;
use crate::problem::Problem;

/// `GET /api/v1/statistics`.
pub(crate) async fn statistics(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let (told, note) = desk.statistics(edition, &Scope::default());
        let not_yet =
            || Problem::new(StatusCode::SERVICE_UNAVAILABLE, "No numbers yet", note.unwrap_or_default());
        let told = told.ok_or_else(not_yet)?;
        Ok(([(CONTENT_TYPE, "application/json")], wire(&told).to_string()).into_response())
    })
    .await
}

fn wire(told: &Statistics) -> serde_json::Value {
    json!({
        "schema": "backscroll.statistics/1",
        "conversations": told.conversations,
        "messages": told.messages,
        "prompts": told.prompts,
        "lines": {
            "added": told.lines.iter().map(|month| month.added).sum::<u64>(),
            "removed": told.lines.iter().map(|month| month.removed).sum::<u64>(),
            "months": told.lines.iter().map(|one| json!({ "month": one.month, "added": one.added, "removed": one.removed })).collect::<Vec<_>>(),
        },
        "tokens": {
            "input": told.tokens.input, "output": told.tokens.output,
            "measured_conversations": told.tokens.measured, "unmeasured_conversations": told.tokens.unmeasured,
            "guessed": told.tokens.guessed, "unknown_conversations": told.tokens.unknown,
        },
        "tools": told.tools.iter().map(|tool| json!({ "name": tool.name, "calls": tool.calls, "failed": tool.failed })).collect::<Vec<_>>(),
        "models": told.models.iter().map(|one| json!({ "month": one.month, "model": one.model, "messages": one.messages })).collect::<Vec<_>>(),
        "workspaces": told.workspaces.iter().map(|one| json!({
            "path": one.path, "remote": one.remote, "conversations": one.conversations, "messages": one.messages,
        })).collect::<Vec<_>>(),
        "files": told.files.iter().map(|one| json!({
            "path": one.path, "touches": one.touches, "conversations": one.conversations, "added": one.added, "removed": one.removed,
        })).collect::<Vec<_>>(),
    })
}
