//! Search for programs.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_history::FoundHit;
use backscroll_render::{self as render, json};

use super::body;
use crate::desk::Desk;
use crate::problem::Problem;
use crate::search::{Asked, found};

/// What stands where a message has gone since, or has no text.
const NOTHING: render::FoundSnippet<'static> = render::FoundSnippet { part: "text", text: "", marks: &[] };

/// `GET /api/v1/search?q=…`: an array of `backscroll.hit/1`. Pages count conversations.
pub(crate) async fn search(
    State(desk): State<Arc<Desk>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    desk.search(move |desk, edition| {
        let (found, _) = found(desk, edition, &asked, false)?;
        let shown = found.conversations.len();
        let wired = found.conversations.iter().map(|one| render::FoundConversation {
            summary: &one.summary,
            hits: one.hits.iter().map(hit).collect(),
            more: one.more,
        });
        let wired: Vec<_> = wired.collect();
        let hits = wired.iter().flat_map(|one| one.hits.iter().map(move |hit| (one, hit)));
        let answer = body::array(hits, |(one, hit), out| json::hit(one, hit, out))?;
        let end = asked.from.saturating_add(shown);
        let next = (end < found.total.conversations && shown > 0)
            .then(|| asked.address_under("/api/v1/search", end));
        Ok(body::paged(answer, found.total.conversations, next))
    })
    .await
}

fn hit(found: &FoundHit) -> render::FoundHit<'_> {
    render::FoundHit {
        message: found.hit.message.as_ref(),
        role: found.hit.role,
        at: found.hit.at.at,
        score: found.hit.score,
        snippet: found.snippet.as_ref().map_or(NOTHING, |snippet| render::FoundSnippet {
            part: snippet.part,
            text: &snippet.text,
            marks: &snippet.marks,
        }),
        number: found.hit.number,
        nearby: Vec::new(),
    }
}
