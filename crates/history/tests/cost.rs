//! Cost follows the question, whatever a home is made of: the work is counted, not timed, in homes of one size and of twice
//! that size.
//!
//! What is counted goes through the door to databases and the file layer: what is opened, rows, bytes. The counters are those of
//! the process, so this is a test binary of its own, and its tests run one after the other.

#![cfg(test)]

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use backscroll_cursor_store::work::{self, Work};
use backscroll_cursor_store::{FileCache, Where, find_with};
use backscroll_fixtures::{
    ChatTab, CliChat, Composer, CursorHome, HeaderTable, SdkAgent, SdkStore, Speaks, StateDatabase,
    Transcript, WorkspaceFolder, WrittenHome, md5_of,
};
use backscroll_history::{Ask, History, Keep, Manner, refresh};
use backscroll_model::ConversationId;
use serde_json::json;
use tempfile::TempDir;

/// A kind of home, of this size.
type Shape = (&'static str, fn(usize) -> WrittenHome);

const SHAPES: [Shape; 8] = [
    ("workspaces", workspaces),
    ("chat tabs in one workspace", chat_tabs),
    ("editor conversations", editor),
    ("editor conversations that list a lost message", lost_messages),
    ("sessions of the command line", sessions),
    ("SDK stores", sdk_stores),
    ("agents in one SDK store", sdk_agents),
    ("transcripts, some with subagents", transcripts),
];

/// The smaller home of each shape; the other one has twice as many.
const SIZE: usize = 12;

fn talk(id: &str) -> Composer {
    Composer::new(id).titled(id).user("find the tide").thinking("hm").assistant(&"found ".repeat(200))
}

fn workspaces(size: usize) -> WrittenHome {
    let mut home = CursorHome::new().unwrap();
    let mut global = StateDatabase::new();
    for number in 0..size {
        let composer = talk(&format!("c{number:04}"));
        let folder = WorkspaceFolder::new(&md5_of(&number.to_string()));
        home = home.workspace(folder.folder(&format!("file:///w/{number}")).head(&composer));
        global = global.composer(&composer);
    }
    home.global(global).write().unwrap()
}

fn chat_tabs(size: usize) -> WrittenHome {
    let mut folder = WorkspaceFolder::new("0123abcd").folder("file:///w/old");
    for number in 0..size {
        let tab = ChatTab::new(&format!("tab{number:04}")).titled("old");
        folder = folder.chat_tab(tab.user("asked").assistant(&"answered ".repeat(200)));
    }
    CursorHome::new().unwrap().workspace(folder).write().unwrap()
}

fn editor(size: usize) -> WrittenHome {
    let (mut global, mut heads) = (StateDatabase::new(), HeaderTable::new());
    for number in 0..size {
        let composer = talk(&format!("c{number:04}"));
        (global, heads) = (global.composer(&composer), heads.composer(&composer));
    }
    CursorHome::new().unwrap().global(global.header_table(heads)).write().unwrap()
}

fn lost_messages(size: usize) -> WrittenHome {
    let mut global = StateDatabase::new();
    for number in 0..size {
        let composer = talk(&format!("c{number:04}"));
        let listed = json!([
            {"bubbleId": composer.bubble_id(0), "type": 1, "createdAt": composer.time_of(0)},
            {"bubbleId": format!("lost{number}"), "type": 2, "createdAt": composer.time_of(1)},
        ]);
        global = global.composer(&composer.set("fullConversationHeadersOnly", listed));
    }
    CursorHome::new().unwrap().global(global).write().unwrap()
}

fn sessions(size: usize) -> WrittenHome {
    let mut home = CursorHome::new().unwrap();
    for number in 0..size {
        let chat = CliChat::new(&format!("/w/{}", number % 5), &format!("s{number:04}")).named("shell");
        home = home
            .cli(chat.user("run").tool("Shell", json!({"command": "ls"}), json!("a b")).assistant("done"));
    }
    home.write().unwrap()
}

fn sdk_stores(size: usize) -> WrittenHome {
    let store = |number: usize| {
        let agent = |of: usize| {
            SdkAgent::new(&format!("agent-{number}-{of}")).named("robot").user("go").assistant("gone")
        };
        SdkStore::new(&format!("/w/robot-{number}")).agent(agent(0)).agent(agent(1))
    };
    (0..size).fold(CursorHome::new().unwrap(), |home, number| home.sdk(store(number))).write().unwrap()
}

fn sdk_agents(size: usize) -> WrittenHome {
    let agent = |number: usize| {
        SdkAgent::new(&format!("agent-{number:04}")).named("robot").user("go").assistant(&"gone ".repeat(100))
    };
    let store = (0..size).fold(SdkStore::new("/w/robot"), |store, number| store.agent(agent(number)));
    CursorHome::new().unwrap().sdk(store).write().unwrap()
}

fn transcripts(size: usize) -> WrittenHome {
    let mut home = CursorHome::new().unwrap();
    for number in 0..size {
        let (project, id) = (format!("/w/{}", number % 4), format!("t{number:04}"));
        home = home.transcript(Transcript::new(&project, &id).user("asked").assistant(&"told ".repeat(100)));
        if number % 4 == 0 {
            let child = Transcript::new(&project, &format!("{id}-child")).subagent_of(&id);
            home = home.transcript(child.user("look").assistant("seen"));
        }
    }
    home.write().unwrap()
}

/// A home with what is kept of it between runs. Its files are taken for old, so that their times are believed.
struct Kept {
    home: WrittenHome,
    index: TempDir,
    files: String,
    _turn: MutexGuard<'static, ()>,
}

impl Kept {
    fn of(home: WrittenHome) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self { home, index: TempDir::new().unwrap(), files: String::new(), _turn: turn }
    }

    fn open(&mut self) -> History {
        let (history, files) = open(self.home.root(), self.index.path(), &self.files);
        self.files = files;
        history
    }

    /// The history, and what `question` costs with it, opening it included.
    fn cost(&mut self, question: impl FnOnce(&History)) -> Work {
        let before = work::done();
        question(&self.open());
        before.since()
    }
}

fn open(home: &Path, index: &Path, files: &str) -> (History, String) {
    #[expect(
        clippy::disallowed_methods,
        reason = "it is compared with the times of files that were just written"
    )]
    let later = SystemTime::now() + Duration::from_secs(3600);
    let cache = Arc::new(FileCache::new(files.to_owned(), later));
    let found = find_with(&Where { home: Some(home.to_owned()), ..Where::default() }, &cache);
    let keep = Keep { folder: Some(index), patience: Duration::from_secs(60), ..Keep::default() };
    let history = History::open(found.sources, found.findings, keep);
    cache.end_search();
    (history, cache.to_store().unwrap_or_else(|| files.to_owned()))
}

fn all(history: &History) -> Vec<ConversationId> {
    let listed = history.list(&Ask::everything()).summaries;
    listed.into_iter().map(|summary| summary.id).collect()
}

/// What `measure` counts in a home of each shape, and in one of twice its size.
fn each_shape(measure: impl Fn(&mut Kept) -> Work, check: impl Fn(&str, Work, Work)) {
    for (name, make) in SHAPES {
        let [once, twice] = [SIZE, 2 * SIZE].map(|size| measure(&mut Kept::of(make(size))));
        check(name, once, twice);
    }
}

/// Whether one number is at most so many times another, apart from a constant.
fn at_most(times: f64, once: u64, twice: u64, constant: u64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (once, twice) = (once as f64, twice.saturating_sub(constant) as f64);
    twice <= once * times
}

#[test]
fn a_second_listing_opens_nothing() {
    let measure = |kept: &mut Kept| {
        kept.cost(|history| drop(all(history)));
        kept.cost(|history| assert!(all(history).len() >= SIZE))
    };
    each_shape(measure, |name, once, twice| {
        for cost in [once, twice] {
            assert_eq!(cost, Work::default(), "{name}");
        }
    });
}

#[test]
fn showing_one_opens_only_the_stores_that_have_it() {
    let measure = |kept: &mut Kept| {
        let mut ids = all(&kept.open());
        ids.sort();
        kept.cost(|history| drop(history.load(&ids[1]).unwrap()))
    };
    each_shape(measure, |name, once, twice| {
        assert!(once.opened <= 8, "{name}: {once:?}");
        assert_eq!(twice.opened, once.opened, "{name}: {once:?} {twice:?}");
        // An index of conversations, or all tabs of a workspace, may be one value.
        assert!(at_most(2.2, once.bytes, twice.bytes, 2_000), "{name}: {once:?} {twice:?}");
    });
}

#[test]
fn loading_everything_opens_each_store_a_few_times() {
    let measure = |kept: &mut Kept| {
        let ids = all(&kept.open());
        let cost = kept.cost(|history| ids.iter().for_each(|id| drop(history.load(id).unwrap())));
        assert!(cost.opened <= 8 * ids.len() as u64, "{cost:?} for {}", ids.len());
        cost
    };
    each_shape(measure, |name, once, twice| {
        for (once, twice) in [(once.opened, twice.opened), (once.rows, twice.rows), (once.bytes, twice.bytes)]
        {
            assert!(at_most(2.2, once, twice, 10), "{name}: {once} {twice}");
        }
    });
}

#[test]
fn the_first_listing_reads_each_store_once() {
    let measure = |kept: &mut Kept| kept.cost(|history| drop(all(history)));
    each_shape(measure, |name, once, twice| {
        for (once, twice) in [(once.opened, twice.opened), (once.rows, twice.rows), (once.bytes, twice.bytes)]
        {
            assert!(at_most(2.2, once, twice, 10), "{name}: {once} {twice}");
        }
    });
}

#[test]
fn one_change_costs_one_store() {
    let measure = |kept: &mut Kept| {
        let manner = Manner::ordinary(jiff::Timestamp::UNIX_EPOCH);
        let bring_up_to_date = |history: &History, index: &Path| {
            drop(refresh(index, history, manner, &mut |_, _| {}).unwrap());
        };
        let index = kept.index.path().to_owned();
        bring_up_to_date(&kept.open(), &index);
        assert_eq!(
            kept.cost(|history| bring_up_to_date(history, &index)),
            Work::default(),
            "nothing changed"
        );
        let added = kept.home.more();
        added
            .transcript(Transcript::new("/w/0", "t0001").user("asked again").assistant("told"))
            .write()
            .unwrap();
        kept.cost(|history| bring_up_to_date(history, &index))
    };
    each_shape(measure, |name, once, twice| {
        // The folders that lead to the new file, and the file itself: its head, and its messages.
        assert!(once.opened <= 12 && twice.opened <= 12, "{name}: {once:?} {twice:?}");
        assert!(once.bytes < 20_000 && twice.bytes < 20_000, "{name}: {once:?} {twice:?}");
    });
}

#[test]
fn one_changed_row_of_the_editor_costs_one_conversation() {
    let measure = |size: usize| {
        let mut kept = Kept::of(editor(size));
        let ids = all(&kept.open());
        let talk = talk("c0003").user("and then?").assistant("nothing");
        kept.home.more().global(StateDatabase::new().composer(&talk)).write().unwrap();
        let cost = kept.cost(|history| assert_eq!(all(history).len(), ids.len()));
        assert!(cost.opened <= 4, "{cost:?}");
        cost
    };
    let (once, twice) = (measure(SIZE), measure(2 * SIZE));
    // The keys above the old highest row, the rows of one conversation, and the list of heads.
    assert!(at_most(1.5, once.bytes, twice.bytes, 2_000), "{once:?} {twice:?}");
}

/// Prompts of no workspace may have been typed in any conversation: after a change, only what changed is read again.
#[test]
fn prompts_of_an_empty_window_are_compared_with_what_changed() {
    let measure = |size: usize| {
        let home = editor(size);
        let window = WorkspaceFolder::new("1750000000000").prompt("find the tide").prompt("nobody has this");
        home.more().workspace(window).write().unwrap();
        let mut kept = Kept::of(home);
        let ids = all(&kept.open());
        assert_eq!(ids.len(), size + 1, "one prompt is left");
        let talk = talk("c0003").user("nobody has this").assistant("now somebody has");
        kept.home.more().global(StateDatabase::new().composer(&talk)).write().unwrap();
        kept.cost(|history| assert_eq!(all(history).len(), size, "none is left"))
    };
    let (once, twice) = (measure(SIZE), measure(2 * SIZE));
    assert!(at_most(1.5, once.bytes, twice.bytes, 2_000), "{once:?} {twice:?}");
    assert_eq!(once.opened, twice.opened);
}
