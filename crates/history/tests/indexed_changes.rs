//! An index that followed changes is the same as one that is made anew, and followed them by reading little.

use std::path::Path;
use std::time::Duration;

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, SdkAgent, SdkStore, Speaks, StateDatabase, Transcript, WorkspaceFolder,
    WrittenHome, create_database, md5_of, sha256_of,
};
use backscroll_history::{Ask, Order, Request, Showing, parse};
use backscroll_index::{Became, Index, Manner, refresh};
use jiff::Zoned;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::home::{history_of, kept_history_of};
use crate::index_dump::{current, dump, open_current};

fn talk(id: &str, turns: usize) -> Composer {
    let begun = Composer::new(id).titled(&format!("About {id}"));
    (0..turns).fold(begun, |talk, turn| {
        talk.user(&format!("question {turn} of {id}"))
            .tool(
                "read_file",
                json!({"target_file": format!("src/{id}.rs")}),
                json!({"contents": "fn tideTable() {}"}),
            )
            .assistant(&format!("answer {turn}"))
    })
}

fn home() -> WrittenHome {
    let global =
        StateDatabase::new().composer(&talk("one", 3)).composer(&talk("two", 2)).composer(&talk("three", 1));
    let chat = CliChat::new("/w/project", "0c000000-0000-4000-8000-000000000001").named("From the shell");
    CursorHome::new().unwrap().global(global).cli(chat.user("run").assistant("done")).write().unwrap()
}

fn manner() -> Manner {
    Manner::ordinary("2026-03-01T00:00:00Z".parse().unwrap())
}

fn bring_up_to_date(folder: &Path, home: &WrittenHome) -> Became {
    let refreshed = refresh(folder, &history_of(home.root()), manner(), &mut |_, _| {}).unwrap();
    assert!(refreshed.unreadable.is_empty());
    refreshed.became
}

/// Writes rows into the editor's database, as the editor does: each takes the place of the old one.
fn write(home: &WrittenHome, composer: &Composer) {
    let connection = create_database(&home.global_database()).unwrap();
    for (key, value) in composer.rows() {
        connection
            .execute(
                "INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?1, ?2)",
                rusqlite::params![key, value],
            )
            .unwrap();
    }
}

/// The index, and one that is made anew, say the same, listings included.
fn assert_as_made_anew(folder: &Path, home: &WrittenHome) {
    let anew = TempDir::new().unwrap();
    assert!(matches!(bring_up_to_date(anew.path(), home), Became::Built(_)));
    assert_eq!(dump(folder), dump(anew.path()));
    let (history, kept) = (history_of(home.root()), kept_history_of(home.root(), folder));
    for all in [true, false] {
        let query = Ask { all, ..Ask::default() };
        assert_eq!(kept.list(&query).summaries, history.list(&query).summaries);
    }
}

#[test]
fn what_comes_changes_and_goes_is_followed() {
    let home = home();
    let folder = TempDir::new().unwrap();
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Built(4));
    assert_as_made_anew(folder.path(), &home);

    write(&home, &talk("four", 2));
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Updated(1), "one came");
    assert_as_made_anew(folder.path(), &home);

    write(&home, &talk("one", 5));
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Updated(1), "one grew");
    assert_as_made_anew(folder.path(), &home);

    write(&home, &talk("one", 2).titled("Another name"));
    assert_eq!(
        bring_up_to_date(folder.path(), &home),
        Became::Updated(1),
        "one became shorter, and is called otherwise"
    );
    assert_as_made_anew(folder.path(), &home);

    let connection = create_database(&home.global_database()).unwrap();
    connection.execute("DELETE FROM cursorDiskKV WHERE key LIKE '%two%'", []).unwrap();
    drop(connection);
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Updated(1), "one went");
    assert_as_made_anew(folder.path(), &home);

    let transcript =
        Transcript::new("/w/project", "0d000000-0000-4000-8000-000000000002").user("hi").assistant("ho");
    CursorHome::at(home.root()).transcript(transcript).write().unwrap();
    bring_up_to_date(folder.path(), &home);
    assert_as_made_anew(folder.path(), &home);
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Fresh);
}

/// Since 1.1.0 the SDK names a store by another hash, and renames the old folder.
#[test]
fn an_sdk_store_that_was_renamed_is_followed() {
    let agent = SdkAgent::new("agent-1").named("robot").user("go").assistant("gone");
    let store = SdkStore::new("/w/project").agent(agent);
    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    let folder = TempDir::new().unwrap();
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Built(1));
    let stores = home.cursor_dir().join("projects/w-project/sdk-agent-store");
    std::fs::rename(stores.join(md5_of("/w/project")), stores.join(sha256_of(b"/w/project"))).unwrap();
    assert_eq!(
        bring_up_to_date(folder.path(), &home),
        Became::Updated(1),
        "one conversation, read from its new place"
    );
    assert_as_made_anew(folder.path(), &home);
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Fresh);
}

#[test]
fn messages_that_stay_the_same_keep_their_rows() {
    let home = home();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    let before = rows_of(folder.path(), "one");
    write(&home, &talk("one", 4));
    bring_up_to_date(folder.path(), &home);
    let after = rows_of(folder.path(), "one");
    assert_eq!((before.len(), after.len()), (9, 12));
    assert_eq!(after[..9], before[..], "the old ones were not written again");
    assert!(after[9..].iter().all(|row| before.iter().all(|old| row > old)), "newer ones stand higher");
}

fn rows_of(folder: &Path, id: &str) -> Vec<i64> {
    let connection = open_current(folder);
    let sql = "SELECT row FROM message JOIN conversation ON conversation.number = message.conversation
               WHERE conversation.id = ?1 ORDER BY message.number";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([id], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn runs_of_small_refreshes_are_merged() {
    let home = home();
    write(&home, &talk("large", 400));
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    assert_eq!(runs_of(folder.path()).len(), 1, "a first build leaves one run");
    for number in 0..20 {
        write(&home, &talk(&format!("small-{number}"), 1));
        assert_eq!(bring_up_to_date(folder.path(), &home), Became::Updated(1));
    }
    let runs = runs_of(folder.path());
    assert!(runs.len() < 16, "{runs:?}");
    assert_as_made_anew(folder.path(), &home);
}

/// The numbers of the full-text engine's runs.
fn runs_of(folder: &Path) -> Vec<i64> {
    let connection = open_current(folder);
    let sql = "SELECT DISTINCT id >> 37 FROM words_data WHERE id > 10";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn while_somebody_else_writes_the_old_state_is_read() {
    let home = home();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    write(&home, &talk("four", 2));
    let other = std::fs::File::options().write(true).open(folder.path().join("lock")).unwrap();
    other.lock().unwrap();
    let history = history_of(home.root());
    let impatient = Manner { patience: Duration::ZERO, ..manner() };
    assert_eq!(refresh(folder.path(), &history, impatient, &mut |_, _| {}).unwrap().became, Became::Busy);
    assert_eq!(Index::open(folder.path()).unwrap().unwrap().heads().unwrap().len(), 4);
    other.unlock().unwrap();
    assert_eq!(
        refresh(folder.path(), &history, impatient, &mut |_, _| {}).unwrap().became,
        Became::Updated(1)
    );
}

#[test]
fn a_listing_keeps_heads_and_reads_no_messages() {
    let home = home();
    let folder = TempDir::new().unwrap();
    let index = || Index::open(folder.path()).unwrap().unwrap();
    kept_history_of(home.root(), folder.path());
    assert_eq!((index().heads().unwrap().len(), index().conversations().unwrap()), (4, 0));
    let generation = index().generation().unwrap();
    kept_history_of(home.root(), folder.path());
    assert_eq!(index().generation().unwrap(), generation, "nothing changed");
    write(&home, &talk("four", 1));
    kept_history_of(home.root(), folder.path());
    assert_eq!((index().heads().unwrap().len(), index().generation().unwrap()), (5, generation + 1));
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Built(5), "a search reads messages");
    write(&home, &talk("five", 1));
    kept_history_of(home.root(), folder.path());
    assert_eq!((index().heads().unwrap().len(), index().conversations().unwrap()), (6, 5));
    assert_eq!(bring_up_to_date(folder.path(), &home), Became::Updated(1));
    assert_as_made_anew(folder.path(), &home);
}

#[test]
fn what_cannot_be_used_is_made_anew() {
    let home = home();
    for damage in ["version", "no database", "no file", "torn"] {
        let folder = TempDir::new().unwrap();
        bring_up_to_date(folder.path(), &home);
        let file = current(folder.path());
        match damage {
            "version" => {
                create_database(&file).unwrap().pragma_update(None, "user_version", 77).unwrap();
            }
            "no database" => std::fs::write(&file, "something else").unwrap(),
            "no file" => std::fs::remove_file(&file).unwrap(),
            _ => {
                let bytes = std::fs::read(&file).unwrap();
                std::fs::write(&file, &bytes[..bytes.len() / 3]).unwrap();
            }
        }
        write(&home, &talk("four", 1));
        assert!(matches!(bring_up_to_date(folder.path(), &home), Became::Built(_)), "{damage}");
        assert_as_made_anew(folder.path(), &home);
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let databases = names.filter(|name| name.to_string_lossy().ends_with(".db")).count();
        assert_eq!(databases, 1, "{damage}: nothing is left over");
    }
}

#[cfg(unix)]
#[test]
fn the_folder_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = home();
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("deeper").join("index");
    bring_up_to_date(&inner, &home);
    assert_eq!(std::fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn tokens_are_counted_in_every_bucket_that_is_stored() {
    use backscroll_index::StatisticsScope;
    let usage = |input: u64| {
        serde_json::json!({"inputTokens": input, "outputTokens": 20, "cacheReadTokens": 300, "cacheWriteTokens": 4,
            "reasoningTokens": 5})
    };
    let agent = |id: &str| SdkAgent::new(id).named(id).usage(usage(10)).user("go").assistant("gone");
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/w/p").agent(agent("a")).agent(agent("b")));
    let home = home.write().unwrap();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    let index = Index::open(folder.path()).unwrap().unwrap();
    let tokens = index
        .statistics(&StatisticsScope { all: true, workspace: None }, &jiff::tz::TimeZone::UTC)
        .unwrap()
        .tokens;
    assert_eq!((tokens.input, tokens.output, tokens.measured), (20, 40, 2));
    assert_eq!((tokens.cache_read, tokens.cache_write, tokens.reasoning), (600, 8, 10));
}

#[test]
fn what_is_counted_adds_up() {
    use backscroll_index::StatisticsScope;
    let home = home();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    let index = Index::open(folder.path()).unwrap().unwrap();
    let counted =
        index.statistics(&StatisticsScope { all: true, workspace: None }, &jiff::tz::TimeZone::UTC).unwrap();
    // Three for each of six turns, and four of the shell: its prompt and context beside what was said.
    assert_eq!((counted.conversations, counted.messages), (4, 22));
    assert_eq!(
        counted.tools.iter().map(|tool| (tool.name.as_str(), tool.calls)).collect::<Vec<_>>(),
        [("read", 6)]
    );
    assert!(counted.hours.iter().map(|(_, messages)| messages).sum::<u64>() <= counted.messages);
    assert_eq!(counted.tokens.measured + counted.tokens.unmeasured, counted.conversations);
    assert_eq!(counted.files[0].path, "src/one.rs");
    assert_eq!(counted.files.len(), 3);
}

/// What a search finds: conversations with how well they answer, and their best messages.
fn searched(folder: &Path, home: &WrittenHome, query: &str, order: Order) -> Vec<String> {
    let now: Zoned = "2026-03-01T00:00:00Z[UTC]".parse().unwrap();
    let index = Index::open(folder).unwrap().unwrap();
    let ask = Ask { order, limit: Some(50), ..parse(query, &now).unwrap() };
    let request = Request::new(ask, now.timestamp());
    let found = history_of(home.root()).search(&index, &request, Showing::default()).unwrap();
    let told = found.conversations.iter().map(|one| {
        let hits: Vec<String> = one
            .hits
            .iter()
            .map(|hit| format!("{:?} {} {:.6}", hit.hit.message, hit.hit.number, hit.hit.score))
            .collect();
        format!("{} {:?} {:?} {hits:?} +{}", one.summary.id, one.rung, one.missing, one.more)
    });
    told.collect()
}

fn assert_finds_as_made_anew(folder: &Path, home: &WrittenHome, queries: &[&str]) {
    let anew = TempDir::new().unwrap();
    bring_up_to_date(anew.path(), home);
    for query in queries {
        for order in [Order::Relevance, Order::Newest, Order::Oldest] {
            assert_eq!(
                searched(folder, home, query, order),
                searched(anew.path(), home, query, order),
                "{query} {order:?}"
            );
        }
    }
}

const WORDS: [&str; 8] = ["tide", "tides", "moon", "buoy", "gull", "harbour", "lantern", "the"];

fn spoken(talk: usize, messages: &[Vec<&'static str>]) -> Composer {
    let begun = Composer::new(format!("talk-{talk}").as_str()).titled(&messages[0].join(" "));
    let begun = begun.started(1_750_000_000_000 + i64::try_from(talk % 3).unwrap() * 86_400_000);
    messages.iter().enumerate().fold(begun, |composer, (number, words)| {
        let text = words.join(" ");
        if number % 2 == 0 { composer.user(&text) } else { composer.assistant(&text) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn an_index_that_followed_changes_finds_what_a_new_one_finds(
        steps in prop::collection::vec(
            (0..5_usize, prop::collection::vec(prop::collection::vec(prop::sample::select(&WORDS[..]), 1..5), 1..5)),
            1..7,
        )
    ) {
        let home = home();
        let folder = TempDir::new().unwrap();
        bring_up_to_date(folder.path(), &home);
        for (talk, messages) in &steps {
            write(&home, &spoken(*talk, messages));
            bring_up_to_date(folder.path(), &home);
        }
        let queries = ["tide", "moon buoy", "gull harbour lantern the", "tidse moon", "role:user", "missing lantern"];
        assert_finds_as_made_anew(folder.path(), &home, &queries);
    }
}

/// Something that happens beside stored prompts: to the numbered conversation, or to what the workspace lists.
#[derive(Debug, Clone)]
enum Beside {
    Said(usize, Vec<&'static str>),
    LostMessages(usize),
    Went(usize),
    Listed(Vec<usize>),
}

fn beside() -> impl Strategy<Value = Beside> {
    let words = || prop::collection::vec(prop::sample::select(&WORDS[..4]), 1..4);
    prop_oneof![
        (0..3_usize, words()).prop_map(|(talk, words)| Beside::Said(talk, words)),
        (0..3_usize).prop_map(Beside::LostMessages),
        (0..3_usize).prop_map(Beside::Went),
        prop::collection::vec(0..3_usize, 0..3).prop_map(Beside::Listed),
    ]
}

impl Beside {
    fn happen(&self, home: &WrittenHome) {
        let delete = |like: String| {
            let connection = create_database(&home.global_database()).unwrap();
            connection.execute("DELETE FROM cursorDiskKV WHERE key LIKE ?1", [like]).unwrap();
        };
        match self {
            Self::Said(talk, words) => write(home, &asked(*talk, words)),
            Self::LostMessages(talk) => delete(format!("bubbleId:talk-{talk}:%")),
            Self::Went(talk) => delete(format!("%talk-{talk}%")),
            Self::Listed(talks) => {
                let heads: Vec<_> = talks.iter().map(|talk| asked(*talk, &[]).head()).collect();
                let list = json!({ "allComposers": heads }).to_string();
                let connection =
                    create_database(&home.workspace_dir("0123abcd").join("state.vscdb")).unwrap();
                let sql = "UPDATE ItemTable SET value = ?1 WHERE key = 'composer.composerData'";
                connection.execute(sql, [list]).unwrap();
            }
        }
    }
}

/// A conversation in which each word was a prompt.
fn asked(talk: usize, words: &[&'static str]) -> Composer {
    let begun = Composer::new(format!("talk-{talk}").as_str()).titled("talk").started(1_750_000_000_000);
    words.iter().fold(begun, |composer, word| composer.user(word).assistant("yes"))
}

/// Prompts of a workspace and of an empty window, beside conversations that have some of them.
fn home_with_prompts() -> WrittenHome {
    let talks = [asked(0, &["tide"]), asked(1, &["moon", "buoy"]), asked(2, &["other"])];
    let global = talks.iter().fold(StateDatabase::new(), StateDatabase::composer);
    let with_prompts =
        |folder: WorkspaceFolder| WORDS[..4].iter().fold(folder, |folder, word| folder.prompt(word));
    CursorHome::new()
        .unwrap()
        .global(global)
        .workspace(with_prompts(WorkspaceFolder::new("0123abcd").folder("file:///w/app").head(&talks[0])))
        .workspace(with_prompts(WorkspaceFolder::new("1750000000000")))
        .write()
        .unwrap()
}

/// What is left of stored prompts is kept between runs, and compared again when what was said beside them changes.
fn assert_prompts_are_followed(steps: &[(Beside, bool)]) {
    let home = home_with_prompts();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    for (step, is_searched) in steps {
        step.happen(&home);
        if *is_searched {
            bring_up_to_date(folder.path(), &home);
        }
        let kept = kept_history_of(home.root(), folder.path()).list(&Ask::everything()).summaries;
        assert_eq!(kept, history_of(home.root()).list(&Ask::everything()).summaries, "{step:?}");
    }
    bring_up_to_date(folder.path(), &home);
    assert_as_made_anew(folder.path(), &home);
}

#[test]
fn prompts_come_back_when_a_conversation_that_had_them_loses_its_messages() {
    for is_searched in [true, false] {
        for step in [Beside::LostMessages(1), Beside::Went(1), Beside::Went(0), Beside::Listed(vec![])] {
            assert_prompts_are_followed(&[(step, is_searched)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_of_prompts_is_what_a_new_index_says(
        steps in prop::collection::vec((beside(), any::<bool>()), 1..6)
    ) {
        assert_prompts_are_followed(&steps);
    }
}

/// Only the newest of very many matches are ranked: the newest by their time, not those that were indexed last.
#[test]
fn the_newest_are_the_same_whenever_they_were_indexed() {
    let many = |times: usize| {
        let begun = Composer::new("long").titled("long").started(1_700_000_000_000);
        (0..times).fold(begun, |composer, _| composer.user("the tern flies"))
    };
    let newer = Composer::new("newer").titled("newer").started(1_760_000_000_000).user("a tern sits");
    let home =
        CursorHome::new().unwrap().global(StateDatabase::new().composer(&many(1_050)).composer(&newer));
    let home = home.write().unwrap();
    let folder = TempDir::new().unwrap();
    bring_up_to_date(folder.path(), &home);
    write(&home, &many(1_100));
    bring_up_to_date(folder.path(), &home);
    assert_finds_as_made_anew(folder.path(), &home, &["tern", "tern flies"]);
    let found = searched(folder.path(), &home, "tern", Order::Relevance);
    assert!(found.iter().any(|one| one.starts_with("newer")), "{found:?}");
}
