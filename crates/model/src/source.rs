//! A place that holds conversations: what it can be asked, what changed in it, and what its stores are made of.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::{
    ConversationId, Decoded, Finding, FindingKind, Fragment, FragmentKind, Layer, Message, MessageId, Origin,
    ScoredCommit, Spilled,
};

/// A place where conversations are kept: a function of its files.
///
/// A source reports what its own files hold and nothing else. It may know only a part of a conversation; the room
/// `history` merges the fragments of all sources. Asking twice gives the same answer.
pub trait Source: Inventory + Send + Sync {
    /// What names it in every run.
    fn id(&self) -> SourceId;

    /// Its stores, each with a stamp that changes when the store may have changed. Costs a look at names, sizes and times
    /// of files. The findings name places that cannot be read.
    fn stores(&self) -> Decoded<Vec<Store>>;

    /// What a store has of each conversation, without messages. With the mark of an earlier catalogue, a large store gives
    /// only what changed since.
    fn catalogue(&self, store: &Path, since: Option<&Mark>) -> Result<Catalogue, SourceError>;

    /// What the store of `entry` has of its conversation, one fragment for each layer.
    fn load(&self, entry: &CatalogueEntry, scope: Scope<'_>) -> Result<Vec<Fragment>, SourceError>;

    /// The stamp of one store as it is now, as [`stores`](Self::stores) gives it; `None` if the store is gone.
    fn stamp(&self, store: &Path) -> Option<u64>;

    /// The same place with nothing remembered of what its stores hold, for a reader that has seen a store change; `None` if this
    /// source remembers nothing that a change makes wrong.
    fn renewed(&self) -> Option<Arc<dyn Source>> {
        None
    }

    /// Closes what is kept open between questions. A long-running reader calls it after each answer: a writer could not close
    /// a database for good beside an open reader.
    fn rest(&self) {}

    /// The messages of a conversation that are others than in `known`, for a source that can tell them apart without reading them;
    /// `None` if the conversation has to be loaded whole. Without `known` no message is read, only their stamps.
    fn load_changed(
        &self,
        entry: &CatalogueEntry,
        known: Option<&MessageStamps>,
    ) -> Result<Option<ChangedMessages>, SourceError> {
        let _ = (entry, known);
        Ok(None)
    }
}

/// The files behind a source, for reports about places; nothing where its stores say it all.
pub trait Inventory {
    /// The files it reads, each with its layer.
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        Vec::new()
    }

    /// What its files hold, where that costs more than a listing may.
    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        Ok(Vec::new())
    }
}

/// A number for each stored message, which changes when the message does.
pub type MessageStamps = HashMap<MessageId, u64>;

/// What changed in one conversation.
#[derive(Debug, Clone, Default)]
pub struct ChangedMessages {
    /// The messages that are new or changed, in the conversation's own order.
    pub messages: Vec<Message>,
    /// The stamps of all messages as they are now.
    pub stamps: MessageStamps,
}

/// What names a source in every run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId {
    /// The kind of place.
    pub kind: &'static str,
    /// The file or folder it reads.
    pub place: PathBuf,
    /// Whether it is a backup or a copy: what only such a place still has, Cursor has deleted.
    pub is_backup: bool,
    /// The layer that it is reported as when it cannot be read.
    pub layer: Layer,
}

impl SourceId {
    /// The kind of sources whose fragments belong to whichever conversation names them.
    pub const HOME_FILES: &'static str = "home-files";

    /// A live place of this kind, which is no backup.
    pub fn new(kind: &'static str, place: impl Into<PathBuf>, layer: Layer) -> Self {
        Self { kind, place: place.into(), is_backup: false, layer }
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let backup = if self.is_backup { " backup" } else { "" };
        write!(f, "{}{backup} {}", self.kind, self.place.display())
    }
}

/// What is read as one: a database with its log, a transcript, a folder with an index and databases of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// The file or folder.
    pub path: Arc<Path>,
    /// Another number as soon as the store may have changed.
    pub stamp: u64,
}

/// One conversation in one store of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CatalogueEntry {
    /// The conversation.
    pub id: ConversationId,
    /// For an agent whose state is kept inside of another's store, the conversation that started it.
    pub parent: Option<ConversationId>,
    /// The store that holds it.
    pub store: Arc<Path>,
    /// The file of the store that has it.
    pub file: Arc<Path>,
    /// What the store has of it.
    pub kind: FragmentKind,
}

impl CatalogueEntry {
    /// The conversation `id` in `store`, which is one file.
    pub fn new(id: ConversationId, store: impl Into<Arc<Path>>, kind: FragmentKind) -> Self {
        let store = store.into();
        Self { id, parent: None, file: Arc::clone(&store), store, kind }
    }
}

/// What a store has of conversations.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    /// The conversations that it has: all of them, or those among the changed ones.
    pub entries: Vec<Catalogued>,
    /// What came, changed or went since the mark; `None` if the entries are all that the store has.
    pub changed: Option<BTreeSet<ConversationId>>,
    /// To be given back with the next question about this store.
    pub mark: Mark,
    /// What is wrong with the store as a whole. What is wrong with a conversation is in its heads.
    pub findings: Vec<Finding>,
}

/// What a store has of one conversation, without messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogued {
    /// How to load it.
    pub entry: CatalogueEntry,
    /// Its fragments without messages.
    pub heads: Vec<Fragment>,
    /// Another number as soon as anything changed that the store has of it.
    pub stamp: u64,
}

impl Catalogue {
    /// A store with just these conversations.
    pub fn whole(entries: Vec<Catalogued>) -> Self {
        Self { entries, changed: None, mark: Mark::default(), findings: Vec::new() }
    }
}

/// How much of a conversation is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// Everything. Where another layer of the same store mostly repeats it, that layer gives only its outline.
    Whole,
    /// The messages with these ids, and at most the others.
    Messages(&'a HashSet<&'a str>),
    /// Ids and roles of messages. A source for which bodies cost no more may give them too.
    WithoutBodies,
    /// Of the layers that gave an outline, the turns with these numbers.
    Turns(&'a [usize]),
    /// Of the layers that gave an outline, everything.
    AllTurns,
    /// The files that checkpoints kept.
    Files,
}

/// A source could not be read at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", place.display())]
pub struct SourceError {
    /// The kind of place.
    pub layer: Layer,
    /// The file or folder.
    pub place: PathBuf,
    /// Why.
    #[source]
    pub because: Box<dyn Error + Send + Sync>,
}

impl SourceError {
    /// `place`, of kind `layer`, cannot be read, because of `because`.
    pub fn new(
        layer: Layer,
        place: impl Into<PathBuf>,
        because: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self { layer, place: place.into(), because: because.into() }
    }

    /// The same as a finding, for a question that others could answer.
    pub fn finding(&self) -> Finding {
        let at = Origin::new(self.layer, self.place.clone(), "");
        Finding::new(FindingKind::Unreadable, at, format!("{self}: {}", self.because))
    }
}

/// `error` and everything that caused it, on one line. What two of them say is there once.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let mut lines: Vec<String> = Vec::new();
    for cause in causes.map(ToString::to_string) {
        match lines.last_mut() {
            Some(last) if last.ends_with(&cause) => {}
            // SQLite's errors name themselves twice.
            Some(last) if cause.starts_with("Error code ") && cause.ends_with(last.as_str()) => {}
            Some(last) if last.strip_prefix("cannot read ").is_some_and(|place| cause.contains(place)) => {
                *last = cause;
            }
            _ => lines.push(cause),
        }
    }
    lines.join(": ")
}

/// How far a store was read. Its text means something to its source alone; others keep it and hand it back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mark(pub String);

/// What a store is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Each kind of row, most bytes first.
    pub kinds: Vec<StoredKind>,
    /// Bytes of the file that hold nothing at present and will be used again.
    pub free_bytes: u64,
}

/// How much there is of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StoredKind {
    /// The table it is in, if it is a table.
    pub table: Option<String>,
    /// What its keys begin with; where keys do not divide a table, the table's name.
    #[serde(rename = "kind")]
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Bytes of their keys and values, without what the database adds.
    pub bytes: u64,
    /// Of the rows, those of a conversation that has no record any more.
    pub orphaned: u64,
}

impl Contents {
    /// All rows.
    pub fn rows(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.rows))
    }

    /// All bytes of rows.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.bytes))
    }

    /// All rows of conversations that have no record any more.
    pub fn orphaned(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.orphaned))
    }
}

/// What is known of one store, for `backscroll sources` and the like.
#[derive(Debug, Clone, Default)]
pub struct SourceReport {
    /// Its layers.
    pub layers: Vec<Layer>,
    /// The file or folder.
    pub file: PathBuf,
    /// Its size in bytes, where it is a file.
    pub bytes: Option<u64>,
    /// Of these, what lies in the log beside it: written, but not yet in the file itself.
    pub log_bytes: u64,
    /// How many conversations it has.
    pub conversations: u64,
    /// How many messages its indexes promise, where any does.
    pub messages: Option<u64>,
    /// The earliest time it names.
    pub first_at: Option<Timestamp>,
    /// The latest time it names.
    pub last_at: Option<Timestamp>,
    /// How many lines of code it tracks, where it does.
    pub tracked_lines: Option<u64>,
    /// Commits that it scored.
    pub commits: Vec<ScoredCommit>,
    /// Files of spilled output that lie in it.
    pub spilled: Option<Spilled>,
    /// Files of agents' notes that lie in it.
    pub notes: Option<u64>,
    /// Whether it is a backup or a copy.
    pub is_backup: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// What was not as it should be.
    pub findings: Vec<Finding>,
    /// Rows and bytes by kind, where they were asked for: counting takes a while.
    pub contents: Option<Contents>,
}

impl SourceReport {
    /// A file of this layer of which nothing is known yet.
    pub fn new(layer: Layer, file: impl Into<PathBuf>) -> Self {
        Self { layers: vec![layer], file: file.into(), ..Self::default() }
    }

    /// Takes in what it is made of. Why that could not be counted is a finding, or why nothing of it can be read.
    pub fn take_contents(&mut self, counted: Result<Contents, String>) {
        match counted {
            Ok(contents) => self.contents = Some(contents),
            Err(because) => match self.layers.first() {
                Some(layer) => {
                    let at = Origin::new(*layer, &*self.file, "");
                    self.findings.push(Finding::new(FindingKind::Unreadable, at, because));
                }
                None => self.unreadable = Some(because),
            },
        }
    }

    /// How many findings there are of each kind, by its name.
    pub fn findings_by_kind(&self) -> Vec<(&'static str, usize)> {
        let mut kinds: Vec<(&'static str, usize)> = Vec::new();
        for finding in &self.findings {
            let name = finding.kind.name();
            match kinds.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => kinds.push((name, 1)),
            }
        }
        kinds.sort_unstable();
        kinds
    }

    /// One word for how the place is: `ok`, `findings` or `unreadable`.
    pub fn health(&self) -> &'static str {
        match (&self.unreadable, self.findings.is_empty()) {
            (Some(_), _) => "unreadable",
            (None, false) => "findings",
            (None, true) => "ok",
        }
    }
}
