//! Chat tabs of the old chat pane: `workbench.panel.aichat.view.aichat.chatdata`, up to 0.44.
//!
//! A tab is a conversation with all of its messages inside. Nothing but the time of the last sending is
//! known of when they were said.

use std::cell::OnceCell;

use backscroll_model::{
    ConversationId, Finding, FindingKind, Flag, Fragment, Message, Moment, Origin, Part, Role, Summary,
    Surface,
};
use serde_json::value::RawValue;

use super::assemble::has_content;
use super::attachments;
use super::composer::model_name;
use crate::placeholders::is_placeholder_title;
use crate::rich_text;
use crate::user_text::title_line;
use crate::wire_json::{List, Text, When, parse, wire};

wire! { struct WireTabs<'a> { tabs: List<WireTab<'a>> = "tabs", sessions: List<WireTab<'a>> = "chatSessions", } }
wire! {
    struct WireTab<'a> {
        id: Text<'a> = "tabId" | "sessionId",
        title: Text<'a> = "chatTitle" | "title",
        sent_at: When = "lastSendTime",
        timestamp: When = "timestamp",
        bubbles: List<&'a RawValue> = "bubbles" | "messages",
    }
}
wire! {
    struct WireSaid<'a> {
        kind: Text<'a> = "type" | "role",
        id: Text<'a> = "id" | "bubbleId",
        timestamp: When = "timestamp",
        text: Text<'a> = "text" | "content",
        raw_text: Text<'a> = "rawText",
        delegate: WireDelegate<'a> = "delegate",
        rich_text: Text<'a> = "richText",
        init_text: Text<'a> = "initText",
        model: Text<'a> = "modelType",
        request_id: Text<'a> = "requestId",
    }
    @lists attachments::is_list
}
wire! { struct WireDelegate<'a> { text: Text<'a> = "a", } }

/// Gives all tabs of one value to `each`, or only this one, and returns what was not as it should be. Thousands of tabs may be
/// one value, so no more than one is decoded at a time.
pub fn chat_tabs(
    bytes: &[u8],
    at: &Origin,
    only: Option<&ConversationId>,
    each: &mut dyn FnMut(Fragment),
) -> Vec<Finding> {
    let repaired = OnceCell::new();
    match parse::<WireTabs<'_>>(bytes, &repaired) {
        Ok(wire) => {
            for (index, tab) in wire.tabs.0.into_iter().chain(wire.sessions.0).enumerate() {
                let id = ConversationId::new(tab.id.owned().unwrap_or_else(|| nameless(index, at)));
                if only.is_none_or(|only| *only == id) {
                    each(fragment(id, &tab, at));
                }
            }
            Vec::new()
        }
        Err(error) => {
            let says = format!("the chat tabs are not JSON: {error}");
            vec![Finding::new(FindingKind::Undecodable, at.clone(), says)]
        }
    }
}

/// The id of a tab without one: its number, and the folder of its database, because every workspace has a first tab.
fn nameless(index: usize, at: &Origin) -> String {
    let folder = at.file.parent().and_then(|folder| folder.file_name()).unwrap_or_default();
    format!("tab-{index}-{}", folder.to_string_lossy())
}

fn fragment(id: ConversationId, tab: &WireTab<'_>, at: &Origin) -> Fragment {
    let at = at.with_key(format!("{}#{id}", at.key));
    let mut summary = Summary::new(id, Surface::IdeChat, at.clone());
    summary.title = tab.title.filled().filter(|title| !is_placeholder_title(title)).map(str::to_owned);
    summary.created_at = tab.timestamp.0;
    summary.updated_at = tab.sent_at.0.or(tab.timestamp.0);
    summary.mode = Some("chat".to_owned());
    let mut fragment = Fragment::new(summary);
    for (place, bubble) in tab.bubbles.0.iter().enumerate() {
        add_message(place, bubble, &at, &mut fragment);
    }
    let empty = fragment.messages.iter().filter(|message| !has_content(message)).count() as u64;
    let coverage = &mut fragment.coverage;
    coverage.empty = empty;
    coverage.read = coverage.listed - coverage.empty - coverage.undecodable;
    let summary = &mut fragment.summary;
    summary.messages = Some(coverage.listed);
    if coverage.listed == 0 {
        summary.flags.insert(Flag::Empty);
    }
    if summary.title.is_none() {
        let spoken = fragment.messages.iter().find(|message| message.role == Role::User);
        summary.title = spoken.and_then(|message| title_line(&message.text()));
    }
    super::assemble::fill_times(&mut fragment);
    fragment
}

fn add_message(place: usize, bubble: &RawValue, at: &Origin, fragment: &mut Fragment) {
    fragment.coverage.listed += 1;
    let said: WireSaid<'_> = serde_json::from_str(bubble.get()).unwrap_or_default();
    let id = said.id.owned().unwrap_or_else(|| place.to_string());
    let at = at.with_key(format!("{}/{id}", at.key));
    let role = match said.kind.filled() {
        Some("user") => Role::User,
        Some("ai" | "assistant") => Role::Assistant,
        other => {
            fragment.coverage.undecodable += 1;
            let says = format!("a message of unknown type {other:?}");
            fragment.findings.push(Finding::new(FindingKind::Unknown, at, says));
            return;
        }
    };
    let mut message = Message::new(id, role, at);
    message.at = Moment::exact_or_unknown(said.timestamp.0);
    message.request_id = said.request_id.owned();
    if role == Role::Assistant {
        message.model = said.model.filled().and_then(model_name);
        message.parts.extend(said.raw_text.owned().or_else(|| said.text.owned()).map(Part::Text));
    } else {
        message.parts.extend(user_words(&said).map(Part::Text));
    }
    attachments::add(&said.lists, &mut message.parts);
    if let Some(model) = &message.model
        && !fragment.summary.models.contains(model)
    {
        fragment.summary.models.push(model.clone());
    }
    fragment.messages.push(message);
}

/// What the user typed, wherever that version kept it.
fn user_words(said: &WireSaid<'_>) -> Option<String> {
    let plain = said.text.owned().or_else(|| said.raw_text.owned()).or_else(|| said.delegate.text.owned());
    let rich = || {
        let sources = [&said.rich_text, &said.init_text].into_iter().filter_map(|text| text.filled());
        sources.map(|source| rich_text::read(source).text).find(|text| !text.is_empty())
    };
    plain.or_else(rich)
}
