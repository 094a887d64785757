//! A listing out of the index is the listing: the same conversations, findings and troubles, whatever is asked.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Speaks, StateDatabase, Transcript, WorkspaceFolder, demo_home, recorded,
    snapshot_of,
};
use backscroll_history::{Ask, Filter, Has, History, Index, Listing, Note, Order, Request};
use backscroll_index::{Became, Manner, refresh};
use backscroll_model::{ConversationId, Role, Surface, Workspace};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::home::{all as all_of, history_of, kept_history_of};

/// A home with an index over it.
struct Indexed {
    name: String,
    _home: TempDir,
    folder: TempDir,
    /// The index answers.
    kept: History,
    /// The stores answer.
    history: History,
    /// The workspaces that only messages tell, which the stores' listing does not know.
    told: HashMap<ConversationId, Workspace>,
}

fn manner() -> Manner {
    Manner::ordinary("2026-03-01T00:00:00Z".parse().unwrap())
}

/// Everything that a listing hides or joins: hidden kinds, two parents of one child, a backup, a damaged row.
fn built_home(root: &Path) {
    let talk =
        |id: &str| Composer::new(id).titled(id).user("find the tide").thinking("hm").assistant("found");
    let global = StateDatabase::new()
        .composer(&talk("shown").tool("read_file", json!({"target_file": "a.rs"}), json!({"contents": "x"})))
        .composer(
            &talk("edited")
                .edits("/w/src/main.rs", "one\n", "two\n")
                .model("gpt-5")
                .started(1_750_000_000_000),
        )
        .composer(&talk("pictured").with_image("/w/picture.png").mode("chat"))
        .composer(&Composer::new("empty"))
        .composer(&Composer::new("draft-1").set("isDraft", json!(true)).set("text", json!("not sent")))
        .composer(&talk("archived").set("isArchived", json!(true)))
        .composer(&talk("child").subagent_of("shown", "tool_1", "explore"))
        .composer(&talk("task-tool_1"))
        .kv("composerData:broken", "{\"_v\":3,")
        .kv_without_key("{}");
    let chat = CliChat::new("/w/project", "0c000000-0000-4000-8000-000000000001").named("From the shell");
    let home = CursorHome::at(root)
        .global(global)
        .backup(StateDatabase::new().composer(&talk("gone")))
        .workspace(WorkspaceFolder::new("abc").folder("file:///w/project").selected("shown"))
        .cli(chat.user("run it").tool("Shell", json!({"command": "ls"}), json!("a b c")).assistant("done"))
        .transcript(
            Transcript::new("/w/project", "0d000000-0000-4000-8000-000000000002").user("hi").assistant("ho"),
        );
    home.write().unwrap();
}

fn indexed(name: &str, home: TempDir) -> Indexed {
    let root = home.path();
    let history = history_of(root);
    let folder = TempDir::new().unwrap();
    let before = snapshot_of(root).unwrap();
    let refreshed = refresh(folder.path(), &history, manner(), &mut |_, _| {}).unwrap();
    assert!(matches!(refreshed.became, Became::Built(_)), "{name}: {refreshed:?}");
    assert_eq!(snapshot_of(root).unwrap(), before, "{name}: indexing changes nothing and leaves nothing");
    let again = refresh(folder.path(), &history_of(root), manner(), &mut |_, _| {}).unwrap();
    assert_eq!(again.became, Became::Fresh, "{name}: nothing changed");
    let kept = kept_history_of(root, folder.path());
    let unplaced = all_of(&history).into_iter().filter(|summary| summary.workspace.is_none());
    let told =
        unplaced.filter_map(|one| Some((one.id.clone(), history.load(&one.id).ok()?.summary.workspace?)));
    let told = told.collect();
    Indexed { name: name.to_owned(), _home: home, folder, kept, history, told }
}

thread_local! {
    /// Made once for a test; its folders are removed when the thread of the test ends.
    static ALL: Vec<Indexed> = all();
}

fn all() -> Vec<Indexed> {
    let (demo, built) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    demo_home(demo.path()).unwrap();
    built_home(built.path());
    let mut all = vec![indexed("demo", demo), indexed("built", built)];
    for one in recorded().unwrap() {
        all.push(indexed(&one.name, one.copy_to_temp().unwrap()));
    }
    all
}

fn parts(mut listing: Listing) -> (Vec<backscroll_model::Summary>, Vec<String>, Vec<String>) {
    listing.findings.sort();
    let findings = listing.findings.iter().map(|finding| format!("{finding:?}")).collect();
    let unreadable = listing.unreadable.iter().map(|error| format!("{error}: {}", error.because)).collect();
    (listing.summaries, findings, unreadable)
}

fn is_by_workspace(query: &Ask) -> bool {
    query.order == Order::Workspace
        || query.filters().iter().any(|filter| matches!(filter, Filter::Workspace(_)))
}

fn assert_same(query: &Ask) {
    ALL.with(|all| {
        for Indexed { name, history, kept, told, .. } in all {
            if is_by_workspace(query) && !told.is_empty() {
                continue;
            }
            let mut listing = history.list(query);
            for summary in &mut listing.summaries {
                summary.workspace = summary.workspace.take().or_else(|| told.get(&summary.id).cloned());
            }
            assert_eq!(parts(kept.list(query)), parts(listing), "{name}: {query:?}");
        }
    });
}

#[test]
fn the_index_lists_what_the_stores_list() {
    assert!(ALL.with(Vec::len) > 5);
    for all in [false, true] {
        assert_same(&Ask { all, ..Ask::default() });
    }
}

fn queries() -> impl Strategy<Value = Ask> {
    let text = |texts: &'static [&'static str]| proptest::option::weighted(0.3, prop::sample::select(texts));
    let time = || proptest::option::weighted(0.2, 1_700_000_000_i64..1_790_000_000);
    let has = prop::sample::select(&[Has::Thinking, Has::Tools, Has::Images, Has::Diff][..]);
    let sort = prop::sample::select(
        &[Order::Updated, Order::Created, Order::Title, Order::Messages, Order::Workspace][..],
    );
    let surface = prop::sample::select(
        &[Surface::Ide, Surface::IdeChat, Surface::Cli, Surface::Sdk, Surface::Transcript][..],
    );
    let tools =
        ["read", "READ_FILE", "shell", "edit", "mcp", "mcp:github", "grep", "run_terminal_cmd", "nothing"];
    let words = (
        text(&["/w", "/home", "project", "tides", "nowhere", "\\"]),
        text(&["agent", "Chat", "edit", "plan"]),
        text(&["gpt", "claude", "composer", "default", "5"]),
        prop::sample::select(tools.map(Some).into_iter().chain([None; 12]).collect::<Vec<_>>()),
        text(&["the", "tide", "Shown", "é", "a"]),
    );
    let rest = (
        time(),
        time(),
        prop::collection::vec(surface, 0..2),
        prop::collection::vec(has, 0..2),
        any::<bool>(),
        proptest::option::weighted(0.3, 0_usize..20),
        sort,
        proptest::option::weighted(0.1, prop::sample::select(&[Role::User, Role::Assistant][..])),
    );
    (words, rest).prop_map(
        |((workspace, mode, model, tool, title), (since, until, surfaces, has, all, limit, order, role))| {
            let second = |second: Option<i64>| second.map(|second| Timestamp::from_second(second).unwrap());
            let one = |text: Option<&str>, filter: fn(Vec<String>) -> Filter| {
                text.map(|text| filter(vec![text.to_owned()]))
            };
            let filters = [
                one(workspace, Filter::Workspace),
                one(mode, Filter::Mode),
                one(model, Filter::Model),
                one(tool, Filter::Tool),
                one(title, Filter::Title),
                second(since).map(Filter::After),
                second(until).map(Filter::Before),
                (!surfaces.is_empty()).then_some(Filter::Surface(surfaces)),
                role.map(|role| Filter::Role(vec![role])),
            ];
            let has = has.into_iter().map(|has| Filter::Has(vec![has]));
            Ask { all, limit, order, ..Ask::default() }.with(filters.into_iter().flatten().chain(has))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_asked_the_index_answers_the_same(query in queries()) {
        assert_same(&query);
    }

    /// What SQL finds for all conversations at once is what the evaluator says of each.
    #[test]
    fn a_search_without_words_finds_what_a_listing_lists(ask in queries()) {
        // A search asks messages for their time, their model and who speaks, a listing the conversation.
        let is_alike = |filter: &&Filter| {
            !matches!(filter, Filter::After(_) | Filter::Before(_) | Filter::Model(_) | Filter::Role(_))
        };
        let filters: Vec<Filter> = ask.filters().into_iter().filter(is_alike).cloned().collect();
        let ask = Ask { all: ask.all, ..Ask::default() }.with(filters);
        ALL.with(|all| {
            for Indexed { name, folder, kept, .. } in all {
                let index = Index::open(folder.path()).unwrap().unwrap();
                let found = |ask: &Ask| -> BTreeSet<ConversationId> {
                    let found = index.search(&Request::new(ask.clone(), manner().now)).unwrap();
                    found.groups.into_iter().map(|group| group.summary.id).collect()
                };
                let request = Request::new(ask.clone(), manner().now);
                if index.search(&request).unwrap().notes.iter().any(|note| matches!(note, Note::Corrected(..))) {
                    continue;
                }
                let spoken = found(&Ask::everything());
                let listed = kept.list(&ask).summaries.into_iter().map(|summary| summary.id);
                let listed: BTreeSet<ConversationId> = listed.filter(|id| spoken.contains(id)).collect();
                assert_eq!(found(&ask), listed, "{name}: {ask:?}");
            }
        });
    }
}
