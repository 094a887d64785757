//! What can be asked about a conversation: where it comes from, the files it touched, others about the same, words in it, a brief
//! of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use backscroll_history::live::Snapshot;
use backscroll_history::{Ask, Reason, Related};
use backscroll_model::{Conversation, Message, Origin, TextKind, Touch, Touched};
use backscroll_render::handoff::Handoff;
use backscroll_render::html::diff;
use jiff::Zoned;
use maud::{Markup, html};
use serde::Deserialize;

use crate::app_state::{App, AppState};
use crate::link;
use crate::pages::{Frame, page};
use crate::pieces::{Row, count, plural, summary_list, title};
use crate::problem::Result;

/// The maximum number of findings and orphans listed one by one.
const TOLD: usize = 500;

/// A page beside the conversation with this id.
async fn beside(
    app: Arc<AppState>,
    id: String,
    kind: &'static str,
    content: impl FnOnce(&AppState, &Arc<Snapshot>, &Arc<Conversation>) -> Markup + Send + 'static,
) -> Result<Response> {
    app.study(move |app, snapshot| {
        let conversation = app.conversation(snapshot, &id.as_str().into())?;
        let frame = Frame::new(title(&conversation.summary), "", kind, snapshot.number);
        Ok(page(&frame, &content(app, snapshot, &conversation)))
    })
    .await
}

/// The head of such a page, with the way back.
fn head(conversation: &Conversation, heading: &str, below: &Markup) -> Markup {
    html! {
        header.page-head {
            p.crumb { a href=(link::conversation(&conversation.summary.id)) { bdi { (title(&conversation.summary)) } } }
            h1 { (heading) }
            (below)
        }
    }
}

/// `GET /c/{id}/about`.
pub(crate) async fn about(State(app): App, Path(id): Path<String>) -> Result<Response> {
    beside(app, id, "about", |_, _, conversation| content(conversation)).await
}

fn content(conversation: &Conversation) -> Markup {
    html! {
        (head(conversation, "Where does this come from?", &html! {}))
        section {
            h2 { "Places that tell of it" }
            ul.origins { @for origin in &conversation.summary.origins { li { (told(origin)) } } }
        }
        (account(conversation))
        section {
            h2 { "Findings" }
            @if conversation.findings.is_empty() { p.empty { "Everything was as it should be." } }
            ul.findings-list { @for finding in conversation.findings.iter().take(TOLD) {
                li { strong { (finding.kind.name()) } " " (finding.says) " " (told(&finding.at)) }
            } }
            @if conversation.findings.len() > TOLD { p { "… and " (count(conversation.findings.len() - TOLD)) " more; the JSON export has them all." } }
        }
        (messages(conversation))
        @if !conversation.orphans.is_empty() {
            section {
                h2 { (plural(conversation.orphans.len(), "stored message")) " that the conversation does not list" }
                // Numbered on behind the messages, as a search counts them.
                ol.orphans { @for (orphan, number) in conversation.orphans.iter().zip(conversation.messages.len() + 1..).take(TOLD) {
                    li #{ "m" (number) } { strong { (orphan.role.name()) } " " (words(orphan)) " " (told(&orphan.origin)) }
                } }
            }
        }
    }
}

/// What a message begins with, or the tools that it calls.
fn words(message: &Message) -> String {
    let said = message.text();
    if said.trim().is_empty() {
        return message.tool_calls().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ");
    }
    said.chars().take(500).collect()
}

/// Where each message was read, the strongest place first.
fn messages(conversation: &Conversation) -> Markup {
    let id = &conversation.summary.id;
    html! {
        @if !conversation.messages.is_empty() {
            details.each-message {
                summary { "Where each message was read" }
                ol { @for (number, message) in conversation.messages.iter().enumerate().take(TOLD) {
                    li { a href=(link::message(id, number)) { "#" (number + 1) } " " (message.role.name()) " " (told(&message.origin))
                        @for origin in &message.also { (told(origin)) } }
                } }
                @if conversation.messages.len() > TOLD { p { "… and " (count(conversation.messages.len() - TOLD)) " more; the JSON export has them all." } }
            }
        }
    }
}

/// What became of the messages that were promised.
fn account(conversation: &Conversation) -> Markup {
    let coverage = conversation.coverage;
    let rows = [
        ("listed", coverage.listed, "messages that the conversation's own list names"),
        ("read", coverage.read, "of these, read"),
        ("missing", coverage.missing, "of these, without a stored row"),
        ("empty", coverage.empty, "of these, stored without content"),
        ("undecodable", coverage.undecodable, "of these, stored and not understood"),
        ("orphaned", coverage.orphaned, "stored, but not listed"),
    ];
    html! {
        section {
            h2 { "Account of its messages" }
            table { tbody { @for (name, number, meaning) in rows { tr { th scope="row" { (name) } td.number { (count(number)) } td { (meaning) } } } } }
        }
    }
}

fn told(origin: &Origin) -> Markup {
    html! { span.origin { span.layer { (origin.layer.name()) } " " span.path { (origin.file.display().to_string()) } " " code { (origin.key) } } }
}

/// Diffs of one file that are shown; further ones are linked.
const DIFFS: usize = 20;

/// `GET /c/{id}/files`.
pub(crate) async fn files(State(app): App, Path(id): Path<String>) -> Result<Response> {
    beside(app, id, "files", |_, _, conversation| files_content(conversation)).await
}

fn files_content(conversation: &Conversation) -> Markup {
    let mut files: BTreeMap<String, Vec<Touched<'_>>> = BTreeMap::new();
    for touched in conversation.touched() {
        files.entry(touched.path.clone()).or_default().push(touched);
    }
    html! {
        (head(conversation, "Files", &html! { p { (plural(files.len(), "file")) " touched" } }))
        @if files.is_empty() { p.empty { "No tool of this conversation named a file." } }
        @for (path, touches) in &files { (file(conversation, path, touches)) }
    }
}

fn file(conversation: &Conversation, path: &str, touches: &[Touched<'_>]) -> Markup {
    let id = &conversation.summary.id;
    let changes: Vec<_> = touches.iter().filter(|touched| touched.diff.is_some()).collect();
    let number = |how: Touch| touches.iter().filter(|touched| touched.how == how).count();
    let doings = [Touch::Attached, Touch::Read, Touch::Edited, Touch::Deleted, Touch::TriedToEdit];
    html! {
        details.file open[!changes.is_empty()] {
            summary {
                span.path { (path) }
                @for how in doings { @if number(how) > 0 { " " span.tag { (how.name()) @if number(how) > 1 { " ×" (number(how)) } } } }
            }
            p { "In messages " @for touched in touches.iter().take(60) { a href=(link::message(id, touched.message)) { "#" (touched.message + 1) } " " } }
            @for change in changes.iter().take(DIFFS) {
                p.where-from { a href=(link::message(id, change.message)) { "#" (change.message + 1) } }
                @if let Some(changed) = change.diff { (diff(changed)) }
            }
            @if changes.len() > DIFFS { p { (plural(changes.len() - DIFFS, "further change")) ": see the messages." } }
        }
    }
}

const MOST: usize = 20;

/// `GET /c/{id}/related`.
pub(crate) async fn related(State(app): App, Path(id): Path<String>) -> Result<Response> {
    beside(app, id, "related", |app, snapshot, conversation| {
        let (index, state) = app.library.index(snapshot);
        let ask = Ask { limit: Some(MOST), ..Ask::default() };
        let found = index.map(|index| snapshot.history.related(&index, conversation, &ask)).transpose();
        let (found, note) = match found {
            Ok(found) => (found.unwrap_or_default(), state.note()),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let note = html! { @if let Some(note) = &note { p.note role="note" { (note) } } };
        html! { (head(conversation, "Related conversations", &note)) (list(&found, &app.clock.now())) }
    })
    .await
}

fn list(found: &[Related], now: &Zoned) -> Markup {
    let rows: Vec<Row<'_>> =
        found.iter().map(|one| Row { summary: &one.summary, found: vec![why(&one.reason)] }).collect();
    html! {
        @if rows.is_empty() { p.empty { "No other conversation shares rare words or files with this one." } }
        @else { (summary_list(&rows, now)) }
    }
}

/// What the two share.
fn why(reason: &Reason) -> Markup {
    html! {
        p.meta {
            @if !reason.files.is_empty() { span { "files: " (reason.files.iter().take(4).cloned().collect::<Vec<_>>().join(", ")) } }
            @if !reason.words.is_empty() { span { "words: " (reason.words.iter().take(8).cloned().collect::<Vec<_>>().join(", ")) } }
            @if reason.same_workspace { span { "same workspace" } }
        }
    }
}

/// The maximum number of matches listed one by one.
const MOST_FOUND: usize = 200;

/// What to find.
#[derive(Debug, Deserialize)]
pub(crate) struct FindParameters {
    #[serde(default)]
    q: String,
}

/// `GET /c/{id}/find?q=…`.
pub(crate) async fn find(
    State(app): App,
    Path(id): Path<String>,
    Query(asked): Query<FindParameters>,
) -> Result<Response> {
    beside(app, id, "find", move |_, _, conversation| find_content(conversation, asked.q.trim())).await
}

fn find_content(conversation: &Conversation, wanted: &str) -> Markup {
    let matches = matches(conversation, wanted);
    let id = &conversation.summary.id;
    let form = html! {
        form.big action=(link::of_conversation(id, "find")) role="search" {
            input type="search" name="q" value=(wanted) aria-label="Find in this conversation" autocomplete="off";
            button type="submit" { "Find" }
        }
    };
    html! {
        (head(conversation, "Find in this conversation", &form))
        @if !wanted.is_empty() {
            p.summary-line role="status" { (plural(matches.len(), "message")) @if matches.len() == 1 { " matches" } @else { " match" } }
            ol.matches { @for (number, snippet) in matches.iter().take(MOST_FOUND) {
                li { a href=(link::message(id, *number)) { span.number { "#" (number + 1) } " " (snippet) } }
            } }
            @if matches.len() > MOST_FOUND { p { "… and " (count(matches.len() - MOST_FOUND)) " more" } }
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
    let mut found = None;
    message.visit_texts(|kind, text| {
        if found.is_none() && is_shown(kind) {
            found = around(&text.as_str(), wanted);
        }
    });
    found
}

/// Whether a text stands on the page as words of its message.
fn is_shown(kind: TextKind) -> bool {
    !matches!(
        kind,
        TextKind::Model
            | TextKind::Origin
            | TextKind::TodoStatus
            | TextKind::RawToolName
            | TextKind::Decision
            | TextKind::MediaType
            | TextKind::ImageData
            | TextKind::Language
            | TextKind::CodeStatus
    )
}

/// Characters shown before and after.
const AROUND: usize = 70;

/// Where `wanted` first stands in `text`, whatever the case, with what stands around it; `None` if nowhere.
pub(crate) fn around(text: &str, wanted: &str) -> Option<Markup> {
    let (from, to) = position(text, wanted)?;
    let before: Vec<char> = text[..from].chars().rev().take(AROUND).collect();
    let is_cut_before = text[..from].chars().nth(AROUND).is_some();
    let before: String = before.into_iter().rev().collect();
    let after: String = text[to..].chars().take(AROUND).collect();
    let is_cut_after = text[to..].chars().nth(AROUND).is_some();
    Some(html! {
        span.snippet { @if is_cut_before { "…" } (before) mark { (&text[from..to]) } (after) @if is_cut_after { "…" } }
    })
}

/// The bytes at which `wanted` stands. Lower case may be longer or shorter than the text, so letters are compared one by one.
fn position(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let first = *wanted.first()?;
    let begins = |c: char| c.to_lowercase().next() == Some(first);
    text.char_indices().filter(|(_, c)| begins(*c)).find_map(|(from, _)| {
        let mut left = wanted.iter();
        for (at, c) in text[from..].char_indices() {
            for lower in c.to_lowercase() {
                match left.next() {
                    Some(expected) if *expected == lower => {}
                    // The wanted text ends inside of a letter, or differs.
                    _ => return None,
                }
            }
            if left.len() == 0 {
                return Some((from, from + at + c.len_utf8()));
            }
        }
        None
    })
}

/// Sizes of a brief to choose from, in tokens.
const BUDGETS: [usize; 4] = [1_000, 2_000, 4_000, 8_000];
/// The size without a choice: the same as on the command line.
const USUAL: usize = 4_000;

/// How large a brief may be.
#[derive(Debug, Deserialize)]
pub(crate) struct Size {
    budget: Option<usize>,
}

/// `GET /c/{id}/handoff?budget=2000`: a brief to give to another agent, with a button that copies it.
pub(crate) async fn handoff(
    State(app): App,
    Path(id): Path<String>,
    Query(size): Query<Size>,
) -> Result<Response> {
    beside(app, id, "handoff", move |_, _, stored| {
        let budget = size.budget.unwrap_or(USUAL).clamp(100, 1_000_000);
        let brief = Handoff::new(stored, budget);
        let size = html! { p.summary-line { "A brief for another agent, at most " (count(brief.tokens_estimated)) " tokens." } };
        html! {
            (head(stored, "Hand off", &size))
            div.actions role="group" aria-label="What to do with it" {
                button #copy-brief type="button" data-copy="brief" { "Copy" }
                @for choice in BUDGETS {
                    @let address = format!("{}?budget={choice}", link::of_conversation(&stored.summary.id, "handoff"));
                    a.button href=(address) aria-current=[(choice == budget).then_some("true")] { "At most " (count(choice)) " tokens" }
                }
            }
            pre #brief.brief tabindex="0" { (brief.markdown()) }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_find_is_marked_whatever_the_case() {
        let told = |text: &str, wanted: &str| around(text, wanted).map(maud::PreEscaped::into_string);
        assert_eq!(
            told("See TIDES.py", "tides").as_deref(),
            Some("<span class=\"snippet\">See <mark>TIDES</mark>.py</span>")
        );
        assert_eq!(
            told("a < b", "< b").as_deref(),
            Some("<span class=\"snippet\">a <mark>&lt; b</mark></span>")
        );
        assert_eq!(told("aab", "ab").as_deref(), Some("<span class=\"snippet\">a<mark>ab</mark></span>"));
        assert_eq!(told("", "x"), None);
        assert_eq!(told("x", ""), None);
        assert!(told(&"ü".repeat(500), "ÜÜ").is_some_and(|told| told.ends_with("…</span>")));
        assert!(told("İstanbul", "i̇s").is_some());
    }
}
