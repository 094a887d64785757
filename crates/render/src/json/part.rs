//! The parts of a message, one object each, told apart by `type`.

use backscroll_model::{Attachment, Code, Image, LineRange, Part, Todo, ToolCall};
use serde::Serialize;

use super::each::{Each, Wired};
use super::scalar::{PayloadValue, Time};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum WirePart<'a> {
    Text {
        text: &'a str,
    },
    Thinking {
        text: &'a str,
        duration_ms: Option<u64>,
    },
    ToolCall {
        id: Option<&'a str>,
        name: &'a str,
        raw_name: &'a str,
        arguments: Option<PayloadValue<'a>>,
        result: Option<PayloadValue<'a>>,
        error: Option<&'a str>,
        status: &'static str,
        decision: Option<&'a str>,
        started_at: Option<Time>,
        ended_at: Option<Time>,
        diff: Option<&'a str>,
        child: Option<&'a str>,
    },
    Image {
        path: Option<&'a str>,
        media_type: Option<&'a str>,
        data: Option<&'a str>,
        description: Option<&'a str>,
    },
    Attachment {
        kind: &'static str,
        path: Option<&'a str>,
        text: Option<&'a str>,
        title: Option<&'a str>,
        lines: Option<WireLineRange>,
    },
    Code {
        path: Option<&'a str>,
        language: Option<&'a str>,
        text: &'a str,
        status: Option<&'a str>,
        diff: Option<&'a str>,
    },
    Summary {
        text: &'a str,
    },
    Error {
        text: &'a str,
    },
    Todos {
        todos: Each<'a, Todo>,
    },
}

impl Wired for Part {
    type Wire<'a> = WirePart<'a>;

    fn wire(&self) -> WirePart<'_> {
        match self {
            Self::Text(text) => WirePart::Text { text },
            Self::Thinking { text, duration_ms } => WirePart::Thinking { text, duration_ms: *duration_ms },
            Self::ToolCall(call) => tool_call(call),
            Self::Image(image) => picture(image),
            Self::Attachment(attachment) => attached(attachment),
            Self::Code(code) => proposed(code),
            Self::Summary(text) => WirePart::Summary { text },
            Self::Error(text) => WirePart::Error { text },
            Self::Todos(todos) => WirePart::Todos { todos: Each(todos) },
        }
    }
}

fn tool_call(call: &ToolCall) -> WirePart<'_> {
    WirePart::ToolCall {
        id: call.id.as_deref(),
        name: &call.name,
        raw_name: &call.raw_name,
        arguments: call.arguments.as_ref().map(PayloadValue),
        result: call.result.as_ref().map(PayloadValue),
        error: call.error.as_deref(),
        status: call.status.name(),
        decision: call.decision.as_deref(),
        started_at: call.started_at.map(Time),
        ended_at: call.ended_at.map(Time),
        diff: call.diff.as_deref(),
        child: call.child.as_deref(),
    }
}

fn picture(image: &Image) -> WirePart<'_> {
    WirePart::Image {
        path: image.path.as_deref(),
        media_type: image.media_type.as_deref(),
        data: image.data.as_deref(),
        description: image.description.as_deref(),
    }
}

fn attached(attachment: &Attachment) -> WirePart<'_> {
    WirePart::Attachment {
        kind: attachment.kind.name(),
        path: attachment.path.as_deref(),
        text: attachment.text.as_deref(),
        title: attachment.title.as_deref(),
        lines: attachment.lines.map(|LineRange { first, last }| WireLineRange { first, last }),
    }
}

fn proposed(code: &Code) -> WirePart<'_> {
    WirePart::Code {
        path: code.path.as_deref(),
        language: code.language.as_deref(),
        text: &code.text,
        status: code.status.as_deref(),
        diff: code.diff.as_deref(),
    }
}

#[derive(Serialize)]
pub(super) struct WireLineRange {
    first: u64,
    last: u64,
}

#[derive(Serialize)]
pub(super) struct WireTodo<'a> {
    id: Option<&'a str>,
    content: &'a str,
    status: Option<&'a str>,
}

impl Wired for Todo {
    type Wire<'a> = WireTodo<'a>;

    fn wire(&self) -> WireTodo<'_> {
        WireTodo { id: self.id.as_deref(), content: &self.content, status: self.status.as_deref() }
    }
}
