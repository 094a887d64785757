//! `search`, `related` and `files` as a shell runs them, over real stores.

use std::process::{Command, Output, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Speaks as _, StateDatabase, demo_home};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home with three conversations, and a folder for its index.
struct Place {
    home: TempDir,
    index: TempDir,
}

/// What a run gave: exit code, standard output, standard error.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        let global = StateDatabase::new().composer(&harbour()).composer(&lighthouse()).composer(&old());
        let home = TempDir::new().expect("a folder");
        CursorHome::at(home.path()).global(global).write().expect("a home");
        Self { home, index: TempDir::new().expect("a folder") }
    }

    fn run(&self, words: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null());
        let Output { status, stdout, stderr } =
            command.arg("--index").arg(self.index.path()).args(words).output().expect("the program runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Ran { code: status.code(), out: text(stdout), err: text(stderr) }
    }
}

fn harbour() -> Composer {
    let edit = json!({"target_file": "/code/harbour/src/crane_control.rs", "code_edit": "fn lift() {}"});
    Composer::new("11111111-0000-4000-8000-000000000000")
        .titled("Harbour crane swings too far")
        .started(1_780_000_000_000)
        .user("The crane swings past its limit. See fn swing(angle: f32) of the gantry")
        .tool("edit_file", edit, json!({}))
        .assistant("The damping constant was wrong; the crane stops now.")
}

fn lighthouse() -> Composer {
    Composer::new("22222222-0000-4000-8000-000000000000")
        .titled("Lighthouse lamp flickers")
        .started(1_770_000_000_000)
        .user("The lamp flickers\u{1b}[31m whenever the crane on the gantry moves")
        .assistant("Give the lamp a supply of its own.")
}

fn old() -> Composer {
    Composer::new("33333333-0000-4000-8000-000000000000")
        .titled("Old notes")
        .started(1_600_000_000_000)
        .user("Where do the gulls nest?")
        .assistant("On the crane, mostly.")
}

/// The ids of the conversations of a JSON answer, in order, each once.
fn ids(ran: &Ran) -> Vec<String> {
    let all = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("one object a line"));
    let mut ids: Vec<String> =
        all.map(|hit| hit["conversation"].as_str().unwrap_or_default()[..4].to_owned()).collect();
    ids.dedup();
    ids
}

#[test]
fn a_store_that_cannot_be_read_is_the_reason_for_finding_nothing() {
    let place = Place::new();
    assert_eq!(place.run(&["search", "nobodysaidthis"]).code, Some(1));
    let garbage = place.index.path().join("state.vscdb");
    std::fs::write(&garbage, "no database at all, but long enough to be taken for one").expect("a file");
    let garbage = garbage.to_str().expect("a path");
    let folder = place.index.path().join("chats/a/b");
    std::fs::create_dir_all(&folder).expect("a folder");
    let store = folder.join("store.db");
    std::fs::copy(garbage, &store).expect("a file");
    for garbage in [garbage, store.to_str().expect("a path")] {
        for words in [&["search", "harbour"][..], &["search", "harbour", "--count"], &["files", "harbour.rs"]]
        {
            assert_eq!(
                place.run(&[&["--store", garbage], words].concat()).code,
                Some(3),
                "{words:?} {garbage}"
            );
        }
    }
}

#[test]
fn a_hit_is_told_as_the_contract_says() {
    let ran = Place::new().run(&["search", "damping", "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{}{}", ran.out, ran.err);
    let keys =
        ["schema", "conversation", "message", "title", "workspace", "role", "at", "part", "score", "snippet"];
    let places: Vec<Option<usize>> = keys.iter().map(|key| ran.out.find(&format!("\"{key}\":"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", ran.out);
    let hit: Value = serde_json::from_str(&ran.out).expect("one object");
    assert_eq!(hit["schema"], "backscroll.hit/1");
    assert_eq!(hit["conversation"], "11111111-0000-4000-8000-000000000000");
    assert_eq!(hit["title"], "Harbour crane swings too far");
    assert_eq!((&hit["role"], &hit["part"]), (&json!("assistant"), &json!("text")));
    assert!(hit["score"].as_f64() > Some(0.0) && hit["message"].is_string() && hit["at"].is_string());
    assert_eq!(hit["snippet"], "The «damping» constant was wrong; the crane stops now.");
}

#[test]
fn orders_limits_and_offsets() {
    let place = Place::new();
    let all = |more: &[&str]| ids(&place.run(&[&["search", "crane", "--json"], more].concat()));
    assert_eq!(all(&["--sort", "newest"]), ["1111", "2222", "3333"]);
    assert_eq!(all(&["--sort", "oldest"]), ["3333", "2222", "1111"]);
    assert_eq!(all(&[])[0], "1111", "the title says most");
    assert_eq!(all(&["--sort", "newest", "--limit", "1", "--offset", "1"]), ["2222"]);
    assert_eq!(all(&["--until", "2025-01-01"]), ["3333"]);
    let one = place.run(&["search", "crane", "--json", "--hits", "1", "--limit", "1"]);
    assert_eq!(one.out.lines().count(), 1);
    assert!(one.err.contains("1 of 3 conversations"), "{}", one.err);
}

#[test]
fn without_a_limit_all_are_told() {
    let place = Place::new();
    let lines = |words: &[&str]| place.run(&[words, &["--limit", "0"]].concat()).out.lines().count();
    assert_eq!(lines(&["search", "crane", "--json", "--hits", "1"]), 3);
    assert_eq!(lines(&["list"]), 3);
    assert_eq!(lines(&["export"]), 3);
    assert_eq!(lines(&["files", "crane_control.rs", "--json"]), 1);
    assert!(lines(&["related", "2222", "--json"]) > 0);
}

#[test]
fn a_search_for_nothing_is_a_mistake() {
    let place = Place::new();
    for words in
        [&["search", ""][..], &["search", "  "], &["search", "--exact", ""], &["search", "--count", ""]]
    {
        let ran = place.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(ran.err.contains("there is nothing to look for"), "{words:?}: {}", ran.err);
        assert!(
            ran.err.contains("hint: `backscroll list` shows every conversation"),
            "{words:?}: {}",
            ran.err
        );
    }
    let narrowed = place.run(&["search", "", "--title", "notes", "--json"]);
    assert_eq!((narrowed.code, ids(&narrowed)), (Some(0), vec!["3333".to_owned()]), "{}", narrowed.err);
}

#[test]
fn an_option_without_effect_is_a_mistake() {
    let place = Place::new();
    let told = "words are found in upper and lower case anyway";
    let words = place.run(&["search", "DAMPING", "-i"]);
    assert!(words.code == Some(2) && words.err.contains(told), "{}", words.err);
    let exact = place.run(&["search", "DAMPING", "-i", "--exact"]);
    assert!(exact.code == Some(0) && !exact.err.contains(told), "{}", exact.err);
    for more in [
        &["--exact", "--sort", "relevance"][..],
        &["--count", "--hits", "2"],
        &["--files", "--sort", "newest"],
    ] {
        assert_eq!(place.run(&[&["search", "crane"], more].concat()).code, Some(2), "{more:?}");
    }
}

#[test]
fn people_see_what_matched_and_what_stands_around_it() {
    let place = Place::new();
    let plain = place.run(&["search", "flickers", "role:user"]);
    assert_eq!(plain.code, Some(0), "{}", plain.err);
    assert!(plain.out.starts_with("Lighthouse lamp flickers  "), "{}", plain.out);
    assert!(plain.out.contains("«flickers»") && !plain.out.contains('\u{1b}'), "{}", plain.out);
    assert!(!plain.out.contains("supply"));
    let around = place.run(&["search", "flickers role:user", "--context", "1"]);
    assert!(around.out.contains("assistant: Give the lamp a supply of its own."), "{}", around.out);
    let opened = place.run(&["search", "flickers", "--open"]);
    assert!(
        opened.out.contains("Give the lamp a supply of its own."),
        "the whole conversation: {}",
        opened.out
    );
}

#[test]
fn characters_and_patterns() {
    let place = Place::new();
    let found = |words: &[&str]| ids(&place.run(&[&["search", "--json"], words].concat()));
    assert_eq!(found(&["--exact", "swing(angle:"]), ["1111"]);
    assert_eq!(found(&["--exact", "SWING(angle:"]), Vec::<String>::new());
    assert_eq!(found(&["--exact", "SWING(angle:", "--ignore-case"]), ["1111"]);
    assert_eq!(found(&["--regex", r"gulls\s+n\w+\?"]), ["3333"]);
    assert_eq!(found(&["--exact", "Old notes"]), ["3333"], "titles too");
    assert_eq!(found(&["--regex", "^The (lamp|crane)", "--limit", "5"]), ["1111", "2222"]);
    assert_eq!(found(&["--regex", "^The (lamp|crane)", "--sort", "oldest"]), ["2222", "1111"]);
    assert_eq!(found(&["--exact", "role:user", "lamp"]), ["2222"]);
    assert_eq!(found(&["--exact", "part:text", "crane on"]), ["2222"]);
    assert_eq!(found(&["--exact", "part:title", "Old notes"]), ["3333"]);
    assert_eq!(found(&["--exact", "role:user"]), Vec::<String>::new(), "alone it is a text");
    let wrong = place.run(&["search", "--regex", "("]);
    assert_eq!((wrong.code, wrong.out.as_str()), (Some(2), ""));
    assert!(wrong.err.contains("not a regular expression"), "{}", wrong.err);
}

#[test]
fn counts_and_files() {
    let place = Place::new();
    let count = place.run(&["search", "crane", "--count"]);
    assert_eq!((count.code, count.out.as_str()), (Some(0), "3 conversations, 6 messages\n"), "{}", count.err);
    let exact = place.run(&["search", "--exact", "gulls", "--count"]);
    assert_eq!(exact.out, "1 conversation, 1 message\n");
    let json = place.run(&["search", "crane", "--count", "--json"]);
    let told: Value = serde_json::from_str(&json.out).expect("one object");
    let expected = json!({"schema": "backscroll.count/1", "conversations": 3, "messages": 6, "is": "exact"});
    assert_eq!(told, expected);
    let files = place.run(&["search", "damping", "--files"]);
    assert_eq!((files.code, files.out.as_str()), (Some(0), "   1  /code/harbour/src/crane_control.rs\n"));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let place = Place::new();
    let table = [
        (
            "crane role:usr",
            "error: `role:` does not know `usr`\n  crane role:usr\n             ^^^\n",
            "`user`",
        ),
        ("after:soon", "error: `soon` is not a time\n  after:soon\n        ^^^^\n", "2026-01-19"),
    ];
    for (query, told, hint) in table {
        let ran = place.run(&["search", query]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{query}");
        assert!(ran.err.starts_with(told) && ran.err.contains(hint), "{}", ran.err);
    }
    assert_eq!(place.run(&["search"]).code, Some(2), "nothing to look for");
    let none = place.run(&["search", "zeppelin"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
    assert!(none.err.contains("nothing matches"), "{}", none.err);
}

/// What is remembered wrongly is found, and what was taken for what is told.
#[test]
fn a_search_forgives() {
    let place = Place::new();
    let first = |words: &[&str]| {
        let ran = place.run(&[&["search", "--json"], words].concat());
        let line = ran.out.lines().next().unwrap_or_default().to_owned();
        let hit: Value = serde_json::from_str(&line).unwrap_or_default();
        let id = hit["conversation"].as_str().unwrap_or_default().chars().take(4).collect::<String>();
        (id, hit["match"].clone(), hit["missing"].clone(), hit["corrected"].clone(), ran.err)
    };
    let table = [
        (&["dampng constant"][..], "1111", json!("all"), json!([]), json!({"dampng": "damping"})),
        (&["swinging crane limits"], "1111", json!("all"), json!([]), json!({})),
        (&["light house lamps"], "2222", json!("all"), json!([]), json!({})),
        (&["what is the lamp that flickered?"], "2222", json!("all"), json!([]), json!({})),
        (&["gulls mostly"], "3333", json!("conversation"), json!([]), json!({})),
        (&["gulls xylophone"], "3333", json!("some"), json!(["xylophone"]), json!({})),
        (&["fn swing(angle: f32"], "1111", json!("all"), json!([]), json!({})),
        (&["/other/place/src/crane_control.rs:12:7"], "1111", json!("all"), json!([]), json!({})),
        (&["crane", "tool:edti"], "1111", json!("all"), json!([]), json!({})),
    ];
    for (words, id, matched, missing, corrected) in table {
        let found = first(words);
        let told = (found.0.as_str(), &found.1, &found.2, &found.3);
        assert_eq!(told, (id, &matched, &missing, &corrected), "{words:?}: {}", found.4);
    }
    let typed = place.run(&["search", "dampng"]);
    assert!(typed.err.contains("nothing has `dampng`; `damping` was looked for"), "{}", typed.err);
    let some = place.run(&["search", "gulls xylophone"]);
    assert!(some.out.contains("  without: xylophone\n"), "{}", some.out);
    assert!(some.err.contains("nothing has all the words"), "{}", some.err);
    let option = place.run(&["search", "git rebase -i crane"]);
    assert!(option.err.contains("`-i` was taken as text"), "{}", option.err);
    let scores: Vec<f64> = place
        .run(&["search", "crane gantry lamp", "--json"])
        .out
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["score"].as_f64())
        .collect();
    assert!(scores.len() > 1 && scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
}

#[test]
fn related_conversations_and_what_they_share() {
    let place = Place::new();
    let ran = place.run(&["related", "2222"]);
    assert!(matches!(ran.code, Some(0)), "{}", ran.err);
    assert!(
        ran.out.contains("Harbour crane swings too far") && ran.out.contains("words gantry"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("Lighthouse"), "not itself: {}", ran.out);
    let json = place.run(&["related", "2222", "--json", "--limit", "1"]);
    let one: Value = serde_json::from_str(&json.out).expect("one object");
    assert_eq!(one["schema"], "backscroll.summary/1");
    assert_eq!(place.run(&["related", "nobody"]).code, Some(1));
}

/// Words that stand in prompts about anything relate nothing.
#[test]
fn conversations_that_share_only_filler_words_are_not_related() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    let talk = |id: &str, words: &str| Composer::new(id).titled(words).user(words).assistant("Done.");
    let global = StateDatabase::new()
        .composer(&talk("aaaa-1", "filter section format tide harbour gauge"))
        .composer(&talk("bbbb-2", "filter section format else like unknown kitchen oven"))
        .composer(&talk("cccc-3", "tide gauge of a harbour"))
        .composer(&talk("dddd-4", "paint the harbour wall"));
    CursorHome::at(place.home.path()).global(global).write().expect("a home");
    let ran = place.run(&["related", "bbbb"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    let ran = place.run(&["related", "aaaa"]);
    assert!(!ran.out.contains("kitchen"), "{}", ran.out);
    assert!(ran.err.contains("1 close"), "{} {}", ran.out, ran.err);
}

#[test]
fn a_conversation_without_a_workspace_is_related_to_one_with_a_workspace() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    let placed = harbour().in_workspace("w1", "/code/harbour");
    let global = StateDatabase::new().composer(&placed).composer(&lighthouse()).composer(&old());
    CursorHome::at(place.home.path()).global(global).write().expect("a home");
    let ran = place.run(&["related", "2222"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("Harbour crane swings too far"), "{}", ran.out);
}

#[test]
fn findings_are_reported_whatever_is_asked() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    let lost = format!("bubbleId:{}:{}", harbour().id(), harbour().bubble_id(2));
    let global = StateDatabase::new().composer(&harbour()).composer(&lighthouse()).delete(lost);
    let home = CursorHome::at(place.home.path()).global(global).write().expect("a home");
    // A conversation's own findings: a message that it lists has no row.
    for words in [&["handoff", "1111"][..], &["redact", "--check", "1111"]] {
        let ran = place.run(&[&["--strict"], words].concat());
        assert_eq!(ran.code, Some(5), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("1 conversation with findings: 1111"), "{words:?}: {}", ran.err);
    }
    // What is wrong with the store: it has an empty log, and nobody has it open.
    std::fs::write(home.global_database().with_extension("vscdb-wal"), "").expect("a log");
    let questions = [
        &["search", "crane"][..],
        &["search", "crane", "--count"],
        &["search", "--exact", "crane"],
        &["related", "1111"],
        &["files", "crane_control.rs"],
    ];
    for words in questions {
        let ran = place.run(&[&["--strict"], words].concat());
        assert_eq!(ran.code, Some(5), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("the log is empty"), "{words:?}: {}", ran.err);
        assert_eq!(place.run(words).code, Some(0), "{words:?}");
    }
}

#[test]
fn what_was_never_sent_is_found() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    let begun = harbour().set("text", json!("And could a zeppelin moor at the crane?"));
    let never_sent = Composer::new("44444444-0000-4000-8000-000000000000")
        .set("isDraft", json!(true))
        .set("text", json!("Where do zeppelins sleep?"));
    let global = StateDatabase::new().composer(&begun).composer(&never_sent);
    CursorHome::at(place.home.path()).global(global).write().expect("a home");
    let told = |words: &[&str]| {
        let ran = place.run(&[&["search", "--json"], words].concat());
        let hits = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("one object"));
        let told =
            hits.map(|hit| format!("{} {}: {}", hit["role"], hit["part"], hit["snippet"]).replace('"', ""));
        told.collect::<Vec<_>>()
    };
    let moor = "user draft: And could a «zeppelin» moor at the crane?";
    assert_eq!(told(&["zeppelin"]), [moor]);
    assert_eq!(told(&["zeppelin", "--all"]).len(), 2, "hidden ones only if asked for");
    assert_eq!(told(&["--exact", "zeppelin"]), [moor]);
    assert_eq!(told(&["--exact", "zeppelins sleep?", "--all"]), ["user draft: Where do «zeppelins sleep?»"]);
    assert_eq!(told(&["--exact", "zeppelins sail"]), [""; 0]);
    let people = place.run(&["search", "zeppelin"]);
    assert!(people.out.contains("  user draft: And could a «zeppelin» moor"), "{}", people.out);
}

/// Diffs, context and the like stand in other rows than the message's own.
#[test]
fn every_hit_shows_what_matched() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    demo_home(place.home.path()).expect("a home");
    for word in ["filter_map", "standard_offset", "with_time_zone", "fixed", "tides"] {
        for more in [&[][..], &["--exact"], &["--regex"]] {
            let words =
                [&["search", "--all", "--json", "--limit", "0", "--hits", "1000", word], more].concat();
            let ran = place.run(&words);
            assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
            for line in ran.out.lines() {
                let hit: Value = serde_json::from_str(line).expect("one object");
                let snippet = hit["snippet"].as_str().unwrap_or_default();
                assert!(snippet.contains('«'), "{words:?}: {line}");
            }
        }
    }
}

/// What was edited is often told by other rows than the message's own.
#[test]
fn edits_of_a_file_are_shown() {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    demo_home(place.home.path()).expect("a home");
    let ran = place.run(&["files", "high_water.rs", "--edited", "--diff"]);
    assert!(ran.out.contains("    -    let today = table.for_day(now.date())?;\n"), "{}{}", ran.out, ran.err);
}

/// An edit that failed or was refused is none.
#[test]
fn what_was_only_tried_is_not_edited() {
    let write = |chat: Composer, path: &str, decision: &str| {
        let given = json!({ "file_path": path, "content": "A=1" });
        chat.tool("write", given, json!({})).with_tool("userDecision", json!(decision))
    };
    let chat = Composer::new("c1").titled("Set up").in_workspace("w1", "/code/harbour").user("Write both.");
    let chat = write(chat, "/code/harbour/.env.local", "rejected");
    let chat = write(chat, "/code/harbour/.env.shared", "accepted");
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    CursorHome::at(place.home.path()).global(StateDatabase::new().composer(&chat)).write().expect("a home");
    let tried = place.run(&["files", ".env.local"]);
    assert!(tried.out.contains("  tried to edit /code/harbour/.env.local"), "{}{}", tried.out, tried.err);
    assert_eq!(place.run(&["files", ".env.local", "--edited"]).code, Some(1));
    assert_eq!(place.run(&["files", ".env.shared", "--edited"]).code, Some(0));
    let handoff = place.run(&["handoff", "c1"]).out;
    let changed: Vec<&str> = handoff.lines().filter(|line| line.contains("changed once")).collect();
    assert!(matches!(changed[..], [line] if line.contains(".env.shared")), "{handoff}");
}

#[test]
fn conversations_that_touched_a_file() {
    let place = Place::new();
    for asked in ["crane_control.rs", "src/crane_control.rs", "/code/harbour/src/", "CRANE_control.rs"] {
        let ran = place.run(&["files", asked]);
        assert_eq!(ran.code, Some(0), "{asked}: {}", ran.err);
        assert!(ran.out.starts_with("Harbour crane swings too far"), "{asked}: {}", ran.out);
        assert!(ran.out.contains("/code/harbour/src/crane_control.rs"), "{asked}: {}", ran.out);
    }
    let json = place.run(&["files", "crane_control.rs", "--json"]);
    let one: Value = serde_json::from_str(&json.out).expect("one object");
    assert_eq!(
        (&one["schema"], &one["title"]),
        (&json!("backscroll.summary/1"), &json!("Harbour crane swings too far"))
    );
    assert_eq!(place.run(&["files", "control"]).code, Some(0), "part of a name, where no name is just that");
    assert_eq!(place.run(&["files", "nowhere.rs"]).code, Some(1));
    assert_eq!(place.run(&["files", "elsewhere/crane_control.rs"]).code, Some(1));
}
