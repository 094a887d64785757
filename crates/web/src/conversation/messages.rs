//! A slice of messages alone, for the script that fetches what comes next.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;

use super::{address, slice};
use crate::desk::Desk;
use crate::problem::Problem;

/// Which messages, counted from zero.
#[derive(Debug, Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    from: usize,
    /// How many; as many as there are at most if nothing is said.
    #[serde(default)]
    count: Option<usize>,
}

/// `GET /c/{id}/messages?from=100&count=25`. How many messages there are in all stands in a header.
pub(crate) async fn messages(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
    Query(asked): Query<From>,
) -> Result<Response, Problem> {
    desk.study(move |desk, edition| {
        let conversation = address::load(desk, edition, &id)?;
        let look = slice::look(&conversation, desk.clock.now().time_zone().clone());
        let mut answer = Html(slice::render(&conversation, asked.from, asked.count, &look)).into_response();
        answer.headers_mut().insert(
            HeaderName::from_static("x-messages"),
            HeaderValue::from(u64::try_from(conversation.messages.len()).unwrap_or(u64::MAX)),
        );
        Ok(answer)
    })
    .await
}
