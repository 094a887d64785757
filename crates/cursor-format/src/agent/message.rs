//! Message blobs: JSON in the manner of the AI SDK or of `OpenAI`. Must not fold results into calls.

use std::cell::OnceCell;

use backscroll_model::{Decoded, Finding, FindingKind, Origin, Payload, ToolCall};
use serde_json::value::RawValue;

use super::content::{Content, odd_pieces};
use super::message_option::cursor_options;
use super::message_part::{Piece, ToolResult};
use crate::call_name::call_name;
use crate::wire_json::{List, Text, parse, wire};

/// Who a stored message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The system prompt.
    System,
    /// The user, or the editor in their name.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// A message blob, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// Who it is from.
    pub speaker: Speaker,
    /// What it is made of, in stored order.
    pub pieces: Vec<Piece>,
    /// The request it belongs to.
    pub request_id: Option<String>,
    /// The model that spoke.
    pub model: Option<String>,
}

wire! {
    struct WireMessage<'a> {
        role: Text<'a> = "role",
        content: Content = "content",
        id: Text<'a> = "id",
        tool_calls: List<WireOpenAiCall<'a>> = "tool_calls",
        openai_call_id: Text<'a> = "tool_call_id",
        tool_call_id: Text<'a> = "toolCallId",
        tool_name: Text<'a> = "toolName",
        args: Option<&'a RawValue> = "args",
        options: Option<&'a RawValue> = "providerOptions",
    }
}
wire! { struct WireContent<'a> { content: Option<&'a RawValue> = "content", } }
wire! { struct WireOpenAiCall<'a> { id: Text<'a> = "id", function: WireFunction<'a> = "function", } }
wire! {
    struct WireFunction<'a> { name: Text<'a> = "name", arguments: Option<&'a RawValue> = "arguments", }
}

/// Reads a message blob; `None`, with a finding, if it is none.
pub fn message(bytes: &[u8], at: &Origin) -> Decoded<Option<StoredMessage>> {
    let mut findings = Vec::new();
    let repaired = OnceCell::new();
    let value = match parse::<WireMessage<'_>>(bytes, &repaired) {
        Ok(mut stored) => {
            let pieces = match std::mem::take(&mut stored.content) {
                Content::Absent => Vec::new(),
                Content::Known(pieces) => pieces,
                Content::Odd => {
                    let again: WireContent<'_> = parse(bytes, &repaired).unwrap_or_default();
                    again.content.map(|raw| odd_pieces(raw, at, &mut findings)).unwrap_or_default()
                }
            };
            taken_apart(&stored, pieces, at, &mut findings)
        }
        Err(error) => {
            let says = format!("a message is no JSON object that we know: {error}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            None
        }
    };
    Decoded { value, findings }
}

fn taken_apart(
    stored: &WireMessage<'_>,
    mut pieces: Vec<Piece>,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Option<StoredMessage> {
    let role = stored.role.filled().unwrap_or_default();
    let speaker = match role {
        "system" | "developer" => Speaker::System,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "tool" | "function" => Speaker::Tool,
        _ => {
            // Nobody will see its parts, so nobody has to know what is odd about them.
            findings.clear();
            let says = format!("a message has the unknown role {role:?}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            return None;
        }
    };
    let options = stored.options.and_then(cursor_options);
    match speaker {
        Speaker::Assistant => pieces.extend(calls(stored)),
        Speaker::Tool => pieces = results(stored, pieces),
        Speaker::System | Speaker::User => {}
    }
    if let Some(high_level) = options.as_ref().and_then(|options| options.high_level.as_ref()) {
        for piece in &mut pieces {
            if let Piece::Result(result) = piece {
                result.enrich(high_level);
            }
        }
    }
    let thinker = pieces.iter().find_map(|piece| match piece {
        Piece::Thought { model, .. } => model.clone(),
        _ => None,
    });
    let named = options.as_ref().and_then(|options| options.model.clone());
    Some(StoredMessage {
        speaker,
        pieces,
        request_id: options.and_then(|options| options.request_id),
        model: named.or(thinker),
    })
}

/// Calls that stand beside the content: `OpenAI`'s list, or the bare form with one call per message.
fn calls(stored: &WireMessage<'_>) -> Vec<Piece> {
    let listed = stored.tool_calls.0.iter().filter_map(|call| {
        let function = &call.function;
        Some(tool_call(call.id.owned(), function.name.filled()?, function.arguments))
    });
    let alone = stored.tool_name.filled().map(|name| {
        let id = stored.tool_call_id.owned().or_else(|| stored.openai_call_id.owned());
        tool_call(id, name, stored.args)
    });
    listed.chain(alone).collect()
}

/// A tool call as the model asked for it.
pub(super) fn tool_call(id: Option<String>, raw_name: &str, arguments: Option<&RawValue>) -> Piece {
    let arguments = arguments.map(|raw| match Payload::from_raw(raw) {
        Payload::Text(text) => Payload::from_text(text),
        json @ Payload::Json(_) => json,
    });
    let name = call_name(raw_name, None, arguments.as_ref());
    let raw_name = raw_name.to_owned();
    Piece::Call(Box::new(ToolCall { id, name, raw_name, arguments, ..ToolCall::default() }))
}

/// A tool's message is made of results; words in it are a result, too.
fn results(stored: &WireMessage<'_>, pieces: Vec<Piece>) -> Vec<Piece> {
    let named = stored.openai_call_id.owned().or_else(|| stored.tool_call_id.owned());
    let call_id = named.or_else(|| stored.id.owned());
    pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Result(Box::new(ToolResult {
                call_id: call_id.clone(),
                tool_name: stored.tool_name.owned(),
                output: Some(Payload::from_text(text)),
                ..ToolResult::default()
            })),
            Piece::Result(mut result) => {
                result.call_id = result.call_id.take().or_else(|| call_id.clone());
                Piece::Result(result)
            }
            other => other,
        })
        .collect()
}
