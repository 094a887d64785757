//! Brings the index up to date, in two steps. The heads ([`refresh_heads`]) are what every command needs: the catalogue of
//! all stores and what a listing shows. The words ([`refresh`]) are read when somebody searches.
//!
//! Nothing changed is found out without a lock. Otherwise one process writes, and others wait for it a little. Marks are
//! stored with the last of the rows that they vouch for, so a killed process merely reads some conversations again;
//! those that were written already keep their rows.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use backscroll_model::{ConversationId, SourceError, Summary, Workspace};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::database::Statements as _;
use crate::feed::{Catalogues, Feed, Located};
use crate::folder::Folder;
use crate::heads::{self, located};
use crate::index::FILES;
use crate::said;
use crate::write::{Known, Ledger, Prepared, QUEUE, Writer, known, prepare};
use crate::{Index, IndexError, LeftOver, database};

/// A transaction is ended after this many messages, so that a refresh of very much does not hold everything in the log.
const MESSAGES_AT_ONCE: usize = 20_000;

/// This many conversations are located at once.
const LOCATED_AT_ONCE: usize = 2_000;

/// Where there is no old state to read, it is worth waiting for the process that is making one.
const PATIENCE_WITHOUT_ANY: Duration = Duration::from_secs(60);

/// How to refresh.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// What time it is.
    pub now: Timestamp,
    /// Begin anew, whatever is there.
    pub anew: bool,
    /// How long to wait for another process that is just writing.
    pub patience: Duration,
}

impl Manner {
    /// Whatever is needed.
    pub fn ordinary(now: Timestamp) -> Self {
        Self { now, anew: false, patience: Duration::from_secs(2) }
    }
}

/// What became of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// It was up to date.
    Fresh,
    /// This many conversations were written or removed.
    Updated(usize),
    /// It was made, with this many conversations.
    Built(usize),
    /// Another process is just writing it: it is as it was before.
    Busy,
}

/// The account of a refresh.
#[derive(Debug)]
pub struct Refreshed {
    /// What became of the index.
    pub became: Became,
    /// Stores that could not be read.
    pub unreadable: Vec<SourceError>,
    /// The conversations that were written and of which something could not be read.
    pub losses: Vec<ConversationId>,
    /// Whether messages told another workspace than was known, so that listings are others.
    pub has_told: bool,
}

impl Refreshed {
    /// An account of a refresh that wrote nothing.
    fn idle(became: Became) -> Self {
        Self { became, unreadable: Vec::new(), losses: Vec::new(), has_told: false }
    }
}

/// Receives how far a refresh is: conversations done, and how many there are.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Brings the heads up to date, and gives the index in `folder`, which then can be asked for them; `None` if another process
/// is writing it.
pub fn refresh_heads(
    folder: &Path,
    feed: &dyn Catalogues,
    patience: Duration,
) -> Result<Option<(Index, Vec<SourceError>)>, IndexError> {
    let folder = &Folder::at(folder);
    if let Ok(Some(index)) = Index::open(folder.path())
        && heads::is_outdated(index.connection(), feed).is_ok_and(|is_outdated| !is_outdated)
    {
        return Ok(Some((index, Vec::new())));
    }
    folder.make()?;
    let Some(_lock) = folder.lock(patience)? else { return Ok(None) };
    let unreadable = match write_current(folder, |connection| update_heads(connection, feed)) {
        Ok(Some(unreadable)) => unreadable,
        Err(error) if !error.is_damage() => return Err(error),
        // A file of another version, or one that is damaged: it is a cache, and made anew.
        Ok(None) | Err(_) => build(folder, false, |connection| heads::refresh(connection, feed))?,
    };
    Ok(Index::open(folder.path())?.map(|index| (index, unreadable)))
}

pub(crate) fn update_heads(
    connection: &Connection,
    feed: &dyn Catalogues,
) -> Result<Vec<SourceError>, IndexError> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let unreadable = heads::refresh(connection, feed)?;
    transaction.commit()?;
    Ok(unreadable)
}

/// Lets `write` change the current file; `None` if there is none. Where that fails, the disk has the room again that it took.
fn write_current<T>(
    folder: &Folder,
    write: impl FnOnce(&Connection) -> Result<T, IndexError>,
) -> Result<Option<T>, IndexError> {
    let Some(file) = folder.current() else { return Ok(None) };
    let Some(connection) = database::open_to_write(&file)? else { return Ok(None) };
    let written = write(&connection);
    if written.is_err() && !database::shorten_log(&connection) {
        drop(connection);
        folder.remove_index();
    }
    written.map(Some)
}

/// Lets `work` fill a new file, which then becomes the current one. Where that fails or leaves no room for others, nothing of it stays.
fn build<T>(
    folder: &Folder,
    is_synced: bool,
    work: impl FnOnce(&Connection) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    let file = folder.begin()?;
    let built = database::create(&file).and_then(|connection| {
        let done = work(&connection)?;
        database::finish(connection)?;
        folder.check_room(&file)?;
        folder.make_current(&file, is_synced)?;
        Ok(done)
    });
    if built.is_err() {
        folder.remove_unfinished(&file);
    }
    built
}

/// Brings heads and words of the index in `folder` up to date with what `feed` has.
pub fn refresh(
    folder: &Path,
    feed: &dyn Feed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let folder = Folder::at(folder);
    let known = if manner.anew { None } else { usable(&folder)? };
    let Some(index) = known else { return make(&folder, feed, manner, progress) };
    match follow_if_outdated(&folder, index, feed, manner, progress) {
        Ok(Some(refreshed)) => Ok(refreshed),
        Ok(None) => make(&folder, feed, manner, progress),
        Err(error) if error.is_damage() => make(&folder, feed, manner, progress),
        Err(error) => Err(error),
    }
}

/// Brings the index up to date; `None` if that is faster with a new file.
fn follow_if_outdated(
    folder: &Folder,
    index: Index,
    feed: &dyn Feed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Option<Refreshed>, IndexError> {
    let connection = index.connection();
    if !heads::is_outdated(connection, feed.catalogues())? && !has_stale(connection)? {
        return Ok(Some(Refreshed::idle(Became::Fresh)));
    }
    // What no word is in is filled faster as a new file.
    let is_empty = index.conversations()? == 0;
    drop(index);
    if is_empty {
        return Ok(None);
    }
    follow(folder, feed, manner, progress).map(Some)
}

/// The index that is there, if it can be used.
fn usable(folder: &Folder) -> Result<Option<Index>, IndexError> {
    match Index::open(folder.path()) {
        // Of another version, or no database at all: a cache is made anew.
        Err(IndexError::Database(_)) => Ok(None),
        opened => opened,
    }
}

/// Whether there are conversations whose words are not there, or words of conversations that are gone.
fn has_stale(connection: &Connection) -> Result<bool, IndexError> {
    let stale = "SELECT EXISTS (SELECT 1 FROM head WHERE is_stale = 1) OR EXISTS (SELECT 1 FROM gone)";
    Ok(connection.one(stale, [], |row| row.get(0))?.unwrap_or_default())
}

/// Brings an index that is there up to date.
fn follow(
    folder: &Folder,
    feed: &dyn Feed,
    manner: Manner,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let busy = Refreshed::idle(Became::Busy);
    let Some(_lock) = folder.lock(manner.patience)? else { return Ok(busy) };
    let updated = write_current(folder, |connection| update(connection, feed, manner.now, progress))?;
    Ok(updated.unwrap_or(busy))
}

/// Brings heads and words of an index up to date.
pub(crate) fn update(
    connection: &Connection,
    feed: &dyn Feed,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Refreshed, IndexError> {
    let unreadable = update_heads(connection, feed.catalogues())?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let mut writing = Writing::new(connection, feed, &unreadable, Some("COMMIT; BEGIN IMMEDIATE"))?;
    let count = writing.write(now, progress)?;
    transaction.commit()?;
    let Writing { losses, has_told, .. } = writing;
    Ok(Refreshed { became: Became::Updated(count), unreadable, losses, has_told })
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
    let has_words = |file: &Path| match database::open_to_read(file) {
        Ok(Some(connection)) => Index::over(connection).conversations().is_ok_and(|count| count > 0),
        _ => false,
    };
    let is_waiting = before.as_ref().is_none_or(|file| !has_words(file));
    let patience = if is_waiting { manner.patience.max(PATIENCE_WITHOUT_ANY) } else { manner.patience };
    let Some(_lock) = folder.lock(patience)? else {
        return Ok(Refreshed::idle(Became::Busy));
    };
    if let Some(current) = folder.current().filter(|current| has_words(current)) {
        if before.as_ref() != Some(&current) {
            // The holder of the lock has just made one.
            return Ok(Refreshed::idle(Became::Updated(0)));
        }
        folder.remove_others(&current);
    }
    let old = usable(folder).ok().flatten().filter(|_| !manner.anew);
    let files = old.and_then(|index| index.noted_files().ok());
    let made = build(folder, true, |connection| {
        Ledger::new(connection).note(FILES, files.unwrap_or_default())?;
        let unreadable = heads::refresh(connection, feed.catalogues())?;
        let mut writing = Writing::new(connection, feed, &unreadable, None)?;
        let became = Became::Built(writing.write(manner.now, progress)?);
        let Writing { losses, has_told, .. } = writing;
        Ok(Refreshed { became, unreadable, losses, has_told })
    });
    if made.is_err() && !folder.current().is_some_and(|file| has_words(&file)) {
        // Where there is no room for words, the heads have taken the last of it.
        folder.remove_index();
    }
    made
}

/// An index whose words are being written.
struct Writing<'a> {
    connection: &'a Connection,
    feed: &'a dyn Feed,
    writer: Writer<'a>,
    sources: HashMap<String, usize>,
    /// While a store cannot be read, nothing is gone.
    is_all_read: bool,
    /// Run where a transaction may end.
    between: Option<&'a str>,
    /// Conversations that were written and are still marked as stale.
    written: Vec<Written>,
    /// How many findings say that something of them could not be read.
    losses: Vec<ConversationId>,
    has_told: bool,
}

/// A conversation that was written.
struct Written {
    id: ConversationId,
    /// Of prompts that were stored apart: what is left of them.
    left_over: LeftOver,
    told: Option<Workspace>,
    /// Whether its messages could not be read, so that nobody knows what they tell.
    is_unread: bool,
    mentions: Vec<String>,
}

/// A conversation whose words are not there.
struct Stale {
    summary: Summary,
    is_prompts: bool,
    located: Vec<Located>,
}

impl<'a> Writing<'a> {
    fn new(
        connection: &'a Connection,
        feed: &'a dyn Feed,
        unreadable: &[SourceError],
        between: Option<&'a str>,
    ) -> Result<Self, IndexError> {
        let names =
            feed.catalogues().sources().iter().enumerate().map(|(at, source)| (source.name.clone(), at));
        Ok(Self {
            connection,
            feed,
            writer: Writer::new(connection, between.is_none())?,
            sources: names.collect(),
            is_all_read: unreadable.is_empty(),
            between,
            written: Vec::new(),
            losses: Vec::new(),
            has_told: false,
        })
    }

    /// Writes the words of everything that is stale, the oldest first; gives how many conversations that were.
    fn write(&mut self, now: Timestamp, progress: Progress<'_>) -> Result<usize, IndexError> {
        let mut gone: Vec<ConversationId> = Vec::new();
        if self.is_all_read {
            gone = self.connection.all("SELECT id FROM gone", [], database::id)?;
        }
        for id in &gone {
            self.writer.remove(id.as_str())?;
        }
        let sql = "SELECT id FROM head WHERE is_stale = 1 ORDER BY recency, id";
        let stale: Vec<ConversationId> = self.connection.all(sql, [], database::id)?;
        let mut done = 0;
        for ids in stale.chunks(LOCATED_AT_ONCE) {
            self.write_some(ids, &mut |count| progress(done + count, stale.len()))?;
            done += ids.len();
        }
        self.settle()?;
        if !gone.is_empty() {
            self.connection.execute("DELETE FROM gone", [])?;
        }
        Ledger::new(self.connection).note("refreshed_at", now.as_millisecond())?;
        Ok(stale.len() + gone.len())
    }

    fn write_some(
        &mut self,
        ids: &[ConversationId],
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), IndexError> {
        let stale = ids.iter().map(|id| self.stale(id)).collect::<Result<Vec<_>, _>>()?;
        let known: HashMap<ConversationId, Known> =
            known(self.connection, &ids.iter().cloned().collect::<BTreeSet<_>>())?;
        let (mut done, mut since_commit) = (0, 0);
        let feed = self.feed;
        let make = |at: usize| -> Prepared {
            let Stale { summary, is_prompts, located } = &stale[at];
            prepare(feed, summary.clone(), *is_prompts, located, known.get(&summary.id))
        };
        QUEUE.run(stale.len(), make, Prepared::weight, |_, prepared| {
            since_commit += prepared.messages.len();
            self.losses.extend((prepared.losses > 0).then(|| prepared.summary.id.clone()));
            self.put(prepared)?;
            done += 1;
            if let Some(between) = self.between.filter(|_| since_commit >= MESSAGES_AT_ONCE) {
                self.settle()?;
                self.connection.execute_batch(between)?;
                since_commit = 0;
            }
            progress(done);
            Ok::<_, IndexError>(())
        })
    }

    fn stale(&self, id: &ConversationId) -> Result<Stale, IndexError> {
        let mut find =
            self.connection.prepare_cached("SELECT summary, is_prompts FROM head WHERE id = ?1")?;
        let (summary, is_prompts): (String, bool) =
            find.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let located = located(self.connection, id, &self.sources)?;
        Ok(Stale { summary: serde_json::from_str(&summary)?, is_prompts, located })
    }

    fn put(&mut self, prepared: Prepared) -> Result<(), IndexError> {
        let id = prepared.summary.id.clone();
        let is_nothing = prepared.is_prompts && !prepared.is_loaded && prepared.trouble.is_none();
        if is_nothing {
            self.writer.remove(id.as_str())?;
        } else {
            self.writer.put(&prepared)?;
        }
        let left_over = match prepared.is_prompts && prepared.trouble.is_none() {
            false => LeftOver::Unknown,
            true if is_nothing => LeftOver::Nothing,
            true => LeftOver::Some(Box::new(prepared.summary.clone())),
        };
        let Prepared { told, mentions, trouble, .. } = prepared;
        self.written.push(Written { id, left_over, told, is_unread: trouble.is_some(), mentions });
        Ok(())
    }

    /// Settles what depends on several conversations, and says of those that were written that they are. Such rows are
    /// changed at the end of a transaction only: see [`Writer`].
    fn settle(&mut self) -> Result<(), IndexError> {
        self.writer.settle()?;
        said::keep(self.connection, &self.feed.take_said())?;
        for Written { id, left_over, told, is_unread, mentions } in self.written.drain(..) {
            let id = id.as_str();
            let left_over = match left_over {
                LeftOver::Unknown => None,
                LeftOver::Nothing => Some("null".to_owned()),
                LeftOver::Some(left) => Some(serde_json::to_string(&left)?),
            };
            let sql = "UPDATE head SET is_stale = 0, left_over = ?2 WHERE id = ?1";
            self.connection.run(sql, (id, left_over))?;
            let told = told.as_ref().map(serde_json::to_string).transpose()?;
            let sql =
                "UPDATE head SET told = ?2, stamp = stamp + 1 WHERE id = ?1 AND told IS NOT ?2 AND NOT ?3";
            self.has_told |= self.connection.prepare_cached(sql)?.execute((id, told, is_unread))? > 0;
            self.connection.run("DELETE FROM mention WHERE id = ?1", [id])?;
            for name in mentions {
                let sql = "INSERT OR IGNORE INTO mention (name, id) VALUES (?1, ?2)";
                self.connection.run(sql, (name, id))?;
            }
        }
        Ok(())
    }
}
