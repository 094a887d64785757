//! What a search found, handed to the renderer.

use backscroll_history::{Found, FoundHit};
use backscroll_render as render;

/// What stands where a message has gone since, or has no text.
const NOTHING: render::FoundSnippet<'static> = render::FoundSnippet { part: "text", text: "", marks: &[] };

/// The conversations of `found`, for the renderer.
pub(crate) fn conversations(found: &Found) -> Vec<render::FoundConversation<'_>> {
    let each = found.conversations.iter().map(|one| render::FoundConversation {
        summary: &one.summary,
        hits: one.hits.iter().map(hit).collect(),
        more: one.more,
    });
    each.collect()
}

fn hit(found: &FoundHit) -> render::FoundHit<'_> {
    let snippet = found.snippet.as_ref();
    let nearby = found.nearby.iter();
    render::FoundHit {
        message: found.hit.message.as_ref(),
        role: found.hit.role,
        at: found.hit.at.at,
        score: found.hit.score,
        snippet: snippet.map_or(NOTHING, |snippet| render::FoundSnippet {
            part: snippet.part,
            text: &snippet.text,
            marks: &snippet.marks,
        }),
        number: found.hit.number,
        nearby: nearby.map(|near| render::Nearby { number: near.number, message: &near.message }).collect(),
    }
}
