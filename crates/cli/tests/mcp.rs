//! `backscroll mcp` as a client starts it: what the tools answer, how large answers are, and that no call ends the server.

use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase, WrittenHome};
use serde_json::{Value, json};

use crate::mcp_client::{Http, OverPipes, STATELESS, stateless_meta};

const TOOLS: [&str; 6] = [
    "search_history",
    "list_conversations",
    "read_conversation",
    "find_by_file",
    "related_conversations",
    "handoff_brief",
];

/// A key that no program takes for anything else.
const KEY: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn tide() -> Composer {
    Composer::new("11111111-aaaa-4aaa-8aaa-000000000001")
        .titled("Tide tables")
        .in_workspace("w1", "/home/dev/harbour")
        .user("Which library should read the tide tables?")
        .assistant("We take csv-core, because the files are huge.")
        .tool("edit_file", json!({ "target_file": "src/tide.rs" }), json!({}))
        .edits("src/tide.rs", "a\n", "b\n")
        .user(&format!("The upload works with the token {KEY} now, thank you."))
        .assistant("Good. The quay is free at high water.")
}

fn harbour() -> WrittenHome {
    let other = Composer::new("22222222-bbbb-4bbb-8bbb-000000000002")
        .titled("Lighthouse lamp")
        .started(1_783_500_000_000)
        .user("Why does the lamp flicker?")
        .assistant("The capacitor of the lamp is too small; src/tide.rs has nothing to do with it.");
    let database = StateDatabase::new().composer(&tide()).composer(&other);
    CursorHome::new().unwrap().global(database).write().unwrap()
}

/// Many conversations with long messages.
fn archipelago() -> WrittenHome {
    let mut database = StateDatabase::new();
    for number in 0..60 {
        let mut composer = Composer::new(format!("{number:08}-cccc-4ccc-8ccc-000000000003"))
            .titled(&format!("Island {number} and its name, which is quite long as names of islands go"));
        for turn in 0..6 {
            let words = format!("island {number} turn {turn} seagull ").repeat(120);
            composer = composer.user(&format!("Tell me of {words}")).assistant(&format!("Seagull {words}"));
        }
        database = database.composer(&composer);
    }
    let huge = Composer::new("99999999-dddd-4ddd-8ddd-000000000004")
        .titled("The whale")
        .user("Tell me everything of the whale.")
        .assistant(&"whale \"quoted\" 鯨 ".repeat(9_000));
    CursorHome::new().unwrap().global(database.composer(&huge)).write().unwrap()
}

/// A home of this many conversations, long enough that the first index takes a while.
fn ocean(conversations: usize) -> WrittenHome {
    let mut database = StateDatabase::new();
    for number in 0..conversations {
        let mut composer = Composer::new(format!("{number:08}-cccc-4ccc-8ccc-000000000007"));
        for turn in 0..4 {
            let word = |at: usize| format!("wave{}", (number * 31 + turn * 7 + at * 13) % 9_973);
            let words = (0..250).map(word).collect::<Vec<_>>().join(" ");
            composer = composer.user(&format!("Tell me of the {words}")).assistant(&format!("The {words}"));
        }
        database = database.composer(&composer);
    }
    CursorHome::new().unwrap().global(database).write().unwrap()
}

fn texts(list: &Value, field: &str) -> Vec<String> {
    let one = |value: &Value| value[field].as_str().unwrap_or_default().to_owned();
    list.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn the_tools_are_those_of_the_contract_and_only_read() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(texts(&listed, "name"), TOOLS);
    for tool in listed.as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    let defaults =
        |tool: usize, name: &str| listed[tool]["inputSchema"]["properties"][name]["default"].clone();
    let table = [
        (0, "limit", 10),
        (1, "limit", 20),
        (2, "count", 10),
        (3, "limit", 10),
        (4, "limit", 5),
        (5, "budget", 4000),
    ];
    for (tool, name, default) in table {
        assert_eq!(defaults(tool, name), default, "{} {name}", TOOLS[tool]);
    }
    assert_eq!(
        (defaults(1, "all"), defaults(2, "detail"), defaults(3, "edited")),
        (json!(false), json!("talk"), json!(false))
    );
    assert!(client.close().success(), "it ends when the client does");
}

#[test]
fn a_search_leads_to_the_outline_and_to_the_words() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let found = client.structured("search_history", json!({ "query": "tide tables library" }));
    let hit = &found["hits"][0];
    assert_eq!(hit["conversation"], tide().id(), "{found}");
    assert_eq!(
        (&hit["title"], &hit["role"], &hit["match"]),
        (&json!("Tide tables"), &json!("user"), &json!("all"))
    );
    assert_eq!(hit["workspace"]["path"], "/home/dev/harbour");
    assert!(hit["snippet"].as_str().unwrap().contains("«tide"), "{hit}");
    let id = hit["conversation"].as_str().unwrap().to_owned();
    let outline = client.structured("read_conversation", json!({ "id": id, "detail": "prompts" }));
    assert_eq!(texts(&outline["messages"], "role"), ["user", "user"]);
    assert_eq!(outline["messages"][0]["n"], 1);
    let talk = client.structured("read_conversation", json!({ "id": id }));
    let total = talk["total"].as_u64().unwrap();
    assert!(total >= 4, "{talk}");
    assert!(texts(&talk["messages"], "text").iter().any(|text| text.contains("csv-core")), "{talk}");
    let around = json!({ "id": id, "around": hit["message"], "count": 2 });
    let around = client.structured("read_conversation", around);
    assert_eq!(around["messages"].as_array().unwrap().len(), 2, "{around}");
    assert_eq!(around["messages"][0]["id"], hit["message"]);
    let range =
        client.structured("read_conversation", json!({ "id": id, "from": 2, "to": 2, "detail": "full" }));
    assert_eq!(
        (range["messages"][0]["n"].clone(), range["messages"].as_array().unwrap().len()),
        (json!(2), 1)
    );
}

#[test]
fn files_relations_lists_and_briefs_name_their_conversations() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let touched = client.structured("find_by_file", json!({ "path": "src/tide.rs" }));
    let one = &touched["conversations"][0];
    assert_eq!((&one["conversation"], &one["edited"]), (&json!(tide().id()), &json!(true)), "{touched}");
    assert!(!one["messages"].as_array().unwrap().is_empty());
    let listed = client.structured("list_conversations", json!({ "workspace": "/home/dev/harbour" }));
    assert_eq!((&listed["total"], &listed["next_cursor"]), (&json!(1), &Value::Null));
    let summary = &listed["conversations"][0];
    assert_eq!((&summary["schema"], &summary["id"]), (&json!("backscroll.summary/1"), &json!(tide().id())));
    assert!(summary.get("origins").is_none(), "{summary}");
    let related = client.structured("related_conversations", json!({ "id": "11111111" }));
    assert!(related["conversations"].is_array());
    let brief = client.structured("handoff_brief", json!({ "id": "11111111", "budget": 800 }));
    assert!(brief["markdown"].as_str().unwrap().contains("## Goal"), "{brief}");
    let cited = &brief["citations"][0];
    assert_eq!(cited["conversation"], tide().id());
    assert!(brief["markdown"].as_str().unwrap().contains(&format!("[#{}]", cited["n"])), "{brief}");
}

/// What an answer has and its schema does not name: paths of fields.
fn unnamed(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Array(values) => {
            values.iter().flat_map(|value| unnamed(&schema["items"], value, path)).collect()
        }
        Value::Object(fields) => {
            let each = fields.iter().flat_map(|(name, value)| {
                let path = format!("{path}.{name}");
                match schema["properties"].get(name) {
                    Some(schema) => unnamed(schema, value, &path),
                    None => vec![path],
                }
            });
            each.collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn schemas_name_every_field_of_the_answers() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let asked = [
        ("search_history", json!({ "query": "tide tables library" })),
        ("list_conversations", json!({})),
        ("read_conversation", json!({ "id": "11111111", "detail": "full" })),
        ("read_conversation", json!({ "id": "11111111" })),
        ("find_by_file", json!({ "path": "src/tide.rs" })),
        ("related_conversations", json!({ "id": "11111111" })),
        ("handoff_brief", json!({ "id": "11111111" })),
    ];
    for (tool, arguments) in asked {
        let answer = client.structured(tool, arguments);
        let at = TOOLS.iter().position(|name| *name == tool).unwrap();
        assert_eq!(unnamed(&listed[at]["outputSchema"], &answer, tool), [""; 0], "{answer}");
    }
}

#[test]
fn a_title_is_nobodys_words_and_a_question_comes_with_its_answer() {
    let quay = Composer::new("33333333-cccc-4ccc-8ccc-000000000003")
        .titled("Basalt promenade")
        .user("Plan the walk along the water.")
        .assistant("Should its pavement be granite or slate?")
        .user("Slate, it is not slippery.")
        .assistant("Done.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&quay)).write().unwrap();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let title = client.call("search_history", json!({ "query": "promenade" }));
    let hit = &title["structuredContent"]["hits"][0];
    assert_eq!((&hit["part"], &hit["role"]), (&json!("title"), &Value::Null), "{hit}");
    let text = title["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\n  title: Basalt «promenade»") && !text.contains("user:"), "{text}");
    let question = client.call("search_history", json!({ "query": "granite pavement" }));
    let hit = &question["structuredContent"]["hits"][0];
    assert_eq!((&hit["role"], &hit["reply"]["role"]), (&json!("assistant"), &json!("user")), "{hit}");
    assert_eq!(hit["reply"]["snippet"], "Slate, it is not slippery.");
    let text = question["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("the user's answer: Slate"), "{text}");
    let said = client.structured("search_history", json!({ "query": "slippery", "role": "", "since": "" }));
    assert_eq!(said["hits"][0]["reply"]["role"], "assistant", "{said}");
}

#[test]
fn what_is_not_there_is_said_in_one_line() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    for (tool, arguments, list) in [
        ("search_history", json!({ "query": "zyxwv" }), "hits"),
        ("list_conversations", json!({ "workspace": "/nowhere" }), "conversations"),
        ("find_by_file", json!({ "path": "nothing.rs" }), "conversations"),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!(result["structuredContent"][list], json!([]), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains('\n') && text.len() < 80, "{text}");
    }
}

/// Words that stand everywhere answer nothing.
#[test]
fn a_question_of_which_only_a_common_word_is_there_is_not_answered() {
    let home = archipelago();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let result = client.call(
        "search_history",
        json!({ "query": "which seagull repaired the espresso machine of the cardinal" }),
    );
    let found = &result["structuredContent"];
    assert_eq!(
        (&found["hits"], &found["total"], &found["next_cursor"]),
        (&json!([]), &json!(0), &Value::Null)
    );
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(!text.contains('\n') && text.len() < 250, "{text}");
    assert!(text.contains("nearest") && text.contains("espresso") && text.contains("cccc-4ccc"), "{text}");
    let found =
        client.structured("search_history", json!({ "query": "which whale repaired the espresso machine" }));
    assert_eq!(
        found["hits"][0]["conversation"], "99999999-dddd-4ddd-8ddd-000000000004",
        "a rare word answers: {found}"
    );
}

#[test]
fn a_wrong_argument_is_an_error_of_the_tool_with_a_sentence() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let table = [
        ("search_history", json!({}), "`query`"),
        ("search_history", json!({ "query": "tide", "colour": "red" }), "no argument `colour`"),
        ("search_history", json!({ "query": "tide", "limit": "many" }), "a whole number"),
        ("search_history", json!({ "query": "tide", "role": "captain" }), "one of user, assistant"),
        ("search_history", json!({ "query": "tide", "since": "some day" }), "2026-01-19"),
        ("search_history", json!({ "query": "tide", "cursor": "x" }), "next_cursor"),
        ("search_history", json!({ "query": "after:someday tide" }), "not a time"),
        ("list_conversations", json!({ "all": 1 }), "true or false"),
        ("read_conversation", json!({ "id": "no-such-id" }), "search_history"),
        ("read_conversation", json!({ "id": "11111111", "detail": "all" }), "talk, prompts, full"),
        ("read_conversation", json!({ "id": "11111111", "around": "zzz" }), "no message"),
        ("read_conversation", json!({ "id": "11111111", "from": 3, "to": 2 }), "behind"),
        ("read_conversation", json!({ "id": "11111111", "from": 1000 }), "has 6 messages"),
        ("find_by_file", json!({ "path": "" }), "not empty"),
        ("related_conversations", json!({ "id": 5 }), "`id`"),
        ("handoff_brief", json!({ "id": "11111111", "budget": 1 }), "from 100"),
    ];
    for (tool, arguments, says) in table {
        let result = client.call(tool, arguments.clone());
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["isError"], true, "{tool} {arguments} {text}");
        assert!(text.contains(says), "{tool} {arguments}: {text}");
    }
}

#[test]
fn no_call_ends_the_server() {
    let home = harbour();
    let mut client = OverPipes::start(home.root(), &[]);
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } })
            .to_string(),
    );
    client.send("this is not JSON");
    let too_early = client.ask("tools/list", json!({}));
    assert!(too_early["error"].is_object(), "{too_early}");
    let hello = client.ask("initialize", crate::mcp_client::hello());
    assert!(hello["result"].is_object());
    client.send("{\"jsonrpc\": \"2.0\", \"id\": 50");
    client.send("[1, 2, 3]");
    client.send("\"tide\"");
    client.send(&json!({ "jsonrpc": "2.0", "id": { "a": 1 }, "method": "tools/list" }).to_string());
    client.send(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":60,\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\"}}}}",
        "x".repeat(5 << 20)
    ));
    client.send(&"[".repeat(100_000));
    let unknown = client.ask("tools/sing", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let no_tool = client.ask("tools/call", json!({ "name": "sing", "arguments": {} }));
    assert_eq!(no_tool["error"]["code"], -32602, "{no_tool}");
    let no_object = client.ask("tools/call", json!({ "name": "search_history", "arguments": [1] }));
    assert_eq!(no_object["result"]["isError"], true, "{no_object}");
    let no_name = client.ask("tools/call", json!({ "name": 5 }));
    assert_eq!(no_name["error"]["code"], -32602, "{no_name}");
    let long = client.call("search_history", json!({ "query": "tide ".repeat(100_000) }));
    assert!(long["content"].is_array(), "{long}");
    let found = client.structured("search_history", json!({ "query": "tide" }));
    assert_eq!(found["hits"][0]["conversation"], tide().id(), "and it still answers");
}

#[test]
fn progress_is_reported_while_the_first_index_is_made() {
    let home = ocean(400);
    let mut client = OverPipes::greeted(home.root(), &[]);
    let params = json!({ "name": "search_history", "arguments": { "query": "wave7" }, "_meta": { "progressToken": "p" } });
    let found = client.ask("tools/call", params)["result"]["structuredContent"].clone();
    assert!(!found["hits"].as_array().unwrap().is_empty(), "the answer waits for the index: {found}");
    let reports: Vec<_> = client.notifications.drain(..).collect();
    assert!(!reports.is_empty());
    let mut last = -1.0;
    for report in &reports {
        assert_eq!(
            (&report["method"], &report["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p"))
        );
        let done = report["params"]["progress"].as_f64().unwrap();
        assert!(done > last, "it goes forward: {reports:?}");
        assert!(report["params"]["total"].as_f64().is_none_or(|total| done <= total), "{report}");
        assert!(report["params"]["message"].as_str().unwrap().contains("index"), "{report}");
        last = done;
    }
    client.structured("search_history", json!({ "query": "wave8" }));
    assert!(client.notifications.is_empty(), "nobody asked for progress: {:?}", client.notifications);
}

#[test]
fn a_cancelled_call_ends_and_gives_its_place_to_others() {
    // The index must still be in the making when the list is answered.
    let home = ocean(1_600);
    let mut client = OverPipes::greeted(home.root(), &[]);
    // More than run at once, all waiting for the index.
    let cancelled = 101..109_u64;
    for id in cancelled.clone() {
        let params = json!({ "name": "search_history", "arguments": { "query": "wave7" }, "_meta": { "progressToken": id } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        client.send(&request.to_string());
    }
    while client.next().unwrap()["method"] != "notifications/progress" {}
    for id in cancelled.clone() {
        let params = json!({ "requestId": id, "reason": "no longer of interest" });
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        client.send(&notification.to_string());
    }
    let listed = client.structured("list_conversations", json!({}));
    assert_eq!(listed["total"], 1_600);
    client.notifications.clear();
    let params = json!({ "name": "search_history", "arguments": { "query": "wave7" }, "_meta": { "progressToken": "last" } });
    let found = client.ask("tools/call", params)["result"]["structuredContent"].clone();
    assert!(!found["hits"].as_array().unwrap().is_empty(), "{found}");
    let heard = std::mem::take(&mut client.notifications);
    assert!(
        heard.iter().any(|report| report["params"]["progressToken"] == "last"),
        "the list was there before the index: {heard:?}"
    );
    let others = heard.iter().filter(|message| message["params"]["progressToken"] != "last");
    assert_eq!(
        others.collect::<Vec<_>>(),
        Vec::<&Value>::new(),
        "a cancelled call is not answered, and reports nothing"
    );
}

#[test]
fn answers_keep_to_their_size_and_the_rest_is_behind_the_cursor() {
    let home = archipelago();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let size = |result: &Value| result.to_string().len();
    let seen = pages(&mut client, json!({ "query": "seagull", "limit": 100 }));
    assert_eq!((seen.len(), distinct(&seen)), (60, 60), "every conversation is found once");
    let (mut ids, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let listed = client.call("list_conversations", json!({ "limit": 1000, "cursor": cursor }));
        assert!(size(&listed) <= 32_768, "{}", size(&listed));
        ids.extend(texts(&listed["structuredContent"]["conversations"], "id"));
        assert_eq!(listed["structuredContent"]["total"], 61);
        cursor = listed["structuredContent"]["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((ids.len(), distinct(&ids)), (61, 61));
    let small = client.call("list_conversations", json!({ "max_bytes": 2000 }));
    assert!(size(&small) <= 2_000 && small["structuredContent"]["next_cursor"].is_string(), "{small}");
    let large =
        client.call("search_history", json!({ "query": "seagull", "limit": 60, "max_bytes": 100_000 }));
    assert_eq!(large["structuredContent"]["hits"].as_array().unwrap().len(), 60);
}

/// The conversations on all pages of a search, each as often as it is on one.
fn pages(client: &mut OverPipes, mut arguments: Value) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let found = client.call("search_history", arguments.clone());
        assert!(found.to_string().len() <= 4_096, "{}", found.to_string().len());
        let mut here = texts(&found["structuredContent"]["hits"], "conversation");
        here.dedup();
        seen.extend(here);
        let next = found["structuredContent"]["next_cursor"].clone();
        if next.is_null() {
            return seen;
        }
        arguments["cursor"] = next;
    }
}

fn distinct(ids: &[String]) -> usize {
    ids.iter().collect::<std::collections::BTreeSet<_>>().len()
}

/// More messages have the word than are ranked.
#[test]
fn all_conversations_with_a_frequent_word_are_reached_once() {
    let mut database = StateDatabase::new();
    for number in 0..150_i64 {
        let title = if number % 40 == 3 { "The seagull" } else { "An island" };
        let mut composer = Composer::new(format!("{number:08}-cccc-4ccc-8ccc-000000000003"))
            .titled(title)
            .started(1_760_000_000_000 + number % 50 * 60_000);
        for turn in 0..10 {
            composer = composer.user(&format!("seagull {turn}")).assistant("A seagull.");
        }
        database = database.composer(&composer);
    }
    // A few conversations that alone have more of another word than is ranked.
    for number in 0..12 {
        let mut composer = Composer::new(format!("{number:08}-dddd-4ddd-8ddd-000000000003"));
        for turn in 0..150 {
            composer = composer.user(&format!("pelican {turn}")).assistant("A pelican.");
        }
        database = database.composer(&composer);
    }
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let mut client = OverPipes::greeted(home.root(), &[]);
    for (word, limit, conversations) in [
        ("seagull", 7, 150),
        ("seagull", 100, 150),
        ("pelican", 3, 12),
        ("pelican", 10, 12),
        ("seagull OR pelican", 50, 162),
    ] {
        let seen = pages(&mut client, json!({ "query": word, "limit": limit }));
        assert_eq!((seen.len(), distinct(&seen)), (conversations, conversations), "{word}, limit {limit}");
    }
    let one = json!({ "query": "id:00000007 seagull", "limit": 20, "max_bytes": 50_000 });
    let one = client.structured("search_history", one);
    let messages: Vec<String> = texts(&one["hits"], "message");
    assert_eq!((messages.len(), distinct(&messages)), (20, 20), "all of one conversation: {one}");
}

#[test]
fn a_message_larger_than_an_answer_is_read_in_pieces() {
    let home = archipelago();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let (mut words, mut cursor, mut pieces) = (String::new(), Value::Null, 0);
    loop {
        let read = client.call("read_conversation", json!({ "id": "99999999", "from": 2, "cursor": cursor }));
        assert!(read.to_string().len() <= 32_768, "{}", read.to_string().len());
        words.push_str(&texts(&read["structuredContent"]["messages"], "text").concat());
        cursor = read["structuredContent"]["next_cursor"].clone();
        pieces += 1;
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(words, "whale \"quoted\" 鯨 ".repeat(9_000));
    assert!(pieces > 3, "{pieces}");
    let brief = client.call("handoff_brief", json!({ "id": "00000007" }));
    assert!(brief.to_string().len() <= 32_768);
}

#[test]
fn secrets_are_taken_out_unless_they_are_wanted() {
    let home = harbour();
    let everything = |client: &mut OverPipes| {
        let calls = [
            ("search_history", json!({ "query": "upload token" })),
            ("search_history", json!({ "query": KEY })),
            ("read_conversation", json!({ "id": "11111111", "detail": "full" })),
            ("handoff_brief", json!({ "id": "11111111" })),
        ];
        let answers = calls.map(|(tool, arguments)| client.call(tool, arguments).to_string());
        let uri = format!("backscroll://conversation/{}", tide().id());
        answers.concat() + &client.ask("resources/read", json!({ "uri": uri })).to_string()
    };
    let redacted = everything(&mut OverPipes::greeted(home.root(), &[]));
    assert!(redacted.contains("upload works") && !redacted.contains(&KEY[4..]), "{redacted}");
    assert!(everything(&mut OverPipes::greeted(home.root(), &["--no-redact"])).contains(KEY));
}

#[test]
fn no_question_tells_a_secret_letter_by_letter() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let mut total =
        |query: String| client.structured("search_history", json!({ "query": query }))["total"].clone();
    assert_eq!(total("upload*".to_owned()), json!(1));
    for end in [8, 10, 12, 20, KEY.len()] {
        let (beginning, word) = (&KEY[..end], &KEY[4..end]);
        for query in [
            format!("{beginning}*"),
            format!("{word}*"),
            format!("upload {word}"),
            format!("\"{beginning}\""),
        ] {
            let found = total(query.clone());
            assert!(found == json!(0) || (query.contains("upload") && found == json!(1)), "{query}: {found}");
        }
    }
}

#[test]
fn the_conversation_that_asks_is_left_out_where_it_is_named() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let found = |client: &mut OverPipes, tool: &str, arguments: Value, meta: Value| {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        client.ask("tools/call", params)["result"]["structuredContent"].to_string()
    };
    let own = json!({ "conversation_id": tide().id() });
    for (tool, arguments) in [
        ("search_history", json!({ "query": "tide" })),
        ("list_conversations", json!({})),
        ("find_by_file", json!({ "path": "tide.rs" })),
    ] {
        assert!(found(&mut client, tool, arguments.clone(), json!({})).contains(tide().id()), "{tool}");
        assert!(!found(&mut client, tool, arguments, own.clone()).contains(tide().id()), "{tool}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the program that is asked has the real clock")]
fn the_conversation_that_asks_is_left_out_where_its_call_is_stored() {
    let now = jiff::Timestamp::now().as_millisecond();
    let asking = Composer::new("33333333-eeee-4eee-8eee-000000000005")
        .titled("Asking")
        .started(now - 60_000)
        .user("What do we know of barnacles?")
        .at(now - 50_000)
        .tool("mcp_backscroll_search_history", json!({ "query": "barnacles" }), Value::Null)
        .at(now - 40_000)
        .with_tool("status", json!("loading"));
    let older = Composer::new("44444444-ffff-4fff-8fff-000000000006")
        .titled("Hull")
        .user("Scrape the barnacles off.");
    let database = StateDatabase::new().composer(&asking).composer(&older);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let found = client.structured("search_history", json!({ "query": "barnacles" }));
    assert_eq!(texts(&found["hits"], "conversation"), [older.id()], "{found}");
    let other = client.structured("search_history", json!({ "query": "barnacles", "limit": 9 }));
    assert_eq!(other["hits"].as_array().unwrap().len(), 3, "another question is not that call: {other}");
}

#[test]
fn conversations_are_resources_with_a_template_and_completion() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uri = format!("backscroll://conversation/{}", tide().id());
    assert!(texts(&listed, "uri").contains(&uri), "{listed}");
    let templates = client.ask("resources/templates/list", json!({}))["result"]["resourceTemplates"].clone();
    assert_eq!(texts(&templates, "uriTemplate"), ["backscroll://conversation/{id}"]);
    let read = client.ask("resources/read", json!({ "uri": uri }))["result"]["contents"][0].clone();
    assert_eq!((&read["uri"], &read["mimeType"]), (&json!(uri), &json!("text/markdown")));
    assert!(read["text"].as_str().unwrap().contains("csv-core"));
    let none = client.ask("resources/read", json!({ "uri": "backscroll://conversation/none" }));
    assert!(none["error"]["code"].is_i64(), "{none}");
    let reference = json!({ "type": "ref/resource", "uri": "backscroll://conversation/{id}" });
    for typed in ["1111", "tide"] {
        let argument = json!({ "name": "id", "value": typed });
        let completed = client.ask("completion/complete", json!({ "ref": reference, "argument": argument }));
        assert_eq!(completed["result"]["completion"]["values"], json!([tide().id()]), "{completed}");
    }
}

#[test]
fn prompts_bring_the_first_answer_along() {
    let home = harbour();
    let mut client = OverPipes::greeted(home.root(), &[]);
    let listed = client.ask("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(texts(&listed, "name"), ["recall_decision", "continue_from", "explain_file"]);
    for (name, argument, value, holds) in [
        ("recall_decision", "topic", "tide tables", "What did we decide about tide tables"),
        ("continue_from", "id", "11111111", "## Goal"),
        ("explain_file", "path", "src/tide.rs", "Tide tables"),
    ] {
        let got = client.ask("prompts/get", json!({ "name": name, "arguments": { argument: value } }));
        let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
        assert!(text.contains(holds) && text.contains(tide().id()), "{name}: {text}");
        let wrong = client.ask("prompts/get", json!({ "name": name, "arguments": {} }));
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    }
}

#[test]
fn a_subscriber_hears_of_a_change() {
    let home = harbour();
    let uri = format!("backscroll://conversation/{}", tide().id());
    let mut client = OverPipes::greeted(home.root(), &[]);
    assert!(client.ask("resources/subscribe", json!({ "uri": uri }))["result"].is_object());
    let longer = tide().user("And at low water?").assistant("The quay is dry.");
    home.more().global(StateDatabase::new().composer(&longer)).write().unwrap();
    let updated = loop {
        let message = client.next().expect("a notification");
        if message["method"] == "notifications/resources/updated" {
            break message;
        }
    };
    assert_eq!(updated["params"]["uri"], uri);
    let read = client.ask("resources/read", json!({ "uri": uri }));
    assert!(read.to_string().contains("The quay is dry"), "{read}");
}

#[test]
fn over_http_only_the_user_comes_in() {
    let home = harbour();
    let server = Http::start(home.root());
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": crate::mcp_client::hello() });
    let body = body.to_string();
    let port = server.address.port();
    let (own, foreign) = (format!("http://127.0.0.1:{port}"), format!("evil.example:{port}"));
    let table: &[(&[(&str, &str)], u16)] = &[
        (&[], 200),
        (&[("Origin", &own)], 200),
        (&[("Authorization", "")], 401),
        (&[("Authorization", "Bearer 1234")], 401),
        (&[("Host", "evil.example")], 403),
        (&[("Host", &foreign)], 403),
        (&[("Host", "127.0.0.1")], 403),
        (&[("Origin", "http://evil.example")], 403),
        (&[("Origin", "null")], 403),
    ];
    for (head, status) in table {
        assert_eq!(server.post(&body, head).status, *status, "{head:?}");
    }
    for (body, statuses) in [("{", 400..500), ("[]", 400..500), ("\u{1}", 400..500)] {
        let status = server.post(body, &[]).status;
        assert!(statuses.contains(&status), "{body}: {status}");
    }
    server.flood(&"x".repeat(6 << 20));
    assert_eq!(server.post(&body, &[]).status, 200, "and it still answers");
}

#[test]
fn over_http_many_clients_ask_while_the_index_is_made() {
    let home = ocean(400);
    let server = Http::start(home.root());
    let call = |id: u64, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let result = |messages: &[Value], id: u64| {
        let answers: Vec<&Value> = messages.iter().filter(|message| message["id"] == id).collect();
        assert_eq!(answers.len(), 1, "{messages:?}");
        answers[0]["result"]["structuredContent"].clone()
    };
    std::thread::scope(|scope| {
        for client in 0..8_u64 {
            let (server, call, result) = (&server, &call, &result);
            scope.spawn(move || {
                let session = server.greeted();
                let head: &[(&str, &str)] = &[("Mcp-Session-Id", &session)];
                // Everybody has another question under the same numbers.
                let own = format!("{client:08}-cccc-4ccc-8ccc-000000000007");
                let (_, read) = server
                    .ask(&call(2, "read_conversation", json!({ "id": own, "detail": "prompts" })), head);
                assert_eq!(result(&read, 2)["conversation"], own, "{read:?}");
                let query = format!("title:wave{}", client * 31);
                let (_, found) = server.ask(&call(3, "search_history", json!({ "query": query })), head);
                let found = result(&found, 3);
                assert!(texts(&found["hits"], "conversation").contains(&own), "{query}: {found}");
                let (_, wrong) = server.ask(&call(4, "read_conversation", json!({ "id": 5 })), head);
                assert_eq!(
                    wrong.iter().find(|message| message["id"] == 4).unwrap()["result"]["isError"],
                    true
                );
                assert_eq!(server.end(&session).status, 204);
                let (ended, _) = server.ask(&call(5, "list_conversations", json!({})), head);
                assert_eq!(ended.status, 404, "the session has ended");
            });
        }
    });
}

#[test]
fn over_http_several_clients_ask_in_both_revisions() {
    let home = harbour();
    let server = Http::start(home.root());
    let sessions = [server.greeted(), server.greeted()];
    let call = |id: u64, meta: Option<Value>| {
        let mut params = json!({ "name": "search_history", "arguments": { "query": "tide tables" } });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let is_found = |messages: &[Value]| {
        let answer = messages.iter().find(|message| message.get("result").is_some());
        answer.is_some_and(|answer| {
            answer["result"]["structuredContent"]["hits"][0]["conversation"] == tide().id()
        })
    };
    std::thread::scope(|scope| {
        for session in &sessions {
            scope.spawn(|| {
                for id in 2..6 {
                    let (_, messages) = server.ask(&call(id, None), &[("Mcp-Session-Id", session)]);
                    assert!(is_found(&messages), "{messages:?}");
                }
            });
        }
    });
    let head =
        [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search_history")];
    let (_, messages) = server.ask(&call(9, Some(stateless_meta())), &head);
    assert!(is_found(&messages), "{messages:?}");
    let discover = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": stateless_meta() } });
    let (_, messages) =
        server.ask(&discover, &[("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "server/discover")]);
    let versions = messages[0]["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2025-11-25") && versions.contains(STATELESS), "{messages:?}");
}

#[test]
fn a_subscriber_without_a_handshake_hears_of_a_change() {
    let home = harbour();
    let uri = format!("backscroll://conversation/{}", tide().id());
    let server = Http::start(home.root());
    let params = json!({ "_meta": stateless_meta(), "notifications": { "resourceSubscriptions": [uri] } });
    let listen = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params });
    let head =
        [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "subscriptions/listen"), ("Connection", "")];
    let mut events = server.open(&listen, &head);
    let acknowledged = events.next().expect("an acknowledgment");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    let longer = tide().user("And at low water?").assistant("The quay is dry.");
    home.more().global(StateDatabase::new().composer(&longer)).write().unwrap();
    let updated =
        events.find(|event| event["method"] == "notifications/resources/updated").expect("an update");
    assert_eq!(updated["params"]["uri"], uri);
}

/// Clients begin sessions and forget them. Their number is bounded; a client whose session has ended begins another.
#[test]
fn forgotten_sessions_are_bounded() {
    let home = harbour();
    let server = Http::start(home.root());
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    let asks = |session: &str| server.ask(&list, &[("Mcp-Session-Id", session)]).0.status;
    let (first, busy) = (server.greeted(), server.greeted());
    for _ in 0..100 {
        server.greeted();
        assert_eq!(asks(&busy), 200, "one that asks is kept");
    }
    assert_eq!(asks(&first), 404, "the first was forgotten");
    assert_eq!(asks(&server.greeted()), 200);
    // Those that were ended take no place.
    let idle = server.greeted();
    for _ in 0..100 {
        let session = server.greeted();
        assert_eq!(server.end(&session).status, 204);
    }
    assert_eq!(asks(&idle), 200);
}
