//! The page of a conversation. Its frame is sent at once, the rest when the conversation has been read, so that even a
//! huge one shows something immediately.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use backscroll_model::{Conversation, ConversationId, Summary};
use backscroll_render::html::{contents, controls};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::{address, early, head, slice};
use crate::desk::Desk;
use crate::edition::Edition;
use crate::link;
use crate::pages::{Frame, Pieces, when_made};
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
    Ok(when_made(&frame, |pieces| async move {
        let (from, asked_for) = (slice::beginning(asked.at), wanted.clone());
        let known = move |desk: &Desk, edition: &Arc<Edition>| {
            Ok(desk.rendered.get(edition.number, &asked_for, from))
        };
        if let Some(known) = Arc::clone(&desk).read(known).await? {
            return Ok(PreEscaped(known.to_string()));
        }
        let content = move |desk: &Desk, edition: &Arc<Edition>| match early::beginning(
            desk, edition, &wanted, asked.at,
        ) {
            Some(beginning) => beginning.page(desk, edition, &pieces),
            None => content(desk, edition, (&wanted, asked.at), &pieces),
        };
        desk.study(content).await
    }))
}

async fn read(desk: &Arc<Desk>, wanted: &ConversationId) -> Result<Option<String>, Problem> {
    let wanted = wanted.clone();
    let read = move |desk: &Desk, edition: &Arc<Edition>| {
        Ok(desk.shelf.get(edition, &wanted)?.summary.title.clone())
    };
    Arc::clone(desk).study(read).await
}

fn content(
    desk: &Desk,
    edition: &Arc<Edition>,
    (id, at): (&ConversationId, usize),
    pieces: &Pieces,
) -> Result<Markup, Problem> {
    let conversation = address::load(desk, edition, id.as_str())?;
    let total = conversation.messages.len();
    let from = slice::beginning(at.min(total.saturating_sub(1)));
    let look = slice::look(&conversation, desk.clock.now().time_zone().clone());
    let filling = Filling {
        outline: outline(&conversation, &look),
        head: head::head(edition, &conversation, &look),
        late: Markup::default(),
    };
    let (above, below) = around(&conversation.summary, (from, total), &filling);
    let mut whole = String::new();
    let mut take = |piece: String| {
        whole.push_str(&piece);
        pieces.send(piece);
    };
    take(above);
    slice::render_between(&conversation, from..from + slice::SLICE, &look, &mut take);
    desk.rendered.keep(edition.number, id, from, whole + &below);
    Ok(PreEscaped(below))
}

/// What is different on each page of a conversation, besides its messages.
pub(super) struct Filling {
    /// The list of prompts, if it is known before the messages.
    pub(super) outline: Markup,
    pub(super) head: Markup,
    /// What came too late for its place.
    pub(super) late: Markup,
}

/// What stands above and below the messages from `from` on, on the page of a conversation that has `total` of them.
pub(super) fn around(
    summary: &Summary,
    (from, total): (usize, usize),
    filling: &Filling,
) -> (String, String) {
    // A text that cannot stand in a page, because every stored one is escaped.
    const MESSAGES: &str = "<<messages>>";
    let id = &summary.id;
    let whole = html! {
        div.bar {
            span.name { bdi { (address::title(summary)) } }
            // Where the window is narrow, the list of prompts is called up.
            button.prompts-button type="button" popovertarget="contents" { "Prompts" }
            (controls())
        }
        div.layout data-id=(id) data-total=(total) data-from=(from) data-slice=(slice::SLICE) {
            (filling.outline)
            div.thread {
                div #head { (filling.head) }
                @if from > 0 { (elsewhere(id, from - slice::SLICE.min(from), "earlier", "Earlier messages")) }
                div #messages.messages { (PreEscaped(MESSAGES)) }
                @if total == 0 { p.empty { "This conversation has no messages." } }
                @if from + slice::SLICE < total { (elsewhere(id, from + slice::SLICE, "later", "Later messages")) }
                p.end { (count(total)) " messages" }
            }
            (filling.late)
        }
    };
    let (above, below) = whole.0.split_once(MESSAGES).unwrap_or((&whole.0, ""));
    (above.to_owned(), below.to_owned())
}

fn elsewhere(id: &ConversationId, at: usize, class: &str, words: &str) -> Markup {
    html! { p class={ "more " (class) } { a href=(link::message(id, at)) data-from=(at) { (words) } } }
}

/// The prompts, each with an address that works wherever in the conversation one is.
pub(super) fn outline(conversation: &Conversation, look: &backscroll_render::html::Look) -> Markup {
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
