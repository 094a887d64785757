//! Sessions of the command line agent in stores with really damaged pages: everything else is still read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_store::{CliStores, KnownPaths, Where, find};
use backscroll_fixtures::{CliChat, CursorHome, Journal, SdkAgent, SdkStore, Speaks, WrittenHome};
use backscroll_history::{Ask, History};
use backscroll_model::{Catalogue, Conversation, FindingKind, Fragment, Message, Role, Source as _, Summary};
use serde_json::json;

use crate::asked::fragments;

/// The number of questions, and of answers.
const TURNS: usize = 150;
const PAGE: usize = 4096;

/// A b-tree of a database file, as far as its pages matter here.
struct Tree {
    root: usize,
    leaves: Vec<usize>,
}

/// The pages of a table or an index, of which none has more than two levels here.
fn tree(store: &Path, name: &str) -> Tree {
    let connection = backscroll_fixtures::create_database(store).unwrap();
    let find = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root: i64 = connection.query_row(find, [name], |row| row.get(0)).unwrap();
    drop(connection);
    let root = usize::try_from(root).unwrap();
    let bytes = fs::read(store).unwrap();
    let page = &bytes[(root - 1) * PAGE..root * PAGE];
    assert!([2, 5].contains(&page[0]), "{name} is large enough to have leaves of its own");
    let short = |at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
    let long = |at: usize| u32::from_be_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]) as usize;
    let cells = (0..short(3)).map(|cell| long(short(12 + 2 * cell)));
    let leaves = cells.chain([long(8)]).collect();
    Tree { root, leaves }
}

/// Overwrites whole pages with what no page of a b-tree begins with.
fn damage(store: &Path, pages: &[usize]) {
    let mut bytes = fs::read(store).unwrap();
    for page in pages {
        bytes[(page - 1) * PAGE..page * PAGE].fill(0xaa);
    }
    fs::write(store, bytes).unwrap();
}

/// A session, and as many answers again that were not taken. What a turn has lies beside the messages that have it too.
fn session() -> (WrittenHome, std::path::PathBuf) {
    let mut chat = CliChat::new("/home/dev/app", "s1").named("Long").journal(Journal::Rollback);
    for turn in 0..TURNS {
        chat = chat.user(&format!("question {turn}.")).assistant(&format!("answer {turn}."));
        let branch = json!({ "role": "assistant", "content": format!("not taken {turn}.") });
        chat = chat.stale_blob(branch.to_string());
    }
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = home.cursor_dir().join(chat.folder()).join("store.db");
    (home, store)
}

fn load(home: &WrittenHome) -> Fragment {
    let source = CliStores::chats(&home.cursor_dir().join("chats"), Arc::new(KnownPaths::default()));
    let mut fragments = fragments(&source, "s1");
    assert_eq!(fragments.len(), 1);
    let fragment = fragments.remove(0);
    assert!(fragment.coverage.adds_up(), "{:?}", fragment.coverage);
    fragment
}

fn list(home: &WrittenHome) -> Catalogue {
    let source = CliStores::chats(&home.cursor_dir().join("chats"), Arc::new(KnownPaths::default()));
    let store = source.stores().value.remove(0);
    source.catalogue(&store.path, None).unwrap()
}

/// The pages and keys of what is damaged.
fn damaged(fragment: &Fragment) -> Vec<&str> {
    let of_kind = fragment.findings.iter().filter(|one| one.kind == FindingKind::Damaged);
    of_kind.map(|one| one.at.key.as_str()).collect()
}

fn answers(messages: &[Message]) -> Vec<String> {
    messages.iter().filter(|message| message.role == Role::Assistant).map(Message::text).collect()
}

/// What is said in two of these, in the same order; and how much only the first says.
fn lost(whole: &[Message], left: &[Message]) -> usize {
    let (whole, left) = (answers(whole), answers(left));
    let kept: Vec<&String> = whole.iter().filter(|text| left.contains(text)).collect();
    assert_eq!(kept, left.iter().collect::<Vec<_>>(), "what is left is in its order");
    whole.len() - left.len()
}

#[test]
fn a_damaged_page_costs_what_lies_on_it() {
    for which in ["first", "middle", "last"] {
        let (home, store) = session();
        let whole = load(&home);
        assert_eq!((answers(&whole.messages).len(), whole.orphans.len()), (TURNS, TURNS));
        assert_eq!(damaged(&whole), [""; 0]);
        let leaves = tree(&store, "blobs").leaves;
        let place = match which {
            "first" => 0,
            "middle" => leaves.len() / 2,
            _ => leaves.len() - 1,
        };
        damage(&store, &leaves[place..=place]);
        let left = load(&home);
        let reported = damaged(&left);
        assert_eq!(reported[0], format!("page {}", leaves[place]), "{which}");
        assert!(reported.len() > 1, "{which}: each lost row is reported: {reported:?}");
        // The root is written first, abandoned branches behind it.
        if which == "first" {
            assert_eq!(left.messages, []);
            let all = left.orphans.len();
            assert!((2 * TURNS..4 * TURNS).contains(&all), "{all}");
            continue;
        }
        let gone = lost(&whole.messages, &left.messages);
        assert!(gone < 60, "{which}: {gone} answers are gone");
        assert_eq!(lost(&whole.orphans, &left.orphans), 0, "{which}");
        let missing = usize::try_from(left.coverage.missing).unwrap();
        assert!(missing > 0, "{which}");
        let messages = left.findings.iter().filter(|one| one.says == "the blob of a message is not there");
        assert_eq!(messages.count(), missing, "{which}: each that is gone is reported");
    }
}

#[test]
fn a_damaged_index_costs_nothing_and_is_reported() {
    let (home, store) = session();
    let (whole, listed) = (load(&home), list(&home));
    let index = tree(&store, "sqlite_autoindex_blobs_1");
    for pages in [vec![index.leaves[0], index.root], index.leaves] {
        let bytes = fs::read(&store).unwrap();
        damage(&store, &pages);
        let (left, now) = (load(&home), list(&home));
        fs::write(&store, bytes).unwrap();
        assert_eq!((left.messages, left.orphans), (whole.messages.clone(), whole.orphans.clone()));
        assert_eq!(now.entries[0].heads[0].summary.workspace, listed.entries[0].heads[0].summary.workspace);
        assert!(!now.findings.is_empty(), "a listing looks up blobs by their names");
    }
}

#[test]
fn a_damaged_leaf_costs_no_other_even_without_an_index() {
    let (home, store) = session();
    let whole = load(&home);
    let index = tree(&store, "sqlite_autoindex_blobs_1");
    let leaves = tree(&store, "blobs").leaves;
    damage(&store, &[index.root, leaves[leaves.len() / 2]]);
    let left = load(&home);
    let pages = [leaves[leaves.len() / 2], index.root].map(|page| format!("page {page}"));
    assert!(pages.iter().all(|page| damaged(&left).contains(&page.as_str())), "{:?}", damaged(&left));
    assert!(lost(&whole.messages, &left.messages) < 60, "only what was on the leaf is gone");
    assert_eq!(left.orphans, whole.orphans, "they were written before");
}

#[test]
fn a_file_that_ends_inside_a_page_is_reported() {
    let (home, store) = session();
    let bytes = fs::read(&store).unwrap();
    fs::write(&store, &bytes[..bytes.len() - 100]).unwrap();
    for findings in [load(&home).findings, list(&home).findings] {
        let says: Vec<&str> = findings.iter().map(|one| one.says.as_str()).collect();
        assert!(says.iter().any(|says| says.starts_with("the file is cut off: 1 of its")), "{says:?}");
    }
    // Bytes behind the last page are nobody's.
    fs::write(&store, [&bytes[..], b"x"].concat()).unwrap();
    assert_eq!((damaged(&load(&home)), list(&home).findings), (vec![], vec![]));
}

#[test]
fn a_table_without_a_root_is_read_from_its_leaves() {
    let (home, store) = session();
    let whole = load(&home);
    let pages = [tree(&store, "blobs").root, tree(&store, "sqlite_autoindex_blobs_1").root];
    damage(&store, &pages);
    let left = load(&home);
    assert_eq!((&left.messages, &left.orphans), (&whole.messages, &whole.orphans));
    assert_eq!(damaged(&left), pages.map(|page| format!("page {page}")));
}

/// A long message begins on its page and goes on elsewhere: it looks like one until it is read.
#[test]
fn a_long_message_whose_end_is_damaged_costs_no_other() {
    for is_listed in [true, false] {
        let words = "long ".repeat(20_000);
        let long = json!({ "role": "assistant", "content": words }).to_string();
        let mut chat = CliChat::new("/home/dev/app", "s1").journal(Journal::Rollback).user("a question");
        chat = if is_listed { chat.assistant(&words) } else { chat.stale_blob(long) };
        let home = CursorHome::new().unwrap().cli(chat.assistant("an answer")).write().unwrap();
        let store = home.cursor_dir().join("chats");
        let store = fs::read_dir(store).unwrap().next().unwrap().unwrap().path().join("s1/store.db");
        let mut bytes = fs::read(&store).unwrap();
        let goes_on = words.as_bytes();
        let is_inside = |page: &[u8]| (0..5).any(|from| page[4..] == goes_on[from..][..PAGE - 4]);
        let inside = bytes.chunks(PAGE).position(is_inside).unwrap();
        // The number of the page with which it goes on: there is no such page.
        bytes[inside * PAGE..inside * PAGE + 4].fill(0xff);
        fs::write(&store, bytes).unwrap();
        let left = load(&home);
        assert!(answers(&left.messages).contains(&"an answer".to_owned()), "{:?}", left.findings);
        assert!(!damaged(&left).is_empty(), "{:?}", left.findings);
    }
}

/// Each page of the tables of agents and runs and of their indexes, in place of another one. Events are not compared with their
/// index, since one agent is read without those of the others.
#[test]
fn a_wrong_page_of_an_index_of_agents_is_reported() {
    let agent = |nth: usize| {
        let begun = SdkAgent::new(&format!("agent-{nth}")).named(&format!("robot {nth}"));
        (0..3).fold(begun, |agent, turn| agent.user(&format!("go {turn}")).assistant(&"gone ".repeat(300)))
    };
    let store = (0..4).fold(SdkStore::new("/w/project"), |store, nth| store.agent(agent(nth)));
    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    let stores = home.cursor_dir().join("projects/w-project/sdk-agent-store");
    let store = fs::read_dir(stores).unwrap().next().unwrap().unwrap().path();
    let file = store.join("index.db");
    let bytes = fs::read(&file).unwrap();
    let look = || {
        let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
        let history = History::over(found.sources, found.findings);
        let listing = history.list(&Ask::default());
        let load = |summary: &Summary| history.load(&summary.id).unwrap();
        let all: Vec<Conversation> = listing.summaries.iter().map(load).collect();
        let words: Vec<String> = all.iter().flat_map(|one| &one.messages).map(Message::text).collect();
        let own = all.into_iter().flat_map(|one| one.findings);
        let findings: Vec<_> = listing.findings.into_iter().chain(own).collect();
        (words, findings.iter().any(|finding| finding.kind == FindingKind::Damaged))
    };
    let (whole, _) = look();
    let pages = bytes.len() / 4096;
    let roots =
        "SELECT rootpage - 1 FROM sqlite_schema WHERE tbl_name IN ('agents', 'runs') AND rootpage > 1";
    let database = backscroll_fixtures::create_database(&file).unwrap();
    let mut statement = database.prepare(roots).unwrap();
    let roots: Vec<u32> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    drop(statement);
    drop(database);
    for page in roots.into_iter().map(|page| page as usize) {
        for other in (1..pages).step_by(2).filter(|other| *other != page) {
            let mut damaged = bytes.clone();
            damaged.copy_within(other * 4096..(other + 1) * 4096, page * 4096);
            fs::write(&file, damaged).unwrap();
            let (left, is_told) = look();
            assert!(is_told || left == whole, "page {} is a copy of page {}", page + 1, other + 1);
        }
    }
}
