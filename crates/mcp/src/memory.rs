//! [`Memory`]: the live history that every client of this server asks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use backscroll_history::AskError;
use backscroll_history::live::{IndexState, Library, PooledIndex, Snapshot};
use backscroll_model::{Conversation, ConversationId, Summary, error_chain, locked};
use backscroll_render::counted;
use backscroll_render::text::one_line;
use jiff::Zoned;
use tokio::sync::mpsc::UnboundedSender;

use crate::answer::ToolError;

/// How long a question waits for the first index. A client that is sent progress waits longer.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_WITH_PROGRESS: Duration = Duration::from_secs(600);
/// How often a question that waits reports progress, and looks whether it was cancelled.
const STEP: Duration = Duration::from_millis(250);

/// How many conversations are named where several may be meant.
const CANDIDATES: usize = 5;

/// The history as a memory: what every client asks.
#[derive(Debug)]
pub struct Memory {
    library: Library,
    version: &'static str,
    /// The conversation that was read last: it is mostly read in several pieces.
    last: Mutex<Option<(i64, Arc<Conversation>)>>,
}

impl Memory {
    /// The memory of what `library` has. `version` is the program's.
    pub fn new(library: Library, version: &'static str) -> Self {
        Self { library, version, last: Mutex::default() }
    }

    pub(crate) fn version(&self) -> &'static str {
        self.version
    }

    pub(crate) fn now(&self) -> Zoned {
        self.library.clock().now()
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.library.snapshot()
    }

    /// The search index, and how much of the history it has. Waits while it is made for the first time, and says how far that is.
    pub(crate) fn index(
        &self,
        snapshot: &Arc<Snapshot>,
        wait: &Wait,
    ) -> Result<(PooledIndex, Reach), ToolError> {
        loop {
            let (index, state) = self.library.index_within(snapshot, STEP);
            if let IndexState::Behind(done, of) = state
                && !wait.is_over()
            {
                wait.progress(done, of);
                continue;
            }
            let Some(index) = index else { return Err(unusable(&state)) };
            let (done, of) = index.searchable().map_err(|error| ToolError::new(error_chain(&error)))?;
            if done == 0 && of > 0 && state.is_behind() {
                return Err(unusable(&state));
            }
            return Ok((index, Reach { done, of, state }));
        }
    }

    pub(crate) fn resolve(snapshot: &Snapshot, asked: &str) -> Result<ConversationId, ToolError> {
        snapshot.history.resolve(asked).map_err(|error| explained(&error))
    }

    /// The conversation with this id.
    pub(crate) fn conversation(
        &self,
        snapshot: &Snapshot,
        id: &ConversationId,
    ) -> Result<Arc<Conversation>, ToolError> {
        let stamp = snapshot.stamp(id);
        if let Some((known, last)) = &*locked(&self.last)
            && *known == stamp
            && last.summary.id == *id
        {
            return Ok(Arc::clone(last));
        }
        let conversation = Arc::new(snapshot.history.load(id).map_err(|error| explained(&error))?);
        *locked(&self.last) = Some((stamp, Arc::clone(&conversation)));
        Ok(conversation)
    }
}

/// Why a conversation cannot be given, and what would help.
fn explained(error: &AskError) -> ToolError {
    match error {
        AskError::NoMatch { asked } => ToolError::new(format!(
            "No conversation has the id or title `{asked}`. `search_history` and `list_conversations` give ids."
        )),
        AskError::Ambiguous { matches, .. } => {
            let named: Vec<String> = matches
                .iter()
                .take(CANDIDATES)
                .map(|summary| format!("{} ({})", summary.id, title(summary)))
                .collect();
            ToolError::new(format!("{error}: {}. Give the whole id.", named.join(", ")))
        }
        AskError::Source(error) => ToolError::new(format!("It cannot be read: {}", error_chain(error))),
    }
}

pub(crate) fn title(summary: &Summary) -> String {
    summary.title.as_deref().map_or_else(|| "(untitled)".to_owned(), one_line)
}

/// Why an index that holds nothing yet, or that is not there, cannot be asked.
fn unusable(state: &IndexState) -> ToolError {
    let IndexState::Behind(done, of) = state else {
        let no_folder = "There is no folder for the search index; start `backscroll mcp` with --index DIR.";
        return ToolError::new(state.note().unwrap_or_else(|| no_folder.to_owned()));
    };
    let so_far =
        if *of > 0 { format!(", {done} of {} so far", counted(*of, "conversation")) } else { String::new() };
    ToolError::new(format!(
        "Not ready yet: the search index is being made for the first time{so_far}. Ask again in a moment; \
         `list_conversations` and `read_conversation` answer meanwhile."
    ))
}

/// How much of the history an answer comes from.
#[derive(Debug)]
pub(crate) struct Reach {
    done: usize,
    of: usize,
    state: IndexState,
}

impl Reach {
    /// What the reader of the answer should know.
    pub(crate) fn note(&self) -> Option<String> {
        if self.done < self.of {
            return Some(format!(
                "Searched {} of {} so far; there may be more in a moment.",
                self.done,
                counted(self.of, "conversation")
            ));
        }
        self.state.note()
    }

    /// The same behind the sentence that nothing was found.
    pub(crate) fn note_behind(&self) -> String {
        self.note().map(|note| format!(" {note}")).unwrap_or_default()
    }
}

/// How a question waits for the index: until somebody cancels it, or for a time.
#[derive(Debug)]
pub(crate) struct Wait {
    begun: Instant,
    is_cancelled: Arc<AtomicBool>,
    progress: Option<UnboundedSender<(usize, usize)>>,
}

impl Wait {
    /// Waits; `progress` gets how far the index is, if the client wants to know.
    pub(crate) fn new(progress: Option<UnboundedSender<(usize, usize)>>) -> Self {
        Self { begun: Instant::now(), is_cancelled: Arc::default(), progress }
    }

    pub(crate) fn cancel(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_cancelled)
    }

    fn is_over(&self) -> bool {
        let patience = if self.progress.is_some() { PATIENCE_WITH_PROGRESS } else { PATIENCE };
        self.is_cancelled.load(Ordering::Relaxed) || self.begun.elapsed() > patience
    }

    fn progress(&self, done: usize, of: usize) {
        if let Some(progress) = &self.progress {
            // A client that has left needs no progress.
            let _ = progress.send((done, of));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use backscroll_fixtures::MemorySource;
    use backscroll_history::live::{Clock, Discovered, Discovery, Searched};
    use backscroll_model::{Contents, Fragment, Layer, Message, Origin, Part, Role, Surface};
    use jiff::Timestamp;
    use rmcp::model::CallToolResult;
    use serde_json::{Map, Value, json};
    use tempfile::TempDir;

    use super::*;
    use crate::tools;

    /// This many conversations of one message.
    struct Talks(usize);

    impl Discovery for Talks {
        fn find(&self, _: String, _: Timestamp) -> Discovered {
            let talk = |number: usize| {
                let id = format!("c{number}");
                let origin = Origin::new(Layer::IdeGlobal, Path::new("/h/state.vscdb"), id.as_str());
                let said = vec![Part::Text(format!("the lamp {number}"))];
                let message = Message { parts: said, ..Message::new("m", Role::User, origin.clone()) };
                let summary = Summary::new(ConversationId::new(id), Surface::Ide, origin);
                Fragment { messages: vec![message], ..Fragment::new(summary) }
            };
            let source = MemorySource::new("/h/state.vscdb", (0..self.0).map(talk).collect());
            let finish = Box::new(Searched::default);
            Discovered { sources: vec![Box::new(source)], findings: Vec::new(), finish }
        }

        fn contents(&self, _: &Path) -> Result<Contents, String> {
            Err("nobody asks".to_owned())
        }
    }

    fn library(talks: usize, folder: &Path) -> Library {
        Library::new(Box::new(Talks(talks)), Some(folder.to_owned()), Clock::new(Zoned::now))
    }

    /// What a tool answers to somebody who does not wait.
    fn at_once(memory: &Memory, tool: &str, arguments: Value) -> Result<(Value, String), String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let tool = tools::named(tool).unwrap();
        let wait = Wait::new(None);
        wait.cancel().store(true, Ordering::Relaxed);
        let answer = tool.call(memory, tool.check(arguments).unwrap(), &Map::new(), &wait);
        answer.map(|answer| (answer.structured, answer.text)).map_err(|error| error.to_string())
    }

    /// While another process writes the index, nothing becomes of ours.
    #[expect(clippy::disallowed_methods, reason = "the test stands for another process")]
    fn written_by_another(folder: &Path) -> File {
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        lock
    }

    #[test]
    fn while_the_first_index_is_made_nothing_is_denied() {
        let folder = TempDir::new().unwrap();
        let folder = folder.path().join("index");
        // The heads are there before the words.
        library(3, &folder).without_words(Duration::ZERO).snapshot();
        assert!(fs::exists(folder.join("current")).unwrap());
        let _lock = written_by_another(&folder);
        let memory = Memory::new(library(3, &folder), "0");
        for (tool, arguments) in [
            ("search_history", json!({ "query": "lamp" })),
            ("find_by_file", json!({ "path": "lamp.rs" })),
            ("related_conversations", json!({ "id": "c1" })),
        ] {
            let says = at_once(&memory, tool, arguments).unwrap_err();
            assert!(says.starts_with("Not ready yet") && says.contains("Ask again"), "{tool}: {says}");
            assert_eq!(CallToolResult::from(ToolError::new(says)).is_error, Some(true));
        }
        assert!(at_once(&memory, "list_conversations", json!({})).is_ok());
    }

    #[test]
    fn an_answer_from_a_part_says_how_much_that_is() {
        let folder = TempDir::new().unwrap();
        let folder = folder.path().join("index");
        let before = Memory::new(library(2, &folder), "0");
        before.index(&before.snapshot(), &Wait::new(None)).unwrap();
        library(3, &folder).without_words(Duration::ZERO).snapshot();
        let _lock = written_by_another(&folder);
        let memory = Memory::new(library(3, &folder), "0");
        let ask = |query: &str| at_once(&memory, "search_history", json!({ "query": query })).unwrap();
        let (found, says) = ask("lamp");
        assert_eq!(found["total"], 2, "{says}");
        for says in [says, ask("lighthouse").1] {
            assert!(says.contains("Searched 2 of 3 conversations so far"), "{says}");
        }
    }
}
