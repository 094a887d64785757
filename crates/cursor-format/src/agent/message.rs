//! Message blobs: JSON in the manner of the AI SDK or of `OpenAI`. Must not fold results into calls.

use backscroll_model::{Decoded, Finding, FindingKind, Origin, Payload, ToolCall};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message_option::cursor_options;
use super::message_part::{self, Piece, ToolResult, object, plain};
use super::wire;
use crate::tool_names;

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

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Stored<'a> {
    #[serde(borrow)]
    role: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, rename = "tool_calls")]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, rename = "tool_call_id")]
    openai_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    provider_options: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OpenAiCall<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OpenAiFunction<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads a message blob; `None`, with a finding, if it is none.
pub fn message(bytes: &[u8], at: &Origin) -> Decoded<Option<StoredMessage>> {
    let mut findings = Vec::new();
    let text = wire::readable(bytes);
    let value = match serde_json::from_str::<Stored<'_>>(&text) {
        Ok(stored) => taken_apart(&stored, at, &mut findings),
        Err(error) => {
            let says = format!("a message is no JSON object that we know: {error}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            None
        }
    };
    Decoded { value, findings }
}

fn taken_apart(stored: &Stored<'_>, at: &Origin, findings: &mut Vec<Finding>) -> Option<StoredMessage> {
    let role = plain(stored.role).unwrap_or_default();
    let speaker = match role.as_str() {
        "system" | "developer" => Speaker::System,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "tool" | "function" => Speaker::Tool,
        _ => {
            let says = format!("a message has the unknown role {role:?}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            return None;
        }
    };
    let mut pieces = message_part::pieces(stored.content, at, findings);
    let options = stored.provider_options.and_then(cursor_options);
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
fn calls(stored: &Stored<'_>) -> Vec<Piece> {
    let listed: Vec<&RawValue> =
        stored.tool_calls.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    let mut calls: Vec<Piece> = listed
        .into_iter()
        .filter_map(|call| {
            let call: OpenAiCall<'_> = object(call)?;
            let function: OpenAiFunction<'_> = object(call.function?)?;
            Some(tool_call(plain(call.id), &plain(function.name)?, function.arguments))
        })
        .collect();
    if let Some(name) = plain(stored.tool_name) {
        calls.push(tool_call(plain(stored.tool_call_id), &name, stored.args));
    }
    calls
}

/// A tool call as the model asked for it.
pub(super) fn tool_call(id: Option<String>, raw_name: &str, arguments: Option<&RawValue>) -> Piece {
    let mut call = ToolCall {
        id,
        name: tool_names::canonical(raw_name, None),
        raw_name: raw_name.to_owned(),
        ..ToolCall::default()
    };
    call.arguments = arguments.map(|raw| match Payload::from_raw(raw) {
        Payload::Text(text) => Payload::from_text(text),
        json @ Payload::Json(_) => json,
    });
    Piece::Call(Box::new(call))
}

/// A tool's message is made of results; words in it are a result, too.
fn results(stored: &Stored<'_>, pieces: Vec<Piece>) -> Vec<Piece> {
    let named = plain(stored.openai_call_id).or_else(|| plain(stored.tool_call_id));
    let call_id = named.or_else(|| plain(stored.id));
    pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Result(Box::new(ToolResult {
                call_id: call_id.clone(),
                tool_name: plain(stored.tool_name),
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
