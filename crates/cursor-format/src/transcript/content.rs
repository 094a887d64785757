//! The content of a record's message: a string, or blocks of text, tool calls, results, thoughts, pictures.

use backscroll_model::{Image, Part, Payload, Role};
use serde_json::value::RawValue;

use super::builder::Builder;
use crate::wire_json::{self, Object};

/// Adds everything in `content` to the message that was begun last.
pub(super) fn add(content: &RawValue, role: Role, key: &str, builder: &mut Builder) {
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
    let Some(block) = Object::of(raw) else {
        return builder.find_unknown(key, "a block that is neither text nor an object");
    };
    let kind = block.text("type").unwrap_or_default();
    match kind.as_str() {
        "tool_use" | "tool-call" | "tool_call" => add_call(&block, builder),
        "tool_result" | "tool-result" => add_result(&block, key, builder),
        "thinking" | "reasoning" => add_thought(&block, key, builder),
        "redacted_thinking" | "redacted-reasoning" => builder.note_redacted(key),
        "image" => builder.add(image(&block).into()),
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
    let given = block.raw("input").or_else(|| block.raw("args"));
    builder.add_call(id, &name, given.map(Payload::from_raw));
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
