//! Where a conversation comes from: the places that tell of it, the account of its messages, and every finding.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use backscroll_model::{Conversation, Message, Origin};
use maud::{Markup, html};

use super::address;
use crate::desk::Desk;
use crate::link;
use crate::pieces::{count, plural};
use crate::problem::Problem;

/// Findings and orphans are told one by one up to here.
const TOLD: usize = 500;

/// `GET /c/{id}/about`.
pub(crate) async fn about(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    address::page_of(desk, id, "about", content).await
}

fn content(conversation: &Conversation, title: &str) -> Markup {
    html! {
        header.page-head {
            p.crumb { a href=(link::conversation(&conversation.summary.id)) { bdi { (title) } } }
            h1 { "Where does this come from?" }
        }
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
