//! [`Memory`]: the live history that every client of this server asks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use backscroll_history::AskError;
use backscroll_history::live::{IndexState, Library, PooledIndex, Snapshot};
use backscroll_model::{Conversation, ConversationId, Summary, error_chain, locked};
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

    /// The search index. Waits while it is made for the first time, and says how far that is.
    pub(crate) fn index(
        &self,
        snapshot: &Arc<Snapshot>,
        wait: &Wait,
    ) -> Result<(PooledIndex, IndexState), ToolError> {
        loop {
            let (index, state) = self.library.index_within(snapshot, STEP);
            if let IndexState::Behind(done, of) = state
                && !wait.is_over()
            {
                wait.progress(done, of);
                continue;
            }
            let unusable = || {
                let why = state.note().unwrap_or_else(|| {
                    "There is no folder for the search index; start `backscroll mcp` with --index DIR."
                        .to_owned()
                });
                ToolError::new(why)
            };
            return index.ok_or_else(unusable).map(|index| (index, state));
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

/// What is to be known of the index, behind the sentence that nothing was found.
pub(crate) fn note_behind(state: &IndexState) -> String {
    state.note().map(|note| format!(" {note}")).unwrap_or_default()
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
