//! Which conversations a query means, case by case.

use backscroll_history::{Has, Query, Sort};
use backscroll_model::{
    Attribution, Code, Conversation, ConversationId, Flag, Layer, Message, Origin, Part, Role, Summary,
    Surface, ToolCall, Workspace,
};
use jiff::Timestamp;
use std::path::Path;

fn origin() -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), "composerData:c")
}

fn summary(id: &str) -> Summary {
    Summary::new(ConversationId::new(id), Surface::Ide, origin())
}

fn at(time: &str) -> Option<Timestamp> {
    time.parse().ok()
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for a field that may be absent")]
fn workspace(path: &str, remote: Option<&str>) -> Option<Workspace> {
    Some(Workspace {
        path: path.to_owned(),
        uri: None,
        remote: remote.map(str::to_owned),
        by: Attribution::Header,
    })
}

#[test]
fn workspaces_are_found_by_path_folder_name_or_part() {
    let table = [
        ("/home/a/app", "/home/a/app", true),
        ("/home/a/app", "/home/a/app/", true),
        ("/home/a/app", "/home/a", true),
        ("/home/a/app", "/", true),
        ("/home/a/app2", "/home/a/app", false),
        ("/home/a/App", "/home/a/app", false),
        ("/home/a/app", "app", true),
        ("/home/a/App", "app", true),
        ("/home/a/app", "A/AP", true),
        ("/home/a/app", "other", false),
        ("c:\\Work\\App", "C:/work", true),
        ("c:\\Work\\App", "c:\\work\\app\\", true),
        ("c:\\Work\\App2", "c:\\work\\app", false),
        ("c:\\Work\\App", "work/app", true),
        ("/home/ü/app", "Ü/a", true),
    ];
    for (path, asked, expected) in table {
        let there = Summary { workspace: workspace(path, None), ..summary("c") };
        let query = Query { workspace: Some(asked.to_owned()), ..Query::default() };
        assert_eq!(query.wants(&there), expected, "{asked} in {path}");
    }
    let remote = Summary { workspace: workspace("/srv/app", Some("ssh-remote+box")), ..summary("c") };
    let query = |asked: &str| Query { workspace: Some(asked.to_owned()), ..Query::default() };
    assert!(query("box").wants(&remote));
    assert!(!query("app").wants(&summary("c")), "no workspace is no match");
}

#[test]
fn times_match_when_they_overlap() {
    let (from, to) = ("2026-01-10T00:00:00Z", "2026-01-20T00:00:00Z");
    let table = [
        (at(from), at(to), None, None, true),
        (at(from), at(to), at("2026-01-20T00:00:00Z"), None, true),
        (at(from), at(to), at("2026-01-20T00:00:01Z"), None, false),
        (at(from), at(to), None, at("2026-01-10T00:00:00Z"), false),
        (at(from), at(to), None, at("2026-01-10T00:00:01Z"), true),
        (at(from), at(to), at("2026-01-12T00:00:00Z"), at("2026-01-13T00:00:00Z"), true),
        (at(from), None, at("2026-01-09T00:00:00Z"), at("2026-01-11T00:00:00Z"), true),
        (None, at(to), at("2026-01-21T00:00:00Z"), None, false),
        (at(to), at(from), at("2026-01-15T00:00:00Z"), None, true),
        (None, None, None, None, true),
        (None, None, at(from), None, false),
        (None, None, None, at(to), false),
    ];
    for (number, (created_at, updated_at, since, until, expected)) in table.into_iter().enumerate() {
        let there = Summary { created_at, updated_at, ..summary("c") };
        let query = Query { since, until, ..Query::default() };
        assert_eq!(query.wants(&there), expected, "row {number}");
    }
}

#[test]
fn what_is_hidden_shows_only_when_all_is_asked() {
    let table = [
        (Flag::Empty, false),
        (Flag::Draft, false),
        (Flag::Archived, false),
        (Flag::Deleted, false),
        (Flag::Subagent, false),
        (Flag::BestOfN, true),
        (Flag::Worktree, true),
        (Flag::Background, true),
    ];
    for (flag, expected) in table {
        let there = Summary { flags: [flag].into(), ..summary("c") };
        assert_eq!(Query::default().wants(&there), expected, "{flag:?}");
        assert!(Query { all: true, ..Query::default() }.wants(&there), "{flag:?}");
    }
}

#[test]
fn surface_mode_model_and_title_narrow() {
    let there = Summary {
        title: Some("Fix the Login".to_owned()),
        mode: Some("agent".to_owned()),
        models: vec!["claude-4.5-opus".to_owned()],
        ..summary("c")
    };
    let asking = |change: &dyn Fn(&mut Query)| {
        let mut query = Query::default();
        change(&mut query);
        query
    };
    let table = [
        (asking(&|query| query.surfaces = vec![Surface::Cli, Surface::Ide]), true),
        (asking(&|query| query.surfaces = vec![Surface::Cli]), false),
        (asking(&|query| query.mode = Some("Agent".to_owned())), true),
        (asking(&|query| query.mode = Some("age".to_owned())), false),
        (asking(&|query| query.model = Some("OPUS".to_owned())), true),
        (asking(&|query| query.model = Some("gpt".to_owned())), false),
        (asking(&|query| query.title = Some("login".to_owned())), true),
        (asking(&|query| query.title = Some("logout".to_owned())), false),
    ];
    for (query, expected) in table {
        assert_eq!(query.wants(&there), expected, "{query:?}");
    }
}

#[test]
fn a_model_that_no_index_names_is_looked_for_in_the_messages() {
    let query = Query { model: Some("gpt".to_owned()), ..Query::default() };
    let mut conversation = Conversation::new(summary("c"));
    assert!(query.wants(&conversation.summary) && query.needs_messages());
    assert!(query.needs_messages_of(&conversation.summary));
    assert!(!query.wants_content(&conversation));
    let mut message = Message::new("m", Role::Assistant, origin());
    message.model = Some("GPT-5".to_owned());
    conversation.messages.push(message);
    assert!(query.wants_content(&conversation));
    conversation.summary.models.push("gpt-5".to_owned());
    assert!(!query.needs_messages_of(&conversation.summary));
}

fn holding(part: Part) -> Conversation {
    let mut conversation = Conversation::new(summary("c"));
    let mut message = Message::new("m", Role::Assistant, origin());
    message.parts.push(part);
    conversation.messages.push(message);
    conversation
}

#[test]
fn tools_are_found_by_canonical_or_raw_name_or_mcp_server() {
    let table = [
        ("read", "read_file_v2", "read", true),
        ("read", "read_file_v2", "READ_FILE_V2", true),
        ("read", "read_file_v2", "rea", false),
        ("mcp:github:create_issue", "mcp_github_create_issue", "mcp", true),
        ("mcp:github:create_issue", "mcp_github_create_issue", "mcp:", true),
        ("mcp:github:create_issue", "mcp_github_create_issue", "mcp:GitHub", true),
        ("mcp:github:create_issue", "mcp_github_create_issue", "mcp:git", false),
        ("mcp:github:create_issue", "mcp_github_create_issue", "mcp:github:create_issue", true),
        ("mcp:ü:x", "mcp_ü_x", "mcp:u", false),
        ("mcpish", "mcpish", "mcp", false),
    ];
    for (name, raw_name, asked, expected) in table {
        let call = ToolCall { name: name.to_owned(), raw_name: raw_name.to_owned(), ..ToolCall::default() };
        let query = Query { tool: Some(asked.to_owned()), ..Query::default() };
        let conversation = holding(Part::ToolCall(Box::new(call)));
        assert_eq!(query.wants_content(&conversation), expected, "{asked} for {name}");
    }
}

#[test]
fn what_a_conversation_has_is_seen_in_its_parts() {
    let call = |diff: Option<&str>| {
        Part::ToolCall(Box::new(ToolCall { diff: diff.map(str::to_owned), ..ToolCall::default() }))
    };
    let code = Part::Code(Box::new(Code { diff: Some("@@".to_owned()), ..Code::default() }));
    let thinking = Part::Thinking { text: "hm".to_owned(), duration_ms: None };
    let table = [
        (thinking, vec![Has::Thinking], true),
        (Part::Text("hm".to_owned()), vec![Has::Thinking], false),
        (call(None), vec![Has::Tools], true),
        (call(None), vec![Has::Diff], false),
        (call(Some("@@")), vec![Has::Diff, Has::Tools], true),
        (call(Some("@@")), vec![Has::Diff, Has::Images], false),
        (code, vec![Has::Diff], true),
        (Part::Image(Box::default()), vec![Has::Images], true),
    ];
    for (part, has, expected) in table {
        let query = Query { has, ..Query::default() };
        assert_eq!(query.wants_content(&holding(part)), expected, "{query:?}");
    }
}

#[test]
fn every_order_is_stable_and_puts_the_unknown_last() {
    let mut old = summary("session-bbb-222");
    old.created_at = at("2026-01-01T00:00:00Z");
    old.updated_at = at("2026-01-09T00:00:00Z");
    old.title = Some("zebra".to_owned());
    old.messages = Some(3);
    old.workspace = workspace("/a", None);
    let mut young = Summary { id: ConversationId::new("session-aaa-111"), ..old.clone() };
    young.created_at = at("2026-01-02T00:00:00Z");
    young.updated_at = at("2026-01-03T00:00:00Z");
    young.title = Some("Apple".to_owned());
    young.messages = Some(9);
    young.workspace = workspace("/B", None);
    let table = [
        (Sort::Updated, ["session-bbb-222", "session-aaa-111", "0", "1"]),
        (Sort::Created, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Sort::Title, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Sort::Messages, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Sort::Workspace, ["session-bbb-222", "session-aaa-111", "0", "1"]),
    ];
    for (sort, expected) in table {
        let mut all = vec![summary("1"), old.clone(), summary("0"), young.clone()];
        Query { sort, ..Query::default() }.sort(&mut all);
        let ids: Vec<_> = all.iter().map(|summary| summary.id.as_str()).collect();
        assert_eq!(ids, expected, "{sort:?}");
    }
}

#[test]
fn equal_times_are_ordered_by_id() {
    let twin = |id: &str| Summary { created_at: at("2025-05-16T16:26:04.075Z"), ..summary(id) };
    let mut both = [twin("session-bbb-222"), twin("session-aaa-111")];
    Query::default().sort(&mut both);
    assert_eq!(both[0].id.as_str(), "session-aaa-111");
}
