//! Which conversations a query means, case by case.

use backscroll_history::{Ask, Content, Filter, Has, Order};
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
        let ask = Ask::default().with([Filter::Workspace(vec![asked.to_owned()])]);
        assert_eq!(wants(&ask, &there), expected, "{asked} in {path}");
    }
    let remote = Summary { workspace: workspace("/srv/app", Some("ssh-remote+box")), ..summary("c") };
    let ask = |asked: &str| Ask::default().with([Filter::Workspace(vec![asked.to_owned()])]);
    assert!(wants(&ask("box"), &remote));
    assert!(!wants(&ask("app"), &summary("c")), "no workspace is no match");
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
        let filters = since.map(Filter::After).into_iter().chain(until.map(Filter::Before));
        assert_eq!(wants(&Ask::default().with(filters), &there), expected, "row {number}");
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
        assert_eq!(wants(&Ask::default(), &there), expected, "{flag:?}");
        assert!(wants(&Ask::everything(), &there), "{flag:?}");
        let flagged = Ask::default().with([Filter::Flag(vec![flag])]);
        assert!(wants(&flagged, &there), "{flag:?} is asked for");
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
    let text = |text: &str| vec![text.to_owned()];
    let table = [
        (Filter::Surface(vec![Surface::Cli, Surface::Ide]), true),
        (Filter::Surface(vec![Surface::Cli]), false),
        (Filter::Mode(text("Agent")), true),
        (Filter::Mode(text("age")), false),
        (Filter::Model(text("OPUS")), true),
        (Filter::Model(text("gpt")), false),
        (Filter::Title(text("login")), true),
        (Filter::Title(text("logout")), false),
        (Filter::Id(text("c")), true),
        (Filter::Id(text("d")), false),
    ];
    for (filter, expected) in table {
        assert_eq!(wants(&Ask::default().with([filter.clone()]), &there), expected, "{filter:?}");
    }
}

#[test]
fn a_model_that_no_index_names_is_looked_for_in_the_messages() {
    let ask = Ask::default().with([Filter::Model(vec!["gpt".to_owned()])]);
    let mut conversation = Conversation::new(summary("c"));
    assert!(!holds(&ask, &conversation));
    let mut message = Message::new("m", Role::Assistant, origin());
    message.model = Some("GPT-5".to_owned());
    conversation.messages.push(message);
    assert!(holds(&ask, &conversation));
    conversation.summary.models.push("gpt-5".to_owned());
    assert!(ask.wants(&conversation.summary, || panic!("the head tells it")));
}

#[test]
fn what_messages_say_of_themselves_can_be_asked_for() {
    let conversation = holding(Part::Thinking { text: "hm".to_owned(), duration_ms: None });
    let table = [
        ("role:assistant", true),
        ("role:user", false),
        ("from:person", false),
        ("part:thinking", true),
        ("part:text,code", false),
        ("role:assistant part:thinking -has:diff", true),
        ("has:diff OR has:thinking", true),
        ("-has:thinking", false),
        ("path:a.rs", false),
    ];
    let now = "2026-03-24T15:30:00Z[UTC]".parse().unwrap();
    for (typed, expected) in table {
        let ask = backscroll_history::parse(typed, &now).unwrap();
        assert_eq!(holds(&ask, &conversation), expected, "{typed}");
    }
}

#[test]
fn options_and_parameters_ask_the_same_as_fields() {
    let now = "2026-03-24T15:30:00Z[UTC]".parse().unwrap();
    let given = |options: &[(&str, &str)]| Ask::default().given(options.iter().copied(), &now).unwrap();
    let filters = |ask: &Ask| ask.filters().into_iter().cloned().collect::<Vec<_>>();
    let table: [(&[(&str, &str)], &str); 5] = [
        (
            &[("tool", "shell"), ("since", "2026-01"), ("title", "a, b")],
            "tool:shell since:2026-01 title:\"a, b\"",
        ),
        (&[("surface", "ide"), ("surface", "cli,sdk")], "surface:ide,cli,sdk"),
        (&[("has", "diff,code")], "has:diff has:code"),
        (&[("on", "2026-01")], "after:2026-01 until:2026-01"),
        (&[("workspace", ""), ("unknown", "x")], ""),
    ];
    for (options, typed) in table {
        let asked = backscroll_history::parse(typed, &now).unwrap();
        assert_eq!(filters(&given(options)), filters(&asked), "{typed}");
    }
    let paged = given(&[("all", "1"), ("sort", "title"), ("limit", "5"), ("offset", "2")]);
    assert_eq!((paged.all, paged.order, paged.limit, paged.offset), (true, Order::Title, Some(5), 2));
    for wrong in [("sort", "luck"), ("limit", "-1"), ("surface", "moon"), ("since", "someday")] {
        assert!(Ask::default().given([wrong], &now).is_err(), "{wrong:?}");
    }
}

fn wants(ask: &Ask, summary: &Summary) -> bool {
    ask.wants(summary, || None)
}

fn holds(ask: &Ask, conversation: &Conversation) -> bool {
    ask.wants(&conversation.summary, || Some(Content::new(conversation)))
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
        let ask = Ask::default().with([Filter::Tool(vec![asked.to_owned()])]);
        let conversation = holding(Part::ToolCall(Box::new(call)));
        assert_eq!(holds(&ask, &conversation), expected, "{asked} for {name}");
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
        let ask = Ask::default().with(has.into_iter().map(|one| Filter::Has(vec![one])));
        assert_eq!(holds(&ask, &holding(part)), expected, "{ask:?}");
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
        (Order::Updated, ["session-bbb-222", "session-aaa-111", "0", "1"]),
        (Order::Created, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Order::Title, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Order::Messages, ["session-aaa-111", "session-bbb-222", "0", "1"]),
        (Order::Workspace, ["session-bbb-222", "session-aaa-111", "0", "1"]),
    ];
    for (order, expected) in table {
        let mut all = vec![summary("1"), old.clone(), summary("0"), young.clone()];
        Ask { order, ..Ask::default() }.sort(&mut all);
        let ids: Vec<_> = all.iter().map(|summary| summary.id.as_str()).collect();
        assert_eq!(ids, expected, "{order:?}");
    }
}

#[test]
fn equal_times_are_ordered_by_id() {
    let twin = |id: &str| Summary { created_at: at("2025-05-16T16:26:04.075Z"), ..summary(id) };
    let mut both = [twin("session-bbb-222"), twin("session-aaa-111")];
    Ask::default().sort(&mut both);
    assert_eq!(both[0].id.as_str(), "session-aaa-111");
}

#[test]
fn a_field_has_at_most_two_hundred_values() {
    let now = jiff::Zoned::now();
    for count in [200, 201, 1_000] {
        let values: Vec<String> = (0..count).map(|number| format!("w{number}")).collect();
        let query = format!("tool:{}", values.join(","));
        assert_eq!(backscroll_history::parse(&query, &now).is_ok(), count <= 200, "{count}");
    }
}
