//! `toolFormerData`: one tool call of the editor, arguments, answer and fate together.
//!
//! The status rule. `status` says how the call ended and wins once it is final (`completed`, `error`, `cancelled`);
//! `additionalData.status` says how what the call started is doing, and decides only where `status` is absent or
//! still `loading`. Whether the user allowed the call is kept apart, in `decision`: a rejected call is
//! stored as completed.

use backscroll_model::{Payload, ToolCall, ToolStatus};
use serde_json::value::RawValue;

use super::bubble;
use crate::tool_names;
use crate::tool_names::{call_name, may_be_relay};
use crate::wire_json::{Int, Text, Truth, epoch_ms, wire};

wire! {
    struct WireTool<'a> {
        tool: Int = "tool",
        name: Text<'a> = "name" | "toolName",
        id: Text<'a> = "toolCallId",
        status: Text<'a> = "status",
        /// What the model sent: JSON inside a string, sometimes cut off, sometimes an object.
        raw_args: Text<'a> = "rawArgs",
        /// The same, normalised by the client. All there is for shell and edits since 3.x.
        params: Text<'a> = "params",
        result: Text<'a> = "result",
        error: Text<'a> = "error",
        decision: Text<'a> = "userDecision",
        additional: WireAdditional<'a> = "additionalData",
        binary: Text<'a> = "toolCallBinary",
    }
}

wire! {
    /// The same values, as they stand: a few writers store objects instead of strings.
    struct WireObjects<'a> {
        raw_args: Option<&'a RawValue> = "rawArgs",
        params: Option<&'a RawValue> = "params",
        result: Option<&'a RawValue> = "result",
        error: Option<&'a RawValue> = "error",
    }
}

wire! {
    struct WireAdditional<'a> {
        status: Text<'a> = "status",
        started_at: Int = "startedAtMs",
        is_pruned: Truth = "isPruned",
        precomputed_diff: Option<&'a RawValue> = "precomputedDiff",
        codeblock_id: Text<'a> = "codeblockId",
        version: Int = "version",
        child: Option<&'a RawValue> = "composerData",
        agent_id: Text<'a> = "agentId" | "subagentComposerId",
    }
}

/// What is needed to complete a tool call from other rows.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// Base64 of the same call as the agent keeps it.
    pub(crate) binary: Option<String>,
    /// Cursor threw the result away; other layers may still have it.
    pub(crate) is_pruned: bool,
    /// The raw arguments were cut off and others were used.
    pub(crate) arguments_cut_off: bool,
    /// Lines of a diff that the editor had computed.
    pub(crate) precomputed_diff: Option<Box<RawValue>>,
    /// The code block this edit stands for in `codeBlockData`.
    pub(crate) codeblock_id: Option<String>,
    pub(crate) codeblock_version: Option<i64>,
    /// A whole conversation stored inside the call (subagents of late 2025).
    pub(crate) child: Option<Box<RawValue>>,
}

/// Reads `toolFormerData`. Stubs without name and number, which sit on ordinary bubbles, give `None`.
pub(crate) fn tool_call(value: &RawValue) -> Option<(ToolCall, Hints)> {
    let wire: WireTool<'_> = serde_json::from_str(value.get()).ok()?;
    from_wire(wire, || serde_json::from_str(value.get()).ok())
}

/// The same, of a value that was read with its bubble; `objects` reads again what is no string.
pub(crate) fn from_wire<'a>(
    mut wire: WireTool<'a>,
    objects: impl FnOnce() -> Option<WireObjects<'a>>,
) -> Option<(ToolCall, Hints)> {
    let number = wire.tool.count().filter(|number| *number != 0);
    let by_number =
        |number| tool_names::handler_name(number).map_or_else(|| format!("tool {number}"), str::to_owned);
    let raw_name = wire.name.owned().or_else(|| number.map(by_number))?;
    let is_odd = |text: &Text<'_>| matches!(text, Text::Odd);
    let has_objects = [&wire.raw_args, &wire.params, &wire.result, &wire.error].into_iter().any(is_odd);
    let objects = if has_objects { objects().unwrap_or_default() } else { WireObjects::default() };
    let result = payload(&mut wire.result, objects.result).filter(|result| !result.as_str().is_empty());
    let is_pruned = wire.additional.is_pruned.0 || result.as_ref().is_some_and(is_emptied_read);
    let sent = payload(&mut wire.raw_args, objects.raw_args);
    let is_whole = matches!(&sent, Some(sent @ Payload::Json(_)) if !sent.is_hollow());
    // What the client made of the call is needed where the model's words are not whole, and names MCP servers.
    let normalised = if is_whole && !may_be_relay(&raw_name, number) {
        None
    } else {
        payload(&mut wire.params, objects.params)
    };
    let name = call_name(&raw_name, number, normalised.as_ref().or(sent.as_ref()));
    let (arguments, arguments_cut_off) = arguments(sent, is_whole, normalised);
    let error = match &wire.error {
        Text::Is(text) => bubble::error_words_of(text),
        Text::Absent | Text::Odd => objects.error.and_then(bubble::error_words),
    };
    let status =
        status(wire.status.filled(), wire.additional.status.filled(), error.is_some(), result.is_some());
    let decision = wire.decision.owned().or_else(|| result.as_ref().and_then(rejected));
    let started = || result.as_ref().filter(|_| name == "task").and_then(started_agent);
    let child = wire.additional.agent_id.owned().or_else(started);
    let call = ToolCall {
        id: wire.id.owned(),
        name,
        raw_name,
        arguments,
        result,
        error,
        status,
        decision,
        started_at: wire.additional.started_at.0.and_then(epoch_ms),
        ended_at: None,
        diff: None,
        child,
        notes: Vec::new(),
    };
    let hints = Hints {
        binary: wire.binary.owned(),
        is_pruned,
        arguments_cut_off,
        precomputed_diff: wire.additional.precomputed_diff.map(ToOwned::to_owned),
        codeblock_id: wire.additional.codeblock_id.owned(),
        codeblock_version: wire.additional.version.0,
        child: wire.additional.child.map(ToOwned::to_owned),
    };
    Some((call, hints))
}

/// JSON inside a string is taken out of it; a value that is no string stands for itself.
fn payload(text: &mut Text<'_>, object: Option<&RawValue>) -> Option<Payload> {
    match std::mem::take(text) {
        Text::Is(text) => Some(Payload::from_text(text.into_owned())),
        Text::Absent | Text::Odd => object.map(Payload::from_raw),
    }
}

/// What the model sent if it is whole, else what the client made of it, else what is left.
fn arguments(sent: Option<Payload>, is_whole: bool, normalised: Option<Payload>) -> (Option<Payload>, bool) {
    match (sent, normalised.filter(|params| !params.is_hollow())) {
        (Some(sent), _) if is_whole => (Some(sent), false),
        (sent, Some(normalised)) => (Some(normalised), sent.is_some_and(|sent| !sent.is_hollow())),
        (Some(sent), None) if !sent.as_str().is_empty() => (Some(sent), false),
        _ => (None, false),
    }
}

/// A read whose contents were dropped although the file had lines.
fn is_emptied_read(result: &Payload) -> bool {
    wire! {
        struct WireRead<'a> { contents: Text<'a> = "contents", lines: Int = "totalLinesInFile", }
    }
    let is_small = result.as_str().len() < 400;
    is_small
        && serde_json::from_str::<WireRead<'_>>(result.as_str()).is_ok_and(|read| {
            matches!(&read.contents, Text::Is(text) if text.is_empty()) && read.lines.0.is_some_and(|n| n > 0)
        })
}

/// The conversation that a task started, where its result names it.
fn started_agent(result: &Payload) -> Option<String> {
    wire! { struct WireStarted<'a> { agent: Text<'a> = "agentId" | "agent_id", } }
    serde_json::from_str::<WireStarted<'_>>(result.as_str()).ok()?.agent.into_owned()
}

/// A call that the user said no to is stored as done, and says so in its result.
fn rejected(result: &Payload) -> Option<String> {
    wire! { struct WireFate { rejected: Truth = "rejected", } }
    if !result.as_str().contains("\"rejected\"") {
        return None;
    }
    let fate: WireFate = serde_json::from_str(result.as_str()).ok()?;
    fate.rejected.0.then(|| "rejected".to_owned())
}

fn status(main: Option<&str>, additional: Option<&str>, failed: bool, answered: bool) -> ToolStatus {
    let word = |word: Option<&str>| match word? {
        "completed" | "success" => Some(ToolStatus::Completed),
        "error" | "failed" => Some(ToolStatus::Error),
        "cancelled" | "canceled" | "aborted" => Some(ToolStatus::Cancelled),
        "loading" | "running" | "started" => Some(ToolStatus::Running),
        "pending" => Some(ToolStatus::Pending),
        _ => None,
    };
    match (word(main), word(additional)) {
        (Some(ToolStatus::Running | ToolStatus::Pending) | None, Some(other))
            if matches!(other, ToolStatus::Completed | ToolStatus::Error | ToolStatus::Cancelled) =>
        {
            other
        }
        (Some(status), _) | (None, Some(status)) => status,
        (None, None) if failed => ToolStatus::Error,
        (None, None) if answered => ToolStatus::Completed,
        (None, None) => ToolStatus::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<(ToolCall, Hints)> {
        tool_call(&RawValue::from_string(json.into()).unwrap())
    }

    #[test]
    fn stubs_are_no_calls() {
        assert!(read(r#"{"additionalData":{"status":"error"}}"#).is_none());
        assert!(read("{}").is_none());
        assert!(read("null").is_none());
    }

    #[test]
    fn a_call_is_read_with_json_inside_strings() {
        let call = read(
            r#"{"tool":40,"name":"read_file_v2","toolCallId":"t1","status":"completed",
            "rawArgs":"{\"path\":\"a.rs\"}","params":"{\"targetFile\":\"a.rs\"}","result":"{\"contents\":\"x\"}"}"#,
        );
        let (call, _) = call.unwrap();
        assert_eq!((call.name.as_str(), call.raw_name.as_str()), ("read", "read_file_v2"));
        assert_eq!(call.arguments.unwrap().as_str(), r#"{"path":"a.rs"}"#);
        assert_eq!(call.result.unwrap().as_str(), r#"{"contents":"x"}"#);
    }

    #[test]
    fn cut_off_arguments_give_way_to_whole_ones_and_are_kept_otherwise() {
        let both = read(r#"{"name":"write","rawArgs":"{\"a\":\"b","params":"{\"a\":1}"}"#).unwrap();
        assert!(both.1.arguments_cut_off);
        assert_eq!(both.0.arguments.unwrap().as_str(), r#"{"a":1}"#);
        let alone = read(r#"{"name":"write","rawArgs":"{\"a\":\"b"}"#).unwrap();
        assert_eq!(alone.0.arguments, Some(Payload::Text("{\"a\":\"b".into())));
    }

    #[test]
    fn the_status_rule_holds() {
        let table = [
            (Some("completed"), Some("cancelled"), ToolStatus::Completed),
            (Some("loading"), Some("cancelled"), ToolStatus::Cancelled),
            (Some("loading"), Some("pending"), ToolStatus::Running),
            (Some("loading"), None, ToolStatus::Running),
            (None, Some("success"), ToolStatus::Completed),
            (Some("cancelled"), Some("error"), ToolStatus::Cancelled),
            (None, None, ToolStatus::Unknown),
        ];
        for (main, additional, expected) in table {
            assert_eq!(status(main, additional, false, false), expected, "{main:?} {additional:?}");
        }
    }

    #[test]
    fn mcp_tools_are_named_by_server_and_tool() {
        let call = read(
            r#"{"tool":49,"name":"call_mcp_tool","params":"{\"server\":\"gh\",\"toolName\":\"list_issues\",\"toolArgs\":{}}"}"#,
        );
        assert_eq!(call.unwrap().0.name, "mcp:gh:list_issues");
        let call = read(
            r#"{"tool":19,"name":"mcp-gh-x","params":"{\"tools\":[{\"name\":\"make\",\"serverName\":\"gh\",\"parameters\":\"{}\"}]}"}"#,
        );
        assert_eq!(call.unwrap().0.name, "mcp:gh:make");
    }
}
