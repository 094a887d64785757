//! One step for each part of each message. When it happens is told elsewhere.

use backscroll_model::{Conversation, Message, Part, Payload, Role, ToolCall, ToolStatus};
use serde::Deserialize;

use super::{Known, Step, StepKind, caption};

/// The steps of a conversation, not yet placed in time.
pub(super) fn of(conversation: &Conversation) -> Vec<Step> {
    let messages = conversation.messages.iter().enumerate();
    let parts = messages.flat_map(|(number, message)| {
        message.parts.iter().enumerate().map(move |(part, of)| (number, message, part, of))
    });
    let step = |(message, told, part, of): (usize, &Message, usize, &Part)| Step {
        kind: kind(told, of),
        message,
        part,
        at: None,
        is: Known::Unknown,
        starts: 0,
        lasts: 0,
        idle: None,
        failed: is_failed(of),
        caption: caption::of(of),
    };
    parts.map(step).collect()
}

/// Whether the user begins a turn with this message.
pub(super) fn is_prompt(message: &Message) -> bool {
    let has_words =
        message.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.trim().is_empty()));
    message.role == Role::User && !message.simulated && has_words
}

fn kind(message: &Message, part: &Part) -> StepKind {
    match part {
        Part::Text(_) if is_prompt(message) => StepKind::Prompt,
        Part::Thinking { .. } => StepKind::Thinking,
        Part::ToolCall(call) => of_call(call),
        Part::Error(_) => StepKind::Error,
        Part::Code(code) if code.diff.is_some() => StepKind::Edit,
        Part::Text(_) | Part::Code(_) | Part::Summary(_) if message.role == Role::Assistant => StepKind::Text,
        Part::Text(_)
        | Part::Image(_)
        | Part::Attachment(_)
        | Part::Code(_)
        | Part::Summary(_)
        | Part::Todos(_) => StepKind::Context,
    }
}

fn of_call(call: &ToolCall) -> StepKind {
    match call.name.as_str() {
        "write" | "edit" | "multi_edit" | "notebook_edit" | "delete" => StepKind::Edit,
        "shell" => StepKind::Shell,
        _ if call.diff.is_some() => StepKind::Edit,
        _ => StepKind::Tool,
    }
}

fn is_failed(part: &Part) -> bool {
    match part {
        Part::Error(_) => true,
        Part::ToolCall(call) => {
            call.status == ToolStatus::Error
                || call.error.is_some()
                || (call.name == "shell" && exit_code(call) != 0)
        }
        _ => false,
    }
}

/// What a command ended with; stores leave a zero out.
fn exit_code(call: &ToolCall) -> i64 {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Ended {
        #[serde(rename = "exitCode", alias = "exitCodeV2", alias = "exit_code")]
        code: Option<i64>,
    }
    let Some(Payload::Json(result)) = &call.result else { return 0 };
    serde_json::from_str::<Ended>(result.get()).ok().and_then(|ended| ended.code).unwrap_or(0)
}
