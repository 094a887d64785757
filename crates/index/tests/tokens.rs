//! What is in a text can be found by what a user would copy out of it, through a real full-text table.

use backscroll_index::tokens::{Stream, Typed};
use proptest::prelude::*;
use rusqlite::Connection;

fn table_with(text: &str) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let create = "CREATE VIRTUAL TABLE words USING fts5 (said, content = '', contentless_delete = 1,
                  tokenize = \"ascii tokenchars '_'\")";
    connection.execute_batch(create).unwrap();
    let mut stream = Stream::default();
    stream.add(text);
    connection.execute("INSERT INTO words (rowid, said) VALUES (1, ?1)", [stream.finish()]).unwrap();
    connection
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Whether the table has a row for the phrase of pieces; `None` if nothing of `asked` is ever indexed.
fn finds(connection: &Connection, asked: &str) -> Option<bool> {
    let typed = Typed::parse(asked);
    if typed.pieces().is_empty() {
        return None;
    }
    let mut question = typed.pieces().iter().map(|piece| quoted(piece)).collect::<Vec<_>>().join(" + ");
    if typed.is_single || typed.is_number {
        question.push('*');
    }
    Some(matches(connection, &question))
}

fn matches(connection: &Connection, question: &str) -> bool {
    let count: i64 = connection
        .query_row("SELECT count(*) FROM words WHERE words MATCH ?1", [question], |row| row.get(0))
        .unwrap();
    count > 0
}

#[test]
fn pieces_and_wholes_and_phrases_find_their_text() {
    let text = "let fooBar = parseHTTPHeader(request); // siehe Größe in src/sync_engine.rs v1.12.3\n\
                GitHub 自动保存功能 в Москве, MAX_FILE_SIZE = 20.0F64; path\\to\\Component.test.tsx useCallback";
    let table = table_with(text);
    for asked in [
        "fooBar",
        "foo_bar",
        "foo bar",
        "FOO",
        "let foo bar",
        "parseHTTPHeader",
        "http header",
        "grosse",
        "Größe",
        "src/sync_engine.rs",
        "sync_engine.rs",
        "sync_engine",
        "syncEngine",
        "1.12",
        "1.12.3",
        "v1.12.3",
        "github",
        "GitHub 自动",
        "自动保存",
        "保存",
        "保",
        "能",
        "功能 в",
        "москве",
        "max file size",
        "20.0f64",
        "0f64",
        "component.test.tsx",
        "to/Component.test",
        "use callback",
    ] {
        if asked == "grosse" {
            assert_eq!(finds(&table, asked), Some(false), "ß is a letter of its own");
        } else {
            assert_eq!(finds(&table, asked), Some(true), "{asked}");
        }
    }
    for whole in
        ["foobar", "parsehttpheader", "sync_engine_rs", "component_test_tsx", "maxfilesize", "usecallback"]
    {
        assert!(matches(&table, whole), "{whole}");
    }
    for absent in ["bar foo", "动自", "1.13", "header request parse"] {
        assert_eq!(finds(&table, absent), Some(false), "{absent}");
    }
}

#[test]
fn data_is_not_indexed_word_by_word() {
    let data = "iVBORw0KGgoAAAANSUhEUgAA/".repeat(400);
    let mut stream = Stream::default();
    stream.add(&format!("before {data} after"));
    let indexed = stream.finish();
    assert!(indexed.len() < 200, "{indexed}");
    assert!(indexed.starts_with("before ") && indexed.contains(" after "), "{indexed}");
}

#[test]
fn whole_identifiers_stand_once() {
    let mut stream = Stream::default();
    stream.add("fooBar fooBar foo_bar");
    assert_eq!(stream.finish(), "foo Bar foo Bar foo bar foobar ");
    stream.clear();
    stream.add("fooBar");
    assert_eq!(stream.finish(), "foo Bar foobar ");
}

/// Words as developers' texts have them, besides anything at all.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_][a-zA-Z0-9_]{0,30}",
        "[a-z]{1,8}([A-Z][a-z]{1,8}){1,4}",
        "[a-z]{1,6}(/[a-z_]{1,8}){1,4}\\.(rs|py|tsx|json|foo)",
        "v?[0-9]{1,4}(\\.[0-9]{1,4}){0,4}(rc1)?",
        "[自动保存功能エラー오류]{1,8}[a-z]{0,3}",
        "[A-Za-z0-9+/=]{1,400}",
        "[a-zA-Z:.()<>'\"-]{1,20}",
        "\\PC{1,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_stretch_of_words_of_a_text_finds_it(
        words in proptest::collection::vec(word(), 1..12), from in 0_usize..12, length in 1_usize..6
    ) {
        let text = words.join(" ");
        let table = table_with(&text);
        let words: Vec<&str> = text.split_whitespace().collect();
        prop_assume!(!words.is_empty());
        let from = from % words.len();
        let stretch = words[from..words.len().min(from + length)].join(" ");
        prop_assert_ne!(finds(&table, &stretch), Some(false), "{:?} in {:?}", stretch, text);
    }

    #[test]
    fn anything_at_all_is_taken_without_a_panic(text in "(?s).{0,300}") {
        let table = table_with(&text);
        let _ = finds(&table, &text);
    }
}
