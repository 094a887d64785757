//! Numbered fields of tool calls turned into JSON with names. What has no name is kept as `field_<number>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

use super::graph::Graph;
use super::root::Reference;
use super::tool_schema::{Kind, Spec};
use super::wire::{Message, Value, readable};

/// Messages nested deeper than this are kept as base64.
const DEEPEST: usize = 24;

/// A message as a JSON object.
pub(super) fn object(bytes: &[u8], specs: &[Spec], graph: &mut Graph<'_>, depth: usize) -> Json {
    let message = match Message::whole(bytes) {
        Some(message) if depth <= DEEPEST => message,
        _ => return Json::String(base64_text(bytes)),
    };
    let mut object = Map::new();
    for field in &message.fields {
        let spec = specs.iter().find(|spec| spec.number == field.number);
        let (name, kind) = match spec {
            Some(spec) => (spec.name.to_owned(), spec.kind),
            None => (format!("field_{}", field.number), Kind::Any),
        };
        if let (Kind::Map(_) | Kind::Values, Value::Bytes(entry)) = (kind, field.value) {
            let entries = object.entry(name).or_insert_with(|| json!({}));
            if let Json::Object(entries) = entries {
                insert_entry(entries, entry, kind, graph, depth);
            }
            continue;
        }
        let value = value(field.value, kind, graph, depth);
        let is_list = spec.is_some_and(|spec| spec.is_list);
        add(&mut object, name, value, is_list);
    }
    Json::Object(object)
}

/// A field that comes several times becomes a list.
fn add(object: &mut Map<String, Json>, name: String, value: Json, is_list: bool) {
    match object.get_mut(&name) {
        Some(Json::Array(items)) => items.push(value),
        Some(first) => *first = Json::Array(vec![first.take(), value]),
        None if is_list => {
            object.insert(name, Json::Array(vec![value]));
        }
        None => {
            object.insert(name, value);
        }
    }
}

fn insert_entry(
    entries: &mut Map<String, Json>,
    entry: &[u8],
    kind: Kind,
    graph: &mut Graph<'_>,
    depth: usize,
) {
    let entry = Message::read(entry);
    let bytes = entry.bytes(2).unwrap_or_default();
    let value = match kind {
        Kind::Map(specs) => object(bytes, specs, graph, depth + 1),
        _ => dynamic(bytes, depth + 1),
    };
    entries.insert(entry.text(1).unwrap_or_default(), value);
}

fn value(value: Value<'_>, kind: Kind, graph: &mut Graph<'_>, depth: usize) -> Json {
    let bytes = match value {
        Value::Bytes(bytes) => bytes,
        Value::Varint(number) => return number_as(number, kind),
        Value::Fixed64(bits) => return json!(f64::from_bits(bits)),
        Value::Fixed32(bits) => return json!(f32::from_bits(bits)),
    };
    match kind {
        Kind::Text => Json::String(readable(bytes).into_owned()),
        Kind::Bytes => Json::String(base64_text(bytes)),
        Kind::Message(specs) => object(bytes, specs, graph, depth + 1),
        Kind::SubagentType => Json::String(subagent_type(bytes)),
        Kind::BlobId => {
            Json::String(Reference::of(bytes).id().map_or_else(|| base64_text(bytes), |id| id.to_string()))
        }
        Kind::BlobText => blob_text(bytes, graph),
        _ => by_looks(bytes, depth + 1),
    }
}

fn number_as(number: u64, kind: Kind) -> Json {
    match kind {
        Kind::Flag => Json::Bool(number != 0),
        Kind::TodoStatus => json!(todo_status(number)),
        _ => json!(number.cast_signed()),
    }
}

/// What a todo's status number means.
pub(super) fn todo_status(number: u64) -> &'static str {
    match number {
        1 => "pending",
        2 => "in_progress",
        3 => "completed",
        4 => "cancelled",
        _ => "unknown",
    }
}

fn subagent_type(bytes: &[u8]) -> String {
    let message = Message::read(bytes);
    let name = match message.fields.first().map(|field| field.number) {
        Some(2) => "computer_use",
        Some(3) => {
            let custom = message.message(3).and_then(|custom| custom.words(1));
            return custom.unwrap_or_else(|| "custom".to_owned());
        }
        Some(4) => "explore",
        Some(5) => "media_review",
        Some(6) => "bash",
        Some(7) => "browser_use",
        Some(8) => "shell",
        Some(9) => "vm_setup_helper",
        Some(10) => "debug",
        Some(11) => "cursor_guide",
        Some(12) => "watch_video",
        _ => "unspecified",
    };
    name.to_owned()
}

fn blob_text(bytes: &[u8], graph: &mut Graph<'_>) -> Json {
    let Reference::Blob(id) = Reference::of(bytes) else {
        return Json::String(base64_text(bytes));
    };
    let content = graph.fetch(id, "a file's content");
    match content.map(|bytes| String::from_utf8(bytes.into_owned())) {
        Some(Ok(text)) => Json::String(text),
        _ => json!({ "blobId": id.to_string() }),
    }
}

/// A `google.protobuf.Value`.
fn dynamic(bytes: &[u8], depth: usize) -> Json {
    let message = match Message::whole(bytes) {
        Some(message) if depth <= DEEPEST => message,
        _ => return Json::String(base64_text(bytes)),
    };
    let Some(field) = message.fields.last() else {
        return Json::Null;
    };
    match (field.number, field.value) {
        (2, Value::Fixed64(bits)) => json!(f64::from_bits(bits)),
        (3, Value::Bytes(text)) => Json::String(String::from_utf8_lossy(text).into_owned()),
        (4, Value::Varint(flag)) => Json::Bool(flag != 0),
        (5, Value::Bytes(nested)) => Message::read(nested)
            .map(1)
            .map(|(key, value)| (key, dynamic(value, depth + 1)))
            .collect::<Map<_, _>>()
            .into(),
        (6, Value::Bytes(nested)) => {
            let items = Message::read(nested);
            let items = items.every(1).map(|item| dynamic(item, depth + 1));
            items.collect::<Vec<_>>().into()
        }
        (1, _) => Json::Null,
        _ => by_looks(bytes, depth + 1),
    }
}

/// Text if it reads as text, else a message if it is one, else base64.
fn by_looks(bytes: &[u8], depth: usize) -> Json {
    let text = std::str::from_utf8(bytes).ok().filter(|text| {
        let odd =
            |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{7f}' | '\u{8}');
        !text.contains(odd)
    });
    let message = Message::whole(bytes).filter(|_| depth <= DEEPEST && !bytes.is_empty());
    // A message whose first field is a text begins like a text that begins with an empty line.
    let begins_like_a_message = bytes.first() == Some(&b'\n');
    match (text, message) {
        (Some(text), None) => Json::String(text.to_owned()),
        (Some(text), Some(_)) if !begins_like_a_message => Json::String(text.to_owned()),
        (_, Some(message)) => {
            let mut object = Map::new();
            for field in &message.fields {
                let value = match field.value {
                    Value::Bytes(bytes) => by_looks(bytes, depth + 1),
                    Value::Varint(number) => json!(number.cast_signed()),
                    Value::Fixed64(bits) => json!(f64::from_bits(bits)),
                    Value::Fixed32(bits) => json!(f32::from_bits(bits)),
                };
                add(&mut object, format!("field_{}", field.number), value, false);
            }
            Json::Object(object)
        }
        (None, None) => Json::String(base64_text(bytes)),
    }
}

fn base64_text(bytes: &[u8]) -> String {
    format!("base64:{}", STANDARD.encode(bytes))
}
