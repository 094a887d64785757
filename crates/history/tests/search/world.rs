//! The corpus as a home on disk, indexed and ready to be asked.

use std::path::Path;

use backscroll_cursor_store::{Surroundings, Where, find};
use backscroll_fixtures::{
    Composer, CursorHome, HeaderTable, Speaks as _, StateDatabase, WrittenHome, uuid_from,
};
use backscroll_history::{Ask, Found, History, Index, Request, Showing, parse};
use backscroll_index::{Manner, refresh};
use backscroll_model::{Conversation, ConversationId};
use jiff::{Timestamp, Zoned};
use serde_json::json;

use super::corpus::{STORIES, Story, Tool};

const DAY: i64 = 86_400_000;

pub(super) struct World {
    pub(super) history: History,
    pub(super) index: Index,
    _home: WrittenHome,
    _folder: tempfile::TempDir,
}

pub(super) fn now() -> Zoned {
    "2026-11-16T12:00:00Z[UTC]".parse().unwrap()
}

pub(super) fn id_of(name: &str) -> ConversationId {
    ConversationId::new(uuid_from(&format!("quality/{name}")))
}

impl World {
    pub(super) fn new() -> Self {
        Self::of(&STORIES.iter().map(composer).collect::<Vec<_>>())
    }

    /// A world of these conversations alone.
    pub(super) fn of(composers: &[Composer]) -> Self {
        let mut headers = HeaderTable::new();
        let mut global = StateDatabase::new();
        for composer in composers {
            headers = headers.composer(composer);
            global = global.composer(composer);
        }
        let global = global.head_list(composers.iter().map(Composer::head)).header_table(headers);
        let home = CursorHome::new().unwrap().global(global).write().unwrap();
        let history = history_of(home.root());
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("index");
        refresh(&place, &history, Manner::ordinary(now().timestamp()), &mut |_, _| {}).unwrap();
        let index = Index::open(&place).unwrap().expect("an index was just made");
        Self { history, index, _home: home, _folder: folder }
    }

    pub(super) fn request(query: &str) -> Request {
        Self::asking(Ask { limit: Some(10), ..parse(query, &now()).unwrap() })
    }

    pub(super) fn asking(ask: Ask) -> Request {
        Request::new(ask, now().timestamp())
    }

    pub(super) fn search(&self, query: &str) -> Found {
        self.history.search(&self.index, &Self::request(query), Showing::default()).unwrap()
    }

    /// The names of the conversations that were found, best first.
    pub(super) fn names(&self, query: &str) -> Vec<&'static str> {
        names(&self.search(query))
    }

    pub(super) fn load(&self, name: &str) -> Conversation {
        self.history.load(&id_of(name)).unwrap()
    }
}

pub(super) fn names(found: &Found) -> Vec<&'static str> {
    found.conversations.iter().map(|one| name_of(&one.summary.id)).collect()
}

pub(super) fn name_of(id: &ConversationId) -> &'static str {
    STORIES.iter().find(|story| id_of(story.name) == *id).map_or("?", |story| story.name)
}

fn history_of(home: &Path) -> History {
    let around = Surroundings { temp: std::env::temp_dir(), ..Surroundings::default() };
    let found = find(&Where { home: Some(home.to_owned()), environment: around, ..Where::default() });
    History::over(found.sources, found.findings)
}

fn composer(story: &Story) -> Composer {
    let now = Timestamp::as_millisecond(now().timestamp());
    let path = format!("/home/dev/{}", story.workspace);
    let composer = Composer::new(id_of(story.name).as_str())
        .titled(story.title)
        .started(now - story.days * DAY)
        .in_workspace(&uuid_from(story.workspace), &path)
        .user(story.user);
    let composer = match story.tool {
        Tool::None => composer,
        Tool::Read(path, contents) => {
            composer.tool("read_file_v2", json!({ "targetFile": path }), json!({ "contents": contents }))
        }
        Tool::Run(command, output) => composer.tool(
            "run_terminal_command_v2",
            json!({ "command": command }),
            json!({ "output": output }),
        ),
    };
    composer.assistant(story.assistant)
}
