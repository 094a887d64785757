//! One JSON record of a transcript: something said, a tool's result, or a control record.

use backscroll_model::{FindingKind, Part, Payload, Role};

use super::builder::Builder;
use super::content;
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
    pub(super) fn of(object: Object<'a>) -> Self {
        let kind = object.text("type");
        match kind.as_deref() {
            None | Some("message" | "user" | "assistant" | "system") => {}
            Some("turn_ended") => return ended(&object),
            Some("error") => return Self::Failed(reason(&object).unwrap_or_else(|| "error".to_owned())),
            Some("progress" | "turn_started") if object.raw("message").is_none() => return Self::Control,
            Some(other) => return Self::Unknown(format!("a record of type {other:?}")),
        }
        let role = object.text("role").or(kind);
        match role.as_deref() {
            Some("user" | "human") => Self::Said(Role::User, object),
            Some("assistant") => Self::Said(Role::Assistant, object),
            Some("system") => Self::Said(Role::System, object),
            Some("tool") if object.raw("toolResult").is_some() => Self::Result(object),
            Some("tool") => Self::Said(Role::Tool, object),
            Some(other) => Self::Unknown(format!("a record of role {other:?}")),
            None => Self::Unknown("a record without role and type".to_owned()),
        }
    }

    /// Adds the record under the given id and key.
    pub(super) fn add_to(self, builder: &mut Builder, id: &str, key: &str) {
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
    let inside = message.and_then(Object::of);
    let found = match (&inside, message) {
        (Some(inside), _) => inside.raw("content").or_else(|| inside.raw("text")),
        (None, Some(message)) => Some(message),
        (None, None) => object.raw("content").or_else(|| object.raw("text")),
    };
    if let Some(found) = found {
        content::add(found, role, key, builder);
    }
    for call in object.items("toolCalls").unwrap_or_default() {
        match Object::of(call) {
            Some(call) => {
                let name = call.first_text(&["toolName", "name"]).unwrap_or_default();
                let given = call.raw("args").or_else(|| call.raw("input"));
                builder.add_call(call.text("toolCallId"), &name, given.map(Payload::from_raw));
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
    let inside = error.and_then(Object::of).and_then(|error| error.text("message"));
    let told = inside
        .or_else(|| object.first_text(&["error", "message", "reason"]))
        .or_else(|| error.map(|raw| raw.get().to_owned()));
    told.filter(|told| !told.trim().is_empty())
}
