//! Every recorded workspace database, against the totals in its home's `about.toml`.

use std::collections::BTreeMap;

use backscroll_cursor_format::ide::{self, keys};
use backscroll_model::{ConversationId, Layer, Message, Origin, Role};

use super::store::{Table, databases};
use crate::recorded::about;

const HOMES: [(&str, &str); 8] = [
    ("global-growth-two-snapshots", "snapshot1"),
    ("global-growth-two-snapshots", "snapshot2"),
    ("global-inline-conversation", ""),
    ("global-null-bubbles-big-checkpoints", ""),
    ("global-orphans-empty-backup", ""),
    ("profile-agentkv-wal-workspaces", ""),
    ("profile-mostly-empty-chats", ""),
    ("workspace-inline-composers-aichat", ""),
];

fn at(key: &str) -> Origin {
    Origin::new(Layer::IdeWorkspace, std::path::Path::new("state.vscdb"), key)
}

#[derive(Default)]
struct Totals(BTreeMap<&'static str, u64>);

impl Totals {
    fn add(&mut self, name: &'static str, count: usize) {
        *self.0.entry(name).or_default() += count as u64;
    }

    fn composers(&mut self, bytes: &[u8]) {
        self.add("has_composer_key", 1);
        let index = ide::workspace_index(bytes, &at(keys::WORKSPACE_COMPOSERS));
        assert_eq!(index.findings, []);
        self.add("heads", index.value.heads.len());
        for head in index.value.heads.iter().filter(|head| head.holds_messages) {
            let id = &head.evidence.summary.id;
            let decoded = ide::inline_conversation(bytes, id, &at(keys::WORKSPACE_COMPOSERS)).unwrap();
            assert!(decoded.coverage.adds_up() && decoded.coverage.listed > 0);
            assert_eq!(decoded.coverage.undecodable + decoded.coverage.missing, 0);
            self.add("inline_composers", 1);
            self.add("inline_messages", decoded.messages.len());
            self.add("inline_user", roles(&decoded.messages, Role::User));
            self.add("inline_assistant", roles(&decoded.messages, Role::Assistant));
            self.add("inline_empty", usize::try_from(decoded.coverage.empty).unwrap());
        }
    }

    fn tabs(&mut self, bytes: &[u8]) {
        let findings = ide::chat_tabs(bytes, &at(keys::CHAT_TABS), None, &mut |tab| {
            assert!(tab.coverage.adds_up() && tab.findings.is_empty());
            self.add("aichat_tabs", 1);
            self.add("aichat_messages", tab.messages.len());
            self.add("aichat_user", roles(&tab.messages, Role::User));
            self.add("aichat_ai", roles(&tab.messages, Role::Assistant));
        });
        assert_eq!(findings, []);
    }
}

fn roles(messages: &[Message], role: Role) -> usize {
    messages.iter().filter(|message| message.role == role).count()
}

#[test]
fn every_workspace_database_is_read_as_recorded() {
    for (home, part) in HOMES {
        let mut expected = about(home)["expected"].as_table().unwrap().clone();
        if !part.is_empty() {
            expected = expected[part].as_table().unwrap().clone();
        }
        let expected = expected["workspace_totals"].as_table().unwrap();
        let mut totals = Totals::default();
        let (_, workspaces) = databases(home);
        for file in workspaces.iter().filter(|path| part.is_empty() || path.iter().any(|name| name == part)) {
            let items = Table::of(file, "ItemTable");
            if let Some(bytes) = items.bytes(keys::WORKSPACE_COMPOSERS) {
                totals.composers(bytes);
            }
            if let Some(bytes) = items.bytes(keys::CHAT_TABS) {
                totals.tabs(bytes);
            }
            let (prompts, generations) = (items.bytes(keys::PROMPTS), items.bytes(keys::GENERATIONS));
            let id = || ConversationId::new("prompts");
            let asked = ide::prompts(id(), prompts, None, &at(keys::PROMPTS)).0;
            totals.add("prompts", asked.map_or(0, |decoded| decoded.messages.len()));
            let (decoded, findings) = ide::prompts(id(), prompts, generations, &at(keys::PROMPTS));
            assert_eq!(findings, []);
            assert!(decoded.is_none_or(|decoded| decoded.coverage.adds_up()));
        }
        for (key, value) in expected {
            if key == "generations" {
                continue;
            }
            let decoded = totals.0.get(key.as_str()).copied().unwrap_or(0);
            assert_eq!(
                Some(decoded),
                value.as_integer().and_then(|n| u64::try_from(n).ok()),
                "{key} of {home} {part}"
            );
        }
    }
}

#[test]
fn generations_lend_their_times_and_their_words() {
    for home in [
        "global-null-bubbles-big-checkpoints",
        "global-orphans-empty-backup",
        "profile-agentkv-wal-workspaces",
    ] {
        let expected = about(home)["expected"]["workspace_totals"]["generations"].as_integer();
        let mut stored = 0;
        for file in databases(home).1 {
            let items = Table::of(&file, "ItemTable");
            let Some(bytes) = items.bytes(keys::GENERATIONS) else { continue };
            let listed: Vec<serde_json::Value> = serde_json::from_slice(bytes).unwrap();
            stored += i64::try_from(listed.len()).unwrap();
            let prompts = items.bytes(keys::PROMPTS);
            let (decoded, _) =
                ide::prompts(ConversationId::new("x"), prompts, Some(bytes), &at(keys::PROMPTS));
            let Some(decoded) = decoded else { continue };
            let described = listed.iter().filter_map(|one| one["textDescription"].as_str());
            for words in described.filter(|words| !words.is_empty()) {
                assert!(decoded.messages.iter().any(|message| message.text() == words), "{words:?}");
            }
            let first = listed.iter().filter_map(|one| one["unixMs"].as_i64()).min();
            assert_eq!(decoded.summary.created_at.map(jiff::Timestamp::as_millisecond), first);
        }
        assert_eq!(Some(stored), expected, "{home}");
    }
}

#[test]
fn the_wal_decides_what_a_workspace_holds() {
    let home = "profile-agentkv-wal-workspaces";
    let about = about(home);
    for expected in about["expected"]["workspace_wal"].as_array().unwrap() {
        let name = expected["workspace"].as_str().unwrap();
        let (_, workspaces) = databases(home);
        let file = workspaces.into_iter().find(|path| path.iter().any(|part| part == name)).unwrap();
        let items = Table::of(&file, "ItemTable");
        let asked =
            ide::prompts(ConversationId::new("x"), items.bytes(keys::PROMPTS), None, &at(keys::PROMPTS)).0;
        let number = |key: &str| expected[key].as_integer().unwrap();
        let count = |n: usize| i64::try_from(n).unwrap();
        assert_eq!(
            count(asked.map_or(0, |decoded| decoded.messages.len())),
            number("prompts_with_wal"),
            "{name}"
        );
        let all = items.0.len() + Table::of(&file, "cursorDiskKV").0.len();
        assert_eq!(count(all), number("rows_with_wal"), "{name}");
    }
}

#[test]
fn databases_of_other_editors_hold_no_conversation() {
    for home in ["not-cursor-antigravity", "not-cursor-vscode", "not-cursor-windsurf"] {
        let (global, workspaces) = databases(home);
        assert!(!global.is_empty() && !workspaces.is_empty());
        for file in global.iter().chain(&workspaces) {
            let items = Table::of(file, "ItemTable");
            assert!(!items.0.is_empty());
            assert_eq!(Table::of(file, "cursorDiskKV").composers().count(), 0, "{home}");
            for key in [keys::WORKSPACE_COMPOSERS, keys::CHAT_TABS, keys::HEADERS, keys::PROMPTS] {
                assert_eq!(items.bytes(key), None, "{key} of {home}");
            }
        }
    }
}
