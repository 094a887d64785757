//! What is known of a conversation, and what could not be read of it.

use std::collections::BTreeMap;

use backscroll_model::{Conversation, Message, Touch};
use maud::{Markup, html};

use super::stored::{followable, in_a_line, shown};
use super::{Look, message};
use crate::Detail;
use crate::phrases::{counted, finding_counts, grouped, other_tokens, time_span};
use crate::terminal::{DiffStat, diff_stat};

/// The head of a conversation.
pub fn facts(conversation: &Conversation, look: &Look) -> Markup {
    let (summary, facts) = (&conversation.summary, &conversation.facts);
    html! {
        header.about {
            h1 { (title(conversation)) }
            @if let Some(workspace) = &summary.workspace {
                p.place {
                    span.path { (in_a_line(&workspace.path, 400)) }
                    @if let Some(remote) = &workspace.remote { " on " (in_a_line(remote, 120)) }
                    @if let Some(branch) = &facts.branch { " · branch " span.path { (in_a_line(branch, 120)) } }
                }
            }
            dl.facts { @for (name, value) in told(conversation, look) { div { dt { (name) } dd { (value) } } } }
            @if look.options.detail >= Detail::Normal { (files(conversation)) (plan(conversation)) }
        }
    }
}

/// The title, or that there is none.
pub(super) fn title(conversation: &Conversation) -> String {
    let title = conversation.summary.title.as_deref().map(|title| in_a_line(title, 200));
    title.filter(|title| !title.is_empty()).unwrap_or_else(|| "Untitled conversation".to_owned())
}

/// Names and values, as far as they are known.
fn told(conversation: &Conversation, look: &Look) -> Vec<(&'static str, Markup)> {
    let (summary, facts) = (&conversation.summary, &conversation.facts);
    let mut told = Vec::new();
    told.extend(
        time_span(&conversation.summary, &look.options.time_zone, "%-d %b %Y, %H:%M")
            .map(|times| ("When", html! { (times) })),
    );
    let models: Vec<_> = summary.models.iter().map(|model| in_a_line(model, 80)).collect();
    if !models.is_empty() {
        told.push(("Model", html! { (models.join(", ")) }));
    }
    told.extend(summary.mode.as_deref().map(|mode| ("Mode", html! { (in_a_line(mode, 60)) })));
    told.push(("Messages", html! { (counts(conversation)) }));
    told.extend(facts.lines.map(|lines| {
        let stat = DiffStat { added: lines.added, removed: lines.removed };
        ("Lines", html! { span.stat { span.added { "+" (grouped(stat.added)) } " " span.removed { "−" (grouped(stat.removed)) } } })
    }));
    told.extend(facts.tokens.map(|tokens| {
        let (input, output) = (grouped(tokens.input), grouped(tokens.output));
        ("Tokens", html! { (input) " in, " (output) " out" (other_tokens(tokens)) })
    }));
    let flags: Vec<_> = summary.flags.iter().map(|flag| flag.name()).collect();
    if !flags.is_empty() {
        told.push(("State", html! { (flags.join(", ")) }));
    }
    told.extend(others(conversation, look));
    told.extend(facts.pull_requests.iter().map(|request| ("Pull request", link(request))));
    told.extend(facts.draft.as_deref().map(|draft| ("Unsent", html! { (in_a_line(draft, 400)) })));
    told.push(("Id", html! { code { (in_a_line(summary.id.as_str(), 120)) } }));
    told
}

/// The conversations around this one.
fn others(conversation: &Conversation, look: &Look) -> Vec<(&'static str, Markup)> {
    let named = |id: &str| {
        html! {
            @match look.options.links.get(id) {
                Some(address) => { a href=(address) { (look.called(id)) } }
                None => { code { (look.called(id)) } }
            }
        }
    };
    let mut others = Vec::new();
    others.extend(conversation.summary.parent.as_ref().map(|parent| ("Started by", named(parent.as_str()))));
    if !conversation.summary.children.is_empty() {
        others.push((
            "Subagents",
            html! {
                @for (number, child) in conversation.summary.children.iter().enumerate() {
                    @if number > 0 { ", " }
                    (named(child.as_str()))
                }
            },
        ));
    }
    others
}

fn link(address: &str) -> Markup {
    html! {
        @match followable(address) {
            Some(address) => { a href=(address) rel="noopener noreferrer" { (in_a_line(address, 200)) } }
            None => (in_a_line(address, 200)),
        }
    }
}

fn counts(conversation: &Conversation) -> String {
    let calls = conversation.messages.iter().flat_map(Message::tool_calls).count();
    let messages = grouped(conversation.messages.len());
    if calls == 0 { messages } else { format!("{messages}, {}", counted(calls, "tool call")) }
}

/// What was done to one file.
#[derive(Default)]
struct Doings {
    touches: BTreeMap<Touch, u64>,
    stat: DiffStat,
}

fn files(conversation: &Conversation) -> Markup {
    let mut files: BTreeMap<String, Doings> = BTreeMap::new();
    for touched in conversation.touched() {
        let doings = files.entry(touched.path).or_default();
        *doings.touches.entry(touched.how).or_default() += 1;
        doings.stat += touched.diff.map(diff_stat).unwrap_or_default();
    }
    html! {
        @if !files.is_empty() {
            details.files {
                summary { (counted(files.len(), "file")) " touched" }
                ul {
                    @for (path, doings) in &files {
                        li {
                            span.path { (in_a_line(path, 300)) }
                            @for (how, number) in &doings.touches { " " span.touch { (how.name()) @if *number > 1 { " ×" (number) } } }
                            @if doings.stat != DiffStat::default() {
                                " " span.stat { span.added { "+" (doings.stat.added) } " " span.removed { "−" (doings.stat.removed) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The list of things to do and the plans, as they last stood.
fn plan(conversation: &Conversation) -> Markup {
    let facts = &conversation.facts;
    html! {
        @if !facts.todos.is_empty() {
            details.plan { summary { "To do, as it last stood" } (message::todo_list(&facts.todos)) }
        }
        @for plan in &facts.plans { p.place { "Plan: " (shown(&in_a_line(plan, 300))) } }
    }
}

/// The findings of a conversation: how many, and at full detail every one.
pub fn findings(conversation: &Conversation, look: &Look) -> Markup {
    let (total, kinds) = finding_counts(&conversation.findings);
    html! {
        @if !conversation.findings.is_empty() {
            section.findings aria-label="Findings" {
                p { (total) ": " (kinds) }
                @if look.options.detail == Detail::Full {
                    ul {
                        @for finding in &conversation.findings {
                            li {
                                strong { (finding.kind.name()) } " " (shown(&finding.says))
                                br;
                                span.origin {
                                    (finding.at.layer.name()) " " (in_a_line(&finding.at.file.display().to_string(), 400)) " " (in_a_line(&finding.at.key, 200))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
