//! The page of a conversation. Its frame is sent at once, the rest when the conversation has been read, so that even a
//! huge one shows something immediately.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use backscroll_model::{Conversation, ConversationId};
use backscroll_render::html::{contents, controls};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::{address, head, slice};
use crate::desk::Desk;
use crate::edition::Edition;
use crate::link;
use crate::pages::{Effort, Frame, streamed};
use crate::pieces::count;
use crate::problem::Problem;

/// Which message must be on the page, counted from zero.
#[derive(Debug, Deserialize)]
pub(crate) struct At {
    #[serde(default)]
    at: usize,
}

/// `GET /c/{id}?at=123`.
pub(crate) async fn page(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
    Query(asked): Query<At>,
) -> Result<Response, Problem> {
    let wanted = ConversationId::new(id);
    let (number, title) = Arc::clone(&desk)
        .read({
            let wanted = wanted.clone();
            move |_, edition| {
                Ok((edition.number, edition.summary(&wanted).map(|summary| summary.title.clone())))
            }
        })
        .await?;
    let title = match title {
        Some(title) => title,
        // Not listed: it may still lie inside of another. Reading it tells, and what is not there must be a 404.
        None => read(&desk, &wanted).await?,
    };
    let frame = Frame {
        title: title.as_deref().unwrap_or("Untitled conversation"),
        edition: number,
        kind: "conversation",
        script: Some("conversation.js"),
        ..Frame::default()
    };
    let content = move |desk: &Desk, edition: &Arc<Edition>| content(desk, edition, &wanted, asked.at);
    Ok(streamed(Arc::clone(&desk), &frame, Effort::Heavy, content))
}

async fn read(desk: &Arc<Desk>, wanted: &ConversationId) -> Result<Option<String>, Problem> {
    let wanted = wanted.clone();
    let read = move |desk: &Desk, edition: &Arc<Edition>| {
        Ok(desk.shelf.get(edition, &wanted)?.summary.title.clone())
    };
    Arc::clone(desk).study(read).await
}

fn content(desk: &Desk, edition: &Arc<Edition>, id: &ConversationId, at: usize) -> Result<Markup, Problem> {
    let conversation = address::load(desk, edition, id.as_str())?;
    let total = conversation.messages.len();
    let from = slice::beginning(at.min(total.saturating_sub(1)));
    let look = slice::look(&conversation, desk.clock.now().time_zone().clone());
    let shown = slice::render(&conversation, from, &look);
    Ok(html! {
        div.bar { span.name { bdi { (address::title(&conversation)) } } (controls()) }
        div.layout data-id=(id) data-total=(total) data-from=(from) data-slice=(slice::SLICE) {
            (outline(&conversation, &look))
            div.thread {
                (head::head(edition, &conversation, &look))
                @if from > 0 { (elsewhere(id, from - slice::SLICE.min(from), "earlier", "Earlier messages")) }
                div #messages.messages { (PreEscaped(shown)) }
                @if total == 0 { p.empty { "This conversation has no messages." } }
                @if from + slice::SLICE < total { (elsewhere(id, from + slice::SLICE, "later", "Later messages")) }
                p.end { (count(total)) " messages" }
            }
        }
    })
}

fn elsewhere(id: &ConversationId, at: usize, class: &str, words: &str) -> Markup {
    html! { p class={ "more " (class) } { a href=(link::message(id, at)) data-from=(at) { (words) } } }
}

/// The prompts, each with an address that works wherever in the conversation one is.
fn outline(conversation: &Conversation, look: &backscroll_render::html::Look) -> Markup {
    let id = &conversation.summary.id;
    let listed = contents(&conversation.messages, look).0;
    // The templates link within a page that has everything; here a message may be in another slice.
    let mut html = String::with_capacity(listed.len() * 2);
    let mut pieces = listed.split("href=\"#m");
    html.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
        let number = digits.parse::<usize>().unwrap_or(1).saturating_sub(1);
        let rest = piece.get(digits.len()..).unwrap_or_default();
        html.push_str("href=\"");
        html.push_str(&link::message(id, number));
        html.push_str(rest);
    }
    PreEscaped(html)
}
