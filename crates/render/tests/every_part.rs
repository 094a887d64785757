//! One conversation with every kind of part, one of everything that is odd.

use std::path::Path;

use backscroll_model::{
    AtIs, Attachment, AttachmentKind, Attribution, Code, ContextUsage, Conversation, ConversationId,
    Coverage, Facts, Finding, FindingKind, Flag, Image, Layer, LineRange, Lines, Message, Moment, Origin,
    Part, Payload, Role, Sender, Summary, Surface, Todo, Tokens, ToolCall, ToolStatus, Workspace,
};
use jiff::Timestamp;

use crate::every_oddity;

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

pub(crate) fn origin(key: &str) -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("/home/a/.config/Cursor/User/globalStorage/state.vscdb"), key)
}

pub(crate) fn summary() -> Summary {
    let id = ConversationId::new("98251e54-0000-4000-8000-000000000001");
    Summary {
        title: Some("Fix the \u{1b}[31mlogin\u{1b}[0m".to_owned()),
        workspace: Some(Workspace {
            path: "/home/a/app".to_owned(),
            uri: Some("vscode-remote://ssh-remote%2Bbox/home/a/app".to_owned()),
            remote: Some("ssh-remote+box".to_owned()),
            by: Attribution::Header,
        }),
        created_at: Some(time("2026-01-19T22:45:46.150Z")),
        updated_at: Some(time("2026-01-19T23:01:00Z")),
        mode: Some("agent".to_owned()),
        models: vec!["claude-4.5-opus-high-thinking".to_owned()],
        messages: Some(4),
        flags: [Flag::Archived, Flag::Subagent].into(),
        parent: Some(ConversationId::new("parent-1")),
        ..Summary::new(id, Surface::Ide, origin("composerData:98251e54"))
    }
}

/// A conversation of these messages.
pub(crate) fn holding(messages: Vec<Message>) -> Conversation {
    let mut conversation = Conversation::new(summary());
    conversation.messages = messages;
    conversation
}

pub(crate) fn conversation() -> Conversation {
    let messages = [vec![system(), user(), assistant(), answer()], every_oddity::messages()];
    let mut conversation = holding(messages.concat());
    conversation.summary.children = vec![ConversationId::new("child-1")];
    conversation.facts = facts();
    conversation.orphans = vec![orphan()];
    conversation.coverage =
        Coverage { listed: 8, read: 7, missing: 1, orphaned: 1, empty: 0, undecodable: 0 };
    conversation.findings = vec![
        Finding::new(
            FindingKind::OrphanMessage,
            origin("bubbleId:98251e54:zz"),
            "a message that is not listed",
        ),
        Finding::new(
            FindingKind::MissingMessage,
            origin("bubbleId:98251e54:yy"),
            "a listed message has no row",
        ),
    ];
    conversation
}

fn facts() -> Facts {
    Facts {
        tokens: Some(Tokens {
            cache_read: Some(4_200),
            cache_write: Some(402),
            reasoning: Some(24),
            ..Tokens::new(1500, 800)
        }),
        lines: Some(Lines { added: 685, removed: 175 }),
        context: Some(ContextUsage { used: Some(50_000), limit: Some(200_000), percent: Some(25.5) }),
        branch: Some("main".to_owned()),
        branches: vec!["main".to_owned()],
        pull_requests: vec!["https://example.invalid/pull/7".to_owned()],
        todos: vec![
            Todo {
                id: Some("1".to_owned()),
                content: "Read it".to_owned(),
                status: Some("completed".to_owned()),
            },
            Todo { id: None, content: "Fix it".to_owned(), status: None },
        ],
        files: vec!["src/auth.py".to_owned()],
        draft: Some("and then".to_owned()),
        cost_cents: Some(12),
        time_zone: None,
        plans: vec!["plan.md".to_owned()],
        requests: Vec::new(),
        held_in: None,
    }
}

pub(crate) fn message(id: &str, role: Role, parts: Vec<Part>) -> Message {
    Message { parts, ..Message::new(id, role, origin(&format!("bubbleId:98251e54:{id}"))) }
}

fn system() -> Message {
    message("s", Role::System, vec![Part::Text("You are an agent.\nBe brief.".to_owned())])
}

fn user() -> Message {
    let selection = Attachment {
        lines: Some(LineRange { first: 10, last: 20 }),
        ..Attachment::new(AttachmentKind::Selection)
            .at("src/auth.py")
            .titled("login()")
            .saying("def login():\n  pass")
    };
    let image = Image {
        path: Some("images/shot.png".to_owned()),
        media_type: Some("image/png".to_owned()),
        data: Some("iVBORw0KGgo=".to_owned()),
        description: Some("a screen".to_owned()),
    };
    let words = "Why does the login fail?\r\nIt says\u{7} \u{202e}nothing\u{202c} at all, whatever I type into the field above.";
    Message {
        at: Moment::exact(time("2026-01-19T22:45:46.153Z")),
        request_id: Some("request-1".to_owned()),
        also: vec![origin("agentKv:blob:ab").as_layer(Layer::AgentBlobs)],
        ..message(
            "u",
            Role::User,
            vec![
                Part::Text(words.to_owned()),
                Part::Attachment(Box::new(selection)),
                Part::Attachment(Box::new(Attachment::new(AttachmentKind::File).at("README.md"))),
                Part::Image(Box::new(image)),
            ],
        )
    }
}

const MARKDOWN: &str = "# What happens\n\nThe **token** in `auth.py` expires:\n\n- first the header is read, which takes a while on this machine\n- then it is compared\n\n```python\ndef login():\n\treturn None\n```\nDone.";

fn assistant() -> Message {
    let read = ToolCall {
        id: Some("toolu_1\nfc_1".to_owned()),
        name: "read".to_owned(),
        raw_name: "read_file_v2".to_owned(),
        arguments: Some(Payload::from_text(
            "{\n  \"limit\": 20,\n  \"target_file\": \"src/auth.py\"\n}".to_owned(),
        )),
        result: Some(Payload::from_text(
            "{\"contents\":\"def login():\\n\\treturn None\",\"lines\":2}".to_owned(),
        )),
        status: ToolStatus::Completed,
        started_at: Some(time("2026-01-19T22:46:00Z")),
        ended_at: Some(time("2026-01-19T22:46:00.5Z")),
        ..ToolCall::default()
    };
    let edit = ToolCall {
        name: "edit".to_owned(),
        raw_name: "search_replace".to_owned(),
        arguments: Some(Payload::from_text("{\"file_path\":\"src/auth.py\"}".to_owned())),
        status: ToolStatus::Completed,
        decision: Some("accepted".to_owned()),
        diff: Some("--- a/src/auth.py\n+++ b/src/auth.py\n@@ -1,2 +1,2 @@\n def login():\n-\treturn None\n+\treturn token\n".to_owned()),
        ..ToolCall::default()
    };
    let shell = ToolCall {
        name: "shell".to_owned(),
        raw_name: "run_terminal_cmd".to_owned(),
        arguments: Some(Payload::Text("pytest -q tests/test_login.py --maxfail=1 && echo fine".to_owned())),
        error: Some("exit code 1\n1 failed".to_owned()),
        status: ToolStatus::Error,
        child: Some("child-1".to_owned()),
        ..ToolCall::default()
    };
    Message {
        at: Moment { at: Some(time("2026-01-19T22:46:00Z")), is: AtIs::Interpolated },
        model: Some("claude-4.5-opus-high-thinking".to_owned()),
        tokens: Some(Tokens::new(1500, 800)),
        ..message(
            "a",
            Role::Assistant,
            vec![
                Part::Thinking {
                    text: "The user cannot log in.\nLet me look.".to_owned(),
                    duration_ms: Some(1234),
                },
                Part::Text(MARKDOWN.to_owned()),
                Part::ToolCall(Box::new(read)),
                Part::ToolCall(Box::new(edit)),
                Part::ToolCall(Box::new(shell)),
            ],
        )
    }
}

fn answer() -> Message {
    let code = Code {
        path: Some("src/auth.py".to_owned()),
        language: Some("python".to_owned()),
        text: "def login():\n    return token".to_owned(),
        status: Some("accepted".to_owned()),
        diff: Some("@@ -1 +1 @@\n-a\n+b\n".to_owned()),
    };
    Message {
        model: Some("gpt-5".to_owned()),
        sender: Some(Sender::agent("agent-7").named(Some("reviewer".to_owned()))),
        ..message(
            "b",
            Role::Assistant,
            vec![
                Part::Code(Box::new(code)),
                Part::Summary("Before this, the login was broken.".to_owned()),
                Part::Todos(vec![Todo {
                    id: None,
                    content: "Test it".to_owned(),
                    status: Some("in_progress".to_owned()),
                }]),
                Part::Error("The connection was lost.".to_owned()),
            ],
        )
    }
}

fn orphan() -> Message {
    Message { deleted: true, ..message("zz", Role::User, vec![Part::Text("Never mind.".to_owned())]) }
}
