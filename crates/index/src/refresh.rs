//! Brings the index up to date: asks what changed, and writes only that.
//!
//! Nothing changed is found out without a lock. Otherwise one process writes, and others wait for it a little and then use what there
//! is. Marks are stored with the last of the rows that they vouch for, so a killed process merely reads some
//! conversations again; those that were written already keep their rows.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use backscroll_model::{ConversationId, SourceError};
use jiff::Timestamp;
use rusqlite::Connection;

use crate::IndexError;
use crate::database;
use crate::feed::{Changed, Entries, Entry, Feed, Marks, Which};
use crate::folder::Folder;
use crate::write::{
    Known, Ledger, Prepared, Writer, in_order, known, marks, prepare, sources_with_unknown_findings,
};

/// Threads that read and make words, beside the one that writes.
const WORKERS: usize = 2;

/// A transaction is ended after this many messages, so that a refresh of very much does not hold everything in the log.
const MESSAGES_AT_ONCE: usize = 20_000;

/// Where there is no old state to read, it is worth waiting for the process that is making one.
const PATIENCE_WITHOUT_ANY: Duration = Duration::from_secs(60);

/// How to refresh.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// What time it is.
    pub now: Timestamp,
    /// Begin anew, whatever is there.
    pub anew: bool,
    /// How long to wait for somebody else who is just writing.
    pub patience: Duration,
    /// Do nothing if there is no usable index, or if more conversations changed than this.
    pub at_most: Option<usize>,
}

impl Manner {
    /// Whatever is needed.
    pub fn ordinary(now: Timestamp) -> Self {
        Self { now, anew: false, patience: Duration::from_secs(2), at_most: None }
    }

    fn allows(&self, which: &Which) -> bool {
        match (self.at_most, which) {
            (None, _) => true,
            (Some(most), Which::These(ids)) => ids.len() <= most,
            (Some(_), Which::Any) => false,
        }
    }
}

/// What became of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// It was up to date.
    Fresh,
    /// So many conversations were written or removed.
    Updated(usize),
    /// It was made, with this many conversations.
    Built(usize),
    /// Somebody else is just writing it: it is as it was before.
    Busy,
    /// More changed than was allowed, or there is none: nothing was done.
    LeftAlone,
}

/// The account of a refresh.
#[derive(Debug)]
pub struct Refreshed {
    /// What became of the index.
    pub became: Became,
    /// Places that could not be read; what the index has of them is as it was before.
    pub unreadable: Vec<SourceError>,
}

/// Receives how far a refresh is: conversations done, and how many there are.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Brings the index in `folder` up to date with what `feed` has.
pub fn refresh(
    folder: &Path,
    feed: &dyn Feed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let folder = Folder::at(folder);
    let old = if manner.anew { None } else { stored_marks(&folder)? };
    let Some(old) = old else {
        return if manner.at_most.is_some() {
            Ok(Refreshed { became: Became::LeftAlone, unreadable: Vec::new() })
        } else {
            make(&folder, feed, manner, progress)
        };
    };
    let changed = feed.changes(&old);
    if changed.which.is_nothing() && changed.marks == old {
        return Ok(Refreshed { became: Became::Fresh, unreadable: changed.unreadable });
    }
    if !manner.allows(&changed.which) {
        return Ok(Refreshed { became: Became::LeftAlone, unreadable: changed.unreadable });
    }
    match follow(&folder, feed, &old, changed, manner, progress) {
        Err(error) if error.is_damage() && manner.at_most.is_none() => make(&folder, feed, manner, progress),
        followed => followed,
    }
}

/// Brings an index that is there up to date.
fn follow(
    folder: &Folder,
    feed: &dyn Feed,
    old: &Marks,
    changed: Changed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let Some(_lock) = folder.lock(manner.patience)? else {
        return Ok(Refreshed { became: Became::Busy, unreadable: changed.unreadable });
    };
    let Some(connection) = current(folder)? else {
        return Ok(Refreshed { became: Became::Busy, unreadable: changed.unreadable });
    };
    // Somebody else may have brought it up to date meanwhile.
    let now = marks(&connection)?;
    let changed = if now == *old { changed } else { feed.changes(&now) };
    update(&connection, feed, changed, manner, progress)
}

/// Looks for what is not as it should be in sources that changed since that was last looked for; gives whether all is
/// known now. A search does not need it, so an ordinary refresh leaves it.
pub fn refresh_findings(folder: &Path, feed: &dyn Feed, patience: Duration) -> Result<bool, IndexError> {
    let folder = Folder::at(folder);
    let Some(_lock) = folder.lock(patience)? else { return Ok(false) };
    let Some(connection) = current(&folder)? else { return Ok(false) };
    let unknown = sources_with_unknown_findings(&connection)?;
    let Some(found) = feed.findings(&unknown) else { return Ok(false) };
    connection.execute_batch("BEGIN IMMEDIATE")?;
    Ledger::of(&connection).keep_findings(&found)?;
    connection.execute_batch("COMMIT")?;
    Ok(unknown.iter().all(|source| found.contains_key(source)))
}

/// The marks of the current index; `None` if there is none that can be used.
fn stored_marks(folder: &Folder) -> Result<Option<Marks>, IndexError> {
    let Some(file) = folder.current() else { return Ok(None) };
    match database::open_to_read(&file) {
        Ok(Some(connection)) => Ok(marks(&connection).ok()),
        // Of another version, or no database at all: a cache is made anew.
        Ok(None) | Err(IndexError::Database(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn current(folder: &Folder) -> Result<Option<Connection>, IndexError> {
    folder.current().map_or(Ok(None), |file| database::open_to_write(&file))
}

/// Makes the index from nothing.
fn make(
    folder: &Folder,
    feed: &dyn Feed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    folder.make()?;
    let before = folder.current();
    let patience = if before.is_some() { manner.patience } else { manner.patience.max(PATIENCE_WITHOUT_ANY) };
    let Some(_lock) = folder.lock(patience)? else {
        return Ok(Refreshed { became: Became::Busy, unreadable: Vec::new() });
    };
    let is_usable = |file: &Path| matches!(database::open_to_read(file), Ok(Some(_)));
    if let Some(current) = folder.current().filter(|current| is_usable(current)) {
        if before.as_ref() != Some(&current) {
            // The holder of the lock has just made one.
            return Ok(Refreshed { became: Became::Updated(0), unreadable: Vec::new() });
        }
        folder.remove_others(&current);
    }
    let file = folder.next();
    let connection = database::create(&file)?;
    let changed = feed.changes(&Marks::new());
    let entries = feed.all();
    let count = entries.entries.len();
    let mut writing = Writing::of(&connection, feed, manner.now)?;
    let unreadable = writing.finish_with(entries, changed, &HashMap::new(), progress, None)?;
    database::finish(connection)?;
    folder.make_current(&file)?;
    Ok(Refreshed { became: Became::Built(count), unreadable })
}

/// Writes what changed into an index that is there.
fn update(
    connection: &Connection,
    feed: &dyn Feed,
    changed: Changed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let entries = match &changed.which {
        Which::These(ids) if ids.is_empty() => Entries::default(),
        Which::These(ids) => feed.those(ids),
        Which::Any => feed.all(),
    };
    let there: BTreeSet<ConversationId> =
        entries.entries.iter().map(|entry| entry.in_all.id.clone()).collect();
    let gone = gone(connection, &changed, &entries, &there)?;
    let known = known(connection, &there)?;
    let count = there.len() + gone.len();
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut writing = Writing::of(connection, feed, manner.now)?;
    for id in &gone {
        writing.writer.remove(id.as_str())?;
    }
    let unreadable =
        writing.finish_with(entries, changed, &known, progress, Some("COMMIT; BEGIN IMMEDIATE"))?;
    connection.execute_batch("COMMIT")?;
    Ok(Refreshed { became: Became::Updated(count), unreadable })
}

/// Conversations that the index has and no source has any more. While a place cannot be read, nothing is gone.
fn gone(
    connection: &Connection,
    changed: &Changed,
    entries: &Entries,
    there: &BTreeSet<ConversationId>,
) -> Result<Vec<ConversationId>, IndexError> {
    if !changed.unreadable.is_empty() || !entries.unreadable.is_empty() {
        return Ok(Vec::new());
    }
    match &changed.which {
        Which::These(ids) => Ok(ids.difference(there).cloned().collect()),
        Which::Any => {
            let mut all = connection.prepare("SELECT id FROM conversation")?;
            let ids = all.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
            let ids = ids.into_iter().map(ConversationId::new);
            Ok(ids.filter(|id| !there.contains(id)).collect())
        }
    }
}

/// An index that is being written.
struct Writing<'a> {
    connection: &'a Connection,
    feed: &'a dyn Feed,
    writer: Writer<'a>,
    now: Timestamp,
}

impl<'a> Writing<'a> {
    fn of(connection: &'a Connection, feed: &'a dyn Feed, now: Timestamp) -> Result<Self, IndexError> {
        Ok(Self { connection, feed, writer: Writer::of(connection)?, now })
    }

    /// Writes all entries, the oldest first, and then the marks. `between` is run where a transaction may end.
    fn finish_with(
        &mut self,
        entries: Entries,
        changed: Changed,
        known: &HashMap<ConversationId, Known>,
        progress: Progress<'_>,
        between: Option<&str>,
    ) -> Result<Vec<SourceError>, IndexError> {
        let mut waiting = entries.entries;
        waiting.sort_by_cached_key(|entry| (entry.in_all.recency(), entry.in_all.id.clone()));
        let (mut done, mut since_commit) = (0, 0);
        let make = |number: usize| -> Prepared {
            let entry: &Entry = &waiting[number];
            prepare(self.feed, entry.clone(), known.get(&entry.in_all.id))
        };
        in_order(waiting.len(), WORKERS, make, |prepared| {
            self.writer.put(&prepared)?;
            done += 1;
            since_commit += prepared.messages.len();
            if let Some(between) = between.filter(|_| since_commit >= MESSAGES_AT_ONCE) {
                self.writer.settle()?;
                self.connection.execute_batch(between)?;
                since_commit = 0;
            }
            progress(done, waiting.len());
            Ok::<_, IndexError>(())
        })?;
        self.writer.settle()?;
        let ledger = Ledger::of(self.connection);
        ledger.keep_marks(&changed.marks, &changed.sources)?;
        ledger.keep_findings(&entries.findings)?;
        ledger.note("refreshed_at", self.now.as_millisecond())?;
        Ok(changed.unreadable.into_iter().chain(entries.unreadable).collect())
    }
}
