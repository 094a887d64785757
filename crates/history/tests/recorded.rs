//! The tallies of the recorded homes, asked of the history: finding, reading and merging together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use backscroll_fixtures::{recorded, recorded_named};
use backscroll_history::History;
use backscroll_model::{
    Conversation, Flag, Layer, Message, Part, Role, Summary, Surface, ToolCall, ToolStatus,
};
use toml::Table;

use crate::home::{all, ask, history_of, load};

fn number(table: &Table, key: &str) -> u64 {
    table.get(key).map_or(0, |value| u64::try_from(value.as_integer().unwrap()).unwrap())
}

fn tally(table: &Table, key: &str) -> BTreeMap<String, u64> {
    let counts = table[key].as_table().unwrap();
    counts
        .iter()
        .map(|(name, count)| (name.clone(), u64::try_from(count.as_integer().unwrap()).unwrap()))
        .collect()
}

fn count<'a, T: 'a>(items: impl IntoIterator<Item = T>) -> u64 {
    items.into_iter().count() as u64
}

fn counted(names: impl IntoIterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Whether the main database has a record of it.
fn has_record(summary: &Summary) -> bool {
    summary.origins.iter().any(|origin| {
        origin.layer == Layer::IdeGlobal
            && origin.file.ends_with("globalStorage/state.vscdb")
            && origin.key.starts_with("composerData:")
    })
}

/// Whether a main database, not a backup, has something of it in this layer.
fn is_in(summary: &Summary, layer: Layer) -> bool {
    summary.origins.iter().any(|origin| origin.layer == layer && origin.file.ends_with("state.vscdb"))
}

/// The homes with a global database, each with what is expected of it.
fn homes() -> Vec<(String, tempfile::TempDir, PathBuf, Table)> {
    let mut homes = Vec::new();
    for recorded in recorded().unwrap() {
        for below in ["", "snapshot1", "snapshot2"] {
            let expected = recorded.expected.get(below).and_then(toml::Value::as_table);
            let expected = if below.is_empty() { Some(&recorded.expected) } else { expected };
            let Some(expected) = expected.filter(|expected| expected.contains_key("main")) else { continue };
            let copy = recorded.copy_to_temp().unwrap();
            let home = copy.path().join(below);
            homes.push((format!("{}/{below}", recorded.name), copy, home, expected.clone()));
        }
    }
    assert_eq!(homes.len(), 9);
    homes
}

fn loaded(history: &History, wanted: impl Fn(&Summary) -> bool) -> Vec<Conversation> {
    let summaries = all(history).into_iter().filter(|summary| wanted(summary));
    summaries.map(|summary| load(history, summary.id.as_str())).collect()
}

#[test]
fn conversations_are_counted_and_classified() {
    for (name, _copy, home, expected) in homes() {
        let main = expected["main"].as_table().unwrap();
        let summaries: Vec<Summary> = ask(&home, all).into_iter().filter(has_record).collect();
        assert_eq!(count(&summaries), number(main, "conversations"), "{name}");
        let flagged = |flag: Flag| count(summaries.iter().filter(|summary| summary.flags.contains(&flag)));
        assert_eq!(flagged(Flag::Empty), number(main, "empty"), "{name}: empty");
        assert_eq!(flagged(Flag::Draft), number(main, "drafts"), "{name}: drafts");
        let with_messages =
            summaries.iter().filter(|summary| summary.messages.is_some_and(|count| count > 0));
        assert_eq!(count(with_messages), number(main, "with_messages"), "{name}: with messages");
        assert_eq!(flagged(Flag::Deleted), 0, "{name}: what has a record is not deleted");
    }
}

#[test]
fn messages_are_counted_by_role_and_part() {
    for (name, _copy, home, expected) in homes() {
        let main = expected["main"].as_table().unwrap();
        let conversations = ask(&home, |history| loaded(history, has_record));
        let messages: Vec<&Message> = conversations.iter().flat_map(|whole| &whole.messages).collect();
        assert_eq!(count(&messages), number(main, "messages_listed"), "{name}: listed");
        let listed: u64 = conversations.iter().map(|whole| whole.coverage.listed).sum();
        assert_eq!(listed, number(main, "messages_listed"), "{name}: listed by the account");
        let missing: u64 = conversations.iter().map(|whole| whole.coverage.missing).sum();
        let lost = number(main, "listed_without_row") + number(main, "listed_null_row");
        assert_eq!(missing, lost, "{name}: missing");
        let by = |role: Role| count(messages.iter().filter(|message| message.role == role));
        assert_eq!(by(Role::User), number(main, "user"), "{name}: user");
        assert_eq!(by(Role::Assistant), number(main, "assistant"), "{name}: assistant");
        let with = |wanted: fn(&Part) -> bool| count(messages.iter().filter(|m| m.parts.iter().any(wanted)));
        assert_eq!(with(|part| matches!(part, Part::Text(_))), number(main, "text_parts"), "{name}: texts");
        let thinking = with(|part| matches!(part, Part::Thinking { .. }));
        assert_eq!(thinking, number(main, "thinking_parts"), "{name}: thinking");
        let calls: Vec<&ToolCall> = messages.iter().flat_map(|message| message.tool_calls()).collect();
        assert_eq!(count(&calls), number(main, "tool_parts"), "{name}: calls");
        assert_eq!(counted(calls.iter().map(|call| call.raw_name.clone())), tally(main, "tools"), "{name}");
        let as_stored = |call: &&ToolCall| match call.status {
            ToolStatus::Running | ToolStatus::Pending => "loading".to_owned(),
            other => other.name().to_owned(),
        };
        assert_eq!(counted(calls.iter().map(as_stored)), tally(main, "tool_status"), "{name}");
        for whole in &conversations {
            assert!(whole.coverage.adds_up(), "{name}: {:?}", whole.coverage);
        }
    }
}

#[test]
fn orphans_are_kept_apart_and_counted() {
    for (name, _copy, home, expected) in homes() {
        let main = expected["main"].as_table().unwrap();
        let conversations = ask(&home, |history| loaded(history, |_| true));
        let orphans: Vec<&Message> = conversations.iter().flat_map(|whole| &whole.orphans).collect();
        let lost = number(main, "orphans_of_missing_conversation");
        assert_eq!(count(&orphans) + lost, number(main, "orphan_bubbles"), "{name}");
        let by = |role: Role| count(orphans.iter().filter(|message| message.role == role));
        assert_eq!(by(Role::User), number(main, "orphan_user"), "{name}");
        assert_eq!(by(Role::Assistant), number(main, "orphan_assistant"), "{name}");
        let with_text = orphans.iter().filter(|m| m.parts.iter().any(|part| matches!(part, Part::Text(_))));
        assert_eq!(count(with_text), number(main, "orphan_with_text"), "{name}");
        let tools = orphans.iter().flat_map(|message| message.tool_calls()).map(|call| call.raw_name.clone());
        assert_eq!(counted(tools), tally(main, "orphan_tools"), "{name}");
        assert!(
            orphans.iter().all(|orphan| !orphan.deleted),
            "{name}: no backup has more than the main file"
        );
    }
}

#[test]
fn rows_without_key_or_value_are_counted() {
    for (name, _copy, home, expected) in homes() {
        let main = expected["main"].as_table().unwrap();
        let findings = ask(&home, |history| {
            let mut findings = history.list(&backscroll_history::Ask::default()).findings;
            findings.extend(loaded(history, |_| true).into_iter().flat_map(|whole| whole.findings));
            findings
        });
        let main_file =
            |origin: &backscroll_model::Origin| origin.file.ends_with("globalStorage/state.vscdb");
        let says: Vec<&str> = findings
            .iter()
            .filter(|finding| main_file(&finding.at))
            .map(|finding| finding.says.as_str())
            .collect();
        let has = |expected: &str| says.iter().any(|says| says.contains(expected));
        let composers = number(main, "null_composers");
        assert_eq!(
            has(&format!("{composers} conversation records are NULL")),
            composers > 0,
            "{name}: {says:?}"
        );
        let keys = number(main, "null_keys");
        assert_eq!(has("NULL key"), keys > 0, "{name}");
        let bubbles = number(main, "orphan_bubbles_null");
        let reported: u64 = findings
            .iter()
            .filter(|finding| {
                main_file(&finding.at) && finding.kind == backscroll_model::FindingKind::NullRow
            })
            .filter(|finding| finding.says.contains("bubble rows"))
            .map(|finding| finding.says.split(' ').find_map(|word| word.parse::<u64>().ok()).unwrap())
            .sum();
        assert_eq!(reported, bubbles, "{name}: {says:?}");
    }
}

#[test]
fn workspaces_are_joined_with_records() {
    for (name, _copy, home, expected) in homes() {
        let main = expected["main"].as_table().unwrap();
        let summaries: Vec<Summary> = ask(&home, all);
        let heads = summaries.iter().filter(|summary| is_in(summary, Layer::IdeWorkspace));
        let (with, without): (Vec<_>, Vec<_>) = heads.partition(|summary| has_record(summary));
        if expected.contains_key("heads_matching_a_composer") {
            assert_eq!(count(&with), number(&expected, "heads_matching_a_composer"), "{name}");
            let without = without.iter().filter(|summary| summary.surface == Surface::Ide);
            assert_eq!(count(without), number(&expected, "heads_without_composer_row"), "{name}");
        }
        if expected.contains_key("composers_without_workspace_head") {
            let unheaded = number(main, "conversations") - count(&with);
            assert_eq!(unheaded, number(&expected, "composers_without_workspace_head"), "{name}");
        }
        let mut paths: Vec<&str> =
            summaries.iter().filter_map(|summary| Some(summary.workspace.as_ref()?.path.as_str())).collect();
        paths.sort_unstable();
        paths.dedup();
        assert!(count(&paths) <= number(&expected, "distinct_folders"), "{name}: {paths:?}");
    }
}

#[test]
fn heads_of_the_global_list() {
    let recorded = recorded_named("profile-agentkv-wal-workspaces").unwrap();
    let copy = recorded.copy_to_temp().unwrap();
    let main = recorded.expected["main"].as_table().unwrap();
    let summaries = ask(copy.path(), all);
    let heads: Vec<&Summary> = summaries.iter().filter(|summary| is_in(summary, Layer::IdeHeaders)).collect();
    assert_eq!(count(&heads), number(main, "global_heads"));
    let drafts = heads.iter().filter(|head| head.flags.contains(&Flag::Draft));
    assert_eq!(count(drafts), number(main, "global_heads_drafts"));
    let alone = heads.iter().filter(|head| !has_record(head));
    assert_eq!(count(alone), number(main, "global_heads_without_composer_row"));
    let placed = heads.iter().filter(|head| head.workspace.is_some());
    assert_eq!(count(placed), number(main, "global_heads_with_folder"));
}

#[test]
fn conversations_inside_a_workspace() {
    let recorded = recorded_named("workspace-inline-composers-aichat").unwrap();
    let copy = recorded.copy_to_temp().unwrap();
    let totals = recorded.expected["workspace_totals"].as_table().unwrap();
    let history = history_of(copy.path());
    let by = |surface: Surface| loaded(&history, |summary| summary.surface == surface);
    let roles = |whole: &[Conversation], role: Role| {
        count(whole.iter().flat_map(|whole| &whole.messages).filter(|message| message.role == role))
    };
    let composers = by(Surface::Ide);
    assert_eq!(count(&composers), number(totals, "inline_composers"));
    assert_eq!(roles(&composers, Role::User), number(totals, "inline_user"));
    assert_eq!(roles(&composers, Role::Assistant), number(totals, "inline_assistant"));
    let tabs = by(Surface::IdeChat);
    assert_eq!(count(&tabs), number(totals, "aichat_tabs"), "prompts are not listed beside conversations");
    assert_eq!(roles(&tabs, Role::User), number(totals, "aichat_user"));
    assert_eq!(roles(&tabs, Role::Assistant), number(totals, "aichat_ai"));
}

#[test]
fn nothing_is_shown_twice_between_a_file_and_its_backup() {
    for (name, _copy, home, expected) in homes() {
        let Some(backup) = expected.get("backup").and_then(toml::Value::as_table) else { continue };
        let summaries = ask(&home, all);
        let mut ids: Vec<_> = summaries.iter().map(|summary| &summary.id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(count, ids.len(), "{name}");
        assert!(number(backup, "conversations") > 0, "{name}");
        for whole in ask(&home, |history| loaded(history, has_record)) {
            let mut ids: Vec<_> =
                whole.messages.iter().chain(&whole.orphans).map(|message| &message.id).collect();
            let count = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(count, ids.len(), "{name}: {}", whole.summary.id);
            assert!(whole.messages.iter().all(|message| !message.deleted), "{name}");
        }
    }
}

#[test]
fn what_is_not_cursors_holds_no_conversation() {
    for name in ["not-cursor-vscode", "not-cursor-windsurf", "not-cursor-antigravity"] {
        let copy = recorded_named(name).unwrap().copy_to_temp().unwrap();
        assert!(ask(copy.path(), all).is_empty(), "{name}");
    }
}
