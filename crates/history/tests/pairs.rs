//! One known conversation, written as the files of several places: what is read from them is the conversation, each item once and in
//! order.

use std::fmt::Write as _;

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Dialect, Item, Records, SdkAgent, SdkStore, Speaks, StateDatabase,
    Thoughts, Transcript, What, items, joined,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::home::{history_of, load};

const ID: &str = "agent-5f0f3c1e-0a3e-4c43-9c0a-7d2f7a6f1b11";
const FOLDER: &str = "/home/dev/lamp";

/// The places of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    LinesAndText,
    /// A GPT model: the text has thoughts after a mark, the lines have them behind the words.
    MergedLinesAndText,
    ArrayAndText,
    LinesArrayAndText,
    CliAndLines,
    CliAndText,
    SdkAndLines,
    EditorAndLines,
    EditorAndText,
}

/// How a pair is written. Flags are drawn for each entry in turn.
#[derive(Debug, Clone)]
struct Habits {
    places: Places,
    lines: Records,
    text: Records,
    /// The lines end before this entry.
    lines_end: usize,
}

/// Words that occur once.
fn words(number: usize, count: usize) -> String {
    (0..count).map(|word| format!("word{number}x{word}")).collect::<Vec<_>>().join(" ")
}

/// Words of every kind that files have; `number` makes most of them different.
fn text(number: usize, kind: u8, count: usize) -> String {
    let words = words(number, count);
    match kind {
        0..=7 => words,
        8 => "Done.".to_owned(),
        9 => "Ok".to_owned(),
        10 => "Let me check the file.".to_owned(),
        11 => "Done. All tests pass.".to_owned(),
        12 => "1".to_owned(),
        13 => format!("{words}\n\n```rust\nfn main() {{\n    run()\n}}\n```\n"),
        14 => format!("# {words}\n\n- one\n- two\n\n  three: {words}  \n"),
        15 => format!("{words} naïve – 日本語 😀 e\u{301}"),
        16 => format!("  {words}:\n\n"),
        17 => format!("{words}\n{words}"),
        18 => format!("Use `<think>` here: {words}"),
        19 => format!("{words}\n[info] started\n\nuser:\n{words}"),
        _ => format!("Done. {words} Done."),
    }
}

fn call(number: usize, kind: u8, count: usize) -> (String, Json) {
    let words = words(number, count);
    let (name, arguments) = match kind % 12 {
        0 => ("Shell", json!({ "command": format!("echo {words}"), "description": "Say it" })),
        1 => ("Shell", json!({ "command": "cargo test", "description": "Run the tests" })),
        2 => ("Read", json!({ "path": format!("/home/dev/lamp/{number}.rs") })),
        3 => ("Read", json!({ "path": "/home/dev/lamp/driver.c" })),
        4 => (
            "StrReplace",
            json!({ "path": "/home/dev/lamp/driver.c", "old_string": format!("{words}\n\nend"), "new_string": format!("# New\n\n{words}\n") }),
        ),
        5 => ("Grep", json!({ "pattern": words, "path": "/home/dev/lamp" })),
        6 => (
            "ApplyPatch",
            json!(format!(
                "*** Begin Patch\n*** Update File: /home/dev/lamp/{number}.txt\n@@\n-a\n+{words}\n*** End Patch"
            )),
        ),
        7 => (
            "Write",
            json!({ "path": format!("/home/dev/lamp/{number}.md"), "contents": format!("# {words}\n\n- a\n\n  key: value\nuser: x\n") }),
        ),
        8 => ("TodoWrite", json!({ "merge": false, "todos": [{ "id": "1", "content": words }] })),
        9 => ("ListTools", json!({})),
        10 => ("user-Filesystem-read_text_file", json!({ "path": format!("/home/dev/{number}"), "head": 3 })),
        _ => ("Glob", json!({ "glob_pattern": "**/*.c", "target_directory": "/home/dev/lamp" })),
    };
    (name.to_owned(), arguments)
}

/// Kind, kind of words, number of words, and whether a call was answered.
type Drawn = (u8, u8, usize, bool);

fn turns() -> impl Strategy<Value = Vec<(u8, Vec<Drawn>)>> {
    let drawn = (0..3_u8, 0..21_u8, 1..9_usize, prop::bool::weighted(0.9));
    prop::collection::vec((0..21_u8, prop::collection::vec(drawn, 0..8)), 1..5)
}

fn conversation(turns: &[(u8, Vec<Drawn>)], places: Places) -> Vec<What> {
    let mut all = Vec::new();
    // A run of the SDK has one prompt.
    let turns = if places == Places::SdkAndLines { &turns[..1] } else { turns };
    for (asked, turn) in turns {
        all.push(What::User(text(all.len(), *asked, 4)));
        for (kind, words, count, is_answered) in turn {
            let number = all.len();
            all.push(match kind {
                0 => What::Assistant(text(number, *words, *count)),
                // The SDK stores a thought in pieces: two in a row are one.
                1 if places == Places::SdkAndLines && matches!(all.last(), Some(What::Thinking(..))) => {
                    continue;
                }
                1 if places == Places::MergedLinesAndText => {
                    What::Thinking(format!("**Headline {number}**\n\n{}", self::words(number, *count)), 1_200)
                }
                1 => What::Thinking(text(number, *words, *count), 1_200),
                _ => {
                    let (name, arguments) = call(number, *words, *count);
                    // Without arguments and result there is nothing to know one of several by.
                    let is_answered = *is_answered || arguments == json!({});
                    What::Tool { name, arguments, result: is_answered.then(|| json!("fine")) }
                }
            });
        }
    }
    all
}

fn habits(places: Places) -> impl Strategy<Value = Habits> {
    let flags = || prop::collection::vec(any::<bool>(), 40);
    let ends = prop_oneof![3 => Just(usize::MAX), 1 => 1..20_usize];
    let drawn = ([flags(), flags(), flags(), flags()], any::<bool>(), any::<bool>(), ends);
    drawn.prop_map(move |([begins, glues, text_begins, text_glues], without_calls, redacted, lines_end)| {
        let thoughts = if redacted { Thoughts::Redacted } else { Thoughts::LeftOut };
        Habits {
            places,
            lines: Records { begins, glues, thoughts, without_calls },
            text: Records { begins: text_begins, glues: text_glues, ..Records::default() },
            lines_end,
        }
    })
}

fn with<T: Speaks>(mut place: T, said: &[What]) -> T {
    for what in said {
        place = place.says(what.clone());
    }
    place
}

impl Habits {
    fn home(&self, said: &[What]) -> CursorHome {
        let home = CursorHome::new().unwrap();
        let transcript = |dialect: Dialect, records: &Records, said: &[What]| {
            with(Transcript::new(FOLDER, ID).dialect(dialect).records(records.clone()), said)
        };
        // The SDK stores texts in pieces: two in a row are one, so that the first alone is not known to be one.
        let end = if self.places == Places::SdkAndLines { said.len() } else { self.lines_end };
        let first = &said[..end.min(said.len())];
        let lines = || transcript(Dialect::FlatLines, &self.lines, first);
        let text = || transcript(Dialect::Text, &self.text, said);
        let array = |said: &[What]| transcript(Dialect::JsonArray, &self.text, said);
        let cli = || with(CliChat::new(FOLDER, ID), said);
        let editor = || {
            let composer = with(Composer::new(ID).in_workspace("w1", FOLDER), said).with_agent_blobs();
            StateDatabase::new().composer(&composer)
        };
        match self.places {
            Places::LinesAndText => home.transcript(lines()).transcript(text()),
            Places::MergedLinesAndText => {
                // A record is a thought, words and calls; the files have the same ones.
                let begins = |at: usize| match (&said[at], at.checked_sub(1).map(|before| &said[before])) {
                    (What::Thinking(..), _) => true,
                    (What::Assistant(_), before) => !matches!(before, Some(What::Thinking(..))),
                    _ => false,
                };
                let begins: Vec<bool> = (0..said.len()).map(begins).collect();
                let lines =
                    Records { begins: begins.clone(), thoughts: Thoughts::Merged, ..self.lines.clone() };
                let text = Records { begins, thoughts: Thoughts::Marked, ..self.text.clone() };
                home.transcript(transcript(Dialect::FlatLines, &lines, first)).transcript(transcript(
                    Dialect::Text,
                    &text,
                    said,
                ))
            }
            Places::ArrayAndText => home.transcript(array(first)).transcript(text()),
            Places::LinesArrayAndText => home.transcript(lines()).transcript(array(said)).transcript(text()),
            Places::CliAndLines => home.cli(cli()).transcript(lines()),
            Places::CliAndText => home.cli(cli()).transcript(text()),
            Places::SdkAndLines => {
                let agent = with(SdkAgent::new(ID), said);
                home.sdk(SdkStore::new(FOLDER).agent(agent).without_transcripts()).transcript(lines())
            }
            Places::EditorAndLines => home.global(editor()).transcript(lines()),
            Places::EditorAndText => home.global(editor()).transcript(text()),
        }
    }
}

/// What is known to be said.
fn expected(said: &[What]) -> Vec<Item> {
    let item = |what: &What| {
        let (role, kind, text) = match what {
            What::User(text) => ("user", "text", text),
            What::Assistant(text) => ("assistant", "text", text),
            What::Thinking(text, _) => ("assistant", "thinking", text),
            What::Tool { name, .. } => ("assistant", "tool_call", name),
        };
        (!text.trim().is_empty()).then(|| (role.to_owned(), kind.to_owned(), text.clone()))
    };
    joined(said.iter().filter_map(item))
}

/// What is read from the places, with their files for people.
fn read(habits: &Habits, said: &[What]) -> (Vec<Item>, String) {
    let home = habits.home(said).write().unwrap();
    let whole = load(&history_of(home.root()), ID);
    assert!(whole.coverage.adds_up());
    let mut files = String::new();
    let folder = home.root().join(".cursor/projects/home-dev-lamp/agent-transcripts");
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        writeln!(files, "== {}\n{}", path.display(), std::fs::read_to_string(&path).unwrap()).unwrap();
    }
    (items(&whole.messages), files)
}

macro_rules! pairs {
    ($($name:ident: $places:expr,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

            $(#[test]
            fn $name(turns in turns(), habits in habits($places)) {
                let said = conversation(&turns, habits.places);
                let (found, files) = read(&habits, &said);
                prop_assert_eq!(found, expected(&said), "{}", files);
            })*
        }
    };
}

pairs! {
    lines_and_text: Places::LinesAndText,
    merged_lines_and_text: Places::MergedLinesAndText,
    array_and_text: Places::ArrayAndText,
    lines_array_and_text: Places::LinesArrayAndText,
    cli_store_and_lines: Places::CliAndLines,
    cli_store_and_text: Places::CliAndText,
    sdk_store_and_lines: Places::SdkAndLines,
    editor_and_lines: Places::EditorAndLines,
    editor_and_text: Places::EditorAndText,
}

/// What is read from transcripts of these extensions and contents.
fn read_files(files: &[(&str, &str)]) -> Vec<String> {
    let mut home = CursorHome::new().unwrap();
    for (extension, content) in files {
        let path = format!(".cursor/projects/home-dev-lamp/agent-transcripts/{ID}.{extension}");
        home = home.file(path, content.as_bytes());
    }
    let home = home.write().unwrap();
    let whole = load(&history_of(home.root()), ID);
    items(&whole.messages).into_iter().map(|(_, kind, text)| format!("{kind} {text}")).collect()
}

/// Records of JSON lines: `user` or `assistant` and the texts of one record.
fn lines(records: &[(&str, &[&str])]) -> String {
    let record = |(role, texts): &(&str, &[&str])| {
        let content: Vec<Json> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        json!({ "role": role, "message": { "content": content } }).to_string()
    };
    records.iter().map(record).collect::<Vec<_>>().join("\n")
}

/// Cursor leaves `<think>` blocks out of transcripts; the store has the text with them.
#[test]
fn a_copy_without_its_think_blocks_is_the_same_text() {
    let table = [
        ("<think>hm</think>\n\nBefore.", "Before."),
        ("Before <think>one\ntwo</think> and after.", "Before  and after."),
        ("One. <think>a</think>Two. <think>b</think>", "One. Two. "),
        ("A line.\n<think>\nhm\n</think>\nAnother.", "A line.\n\nAnother."),
        ("It writes `<think>` and goes on.", "It writes `<think>` and goes on."),
    ];
    for (stored, copied) in table {
        let said = |answer: &str| {
            let texts = ["ask", answer, "more", "The end."];
            let what = |(at, text): (usize, &str)| match at % 2 {
                0 => What::User(text.to_owned()),
                _ => What::Assistant(text.to_owned()),
            };
            texts.into_iter().enumerate().map(what).collect::<Vec<_>>()
        };
        let lines = with(Transcript::new(FOLDER, ID).dialect(Dialect::FlatLines), &said(copied));
        let editor = with(Composer::new(ID).in_workspace("w1", FOLDER), &said(stored));
        let homes = [
            CursorHome::new().unwrap().cli(with(CliChat::new(FOLDER, ID), &said(stored))),
            CursorHome::new().unwrap().global(StateDatabase::new().composer(&editor)),
        ];
        for home in homes {
            let home = home.transcript(lines.clone()).write().unwrap();
            let whole = load(&history_of(home.root()), ID);
            assert_eq!(items(&whole.messages), expected(&said(stored)), "{stored}");
            let alone: Vec<_> = whole.findings.iter().filter(|one| one.says.contains("alone")).collect();
            assert!(alone.is_empty(), "{stored}: {alone:?}");
        }
    }
}

/// The number of a line is an id in its own file alone.
#[test]
fn a_record_that_was_redacted_does_not_take_what_another_file_has_in_the_same_line() {
    let jsonl = lines(&[
        ("user", &["one"]),
        ("assistant", &["first answer"]),
        ("user", &["two"]),
        ("assistant", &["[REDACTED]"]),
    ]);
    let txt = "user:\none\n\nassistant:\nfirst answer\n\nuser:\ntwo\n\nassistant:\n<think>\nhm\n</think>\n";
    let expected = ["text one", "text firstanswer", "text two", "thinking hm"];
    assert_eq!(read_files(&[("jsonl", &jsonl), ("txt", txt)]), expected);
    // Line 4 of the text begins the first answer.
    assert_eq!(txt.lines().nth(3), Some("assistant:"));
}

#[test]
fn texts_that_say_what_a_thought_says_stay_texts() {
    let jsonl = lines(&[
        ("user", &["one"]),
        ("assistant", &["Let me see."]),
        ("user", &["two"]),
        ("assistant", &["Done."]),
    ]);
    let txt = "user:\none\n\nassistant:\nLet me see.\n\nuser:\ntwo\n\nassistant:\n<think>\nLet me see.\n</think>\nDone.\n";
    let expected = ["text one", "text Letmesee.", "text two", "thinking Letmesee.", "text Done."];
    assert_eq!(read_files(&[("jsonl", &jsonl), ("txt", txt)]), expected);
}

#[test]
fn texts_that_are_said_twice_in_a_turn_are_there_twice() {
    let table: [(&[&str], &str, &[&str]); 3] = [
        // Very short ones, glued in one file.
        (&["Ok\n\nOk"], "Ok\n\n<think>\nhm\n</think>\nOk", &["text Ok", "thinking hm", "text Ok"]),
        // The second is glued to other words.
        (
            &["Done.", "Second text.", "Done."],
            "Done.\n<think>\nhm\n</think>\nSecond text.\n\nDone.",
            &["text Done.", "thinking hm", "text Secondtext.Done."],
        ),
        // One file ends earlier.
        (&["Ok"], "<think>\nhm\n</think>\nOk\n\nThe rest.", &["thinking hm", "text OkTherest."]),
    ];
    for (texts, txt, expected) in table {
        let jsonl = lines(&[("user", &["ask"]), ("assistant", texts)]);
        let txt = format!("user:\nask\n\nassistant:\n{txt}\n");
        let found = read_files(&[("jsonl", &jsonl), ("txt", &txt)]);
        assert_eq!(found[0], "text ask");
        assert_eq!(found[1..], *expected, "{txt}");
    }
}

#[test]
fn a_role_inside_of_an_answer_is_text() {
    let answer = "The log says:\n\nuser:\nhello\n\nThat is all.";
    let query = "<user_query>\nask\n</user_query>";
    let jsonl = lines(&[("user", &[query]), ("assistant", &[answer])]);
    let txt = format!("user:\n{query}\n\nassistant:\n{answer}\n");
    let expected = ["text ask", "text Thelogsays:user:helloThatisall."];
    assert_eq!(read_files(&[("jsonl", &jsonl), ("txt", &txt)]), expected);
    assert_eq!(read_files(&[("txt", &txt)]), expected);
}

/// Several calls of one kind are those of the other place, where nothing says otherwise.
#[test]
fn calls_without_arguments_are_there_once() {
    let said = [
        What::User("ask".to_owned()),
        What::Assistant("1".to_owned()),
        What::Tool { name: "ListTools".to_owned(), arguments: json!({}), result: Some(json!("fine")) },
        What::Tool { name: "ListTools".to_owned(), arguments: json!({}), result: Some(json!("fine")) },
        What::Assistant("1".to_owned()),
    ];
    for places in [Places::EditorAndText, Places::EditorAndLines, Places::CliAndLines, Places::CliAndText] {
        for lines_end in 2..=said.len() {
            let habits = Habits { places, lines: Records::default(), text: Records::default(), lines_end };
            assert_eq!(read(&habits, &said).0, expected(&said), "{places:?} {lines_end}");
        }
    }
}

/// The lines end in the second turn, whose words a thought of the third turn repeats.
#[test]
fn a_file_that_ends_early_takes_no_thought_of_a_later_turn() {
    let one = |number: usize| What::Assistant(words(number, 1));
    let repeated = "Done. All tests pass.".to_owned();
    let said = [
        What::User(words(0, 4)),
        one(1),
        What::User(words(2, 4)),
        What::Assistant(repeated.clone()),
        one(4),
        one(5),
        What::User(words(6, 4)),
        What::Thinking(repeated, 1),
        one(8),
    ];
    for places in [Places::LinesAndText, Places::ArrayAndText, Places::LinesArrayAndText] {
        for lines_end in 3..=said.len() {
            for is_glued in [false, true] {
                let text = Records { glues: vec![is_glued; 40], ..Records::default() };
                let habits = Habits { places, lines: Records::default(), text, lines_end };
                assert_eq!(read(&habits, &said).0, expected(&said), "{places:?} {lines_end} {is_glued}");
            }
        }
    }
}
