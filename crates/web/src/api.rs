//! The same answers for programs: JSON in the shapes of the outer contract.
//!
//! Lists are arrays; where there is more, the header `Link` leads on, and `X-Total` says how much there is in all.

use std::io::{self, Write};

use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_TYPE, HeaderName, LINK};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use backscroll_history::{Statistics, StatisticsScope};
use backscroll_model::ConversationId;
use backscroll_render::json;
use serde::Deserialize;
use serde_json::json;

use crate::app_state::App;
use crate::pipe;
use crate::problem::{Problem, Result};
use crate::search::{SearchParameters, found, listing};

/// `GET /api/v1/conversations`: an array of `backscroll.summary/1`.
pub(crate) async fn conversations(
    State(app): App,
    Query(asked): Query<SearchParameters>,
) -> Result<Response> {
    app.read(move |app, snapshot| {
        let found = listing(snapshot, &asked, &app.clock.now())?;
        let answer = array(&found.hits, |hit, out| json::summary(&hit.summary, out))?;
        let next = found.next.map(|from| asked.address_under("/api/v1/conversations", from));
        Ok(paged(answer, found.total, next))
    })
    .await
}

/// `GET /api/v1/conversations/{id}`: one `backscroll.conversation/1`.
pub(crate) async fn conversation(State(app): App, Path(id): Path<String>) -> Result<Response> {
    let whole = app.study(move |app, snapshot| app.conversation(snapshot, &ConversationId::new(id)));
    let whole = whole.await?;
    let body = pipe::body(move |out| {
        json::conversation(&whole, &mut *out)?;
        out.write_all(b"\n")
    });
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// `GET /api/v1/search?q=…`: an array of `backscroll.hit/1`. Pages count conversations.
pub(crate) async fn search(State(app): App, Query(asked): Query<SearchParameters>) -> Result<Response> {
    app.study(move |app, snapshot| {
        let (found, state) = found(app, snapshot, &asked, false)?;
        let shown = found.conversations.len();
        // An index that is still catching up cannot say that there is nothing.
        if shown == 0 && state.is_behind() {
            return Err(Problem::no_search(state.note().unwrap_or_default()));
        }
        let hits = found.conversations.iter().flat_map(|one| one.hits.iter().map(move |hit| (one, hit)));
        let answer = array(hits, |(one, hit), out| json::hit(one, hit, out))?;
        let end = asked.from().saturating_add(shown);
        let next = (end < found.total.conversations && shown > 0)
            .then(|| asked.address_under("/api/v1/search", end));
        Ok(paged(answer, found.total.conversations, next))
    })
    .await
}

/// Which stores, and how closely they are looked at.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SourceParameters {
    /// Only the store in this file.
    file: Option<String>,
    /// Whether rows and bytes are counted by kind.
    #[serde(default)]
    kinds: bool,
}

/// `GET /api/v1/sources`: an array of `backscroll.source/1`.
pub(crate) async fn sources(State(app): App, Query(wanted): Query<SourceParameters>) -> Result<Response> {
    app.study(move |app, snapshot| {
        let mut reports = app.reports(snapshot).to_vec();
        if let Some(file) = &wanted.file {
            reports.retain(|report| report.file.to_string_lossy() == *file);
            if reports.is_empty() {
                return Err(Problem::no_store(Some(file)));
            }
        }
        if wanted.kinds {
            for report in reports.iter_mut().filter(|report| report.bytes.is_some()) {
                report.take_contents(app.library.contents(snapshot, &report.file));
            }
        }
        array(&reports, |report, out| json::source(report, out))
    })
    .await
}

/// `GET /api/v1/statistics`.
pub(crate) async fn statistics(State(app): App) -> Result<Response> {
    app.read(move |app, snapshot| {
        let (told, note) = app.statistics(snapshot, &StatisticsScope::default());
        let not_yet =
            || Problem::new(StatusCode::SERVICE_UNAVAILABLE, "No numbers yet", note.unwrap_or_default());
        let told = told.ok_or_else(not_yet)?;
        Ok(([(CONTENT_TYPE, "application/json")], wire_statistics(&told).to_string()).into_response())
    })
    .await
}

fn wire_statistics(told: &Statistics) -> serde_json::Value {
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
            "cache_read": told.tokens.cache_read, "cache_write": told.tokens.cache_write, "reasoning": told.tokens.reasoning,
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

/// `GET /api/v1/openapi.json`.
pub(crate) async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], include_str!("../openapi.json")).into_response()
}

/// An array of whatever `write` writes for each of `items`.
fn array<T>(
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut Vec<u8>) -> io::Result<()>,
) -> Result<Response> {
    let mut body = b"[".to_vec();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            body.extend_from_slice(b",\n");
        }
        // Writing into memory fails only if the value cannot be told as JSON at all.
        write(item, &mut body).map_err(|_| Problem::bug())?;
    }
    body.extend_from_slice(b"]\n");
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// Says how many there are in all, and where the next ones are.
fn paged(mut answer: Response, total: usize, next: Option<String>) -> Response {
    let total = HeaderValue::from(u64::try_from(total).unwrap_or(u64::MAX));
    answer.headers_mut().insert(HeaderName::from_static("x-total"), total);
    let link = next.and_then(|next| HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).ok());
    if let Some(link) = link {
        answer.headers_mut().insert(LINK, link);
    }
    answer
}
