//! Finds words in one conversation, whether its messages are on the page or not.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use backscroll_model::{Conversation, Message, Part, Payload};
use maud::{Markup, html};
use serde::Deserialize;

use super::address;
use crate::desk::Desk;
use crate::link;
use crate::pages::{Frame, page};
use crate::pieces::{count, plural};
use crate::problem::Problem;
use crate::snippet::around;

/// Matches are told one by one up to here.
const TOLD: usize = 200;

/// What to find.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    q: String,
}

/// `GET /c/{id}/find?q=…`.
pub(crate) async fn find(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    desk.study(move |desk, edition| {
        let conversation = address::load(desk, edition, &id)?;
        let title = address::title(&conversation.summary);
        let frame = Frame { title, edition: edition.number, kind: "find", ..Frame::default() };
        Ok(page(&frame, &content(&conversation, title, asked.q.trim())))
    })
    .await
}

fn content(conversation: &Conversation, title: &str, wanted: &str) -> Markup {
    let matches = matches(conversation, wanted);
    let id = &conversation.summary.id;
    html! {
        header.page-head {
            p.crumb { a href=(link::conversation(id)) { bdi { (title) } } }
            h1 { "Find in this conversation" }
            form.big action=(link::of_conversation(id, "find")) role="search" {
                input type="search" name="q" value=(wanted) aria-label="Find in this conversation" autocomplete="off";
                button type="submit" { "Find" }
            }
        }
        @if !wanted.is_empty() {
            p.summary-line role="status" { (plural(matches.len(), "message")) @if matches.len() == 1 { " matches" } @else { " match" } }
            ol.matches { @for (number, snippet) in matches.iter().take(TOLD) {
                li { a href=(link::message(id, *number)) { span.number { "#" (number + 1) } " " (snippet) } }
            } }
            @if matches.len() > TOLD { p { "… and " (count(matches.len() - TOLD)) " more" } }
        }
    }
}

/// The numbers of the messages in which `wanted` stands, whatever the case, each with its surroundings.
fn matches(conversation: &Conversation, wanted: &str) -> Vec<(usize, Markup)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let numbered = conversation.messages.iter().enumerate();
    numbered.filter_map(|(number, message)| Some((number, in_message(message, wanted)?))).collect()
}

fn in_message(message: &Message, wanted: &str) -> Option<Markup> {
    message.parts.iter().flat_map(texts).find_map(|text| around(text, wanted))
}

/// Every text of a part.
fn texts(part: &Part) -> Vec<&str> {
    match part {
        Part::Text(text) | Part::Thinking { text, .. } | Part::Summary(text) | Part::Error(text) => {
            vec![text]
        }
        Part::ToolCall(call) => {
            let payloads = call.arguments.iter().chain(&call.result).map(Payload::as_str);
            let texts = call.error.iter().chain(&call.diff).map(String::as_str);
            std::iter::once(call.name.as_str()).chain(payloads).chain(texts).collect()
        }
        Part::Image(image) => image.path.iter().chain(&image.description).map(String::as_str).collect(),
        Part::Attachment(attachment) => {
            let told = attachment.path.iter().chain(&attachment.title).chain(&attachment.text);
            told.map(String::as_str).collect()
        }
        Part::Code(code) => code.path.iter().map(String::as_str).chain([code.text.as_str()]).collect(),
        Part::Todos(todos) => todos.iter().map(|todo| todo.content.as_str()).collect(),
    }
}
