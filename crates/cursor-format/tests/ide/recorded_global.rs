//! Every recorded global database, against the tallies in its `about.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::ide;
use backscroll_model::{FindingKind, Flag, Fragment, Message, Part, Role};
use serde_json::Value as Json;
use toml::{Table as Expected, Value};

use super::store::{Table, databases, origin};
use crate::recorded::about;

/// Recorded homes with a global database, and where their tallies stand.
const STORES: [(&str, &str); 9] = [
    ("global-growth-two-snapshots", "snapshot1"),
    ("global-growth-two-snapshots", "snapshot2"),
    ("global-inline-conversation", ""),
    ("global-null-bubbles-big-checkpoints", ""),
    ("global-older-backup-null-bubbles", ""),
    ("global-orphans-empty-backup", ""),
    ("global-orphans-null-composers", ""),
    ("profile-agentkv-wal-workspaces", ""),
    ("profile-mostly-empty-chats", ""),
];

/// The tallies of each recorded global database, with its file.
fn stores() -> Vec<(String, PathBuf, Expected)> {
    let mut all = Vec::new();
    for (home, part) in STORES {
        let mut expected = about(home)["expected"].as_table().unwrap().clone();
        if !part.is_empty() {
            expected = expected[part].as_table().unwrap().clone();
        }
        let (global, _) = databases(home);
        let main =
            global.iter().find(|path| path.iter().any(|name| name == part) || part.is_empty()).unwrap();
        for (name, file) in [("main", main.clone()), ("backup", main.with_extension("vscdb.backup"))] {
            if let Some(tallies) = expected.get(name) {
                all.push((format!("{home} {part} {name}"), file, tallies.as_table().unwrap().clone()));
            }
        }
    }
    all
}

fn number(table: &Expected, key: &str) -> u64 {
    table.get(key).and_then(Value::as_integer).map_or(0, |n| n.try_into().unwrap())
}

fn numbers(table: &Expected, key: &str) -> BTreeMap<String, u64> {
    let inner = table[key].as_table().unwrap();
    inner.keys().map(|name| (name.clone(), number(inner, name))).collect()
}

/// What one reading of a database counts.
#[derive(Default)]
struct Tally {
    numbers: BTreeMap<&'static str, u64>,
    tools: BTreeMap<String, u64>,
    status: BTreeMap<String, u64>,
    orphan_tools: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, name: &'static str, count: usize) {
        *self.numbers.entry(name).or_default() += count as u64;
    }

    fn conversation(&mut self, decoded: &Fragment) {
        let coverage = decoded.coverage;
        assert!(coverage.adds_up(), "{coverage:?}");
        assert_eq!(coverage.undecodable, 0);
        self.add("messages_listed", usize::try_from(coverage.listed).unwrap());
        self.add("missing", usize::try_from(coverage.missing).unwrap());
        self.add("orphan_bubbles", usize::try_from(coverage.orphaned).unwrap());
        self.add("user", count(&decoded.messages, |m| m.role == Role::User));
        self.add("assistant", count(&decoded.messages, |m| m.role == Role::Assistant));
        self.add("text_parts", parts(&decoded.messages, |part| matches!(part, Part::Text(_))));
        self.add("thinking_parts", parts(&decoded.messages, |part| matches!(part, Part::Thinking { .. })));
        self.add("tool_parts", parts(&decoded.messages, |part| matches!(part, Part::ToolCall(_))));
        self.add("messages_without_parts", count(&decoded.messages, |m| !m.parts.iter().any(is_said)));
        self.add("really_empty", usize::try_from(coverage.empty).unwrap());
        self.add("orphan_user", count(&decoded.orphans, |m| m.role == Role::User));
        self.add("orphan_assistant", count(&decoded.orphans, |m| m.role == Role::Assistant));
        self.add("orphan_with_text", count(&decoded.orphans, |m| !m.text().is_empty()));
        for call in decoded.messages.iter().flat_map(Message::tool_calls) {
            *self.tools.entry(call.raw_name.clone()).or_default() += 1;
            *self.status.entry(call.status.name().to_owned()).or_default() += 1;
        }
        for call in decoded.orphans.iter().flat_map(Message::tool_calls) {
            *self.orphan_tools.entry(call.raw_name.clone()).or_default() += 1;
        }
        let nulls = decoded.findings.iter().filter(|f| f.kind == FindingKind::NullRow);
        self.add("findings_of_null_rows", nulls.count());
        let orphans = decoded.findings.iter().filter(|f| f.kind == FindingKind::OrphanMessage);
        assert_eq!(orphans.count() as u64, coverage.orphaned);
    }
}

fn count(messages: &[Message], is: impl Fn(&Message) -> bool) -> usize {
    messages.iter().filter(|message| is(message)).count()
}

fn parts(messages: &[Message], is: impl Fn(&Part) -> bool) -> usize {
    messages.iter().flat_map(|message| &message.parts).filter(|part| is(part)).count()
}

/// What the tallies of the recorded stores call a part.
fn is_said(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::Thinking { .. } | Part::ToolCall(_))
}

fn tally(table: &Table) -> Tally {
    let mut tally = Tally::default();
    for (id, record) in table.composers() {
        let listed = ide::index_entry(&id, record, &origin(id.as_str()));
        assert!(listed.findings.is_empty());
        let summary = listed.value.unwrap().evidence.summary;
        let decoded = table.assemble(id.as_str()).fragment;
        assert_eq!(summary.messages, Some(decoded.coverage.listed), "the index and the conversation agree");
        tally.add("conversations", 1);
        tally.add("empty", usize::from(summary.flags.contains(&Flag::Empty)));
        tally.add("drafts", usize::from(summary.flags.contains(&Flag::Draft)));
        tally.conversation(&decoded);
        let stored = decoded.messages.iter().filter_map(|message| table.bytes(&message.origin.key));
        tally.add("placeholder_tool_data", stored.filter(|bytes| is_placeholder(bytes)).count());
    }
    tally
}

/// Whether a stored bubble has `toolFormerData` without name and number, which is no call.
fn is_placeholder(bytes: &[u8]) -> bool {
    let bubble: Json = serde_json::from_slice(bytes).unwrap();
    let tool = &bubble["toolFormerData"];
    tool.is_object() && tool["name"].is_null() && tool["tool"].is_null()
}

#[test]
fn every_global_database_is_read_as_recorded() {
    for (name, file, expected) in stores() {
        let table = Table::of(&file, "cursorDiskKV");
        let tally = tally(&table);
        let decoded = |key: &str| tally.numbers.get(key).copied().unwrap_or(0);
        for key in [
            "conversations",
            "empty",
            "drafts",
            "messages_listed",
            "user",
            "assistant",
            "text_parts",
            "thinking_parts",
            "tool_parts",
            "messages_without_parts",
            "orphan_bubbles",
            "orphan_user",
            "orphan_assistant",
            "orphan_with_text",
            "placeholder_tool_data",
        ] {
            assert_eq!(decoded(key), number(&expected, key), "{key} of {name}");
        }
        // Five messages without words say something else: a terminal, a summary, and three of them pictures.
        let wordless = match name.as_str() {
            "global-null-bubbles-big-checkpoints  main" => 2,
            "global-orphans-null-composers  main" => 3,
            _ => 0,
        };
        assert_eq!(decoded("really_empty") + wordless, number(&expected, "messages_without_parts"), "{name}");
        assert_eq!(
            decoded("missing"),
            number(&expected, "listed_without_row") + number(&expected, "listed_null_row")
        );
        assert_eq!(
            decoded("findings_of_null_rows") > 0,
            number(&expected, "orphan_bubbles_null") > 0,
            "{name}"
        );
        assert_eq!(tally.tools, numbers(&expected, "tools"), "{name}");
        assert_eq!(tally.orphan_tools, numbers(&expected, "orphan_tools"), "{name}");
        let mut status = numbers(&expected, "tool_status");
        if let Some(loading) = status.remove("loading") {
            *status.entry("running".to_owned()).or_default() += loading;
        }
        assert_eq!(tally.status, status, "{name}");
    }
}

#[test]
fn heads_of_the_header_list_are_as_recorded() {
    let home = "profile-agentkv-wal-workspaces";
    let expected = about(home)["expected"]["main"].as_table().unwrap().clone();
    let items = Table::of(&databases(home).0[0], "ItemTable");
    let rows = Table::of(&databases(home).0[0], "cursorDiskKV");
    let at = origin(ide::keys::HEADERS);
    let heads =
        ide::heads(items.bytes(ide::keys::HEADERS).unwrap(), &at, backscroll_model::Attribution::Header);
    assert!(heads.findings.is_empty());
    let summaries: Vec<_> = heads.value.iter().map(|head| &head.evidence.summary).collect();
    let count =
        |is: &dyn Fn(&backscroll_model::Summary) -> bool| summaries.iter().filter(|s| is(s)).count() as u64;
    assert_eq!(summaries.len() as u64, number(&expected, "global_heads"));
    assert_eq!(count(&|s| s.workspace.is_some()), number(&expected, "global_heads_with_folder"));
    assert_eq!(count(&|s| s.flags.contains(&Flag::Draft)), number(&expected, "global_heads_drafts"));
    let without_row = |s: &backscroll_model::Summary| rows.bytes(&format!("composerData:{}", s.id)).is_none();
    assert_eq!(count(&without_row), number(&expected, "global_heads_without_composer_row"));
}

#[test]
fn an_empty_conversation_is_cheap_to_list_and_says_nothing() {
    let database = databases("profile-mostly-empty-chats").0.remove(0);
    let table = Table::of(Path::new(&database), "cursorDiskKV");
    for (id, _) in table.composers() {
        let decoded = table.assemble(id.as_str()).fragment;
        assert!(decoded.messages.is_empty() && decoded.findings.is_empty(), "{id}");
    }
}
