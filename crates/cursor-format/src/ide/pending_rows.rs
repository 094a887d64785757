//! Rows that messages refer to, fetched after the messages themselves: request context, diffs, answers that Cursor dropped
//! from the bubble but kept in the agent's own account.

use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{
    Attachment, AttachmentKind, ConversationId, Finding, FindingKind, Fragment, Layer, Origin, Part, ToolCall,
};
use serde_json::value::RawValue;

use super::assemble::has_content;
use super::bubble::{PendingRows, bubble, summary_text};
use super::composer::{WireComposer, WireHead, entries, record};
use super::diffs::{CodeBlock, CodeBlocks, stored_diff, wants_diff};
use super::keys::RowKind;
use super::tool_former::Hints;
use super::{attachments, diffs, tool_former};
use crate::agent;
use crate::rows::{Blobs, Row, Rows, RowsError};
use crate::wire_json::{Entries, Text, parse, string, wire};

wire! { struct WireRequestContext<'a> {} @lists attachments::is_list }
wire! { struct WireLatestSummary<'a> { last: Text<'a> = "lastBubbleId", } }

/// Completes every message, then takes the account of what was read.
pub(crate) fn complete(
    id: &ConversationId,
    fragment: &mut Fragment,
    pending: &mut [(usize, PendingRows)],
    code_blocks: &CodeBlocks,
    wire: Option<&WireComposer<'_>>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
) -> Result<(), RowsError> {
    let places: HashMap<String, usize> =
        fragment.messages.iter().enumerate().map(|(place, m)| (m.id.as_str().to_owned(), place)).collect();
    if let Some(wire) = wire {
        add_old_tool_data(wire, &places, fragment);
        add_code(code_blocks, &places, pending, fragment);
        add_summary(wire, &places, fragment);
    }
    add_request_context(id, &places, rows, fragment)?;
    for (place, wanted) in pending.iter_mut() {
        if let Some(hints) = wanted.call.take() {
            complete_call(id, &hints, *place, code_blocks, rows, blobs, fragment)?;
        }
    }
    let hollow = pending.iter().filter(|(place, _)| !has_content(&fragment.messages[*place]));
    fragment.coverage.empty = hollow.count() as u64;
    let coverage = &mut fragment.coverage;
    coverage.read = coverage.listed - coverage.missing - coverage.empty - coverage.undecodable;
    Ok(())
}

/// `messageRequestContext:<composer>:<bubble>`: what was sent along with a message of the user.
fn add_request_context(
    id: &ConversationId,
    places: &HashMap<String, usize>,
    rows: &dyn Rows,
    fragment: &mut Fragment,
) -> Result<(), RowsError> {
    let prefix = RowKind::RequestContext.under(id);
    rows.under(&prefix, &mut |Row { key, value, .. }| {
        let key = String::from_utf8_lossy(key);
        let Some(&place) = key.strip_prefix(&prefix).and_then(|bubble| places.get(bubble)) else {
            return;
        };
        let Some(bytes) = value else { return };
        let repaired = OnceCell::new();
        match parse::<WireRequestContext<'_>>(bytes, &repaired) {
            Ok(context) => attachments::add(&context.lists, &mut fragment.messages[place].parts),
            Err(error) => {
                let says = format!("what was sent along with a message is not JSON: {error}");
                let at = fragment.messages[place].origin.with_key(&*key);
                fragment.findings.push(Finding::new(FindingKind::Undecodable, at, says));
            }
        }
    })
}

/// Tool data of 0.45: `capabilities[15].data.bubbleDataMap`, JSON inside a string, by bubble.
fn add_old_tool_data(wire: &WireComposer<'_>, places: &HashMap<String, usize>, fragment: &mut Fragment) {
    for map in wire.capabilities.0.iter().filter_map(|capability| capability.data.bubbles) {
        let text = string(map).unwrap_or_else(|| map.get().to_owned());
        let entries: Entries<&RawValue> = serde_json::from_str(&text).unwrap_or_default();
        for (bubble, data) in entries.0 {
            let (Some(&place), Some((mut call, _))) = (places.get(&bubble), tool_former::tool_call(data))
            else {
                continue;
            };
            let message = &mut fragment.messages[place];
            if message.tool_calls().next().is_none() {
                diffs::complete(&mut call, None);
                message.parts.push(Part::ToolCall(Box::new(call)));
            }
        }
    }
}

/// Code whose text stands only in the composer's `codeBlockData`.
fn add_code(
    blocks: &CodeBlocks,
    places: &HashMap<String, usize>,
    pending: &[(usize, PendingRows)],
    fragment: &mut Fragment,
) {
    for block in blocks.blocks.iter().filter(|block| !block.code.text.is_empty()) {
        let Some(place) = owner(block, places, pending) else {
            continue;
        };
        let message = &mut fragment.messages[place];
        let shown = |part: &Part| match part {
            Part::Text(text) => text.contains(block.code.text.trim()),
            Part::Code(code) => code.text == block.code.text,
            _ => false,
        };
        if !message.parts.iter().any(shown) {
            message.parts.push(Part::Code(Box::new(block.code.clone())));
        }
    }
}

/// The message that a code block belongs to: by id, or, in the oldest records, the one that lists its version.
fn owner(
    block: &CodeBlock,
    places: &HashMap<String, usize>,
    pending: &[(usize, PendingRows)],
) -> Option<usize> {
    if let Some(bubble) = &block.bubble {
        return places.get(bubble).copied();
    }
    let named = (block.code.path.clone(), block.version);
    pending.iter().find(|(_, rows)| rows.code_versions.contains(&named)).map(|(place, _)| *place)
}

/// The summary that the record keeps, put where it was made.
fn add_summary(wire: &WireComposer<'_>, places: &HashMap<String, usize>, fragment: &mut Fragment) {
    let Some(value) = wire.summary else { return };
    let Some(text) = summary_text(value) else { return };
    let latest: WireLatestSummary<'_> = serde_json::from_str(value.get()).unwrap_or_default();
    let last = latest.last.filled().and_then(|id| places.get(id).copied());
    let Some(place) = last.or(fragment.messages.len().checked_sub(1)) else {
        return;
    };
    let known =
        fragment.messages.iter().flat_map(|m| &m.parts).any(|p| matches!(p, Part::Summary(s) if *s == text));
    if !known {
        fragment.messages[place].parts.push(Part::Summary(text));
    }
}

fn complete_call(
    id: &ConversationId,
    hints: &Hints,
    place: usize,
    code_blocks: &CodeBlocks,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    fragment: &mut Fragment,
) -> Result<(), RowsError> {
    let mut findings = Vec::new();
    let mut embedded = None;
    let mut added = Vec::new();
    let message = &mut fragment.messages[place];
    let origin = message.origin.clone();
    let Some(call) = message.parts.iter_mut().find_map(|part| match part {
        Part::ToolCall(call) => Some(&mut **call),
        _ => None,
    }) else {
        return Ok(());
    };
    if wants_diff(call) {
        call.diff = stored_diff(id, hints, call, code_blocks, rows, &origin, &mut findings)?;
    }
    if let Some(binary) = &hints.binary {
        let frame = agent::tool_call_frame(binary);
        if call.result.is_none() || hints.is_pruned || wants_diff(call) {
            let at = origin.clone().as_layer(Layer::AgentBlobs);
            let known = agent::tool_call_from_base64(binary, &at, blobs).report_to(&mut findings);
            if let Some(known) = known {
                take_from(known, call, hints.is_pruned);
                message.also.push(at);
            } else {
                let says = "`toolCallBinary` is not a tool call";
                findings.push(Finding::new(FindingKind::Undecodable, origin.clone(), says));
            }
        } else {
            call.started_at = call.started_at.or(frame.started_at);
            call.ended_at = call.ended_at.or(frame.ended_at);
        }
        added.extend(frame.context);
    }
    if let Some(child) = &hints.child {
        embedded = embedded_conversation(child, &origin, &mut findings);
        call.child = call.child.take().or_else(|| embedded.as_ref()?.title.clone());
    }
    diffs::complete_from_arguments(call);
    if hints.is_pruned && call.result.as_ref().is_none_or(backscroll_model::Payload::is_hollow) {
        let says = "Cursor dropped this call's answer, and no other layer has it";
        findings.push(Finding::new(FindingKind::DanglingReference, origin, says));
    }
    for attachment in added.into_iter().chain(embedded) {
        attachments::push_new(attachment, &mut fragment.messages[place].parts);
    }
    fragment.findings.extend(findings);
    Ok(())
}

/// A subagent of late 2025, whose whole conversation stands inside the call: its words, as an attachment.
fn embedded_conversation(stored: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Option<Attachment> {
    let text = string(stored).unwrap_or_else(|| stored.get().to_owned());
    let repaired = OnceCell::new();
    let wire: WireHead<'_> = record(text.as_bytes(), &repaired).ok()?;
    let id = wire.id.owned()?;
    let mut said = Vec::new();
    for entry in entries(&wire).entries {
        let Some(inline) = entry.inline else { continue };
        let bubble = bubble(&entry.id, inline.get().as_bytes(), at, entry.kind, findings);
        said.extend(bubble.map(|b| format!("{}: {}", b.message.role.name(), b.message.text())));
    }
    Some(Attachment::new(AttachmentKind::Conversation).titled(id).saying(said.join("\n\n")))
}

/// What the agent's own account adds to a call of a bubble.
fn take_from(account: ToolCall, call: &mut ToolCall, is_pruned: bool) {
    if call.result.is_none()
        || (is_pruned && account.result.as_ref().is_some_and(|result| !result.is_hollow()))
    {
        call.result = account.result.or_else(|| call.result.take());
    }
    if call.arguments.as_ref().is_none_or(backscroll_model::Payload::is_hollow) {
        call.arguments = account.arguments.or_else(|| call.arguments.take());
    }
    call.started_at = call.started_at.or(account.started_at);
    call.ended_at = call.ended_at.or(account.ended_at);
    call.error = call.error.take().or(account.error);
    call.diff = call.diff.take().or(account.diff);
    call.child = call.child.take().or(account.child);
}
