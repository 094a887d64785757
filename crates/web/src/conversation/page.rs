//! The page of a conversation. Its frame is sent at once, the rest when the conversation has been read, so that even a
//! huge one shows something immediately.
//!
//! Messages come in slices, so that ten thousand of them are never in one answer.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use backscroll_model::{Conversation, ConversationId, Message, Summary};
use backscroll_render::html::{Look, contents, controls, facts, message};
use backscroll_render::{Detail, Options, starts_heading};
use jiff::Zoned;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use crate::app_state::{App, AppState};
use crate::link;
use crate::pages::{Frame, Pieces, editor_address, when_made};
use crate::pieces::{count, plural, title};
use crate::problem::Result;
use backscroll_export::FORMATS;
use backscroll_history::live::Snapshot;

/// Which message must be on the page, counted from zero.
#[derive(Debug, Deserialize)]
pub(crate) struct At {
    #[serde(default)]
    at: usize,
}

/// `GET /c/{id}?at=123`.
pub(crate) async fn page(
    State(app): App,
    Path(id): Path<String>,
    Query(asked): Query<At>,
) -> Result<Response> {
    let wanted = ConversationId::new(id);
    let id = wanted.clone();
    let listed = Arc::clone(&app).read(move |_, snapshot| {
        Ok((snapshot.number, snapshot.summary(&id).map(|summary| summary.title.clone())))
    });
    let (number, title) = listed.await?;
    let title = if let Some(title) = title {
        title
    } else {
        // Not listed: it may still lie inside of another. Reading it tells, and what is not there must be a 404.
        let id = wanted.clone();
        let read = Arc::clone(&app).study(move |app, snapshot| app.conversation(snapshot, &id));
        read.await?.summary.title.clone()
    };
    let frame = Frame {
        title: title.as_deref().unwrap_or("Untitled conversation"),
        snapshot: number,
        kind: "conversation",
        script: Some("conversation.js"),
        ..Frame::default()
    };
    Ok(when_made(&frame, |pieces| async move {
        app.study(move |app, snapshot| content(app, snapshot, (&wanted, asked.at), &pieces)).await
    }))
}

fn content(
    app: &AppState,
    snapshot: &Arc<Snapshot>,
    (id, at): (&ConversationId, usize),
    pieces: &Pieces,
) -> Result<Markup> {
    let conversation = app.conversation(snapshot, id)?;
    let total = conversation.messages.len();
    let from = slice_beginning(at.min(total.saturating_sub(1)));
    let options = options(&conversation, &app.clock.now());
    let look = look(&conversation, &options);
    let (above, below) = around(snapshot, &conversation, from, &look);
    pieces.send(above);
    render_between(&conversation, from..from + SLICE, &look, &mut |piece| pieces.send(piece));
    Ok(PreEscaped(below))
}

/// The HTML above and below the messages from `from` on.
fn around(snapshot: &Snapshot, conversation: &Conversation, from: usize, look: &Look) -> (String, String) {
    // A text that cannot stand in a page, because every stored one is escaped.
    const MESSAGES: &str = "<<messages>>";
    let (summary, total) = (&conversation.summary, conversation.messages.len());
    let id = &summary.id;
    let whole = html! {
        div.bar {
            span.name { bdi { (title(summary)) } }
            // Where the window is narrow, the list of prompts is called up.
            button.prompts-button type="button" popovertarget="contents" { "Prompts" }
            (controls())
        }
        div.layout data-id=(id) data-total=(total) data-from=(from) data-slice=(SLICE) {
            (outline(conversation, look))
            div.thread {
                div #head { (head(snapshot, conversation, look)) }
                @if from > 0 { (elsewhere(id, from - SLICE.min(from), "earlier", "Earlier messages")) }
                div #messages.messages { (PreEscaped(MESSAGES)) }
                @if total == 0 { p.empty { "This conversation has no messages." } }
                @if from + SLICE < total { (elsewhere(id, from + SLICE, "later", "Later messages")) }
                p.end { (count(total)) " messages" }
            }
        }
    };
    let (above, below) = whole.0.split_once(MESSAGES).unwrap_or((&whole.0, ""));
    (above.to_owned(), below.to_owned())
}

fn elsewhere(id: &ConversationId, at: usize, class: &str, words: &str) -> Markup {
    html! { p class={ "more " (class) } { a href=(link::message(id, at)) data-from=(at) { (words) } } }
}

/// The prompts, each with an address that works wherever in the conversation one is.
fn outline(conversation: &Conversation, look: &Look) -> Markup {
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

pub(super) fn head(snapshot: &Snapshot, conversation: &Conversation, look: &Look) -> Markup {
    html! {
        (facts(conversation, look))
        (actions(&conversation.summary, !conversation.touched().is_empty(), conversation.findings.len()))
        (family(snapshot, conversation))
    }
}

fn actions(summary: &Summary, has_files: bool, findings: usize) -> Markup {
    let id = &summary.id;
    let folder = summary.workspace.as_ref();
    html! {
        div.actions role="group" aria-label="What to do with it" {
            details.menu #export {
                summary { "Export" }
                ul { @for format in &FORMATS { li { a href=(link::of_conversation(id, &format!("export/{}", format.name()))) download { (format.title) span { "." (format.name()) } } } } }
            }
            a.button href=(link::of_conversation(id, "replay")) { "Replay" }
            button #copy-markdown type="button" data-copy-address=(link::of_conversation(id, "export/md")) { "Copy as Markdown" }
            a.button href=(link::of_conversation(id, "handoff")) { "Hand off" }
            @if has_files { a.button href=(link::of_conversation(id, "files")) { "Files" } }
            a.button href=(link::of_conversation(id, "related")) { "Related" }
            a.button href=(link::of_conversation(id, "about")) { "Where from?" @if findings > 0 { span.badge { (plural(findings, "finding")) } } }
            @if let Some(workspace) = folder { a.button href=(editor_address(workspace)) { "Open folder" } }
            form.find-here action=(link::of_conversation(id, "find")) role="search" {
                input type="search" name="q" placeholder="Find in this conversation" aria-label="Find in this conversation" autocomplete="off" spellcheck="false";
            }
        }
        div #matches.matches hidden {}
    }
}

/// The conversations that this one started, or was started by.
fn family(snapshot: &Snapshot, conversation: &Conversation) -> Markup {
    let named = |id: &ConversationId| {
        let title = snapshot.summary(id).and_then(|summary: &Summary| summary.title.clone());
        html! { a href=(link::conversation(id)) { bdi { (title.unwrap_or_else(|| id.to_string())) } } }
    };
    html! {
        @if let Some(parent) = &conversation.summary.parent { p.family { "Started by " (named(parent)) } }
        @if !conversation.summary.children.is_empty() {
            details.family open[conversation.summary.children.len() <= 5] {
                summary { (plural(conversation.summary.children.len(), "subagent")) }
                ul { @for child in &conversation.summary.children { li { (named(child)) } } }
            }
        }
    }
}

/// How many messages are sent at once.
const SLICE: usize = 100;

/// Rendered text is sent from this many bytes on: colouring the rest takes longer than sending.
const PIECE: usize = 16 * 1024;

fn slice_beginning(at: usize) -> usize {
    at / SLICE * SLICE
}

/// How the messages of `conversation` look here: everything is there, the page decides what is folded.
fn look<'a>(conversation: &Conversation, options: &'a Options) -> Look<'a> {
    let mut look = Look::new(options);
    look.pictures = Some(link::of_conversation(&conversation.summary.id, "picture"));
    look
}

/// Hands over the messages with these numbers, from zero, a few at a time.
fn render_between(
    conversation: &Conversation,
    numbers: Range<usize>,
    look: &Look,
    take: &mut dyn FnMut(String),
) {
    let messages = &conversation.messages;
    let mut before = numbers.start.checked_sub(1).and_then(|at| messages.get(at));
    let mut html = String::new();
    for (number, shown) in messages.iter().enumerate().take(numbers.end).skip(numbers.start) {
        html.push_str(&message(shown, number + 1, starts_heading(before, shown), look).into_string());
        before = Some(shown);
        if html.len() >= PIECE {
            take(std::mem::take(&mut html));
        }
    }
    take(html);
}

/// Times as here, and addresses of every conversation that this one names.
fn options(conversation: &Conversation, now: &Zoned) -> Options {
    let children = conversation
        .summary
        .children
        .iter()
        .chain(&conversation.summary.parent)
        .map(|id| id.as_str().to_owned());
    let started =
        conversation.messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.clone());
    let links = children.chain(started).map(|id| (id.clone(), link::conversation(&id.as_str().into())));
    Options { links: links.collect(), ..Options::alone(Detail::Normal, now.time_zone().clone()) }
}

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
    State(app): App,
    Path(id): Path<String>,
    Query(asked): Query<From>,
) -> Result<Response> {
    app.study(move |app, snapshot| {
        let conversation = app.conversation(snapshot, &id.as_str().into())?;
        let options = options(&conversation, &app.clock.now());
        let look = look(&conversation, &options);
        let until = asked.from.saturating_add(asked.count.unwrap_or(SLICE).min(SLICE));
        let mut html = String::new();
        render_between(&conversation, asked.from..until, &look, &mut |piece| html.push_str(&piece));
        let mut answer = Html(html).into_response();
        answer.headers_mut().insert(
            HeaderName::from_static("x-messages"),
            HeaderValue::from(u64::try_from(conversation.messages.len()).unwrap_or(u64::MAX)),
        );
        Ok(answer)
    })
    .await
}
