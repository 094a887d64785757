//! Transcripts of JSON records, one a line or all in one array: something said, a tool's result, or a control record.

use std::fmt;

use backscroll_model::{Attachment, AttachmentKind, FindingKind, Image, Part, Payload, Role};
use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::decoding::Builder;
use crate::placeholders::known_model;
use crate::wire_json;
use crate::wire_json::Object;

/// What a record is.
pub(super) enum Record<'a> {
    /// Something said.
    Said(Role, Object<'a>),
    /// A tool's result that stands alone.
    Result(Object<'a>),
    /// A turn ended badly, for this reason.
    Failed(String),
    /// A control record that says nothing to us.
    Control,
    /// A record of a kind that is not known.
    Unknown(String),
}

impl<'a> Record<'a> {
    /// Decides what the record is. A control record may carry a role and is no message for all that.
    pub(super) fn from_object(object: Object<'a>) -> Self {
        let kind = object.text("type");
        match kind.as_deref() {
            None | Some("message" | "user" | "assistant" | "ai" | "system") => {}
            Some("turn_ended") => return ended(&object),
            Some("error") => return Self::Failed(reason(&object).unwrap_or_else(|| "error".to_owned())),
            Some("progress" | "turn_started") if object.raw("message").is_none() => return Self::Control,
            Some(other) => return Self::Unknown(format!("a record of type {other:?}")),
        }
        let role = object.text("role").or(kind);
        match role.as_deref() {
            Some("user" | "human") => Self::Said(Role::User, object),
            Some("assistant" | "ai") => Self::Said(Role::Assistant, object),
            Some("system") => Self::Said(Role::System, object),
            Some("tool") if object.raw("toolResult").is_some() => Self::Result(object),
            Some("tool") => Self::Said(Role::Tool, object),
            Some(other) => Self::Unknown(format!("a record of role {other:?}")),
            None => Self::Unknown("a record without role and type".to_owned()),
        }
    }

    /// Adds the record under the given id and key.
    fn add_to(self, builder: &mut Builder, id: &str, key: &str) {
        match self {
            Self::Said(role, object) => said(role, &object, builder, id, key),
            Self::Result(object) => result(&object, builder, key),
            Self::Failed(reason) => {
                if !builder.has_messages() {
                    builder.begin(id, key, Role::System);
                }
                builder.add(Part::Error(reason));
            }
            Self::Control => {}
            Self::Unknown(what) => builder.find_unknown(key, what),
        }
    }
}

fn said(role: Role, object: &Object<'_>, builder: &mut Builder, id: &str, key: &str) {
    builder.begin(id, key, role);
    let message = object.raw("message");
    let inside = message.and_then(Object::parse);
    let either = |name: &str| object.raw(name).or_else(|| inside.as_ref()?.raw(name));
    let at = either("timestamp")
        .and_then(|raw| wire_json::time(&wire_json::text(raw).unwrap_or_else(|| raw.get().to_owned())));
    let model = either("model").and_then(wire_json::text);
    builder.note(at, model.as_deref().and_then(known_model));
    let found = match (&inside, message) {
        (Some(inside), _) => inside.raw("content").or_else(|| inside.raw("text")),
        (None, Some(message)) => Some(message),
        (None, None) => object.raw("content").or_else(|| object.raw("text")),
    };
    if role == Role::Assistant && object.text("thinking").is_some_and(|thought| !thought.trim().is_empty()) {
        add_thought(object, key, builder);
    }
    if let Some(found) = found {
        add_content(found, role, key, builder);
    }
    for call in object.items("toolCalls").unwrap_or_default() {
        match Object::parse(call) {
            Some(call) => {
                let name = call.first_text(&["toolName", "name"]).unwrap_or_default();
                builder.add_call(call.text("toolCallId"), &name, given(&call));
            }
            None => builder.find(FindingKind::Damaged, key, "a tool call that is no object"),
        }
    }
}

fn result(object: &Object<'_>, builder: &mut Builder, key: &str) {
    let result = object.object("toolResult").unwrap_or_default();
    let name = result.first_text(&["toolName", "name"]);
    let body = ["result", "content", "output", "text"].iter().find_map(|field| result.raw(field));
    let id = result.text("toolCallId");
    builder.answer(id.as_deref(), name.as_deref(), body.map(Payload::from_raw), key);
}

fn ended<'a>(object: &Object<'_>) -> Record<'a> {
    match object.text("status").as_deref() {
        None | Some("success" | "completed" | "finished") => Record::Control,
        Some(status) => Record::Failed(reason(object).unwrap_or_else(|| status.to_owned())),
    }
}

fn reason(object: &Object<'_>) -> Option<String> {
    let error = object.raw("error");
    let inside = error.and_then(Object::parse).and_then(|error| error.text("message"));
    let stated = inside
        .or_else(|| object.first_text(&["error", "message", "reason"]))
        .or_else(|| error.map(|raw| raw.get().to_owned()));
    stated.filter(|stated| !stated.trim().is_empty())
}

/// Adds everything in `content` to the message that was begun last.
fn add_content(content: &RawValue, role: Role, key: &str, builder: &mut Builder) {
    if let Some(text) = wire_json::text(content) {
        add_text(&text, role, key, builder);
    } else if let Ok(blocks) = serde_json::from_str::<Vec<&RawValue>>(content.get()) {
        for block in blocks {
            add_block(block, role, key, builder);
        }
    } else if content.get() != "null" {
        add_block(content, role, key, builder);
    }
}

pub(super) fn add_text(text: &str, role: Role, key: &str, builder: &mut Builder) {
    match role {
        Role::User => builder.add_user_text(text),
        Role::Assistant => builder.add_agent_text(text, key),
        Role::System | Role::Tool if text.trim().is_empty() => {}
        Role::System | Role::Tool => builder.add(Part::Text(text.to_owned())),
    }
}

fn add_block(raw: &RawValue, role: Role, key: &str, builder: &mut Builder) {
    if let Some(text) = wire_json::text(raw) {
        return add_text(&text, role, key, builder);
    }
    let Some(block) = Object::parse(raw) else {
        return builder.find_unknown(key, "a block that is neither text nor an object");
    };
    let kind = block.text("type").unwrap_or_default();
    match kind.as_str() {
        "tool_use" | "tool-call" | "tool_call" => add_call(&block, builder),
        "tool_result" | "tool-result" => add_result(&block, key, builder),
        "thinking" | "reasoning" => add_thought(&block, key, builder),
        "redacted_thinking" | "redacted-reasoning" => builder.note_redacted(key),
        "image" => builder.add(image(&block).into()),
        "file" if block.first_text(&["name", "filename", "uri", "content"]).is_some() => {
            builder.add(file(&block));
        }
        _ => {
            let text = block.text("text");
            if kind != "text" || text.is_none() {
                builder.find_unknown(key, format!("a block of type {kind:?}"));
            }
            match text {
                Some(text) => add_text(&text, role, key, builder),
                None => builder.add(Part::Text(raw.get().to_owned())),
            }
        }
    }
}

fn add_call(block: &Object<'_>, builder: &mut Builder) {
    let id = block.first_text(&["id", "toolCallId", "call_id"]);
    let name = block.first_text(&["name", "toolName"]).unwrap_or_default();
    builder.add_call(id, &name, given(block));
}

/// What a call was given, under any of its names. A text that holds JSON is that JSON.
fn given(call: &Object<'_>) -> Option<Payload> {
    let mut names = ["input", "args", "parameters", "arguments"].iter();
    let given = names.find_map(|name| call.raw(name)).map(Payload::from_raw)?;
    Some(match given {
        Payload::Text(text) => Payload::from_text(text),
        json @ Payload::Json(_) => json,
    })
}

fn add_result(block: &Object<'_>, key: &str, builder: &mut Builder) {
    let id = block.first_text(&["tool_use_id", "toolCallId", "call_id"]);
    let name = block.first_text(&["name", "toolName"]);
    let result = ["content", "result", "output"].iter().find_map(|field| block.raw(field));
    builder.answer(id.as_deref(), name.as_deref(), result.map(Payload::from_raw), key);
}

fn add_thought(block: &Object<'_>, key: &str, builder: &mut Builder) {
    let text = block.first_text(&["thinking", "text"]).unwrap_or_default();
    if text.trim().is_empty() || text.trim() == "[REDACTED]" {
        return builder.note_redacted(key);
    }
    let duration_ms = block.count("duration_ms").or_else(|| block.count("durationMs"));
    builder.add(Part::Thinking { text, duration_ms });
}

/// A file, or a picture that goes by the same name.
fn file(block: &Object<'_>) -> Part {
    let media_type = block.first_text(&["mediaType", "mimeType", "media_type"]);
    if media_type.is_some_and(|kind| kind.starts_with("image/")) {
        return image(block).into();
    }
    let name = block.first_text(&["name", "filename"]);
    Part::Attachment(Box::new(Attachment {
        path: block.first_text(&["uri", "path"]).or_else(|| name.clone()),
        title: name,
        text: block.first_text(&["content", "text"]),
        ..Attachment::new(AttachmentKind::File)
    }))
}

fn image(block: &Object<'_>) -> Image {
    let source = block.object("source").unwrap_or_default();
    let either = |keys: &[&str]| block.first_text(keys).or_else(|| source.first_text(keys));
    Image {
        path: either(&["path", "url"]),
        media_type: either(&["media_type", "mimeType", "mediaType"]),
        data: either(&["data"]),
        description: either(&["alt", "description"]),
    }
}

/// How much of a line that cannot be read a finding shows.
const SHOWN: usize = 200;

/// Reads every line; the last one may still be half written.
pub(super) fn read_lines(text: &str, builder: &mut Builder) {
    let ends_whole = text.ends_with('\n');
    let mut lines = text.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        builder.count_record();
        let number = index + 1;
        let key = format!("line {number}");
        if let Some(object) = Object::read(line) {
            Record::from_object(object).add_to(builder, &number.to_string(), &key);
            continue;
        }
        if lines.peek().is_none() && !ends_whole {
            builder.find(
                FindingKind::Incomplete,
                &key,
                format!("the last line is half written: {}", shown(line)),
            );
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("no JSON object: {}", shown(line)));
        }
    }
}

/// The beginning of a line, for people.
pub(super) fn shown(line: &str) -> String {
    line.chars().take(SHOWN).collect()
}

/// Reads every complete item; the array may end too early.
pub(super) fn read_array(text: &str, builder: &mut Builder) {
    if text.trim().is_empty() {
        return;
    }
    let mut number = 0;
    let outcome = each_item(text, |raw| {
        number += 1;
        builder.count_record();
        let key = format!("record {number}");
        if let Some(object) = Object::parse(raw) {
            Record::from_object(object).add_to(builder, &number.to_string(), &key);
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("no object: {}", shown(raw.get())));
        }
        true
    });
    if let Err(error) = outcome {
        let key = format!("record {}", number + 1);
        if error.is_eof() {
            builder.find(FindingKind::Incomplete, &key, "the array is half written");
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("not readable from here on: {error}"));
        }
    }
}

/// Hands out the items of the array in `text` until `each` has enough.
pub(super) fn each_item<'de>(
    text: &'de str,
    each: impl FnMut(&'de RawValue) -> bool,
) -> Result<(), serde_json::Error> {
    struct Items<F>(F);

    impl<'de, F: FnMut(&'de RawValue) -> bool> Visitor<'de> for Items<F> {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of records")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<bool, A::Error> {
            while let Some(raw) = items.next_element::<&RawValue>()? {
                if !(self.0)(raw) {
                    return Err(serde::de::Error::custom("enough"));
                }
            }
            Ok(true)
        }
    }

    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_seq(Items(each))?;
    reader.end()
}
