//! Conversations for programs: the listing, and each of them whole.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use backscroll_model::ConversationId;
use backscroll_render::json;

use super::body;
use crate::desk::Desk;
use crate::pipe;
use crate::problem::Problem;
use crate::search::{Asked, listing};

/// `GET /api/v1/conversations`: an array of `backscroll.summary/1`.
pub(crate) async fn conversations(
    State(desk): State<Arc<Desk>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let found = listing(edition, &asked, desk.clock.now().time_zone());
        let answer = body::array(&found.hits, |hit, out| json::summary(&hit.summary, out))?;
        let next = found.next.map(|from| asked.address_under("/api/v1/conversations", from));
        Ok(body::paged(answer, found.total, next))
    })
    .await
}

/// `GET /api/v1/conversations/{id}`: one `backscroll.conversation/1`.
pub(crate) async fn conversation(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let whole = desk.study(move |desk, edition| desk.shelf.get(edition, &ConversationId::new(id))).await?;
    let body = pipe::body("", move |out| {
        json::conversation(&whole, &mut *out)?;
        out.write_all(b"\n")
    });
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}
