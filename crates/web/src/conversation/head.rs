//! What stands above a conversation: its facts, what can be done with it, and what it started.

use backscroll_model::{Conversation, ConversationId, Summary};
use backscroll_render::html::{Look, facts};
use maud::{Markup, html};

use super::address;
use super::export::FORMATS;
use crate::edition::Edition;
use crate::link;
use crate::pages::editor_address;
use crate::pieces::{count, plural};

/// The head of the page.
pub(super) fn head(edition: &Edition, conversation: &Conversation, look: &Look) -> Markup {
    html! {
        (facts(conversation, look))
        (actions(&conversation.summary, !conversation.touched().is_empty(), conversation.findings.len()))
        (family(edition, conversation))
    }
}

/// What stands there while the conversation is still being read: as much as a listing tells.
pub(super) fn for_now(summary: &Summary, total: usize) -> Markup {
    html! {
        header.about aria-busy="true" {
            h1 { bdi { (address::title(summary)) } }
            @if let Some(workspace) = &summary.workspace { p.place { span.path { (workspace.path) } } }
            dl.facts { div { dt { "Messages" } dd { (count(total)) } } }
        }
        (actions(summary, true, 0))
    }
}

fn actions(summary: &Summary, has_files: bool, findings: usize) -> Markup {
    let id = &summary.id;
    let folder = summary.workspace.as_ref();
    html! {
        div.actions role="group" aria-label="What to do with it" {
            details.menu #export {
                summary { "Export" }
                ul { @for format in FORMATS { li { a href=(link::of_conversation(id, &format!("export/{}", format.name))) download { (format.title) span { "." (format.name) } } } } }
            }
            a.button href=(link::of_conversation(id, "replay")) { "Replay" }
            button #copy-markdown type="button" data-from=(link::of_conversation(id, "export/md")) { "Copy as Markdown" }
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
fn family(edition: &Edition, conversation: &Conversation) -> Markup {
    let named = |id: &ConversationId| {
        let title = edition.summary(id).and_then(|summary: &Summary| summary.title.clone());
        html! { a href=(link::conversation(id)) { bdi { (title.unwrap_or_else(|| id.to_string())) } } }
    };
    html! {
        @if let Some(parent) = &conversation.summary.parent { p.family { "Started by " (named(parent)) } }
        @if !conversation.children.is_empty() {
            details.family open[conversation.children.len() <= 5] {
                summary { (plural(conversation.children.len(), "subagent")) }
                ul { @for child in &conversation.children { li { (named(child)) } } }
            }
        }
    }
}
