//! Every page of the other databases, lost in turn: the agents' stores, the SDK's index, the tracking of lines, the search index and
//! a workspace's database. What differs is reported, and only what is on the page is lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Journal, SdkAgent, SdkStore, SearchIndex, Speaks, StateDatabase, Tracking,
    TrackingGeneration, WorkspaceFolder, WrittenHome,
};
use backscroll_history::{Ask, History};
use backscroll_model::Finding;
use serde_json::json;

use crate::damaged_logs::files_below;

const PAGE: usize = 4096;

fn home() -> WrittenHome {
    let mut sdk = SdkStore::new("/home/dev/sdk").without_transcripts();
    for nth in 0..12 {
        let mut agent = SdkAgent::new(&format!("agent-{nth:02}")).named(&format!("Sdk title {nth:02}"));
        for turn in 0..4 {
            agent = agent
                .user(&format!("sdk question {nth:02}.{turn}."))
                .assistant(&format!("sdk answer {nth:02}.{turn}. ").repeat([1, 10, 400][turn % 3]));
        }
        sdk = sdk.agent(agent);
    }
    let mut chat = CliChat::new("/home/dev/app", "cli-1").named("Cli title").journal(Journal::Rollback);
    for turn in 0..60 {
        chat = chat
            .user(&format!("cli question {turn:02}."))
            .assistant(&format!("cli answer {turn:02}. ").repeat([1, 400][turn % 2]));
    }
    let mut global = StateDatabase::new().journal(Journal::Rollback);
    let mut tracking = Tracking::new().generation(TrackingGeneration::Third);
    let mut search = SearchIndex::new();
    for nth in 0..40 {
        let id = format!("{nth:08x}-0000-4000-8000-000000000000");
        global = global.composer(&Composer::new(&id).user(&format!("editor question {nth:02}.")));
        for file in 0..6 {
            let (file, request) =
                (format!("/home/dev/p{nth:02}/src/{file}.rs"), format!("request-{nth:02}-{file}"));
            tracking = tracking.line(&id, &request, &file, &format!("model-{nth:02}"));
        }
        tracking = tracking.summary(&id, &format!("Tracked title {nth:02}"), "…");
        let gone = format!("{nth:08x}-1111-4000-8000-000000000000");
        let body = format!("search words {nth:02}. ").repeat([1, 300][nth % 2]);
        search = search.local(&gone, &format!("Search title {nth:02}"), &body, 1_760_000_000_000);
    }
    let heads: Vec<_> = (0..30)
        .map(|nth| {
            let id = format!("{nth:08x}-2222-4000-8000-000000000000");
            Composer::new(id).titled(&format!("Workspace title {nth:02}")).head()
        })
        .collect();
    let workspace = WorkspaceFolder::new("w1")
        .folder("/home/dev/w1")
        .item("composer.composerData", json!({ "allComposers": heads }).to_string());
    CursorHome::new()
        .unwrap()
        .global(global)
        .sdk(sdk)
        .cli(chat)
        .tracking(tracking)
        .search_index(search)
        .workspace(workspace)
        .write()
        .unwrap()
}

/// What a person sees: words, each with the conversation they are of; and what was reported of which file.
struct Seen {
    words: BTreeSet<(String, String)>,
    reported: BTreeSet<(PathBuf, String)>,
}

fn look(home: &Path) -> Seen {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let listing = history.list(&Ask::everything());
    let mut findings = listing.findings.clone();
    let mut seen = Seen { words: BTreeSet::new(), reported: BTreeSet::new() };
    seen.reported.extend(listing.unreadable.iter().map(|error| (error.place.clone(), error.to_string())));
    for summary in &listing.summaries {
        let id = summary.id.as_str();
        let mut add = |words: &str| {
            if !words.trim().is_empty() {
                seen.words.insert((id.to_owned(), words.to_owned()));
            }
        };
        summary.title.iter().for_each(|title| add(title));
        let Ok(conversation) = history.load(&summary.id) else { continue };
        conversation.messages.iter().chain(&conversation.orphans).for_each(|message| add(&message.text()));
        conversation.facts.files.iter().chain(&conversation.summary.models).for_each(|word| add(word));
        findings.extend(conversation.findings);
    }
    let reported = |finding: &Finding| (finding.at.file.to_path_buf(), format!("{finding:?}"));
    seen.reported.extend(findings.iter().map(reported));
    seen
}

/// The databases of a home, but for the editor's own.
fn databases(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            databases(&path, found);
        } else if fs::read(&path).unwrap().starts_with(b"SQLite format 3")
            && !path.parent().unwrap().ends_with("globalStorage")
        {
            found.push(path);
        }
    }
}

/// Whether any stretch of these words is among these bytes.
fn holds(bytes: &[u8], words: &str) -> bool {
    let words = words.trim().as_bytes();
    let first = &words[..words.len().min(12)];
    bytes.windows(first.len()).any(|window| window == first)
}

fn assert_contained(whole: &Seen, left: &Seen, file: &Path, lost: &[u8], what: &str) {
    let gone: Vec<_> = whole.words.difference(&left.words).collect();
    let new: Vec<_> = left.words.difference(&whole.words).collect();
    let is_reported = left.reported.difference(&whole.reported).any(|(path, _)| path == file);
    let name = file.file_name().unwrap().to_string_lossy();
    assert!(
        (gone.is_empty() && new.is_empty()) || is_reported,
        "{name}, {what}: {gone:?} and {new:?} in silence"
    );
    for (id, words) in gone {
        let shown = &words[..words.len().min(40)];
        assert!(holds(lost, words), "{name}, {what}: {id} lost {shown:?}, which is not there");
    }
}

fn lose_pages(every: usize) {
    let home = home();
    let whole = look(home.root());
    let mut files = Vec::new();
    databases(home.root(), &mut files);
    files.sort();
    assert!(files.len() > 12, "{files:?}");
    let mut is_first_agent = true;
    for file in files {
        // All agents' own stores are alike.
        let is_agent = file.to_string_lossy().contains("sdk-agent-store") && file.ends_with("store.db");
        if is_agent && !std::mem::take(&mut is_first_agent) {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        for page in (0..bytes.len() / PAGE).step_by(every) {
            let mut damaged = bytes.clone();
            damaged[page * PAGE..(page + 1) * PAGE].fill(0);
            fs::write(&file, damaged).unwrap();
            let lost = &bytes[page * PAGE..(page + 1) * PAGE];
            assert_contained(&whole, &look(home.root()), &file, lost, &format!("page {}", page + 1));
        }
        for percent in [95, 60, 20] {
            let end = bytes.len() * percent / 100;
            fs::write(&file, &bytes[..end]).unwrap();
            let lost = &bytes[end / PAGE * PAGE..];
            assert_contained(&whole, &look(home.root()), &file, lost, &format!("cut to {percent} %"));
        }
        fs::write(&file, &bytes).unwrap();
    }
}

#[test]
fn a_lost_page_of_any_store_costs_what_is_on_it() {
    lose_pages(5);
}

/// Run by `scripts/damage`.
#[test]
#[ignore = "takes a minute"]
fn any_lost_page_of_any_store_costs_what_is_on_it() {
    lose_pages(1);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test writes its own database")]
fn a_wrong_page_in_the_index_of_the_head_costs_nothing() {
    let chat = CliChat::new("/home/dev/app", "cli-1").named("Cli title").journal(Journal::Rollback);
    let home = CursorHome::new().unwrap().cli(chat.user("question").assistant("answer")).write().unwrap();
    let messages = || {
        let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
        History::over(found.sources, found.findings).load(&"cli-1".into()).unwrap().messages.len()
    };
    let whole = messages();
    assert!(whole > 0);
    let [store] = &files_below(&home.root().join(".cursor/chats"), "store.db")[..] else {
        panic!("one store")
    };
    let connection = rusqlite::Connection::open(store).unwrap();
    let root = |name: &str| -> usize {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        connection.query_row(sql, [name], |row| row.get::<_, u32>(0)).unwrap() as usize
    };
    let [from, to] =
        ["sqlite_autoindex_blobs_1", "sqlite_autoindex_meta_1"].map(|name| (root(name) - 1) * PAGE);
    let mut bytes = fs::read(store).unwrap();
    bytes.copy_within(from..from + PAGE, to);
    fs::write(store, bytes).unwrap();
    assert_eq!(messages(), whole);
}
