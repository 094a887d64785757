//! The files that a conversation touched, each with what was done to it and what changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use backscroll_model::{Conversation, Touch, Touched};
use backscroll_render::html::diff;
use maud::{Markup, html};

use super::address;
use crate::desk::Desk;
use crate::link;
use crate::pieces::plural;
use crate::problem::Problem;

/// Diffs of one file that are shown; further ones are linked.
const DIFFS: usize = 20;

/// `GET /c/{id}/files`.
pub(crate) async fn files(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    address::page_of(desk, id, "files", content).await
}

fn content(conversation: &Conversation, title: &str) -> Markup {
    let mut files: BTreeMap<String, Vec<Touched<'_>>> = BTreeMap::new();
    for touched in conversation.touched() {
        files.entry(touched.path.clone()).or_default().push(touched);
    }
    html! {
        header.page-head {
            p.crumb { a href=(link::conversation(&conversation.summary.id)) { bdi { (title) } } }
            h1 { "Files" }
            p { (plural(files.len(), "file")) " touched" }
        }
        @if files.is_empty() { p.empty { "No tool of this conversation named a file." } }
        @for (path, touches) in &files { (file(conversation, path, touches)) }
    }
}

fn file(conversation: &Conversation, path: &str, touches: &[Touched<'_>]) -> Markup {
    let id = &conversation.summary.id;
    let changes: Vec<_> = touches.iter().filter(|touched| touched.diff.is_some()).collect();
    let number = |how: Touch| touches.iter().filter(|touched| touched.how == how).count();
    let doings = [Touch::Attached, Touch::Read, Touch::Edited, Touch::Deleted];
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
