//! Which conversation is asking: an agent that searches its history must not find its own question in it.
//!
//! The protocol does not say who asks. It can be known in two ways: the client names the conversation in the request's `_meta`, or a
//! store already has this very call, unanswered, as the last tool call of a conversation that changed just now. Otherwise it is
//! unknown, and nothing is left out.

use backscroll_history::live::Snapshot;
use backscroll_model::{Conversation, Summary, ToolCall, ToolStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// A conversation that changed longer ago is not asking.
const RECENT: SignedDuration = SignedDuration::from_mins(10);

/// Names under which a client may name the conversation, without `_` and in lower case.
const NAMES: [&str; 4] = ["conversationid", "composerid", "chatid", "sessionid"];

/// Who asks, as far as it can be known.
#[derive(Debug)]
pub(crate) struct Asking {
    named: Option<String>,
    tool: &'static str,
    arguments: Map<String, Value>,
    now: Timestamp,
}

impl Asking {
    /// The client that calls `tool` with these arguments and this `_meta`.
    pub(crate) fn new(
        tool: &'static str,
        arguments: &Map<String, Value>,
        meta: &Map<String, Value>,
        now: Timestamp,
    ) -> Self {
        let named = meta.iter().find(|(key, _)| is_name(key)).and_then(|(_, value)| value.as_str());
        Self { named: named.map(str::to_owned), tool, arguments: arguments.clone(), now }
    }

    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    pub(crate) fn is(&self, snapshot: &Snapshot, summary: &Summary) -> bool {
        if self.named.as_deref() == Some(summary.id.as_str()) {
            return true;
        }
        let is_recent = || summary.recency().is_some_and(|at| at.duration_since(self.now).abs() < RECENT);
        let is_waiting = || {
            let conversation = snapshot.history.load(&summary.id).ok();
            conversation.as_ref().and_then(last_call).is_some_and(|call| self.is_this(call))
        };
        self.named.is_none() && is_recent() && is_waiting()
    }

    /// Whether a stored call is the one that is being answered.
    fn is_this(&self, call: &ToolCall) -> bool {
        let is_open = call.result.is_none()
            && matches!(call.status, ToolStatus::Running | ToolStatus::Pending | ToolStatus::Unknown);
        let is_named = |name: &str| {
            name.strip_suffix(self.tool)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with([':', '-', '_']))
        };
        is_open
            && (is_named(&call.name) || is_named(&call.raw_name))
            && call.arguments.as_ref().is_some_and(|given| {
                serde_json::from_str(given.as_str()).is_ok_and(|given| holds(&given, &self.arguments, 4))
            })
    }
}

fn is_name(key: &str) -> bool {
    let name = key.rsplit(['/', '.']).next().unwrap_or(key);
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    NAMES.contains(&plain.to_ascii_lowercase().as_str())
}

/// The last tool call of a conversation, if no words came after it.
fn last_call(conversation: &Conversation) -> Option<&ToolCall> {
    let last = conversation.messages.iter().rev().find(|message| !message.parts.is_empty())?;
    last.tool_calls().last()
}

/// Whether these arguments are in what is stored of a call, which may wrap them.
fn holds(stored: &Value, arguments: &Map<String, Value>, depth: usize) -> bool {
    let Value::Object(stored) = stored else { return false };
    stored == arguments || (depth > 0 && stored.values().any(|value| holds(value, arguments, depth - 1)))
}

#[cfg(test)]
mod tests {
    use backscroll_model::Payload;
    use serde_json::json;

    use super::*;

    fn asking(meta: Value) -> Asking {
        let (Value::Object(arguments), Value::Object(meta)) = (json!({ "query": "tide" }), meta) else {
            panic!("objects")
        };
        Asking::new("search_history", &arguments, &meta, "2026-01-19T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn a_client_may_name_its_conversation() {
        for (meta, named) in [
            (json!({ "conversation_id": "a" }), Some("a")),
            (json!({ "example.com/composerId": "b" }), Some("b")),
            (json!({ "progressToken": "c" }), None),
        ] {
            assert_eq!(asking(meta.clone()).named(), named, "{meta}");
        }
    }

    #[test]
    fn only_the_same_call_without_an_answer_is_the_one_that_asks() {
        let call = |name: &str, arguments: Value, status, result: Option<&str>| ToolCall {
            name: name.to_owned(),
            raw_name: name.to_owned(),
            arguments: Some(Payload::from_text(arguments.to_string())),
            result: result.map(|text| Payload::from_text(text.to_owned())),
            status,
            ..ToolCall::default()
        };
        let same = json!({ "query": "tide" });
        let table = [
            (call("mcp:backscroll:search_history", same.clone(), ToolStatus::Running, None), true),
            (
                call(
                    "mcp_backscroll_search_history",
                    json!({ "name": "x", "args": same }),
                    ToolStatus::Unknown,
                    None,
                ),
                true,
            ),
            (
                call("mcp:backscroll:search_history", json!({ "query": "ebb" }), ToolStatus::Running, None),
                false,
            ),
            (call("mcp:backscroll:search_history", same.clone(), ToolStatus::Completed, Some("{}")), false),
            (call("mcp:backscroll:research_history", same.clone(), ToolStatus::Running, None), false),
            (call("grep", same.clone(), ToolStatus::Running, None), false),
        ];
        for (call, is_asking) in table {
            assert_eq!(asking(json!({})).is_this(&call), is_asking, "{call:?}");
        }
    }
}
