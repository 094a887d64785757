//! The catalogue of all stores, and what a listing has of each conversation: kept between runs, brought up to date by the
//! stamps of stores.
//!
//! A store whose stamp is the old one is not opened. Of any other its catalogue is compared with the one that is kept, and
//! the conversations that differ are merged again, out of what is kept of the other stores.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{
    Catalogue, CatalogueEntry, Catalogued, ConversationId, Finding, Flag, Fragment, FragmentKind, Mark,
    SourceError, Store, Summary,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use crate::IndexError;
use crate::codes::{code, of_code};
use crate::database::{self, Statements as _};
use crate::feed::{Catalogues, Located, MergedHead, SourceStores};
use crate::index::from_json;
use crate::said::Said;
use crate::write::{Ledger, QUEUE};

/// The fact that counts how often heads changed.
pub(crate) const GENERATION: &str = "generation";

/// The ending of a plan's file, which stands for any plan.
pub const ANY_PLAN: &str = ".plan.md";

/// Whether any source has other stores, or stores with other stamps, than when the heads were last brought up to date.
pub(crate) fn is_outdated(connection: &Connection, feed: &dyn Catalogues) -> Result<bool, IndexError> {
    let known = known_sources(connection)?;
    let sources = feed.sources();
    let is_same = |source: &SourceStores| known.get(&source.name) == Some(&stamp_of(source));
    Ok(sources.len() != known.len() || !sources.iter().all(is_same))
}

fn known_sources(connection: &Connection) -> Result<HashMap<String, i64>, IndexError> {
    connection.all("SELECT name, stamp FROM source", [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// One number for all stores of a source; never 0.
fn stamp_of(source: &SourceStores) -> i64 {
    let mut hasher = DefaultHasher::new();
    for store in &source.stores {
        (store.path.as_os_str(), store.stamp).hash(&mut hasher);
    }
    hasher.finish().cast_signed() | 1
}

/// Brings catalogue and heads up to date, inside of a transaction. Gives the stores that could not be read: nothing of them is in
/// the index, and they are tried again next time.
pub(crate) fn refresh(
    connection: &Connection,
    feed: &dyn Catalogues,
) -> Result<Vec<SourceError>, IndexError> {
    let mut refreshing = Refreshing {
        connection,
        feed,
        changed: BTreeSet::new(),
        mentioned: BTreeSet::new(),
        workspaces: BTreeSet::new(),
        stores: BTreeSet::new(),
        unreadable: Vec::new(),
        failed: HashSet::new(),
    };
    let known = known_sources(connection)?;
    let names: HashSet<&str> = feed.sources().iter().map(|source| source.name.as_str()).collect();
    for gone in known.keys().filter(|name| !names.contains(name.as_str())) {
        refreshing.remove_source(gone)?;
    }
    let is_other = |source: &SourceStores| known.get(&source.name) != Some(&stamp_of(source));
    let others: Vec<usize> =
        feed.sources().iter().enumerate().filter(|(_, source)| is_other(source)).map(|(at, _)| at).collect();
    let mut jobs = Vec::new();
    for source in &others {
        jobs.extend(refreshing.jobs(*source)?);
    }
    refreshing.run(&jobs)?;
    for source in others {
        let stores = &feed.sources()[source];
        let stamp = if refreshing.failed.contains(&source) { 0 } else { stamp_of(stores) };
        connection.run("DELETE FROM source WHERE name = ?1", [&stores.name])?;
        connection.run("INSERT INTO source (name, stamp) VALUES (?1, ?2)", (&stores.name, stamp))?;
    }
    let facts = Ledger::new(connection);
    let generation = facts.noted::<i64>(GENERATION)?.unwrap_or(0) + 1;
    refreshing.merge_changed(generation)?;
    refreshing.forget_left_over()?;
    refreshing.mark_mentioning()?;
    if !refreshing.changed.is_empty() {
        facts.note(GENERATION, generation)?;
    }
    Ok(refreshing.unreadable)
}

struct Refreshing<'a> {
    connection: &'a Connection,
    feed: &'a dyn Catalogues,
    changed: BTreeSet<ConversationId>,
    /// Names of files that changed and that conversations may mention.
    mentioned: BTreeSet<String>,
    /// The workspaces that conversations which changed are of, or were of.
    workspaces: BTreeSet<String>,
    /// Stores in which something changed.
    stores: BTreeSet<i64>,
    unreadable: Vec<SourceError>,
    /// Sources with a store that could not be read.
    failed: HashSet<usize>,
}

/// A store whose catalogue is asked for.
struct Job {
    source: usize,
    store: Store,
    number: i64,
    /// What is remembered of a store that is not new.
    since: Option<Mark>,
    is_new: bool,
}

/// About how many bytes a catalogue takes in memory.
fn weight(catalogue: &Result<Catalogue, SourceError>) -> usize {
    let heads =
        |catalogue: &Catalogue| catalogue.entries.iter().map(|entry| entry.heads.len()).sum::<usize>();
    100 + catalogue.as_ref().map_or(0, heads) * 1_000
}

impl Refreshing<'_> {
    /// The stores of a source that are new or have another stamp. Those that are gone are removed.
    fn jobs(&mut self, source: usize) -> Result<Vec<Job>, IndexError> {
        let SourceStores { name, is_editor, stores, .. } = &self.feed.sources()[source];
        let sql = "SELECT path, number, stamp, mark FROM store WHERE source = ?1";
        let mut known: HashMap<Vec<u8>, (i64, i64, String)> = self
            .connection
            .all(sql, [name], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?;
        let mut jobs = Vec::new();
        for store in stores {
            let path = bytes_of(&store.path);
            match known.remove(&path) {
                Some((_, stamp, _)) if stamp == store.stamp.cast_signed() => {}
                Some((number, _, mark)) => {
                    let since = (!mark.is_empty()).then_some(Mark(mark));
                    jobs.push(Job { source, store: store.clone(), number, since, is_new: false });
                }
                None => {
                    let mut insert = self.connection.prepare_cached(
                        "INSERT INTO store (source, path, is_editor, stamp, mark) VALUES (?1, ?2, ?3, 0, '')",
                    )?;
                    let number = insert.insert(params![name, path, is_editor])?;
                    jobs.push(Job { source, store: store.clone(), number, since: None, is_new: true });
                }
            }
        }
        for (number, ..) in known.into_values() {
            self.remove_store(number)?;
        }
        Ok(jobs)
    }

    fn remove_source(&mut self, name: &str) -> Result<(), IndexError> {
        let sql = "SELECT number FROM store WHERE source = ?1";
        let stores: Vec<i64> = self.connection.all(sql, [name], |row| row.get(0))?;
        for number in stores {
            self.remove_store(number)?;
        }
        self.connection.run("DELETE FROM source WHERE name = ?1", [name])
    }

    fn remove_store(&mut self, number: i64) -> Result<(), IndexError> {
        self.remove_entries(number)?;
        self.connection.run("DELETE FROM store WHERE number = ?1", [number])
    }

    fn remove_entries(&mut self, store: i64) -> Result<(), IndexError> {
        self.stores.insert(store);
        let sql = "SELECT DISTINCT id FROM entry WHERE store = ?1";
        let ids: Vec<ConversationId> = self.connection.all(sql, [store], database::id)?;
        self.mentioned.extend(ids.iter().map(|id| id.as_str().to_owned()));
        self.changed.extend(ids);
        self.connection.run("DELETE FROM entry WHERE store = ?1", [store])?;
        self.connection.run("DELETE FROM finding WHERE store = ?1", [store])
    }

    /// Asks for all catalogues, two at a time, and keeps them in their order.
    fn run(&mut self, jobs: &[Job]) -> Result<(), IndexError> {
        let feed = self.feed;
        let ask = |at: usize| {
            let job: &Job = &jobs[at];
            feed.catalogue(job.source, &job.store, job.since.as_ref())
        };
        QUEUE.run(jobs.len(), ask, weight, |at, catalogue| self.keep(&jobs[at], catalogue))
    }

    fn keep(&mut self, job: &Job, catalogue: Result<Catalogue, SourceError>) -> Result<(), IndexError> {
        match catalogue {
            Ok(catalogue) => self.keep_catalogue(job, catalogue),
            Err(error) => {
                self.unreadable.push(error);
                self.failed.insert(job.source);
                self.remove_entries(job.number)?;
                self.set_store(job.number, 0, "")
            }
        }
    }

    fn set_store(&self, number: i64, stamp: u64, mark: &str) -> Result<(), IndexError> {
        let sql = "UPDATE store SET stamp = ?2, mark = ?3 WHERE number = ?1";
        self.connection.run(sql, (number, stamp.cast_signed(), mark))
    }

    fn keep_catalogue(&mut self, job: &Job, catalogue: Catalogue) -> Result<(), IndexError> {
        let Catalogue { entries, changed, mark, findings } = catalogue;
        let mut known = BTreeMap::new();
        match &changed {
            // What changed is written anew, whatever it was.
            Some(changed) => {
                for id in changed {
                    self.remove_entry(job.number, id.as_str(), None)?;
                }
                self.note_changed(job, changed.iter());
            }
            None if job.is_new => {}
            None => known = self.known_entries(job.number)?,
        }
        for catalogued in entries {
            let key = key_of(&catalogued.entry);
            let is_same = known.remove(&key) == Some(catalogued.stamp.cast_signed());
            if !is_same {
                self.put_entry(job, &key, &catalogued)?;
                self.note_changed(job, [&catalogued.entry.id]);
            }
        }
        for ((id, kind, file), _) in known {
            self.remove_entry(job.number, &id, Some((kind, &file)))?;
            self.note_changed(job, [&ConversationId::new(id)]);
        }
        self.put_findings(job.number, "", &findings)?;
        self.set_store(job.number, job.store.stamp, &mark.0)
    }

    fn note_changed<'i>(&mut self, job: &Job, ids: impl IntoIterator<Item = &'i ConversationId>) {
        for id in ids {
            if self.feed.sources()[job.source].is_mentioned {
                self.mentioned.insert(id.as_str().to_owned());
            } else {
                self.changed.insert(id.clone());
                self.stores.insert(job.number);
            }
        }
    }

    fn known_entries(&self, store: i64) -> Result<BTreeMap<EntryKey, i64>, IndexError> {
        let sql = "SELECT id, kind, file, stamp FROM entry WHERE store = ?1";
        let read = |row: &Row<'_>| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?));
        self.connection.all(sql, [store], read)
    }

    fn put_entry(&self, job: &Job, key: &EntryKey, catalogued: &Catalogued) -> Result<(), IndexError> {
        let (id, kind, file) = key;
        if !job.is_new {
            self.remove_entry(job.number, id, Some((*kind, file)))?;
        }
        let parent = catalogued.entry.parent.as_ref().map(ConversationId::as_str);
        let heads = serde_json::to_string(&catalogued.heads)?;
        self.connection.run(
            "INSERT INTO entry (id, store, kind, file, parent, stamp, heads) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![id, job.number, kind, file, parent, catalogued.stamp.cast_signed(), heads],
        )?;
        let findings: Vec<Finding> =
            catalogued.heads.iter().flat_map(|head| head.findings.iter().cloned()).collect();
        if job.is_new && findings.is_empty() {
            return Ok(());
        }
        self.put_findings(job.number, id, &findings)
    }

    fn remove_entry(&self, store: i64, id: &str, only: Option<(i64, &[u8])>) -> Result<(), IndexError> {
        match only {
            Some((kind, file)) => self.connection.run(
                "DELETE FROM entry WHERE id = ?1 AND store = ?2 AND kind = ?3 AND file = ?4",
                params![id, store, kind, file],
            )?,
            None => self.connection.run("DELETE FROM entry WHERE id = ?1 AND store = ?2", (id, store))?,
        }
        self.connection.run("DELETE FROM finding WHERE store = ?1 AND id = ?2", (store, id))
    }

    /// Keeps what is wrong with a conversation in a store, or with the store as a whole.
    fn put_findings(&self, store: i64, id: &str, findings: &[Finding]) -> Result<(), IndexError> {
        self.connection.run("DELETE FROM finding WHERE store = ?1 AND id = ?2", (store, id))?;
        for (number, finding) in (0_i64..).zip(findings) {
            let sql = "INSERT INTO finding (store, id, number, finding) VALUES (?1, ?2, ?3, ?4)";
            self.connection.run(sql, (store, id, number, serde_json::to_string(finding)?))?;
        }
        Ok(())
    }

    /// Merges the heads of every conversation that changed.
    fn merge_changed(&mut self, generation: i64) -> Result<(), IndexError> {
        let numbers: HashMap<&str, usize> =
            self.feed.sources().iter().enumerate().map(|(at, source)| (source.name.as_str(), at)).collect();
        for id in &self.changed {
            let mut find = self.connection.prepare_cached(
                "SELECT store.source, store.path, entry.heads, entry.stamp FROM entry
                 JOIN store ON store.number = entry.store WHERE entry.id = ?1",
            )?;
            let mut rows = find.query([id.as_str()])?;
            // A source may know of a change that no stamp shows.
            let mut stamp = generation;
            let mut heads: Vec<(usize, Vec<u8>, Vec<Fragment>)> = Vec::new();
            while let Some(row) = rows.next()? {
                let source = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                let Some(source) = numbers.get(source) else { continue };
                let json = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
                let path: Vec<u8> = row.get(1)?;
                stamp = stamp.wrapping_add(row.get::<_, i64>(3)?);
                heads.push((*source, path, serde_json::from_str(json)?));
            }
            heads.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            let heads = heads
                .into_iter()
                .flat_map(|(source, _, heads)| heads.into_iter().map(move |head| (source, head)));
            let merged = self.feed.merge_heads(heads.collect());
            let sql = "DELETE FROM head WHERE id = ?1 RETURNING workspace, told";
            let had: Option<(Option<String>, Option<String>)> =
                self.connection.one(sql, [id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let is_gone = merged.is_none() && had.is_some();
            let (workspace, told) = had.unwrap_or_default();
            self.workspaces.extend(workspace);
            if let Some(merged) = merged {
                self.workspaces
                    .extend(merged.summary.workspace.iter().map(|workspace| workspace.path.clone()));
                put_head(self.connection, &merged, told, stamp)?;
                self.connection.run("DELETE FROM gone WHERE id = ?1", [id.as_str()])?;
            } else if is_gone {
                self.connection.run("INSERT INTO gone (id) VALUES (?1)", [id.as_str()])?;
            }
        }
        Ok(())
    }

    /// What is left of prompts depends on what the conversations beside them hold, and held before they changed.
    fn forget_left_over(&mut self) -> Result<(), IndexError> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let sql = "SELECT id, workspace FROM head WHERE is_prompts = 1";
        let all: Vec<(ConversationId, Option<String>)> =
            self.connection.all(sql, [], |row| Ok((database::id(row)?, row.get(1)?)))?;
        for (id, workspace) in all {
            // Prompts of no workspace may have been typed in any.
            let is_near = workspace.is_none_or(|workspace| self.workspaces.contains(&workspace));
            if is_near || self.changed.contains(&id) || self.is_store_changed(&id)? {
                let sql = "UPDATE head SET left_over = NULL, is_stale = 1, stamp = stamp + 1 WHERE id = ?1";
                self.connection.run(sql, [id.as_str()])?;
                self.changed.insert(id);
            }
        }
        Ok(())
    }

    /// Whether a conversation changed that the store of these prompts names, or named.
    fn is_store_changed(&self, prompts: &ConversationId) -> Result<bool, IndexError> {
        let sql = "SELECT id, store FROM entry WHERE store IN (SELECT store FROM entry WHERE id = ?1 AND kind = ?2)";
        let named: Vec<(ConversationId, i64)> =
            self.connection.all(sql, (prompts.as_str(), code(FragmentKind::Prompts)), |row| {
                Ok((database::id(row)?, row.get(1)?))
            })?;
        Ok(named.iter().any(|(id, store)| self.changed.contains(id) || self.stores.contains(store)))
    }

    /// Conversations that mention a file which changed are read again.
    fn mark_mentioning(&mut self) -> Result<(), IndexError> {
        for name in &self.mentioned {
            let any_plan = if name.ends_with(ANY_PLAN) { ANY_PLAN } else { name };
            let sql = "SELECT id FROM mention WHERE name = ?1 OR name = ?2";
            let ids: Vec<ConversationId> = self.connection.all(sql, [name, any_plan], database::id)?;
            for id in ids {
                let sql = "UPDATE head SET is_stale = 1, stamp = stamp + 1 WHERE id = ?1";
                self.connection.run(sql, [id.as_str()])?;
                self.changed.insert(id);
            }
        }
        Ok(())
    }
}

type EntryKey = (String, i64, Vec<u8>);

fn key_of(entry: &CatalogueEntry) -> EntryKey {
    let file = entry.file.strip_prefix(&entry.store).map(bytes_of).unwrap_or_default();
    (entry.id.as_str().to_owned(), code(entry.kind), file)
}

/// What messages `told` of the workspace is believed until they are read again.
fn put_head(
    connection: &Connection,
    merged: &MergedHead,
    told: Option<String>,
    stamp: i64,
) -> Result<(), IndexError> {
    let MergedHead { summary, findings, is_prompts } = merged;
    let findings = (!findings.is_empty()).then(|| serde_json::to_string(findings)).transpose()?;
    connection.run(
        "INSERT INTO head (id, summary, recency, workspace, told, has_messages, findings, is_prompts, left_over, is_stale,
             stamp)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, 1, ?9)",
        params![
            summary.id.as_str(),
            serde_json::to_string(summary)?,
            summary.recency().map(jiff::Timestamp::as_millisecond),
            summary.workspace.as_ref().map(|workspace| &workspace.path),
            told.filter(|_| summary.workspace.is_none()),
            has_messages(summary),
            findings,
            is_prompts,
            stamp,
        ],
    )
}

/// Whether a conversation has messages, as far as its head says.
pub fn has_messages(summary: &Summary) -> bool {
    let is_without = summary.flags.iter().any(|flag| matches!(flag, Flag::Empty | Flag::Lost));
    summary.messages.map_or(!is_without, |count| count > 0)
}

/// Whether any conversation [`beside`] the prompts `?1` has messages; `?2` is the code of prompts. The first one ends the search.
pub(crate) const HAS_MESSAGES_BESIDE: &str = "
    WITH prompts AS (SELECT workspace FROM head WHERE id = ?1)
    SELECT EXISTS (
        SELECT 1 FROM entry JOIN head ON head.id = entry.id
        WHERE entry.kind <> ?2 AND head.has_messages = 1
            AND entry.store IN (SELECT store FROM entry WHERE id = ?1 AND kind = ?2)
    ) OR EXISTS (
        SELECT 1 FROM head
        WHERE head.workspace = (SELECT workspace FROM prompts) AND head.is_prompts = 0 AND head.has_messages = 1 AND EXISTS
            (SELECT 1 FROM entry JOIN store ON store.number = entry.store
             WHERE entry.id = head.id AND store.is_editor = 1)
    ) OR (SELECT workspace IS NULL FROM prompts) AND EXISTS (
        SELECT 1 FROM entry JOIN store ON store.number = entry.store JOIN head ON head.id = entry.id
        WHERE store.is_editor = 1 AND entry.kind <> ?2 AND head.has_messages = 1
    )";

/// A conversation beside stored prompts.
#[derive(Debug)]
pub struct Beside {
    /// Its id.
    pub id: ConversationId,
    /// Changes when anything does that any store has of it.
    pub stamp: i64,
    /// What the user said in it, if that is known.
    pub said: Option<Said>,
}

/// The conversations of the editor beside stored prompts `?1`: those that the same store names, and those of the same workspace.
/// Prompts of no workspace may have been typed in any. `?2` is the code of prompts.
const BESIDE: &str = "
    SELECT id, stamp, said FROM head WHERE id IN (
        SELECT id FROM entry WHERE kind <> ?2 AND store IN (SELECT store FROM entry WHERE id = ?1 AND kind = ?2)
        UNION SELECT head.id FROM head WHERE head.workspace = ?3 AND head.is_prompts = 0 AND EXISTS
            (SELECT 1 FROM entry JOIN store ON store.number = entry.store WHERE entry.id = head.id AND store.is_editor = 1)
        UNION SELECT entry.id FROM entry JOIN store ON store.number = entry.store
            WHERE ?3 IS NULL AND store.is_editor = 1 AND entry.kind <> ?2
    )";

pub(crate) fn beside(connection: &Connection, prompts: &ConversationId) -> Result<Vec<Beside>, IndexError> {
    let sql = "SELECT workspace FROM head WHERE id = ?1";
    let workspace: Option<String> = connection.one(sql, [prompts.as_str()], |row| row.get(0))?.flatten();
    let mut find = connection.prepare_cached(BESIDE)?;
    let mut rows = find.query((prompts.as_str(), code(FragmentKind::Prompts), workspace))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let said = match row.get_ref(2)? {
            ValueRef::Null => None,
            said => Some(from_json(said)?),
        };
        all.push(Beside { id: database::id(row)?, stamp: row.get(1)?, said });
    }
    Ok(all)
}

/// Where something of a conversation is, in the order of the sources.
pub(crate) fn located(
    connection: &Connection,
    id: &ConversationId,
    sources: &HashMap<String, usize>,
) -> Result<Vec<Located>, IndexError> {
    let mut find = connection.prepare_cached(
        "SELECT store.source, store.path, entry.kind, entry.file, entry.parent
         FROM entry JOIN store ON store.number = entry.store WHERE entry.id = ?1",
    )?;
    let mut rows = find.query([id.as_str()])?;
    let mut located = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let Some(source) = sources.get(name) else { continue };
        let store: Arc<Path> = path_of(row.get(1)?).into();
        let file: Vec<u8> = row.get(3)?;
        let file = if file.is_empty() { Arc::clone(&store) } else { store.join(path_of(file)).into() };
        let parent = row.get::<_, Option<String>>(4)?.map(ConversationId::new);
        let entry = CatalogueEntry { id: id.clone(), parent, store, file, kind: of_code(row.get(2)?) };
        located.push(Located { source: *source, entry });
    }
    located.sort();
    Ok(located)
}

/// A path as it is stored.
#[cfg(unix)]
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

/// A path as it is stored; what is not text is replaced.
#[cfg(not(unix))]
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
