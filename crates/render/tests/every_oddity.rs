//! What the conversation with every part holds besides: every kind of attachment, every way in which a call may end, every
//! role, pictures that are only named. A test fails until a new kind of anything stands in it.

use std::collections::BTreeSet;

use backscroll_model::{
    AtIs, Attachment, AttachmentKind, Image, Message, Moment, Part, Payload, Role, ToolCall, ToolStatus,
};

use crate::every_part::{conversation, message, time};

/// The messages that hold it.
pub(crate) fn messages() -> Vec<Message> {
    vec![beside(), calls(), answer_of_a_tool()]
}

/// The kind behind this one; a new kind does not compile until it has its place here.
fn next(kind: AttachmentKind) -> Option<AttachmentKind> {
    use AttachmentKind as Kind;
    match kind {
        Kind::File => Some(Kind::Selection),
        Kind::Selection => Some(Kind::Folder),
        Kind::Folder => Some(Kind::Terminal),
        Kind::Terminal => Some(Kind::Doc),
        Kind::Doc => Some(Kind::Link),
        Kind::Link => Some(Kind::Rule),
        Kind::Rule => Some(Kind::Command),
        Kind::Command => Some(Kind::Commit),
        Kind::Commit => Some(Kind::PullRequest),
        Kind::PullRequest => Some(Kind::Diff),
        Kind::Diff => Some(Kind::Mention),
        Kind::Mention => Some(Kind::Note),
        Kind::Note => Some(Kind::Conversation),
        Kind::Conversation => Some(Kind::Lints),
        Kind::Lints => Some(Kind::Plan),
        Kind::Plan => Some(Kind::Skill),
        Kind::Skill => Some(Kind::Output),
        Kind::Output => Some(Kind::Context),
        Kind::Context => None,
    }
}

fn beside() -> Message {
    let kinds = std::iter::successors(Some(AttachmentKind::Folder), |kind| next(*kind));
    let attached = kinds.map(|kind| {
        let name = kind.name();
        Part::Attachment(Box::new(
            Attachment::new(kind)
                .at(format!("near/{name}"))
                .saying(format!("what the {name} holds\n```\nand more")),
        ))
    });
    let image = |path: &str| Part::Image(Box::new(Image { path: Some(path.to_owned()), ..Image::default() }));
    let pictures =
        ["/home/a/named only.png", "https://example.invalid/far.png", "c:\\shots\\near.png", "loose.png"];
    let words = Part::Text("שלום 🙂 [a](javascript:x) <b>bold</b>\n\n~~~~\nan open fence".to_owned());
    Message {
        at: Moment { at: Some(time("2026-01-19T22:50:00Z")), is: AtIs::Conversation },
        ..message("c", Role::User, [words].into_iter().chain(attached).chain(pictures.map(image)).collect())
    }
}

/// The status behind this one; a new one does not compile until it has its place here.
fn later(status: ToolStatus) -> Option<ToolStatus> {
    match status {
        ToolStatus::Completed => Some(ToolStatus::Error),
        ToolStatus::Error => Some(ToolStatus::Cancelled),
        ToolStatus::Cancelled => Some(ToolStatus::Running),
        ToolStatus::Running => Some(ToolStatus::Pending),
        ToolStatus::Pending => Some(ToolStatus::Unknown),
        ToolStatus::Unknown => None,
    }
}

fn calls() -> Message {
    let statuses = std::iter::successors(Some(ToolStatus::Completed), |status| later(*status));
    let calls = statuses.map(|status| {
        Part::ToolCall(Box::new(ToolCall {
            name: "mcp:docs:look_up".to_owned(),
            raw_name: "mcp_docs_look_up".to_owned(),
            arguments: Some(Payload::from_text("{\"about\": \"<script>alert(1)</script>\"}".to_owned())),
            result: (status == ToolStatus::Completed)
                .then(|| Payload::Text("````\nfenced\n````\n\u{1b}[31mred\u{1b}[0m".to_owned())),
            status,
            ..ToolCall::default()
        }))
    });
    message("d", Role::Assistant, calls.collect())
}

fn answer_of_a_tool() -> Message {
    message("e", Role::Tool, vec![Part::Text("what a tool said by itself".to_owned())])
}

/// What kind of part this is; a new kind does not compile until it has a name here.
fn kind_of(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Thinking { .. } => "thinking",
        Part::ToolCall(_) => "tool call",
        Part::Image(_) => "image",
        Part::Attachment(_) => "attachment",
        Part::Code(_) => "code",
        Part::Summary(_) => "summary",
        Part::Error(_) => "error",
        Part::Todos(_) => "to do",
    }
}

#[test]
fn the_conversation_holds_every_kind_of_everything() {
    let whole = conversation();
    let messages = || whole.messages.iter().chain(&whole.orphans);
    let parts = || messages().flat_map(|message| &message.parts);
    let kinds: BTreeSet<_> = parts().map(kind_of).collect();
    let all = ["attachment", "code", "error", "image", "summary", "text", "thinking", "to do", "tool call"];
    assert_eq!(kinds, all.into());
    let attached: BTreeSet<_> = parts()
        .filter_map(|part| match part {
            Part::Attachment(attachment) => Some(attachment.kind),
            _ => None,
        })
        .collect();
    assert_eq!(attached, std::iter::successors(Some(AttachmentKind::File), |kind| next(*kind)).collect());
    let ended: BTreeSet<_> = messages().flat_map(Message::tool_calls).map(|call| call.status).collect();
    assert_eq!(ended, std::iter::successors(Some(ToolStatus::Completed), |status| later(*status)).collect());
    let roles: BTreeSet<_> = messages().map(|message| message.role.name()).collect();
    assert_eq!(roles, ["assistant", "system", "tool", "user"].into());
    let times: BTreeSet<_> = messages().map(|message| message.at.is.name()).collect();
    assert_eq!(times, ["conversation", "exact", "interpolated", "unknown"].into());
}
