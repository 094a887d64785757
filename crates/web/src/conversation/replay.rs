//! The conversation as a play. The page is the one that `backscroll replay` writes: it holds its own style and script,
//! which its policy names by their hashes.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_render::Detail;
use backscroll_render::html::Look;
use backscroll_render::replay::{self, ReplayLook};

use super::{address, redacted};
use crate::desk::Desk;
use crate::pipe;
use crate::problem::Problem;

/// `GET /c/{id}/replay`.
pub(crate) async fn replay(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let time_zone = desk.clock.now().time_zone().clone();
    let options = desk.redaction.clone();
    let conversation = desk.study(move |desk, edition| {
        let mut conversation = (*address::load(desk, edition, &id)?).clone();
        edition.history.add_kept_files(&mut conversation);
        Ok(conversation)
    });
    let conversation = conversation.await?;
    let body = pipe::body("", move |out| {
        let look = ReplayLook { look: Look::new(Detail::Normal, time_zone), notes: None };
        replay::page(redacted(&conversation, &options)?, &look, out)
    });
    let mut answer = ([(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response();
    let policy = format!("{}; frame-ancestors 'none'", replay::policy());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}
