//! `ai-code-tracking.db`: which model wrote which lines for which request. It is evidence about conversations that
//! other sources have.
//!
//! Scored commits are counted among what the file holds: they name no conversation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::tracking::{
    TRACKED_LINES_KEY, TrackedConversation, TrackingRow, group, known_model, tracked_lines,
};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Finding, Fragment,
    FragmentKind, Inventory, Layer, Mark, Origin, RequestFact, Scope, Source, SourceError, SourceId,
    SourceReport, Store, Summary, Surface, Workspace, push_new,
};
use jiff::Timestamp;
use rusqlite::Row;

use crate::files::{ABSENT, FileCache};
use crate::named_columns::{each, row_prints};
use crate::read_only_db::{Connections, ReadError, ReadOnlyDb};
use crate::scored_commits;

/// The tracking of lines.
#[derive(Debug)]
pub struct Tracking {
    file: Arc<Path>,
    files: Arc<FileCache>,
    connections: Arc<Connections>,
    /// The tracked lines by conversation, read once: nothing in the database finds those of one.
    tracked: OnceLock<BTreeMap<String, TrackedConversation>>,
}

/// The columns of `ai_code_hashes`, of all generations.
const COLUMNS: [&str; 6] = ["fileName", "requestId", "conversationId", "model", "timestamp", "createdAt"];

/// The tables that name conversations, and how.
const NAMING: [(&str, &str); 5] = [
    ("ai_code_hashes", "conversationId"),
    ("conversation_summaries", "conversationId"),
    ("tracked_file_content", "conversationId"),
    ("ai_deleted_files", "conversationId"),
    ("ai_deleted_files", "composerId"),
];

impl Tracking {
    /// The database at `file`.
    pub fn new(file: &Path, files: Arc<FileCache>) -> Self {
        let connections = Arc::new(Connections::to(file));
        Self { file: Arc::from(file), files, connections, tracked: OnceLock::new() }
    }

    fn ask<T>(&self, question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>) -> Result<T, SourceError> {
        let asked = self.connections.ask(question);
        asked.map_err(|because| SourceError::new(Layer::Tracking, &*self.file, because))
    }

    fn tracked(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Option<Fragment>, ReadError> {
        let tracked = self.tracked_lines(db)?.get(id.as_str());
        let summed_up = summed_up(db, id)?;
        let touched = touched(db, id)?;
        if tracked.is_none() && summed_up.is_none() && touched.is_empty() {
            return Ok(None);
        }
        let at = Origin::new(Layer::Tracking, Arc::clone(&self.file), format!("ai_code_hashes:{id}"));
        let mut fragment = fragment(tracked.unwrap_or(&TrackedConversation::default()), id, &at);
        for (file, model) in touched {
            let (files, models) = (&mut fragment.facts.files, &mut fragment.summary.models);
            files.extend(Some(file).filter(|file| !files.contains(file)));
            models.extend(model.filter(|model| !models.contains(model)));
        }
        if let Some([title, model, mode]) = summed_up {
            let summary = &mut fragment.summary;
            summary.title = title;
            summary.mode = mode;
            summary.models.extend(model.filter(|model| !summary.models.contains(model)));
        }
        Ok(Some(fragment))
    }

    fn tracked_lines(&self, db: &ReadOnlyDb) -> Result<&BTreeMap<String, TrackedConversation>, ReadError> {
        if let Some(tracked) = self.tracked.get() {
            return Ok(tracked);
        }
        let all = group(lines(db, "WHERE conversationId IS NOT NULL")?).into_iter();
        let tracked = all.filter_map(|one| Some((one.conversation_id.clone()?, one))).collect();
        Ok(self.tracked.get_or_init(|| tracked))
    }

    /// Requests of lines that name no conversation.
    fn unattributed(&self) -> Result<Fragment, SourceError> {
        let condition = "WHERE coalesce(conversationId, '') = '' AND requestId IS NOT NULL";
        let lines = self.ask(|db| {
            let has_requests = db.columns("ai_code_hashes")?.contains("requestId");
            if has_requests { lines(db, condition) } else { Ok(Vec::new()) }
        })?;
        let at = Origin::new(Layer::Tracking, Arc::clone(&self.file), "");
        let id = ConversationId::new("");
        let mut fragment = Fragment::new(Summary::new(id, Surface::Transcript, at.clone())).as_evidence();
        for request in group(lines).into_iter().flat_map(|one| one.requests) {
            let Some(request_id) = request.request_id else { continue };
            let origin = Some(at.with_key(format!("ai_code_hashes:{request_id}")));
            let model = request.models.first().cloned();
            let fact =
                RequestFact { request_id, model, files: request.files, origin, ..RequestFact::default() };
            fragment.facts.requests.push(fact);
        }
        Ok(fragment)
    }
}

/// What tracked lines say of a conversation: the models of its requests, and the files that it wrote to.
pub(crate) fn fragment(tracked: &TrackedConversation, id: &ConversationId, at: &Origin) -> Fragment {
    let mut summary = Summary::new(id.clone(), Surface::Transcript, at.clone());
    summary.workspace = folder_of(tracked);
    (summary.created_at, summary.updated_at) = tracked.times();
    let mut fragment = Fragment::new(summary).as_evidence();
    for request in &tracked.requests {
        for model in &request.models {
            push_new(&mut fragment.summary.models, model.clone());
        }
        fragment.facts.requests.extend(request.request_id.clone().map(|request_id| RequestFact {
            request_id,
            model: request.models.first().cloned(),
            files: request.files.clone(),
            origin: Some(at.clone()),
            ..RequestFact::default()
        }));
    }
    fragment.facts.files = tracked.files().into_iter().map(str::to_owned).collect();
    fragment
}

/// Where and when a conversation worked, for a listing.
pub(crate) fn hint(tracked: &TrackedConversation, id: &ConversationId, at: &Origin) -> Option<Fragment> {
    let mut summary = Summary::new(id.clone(), Surface::Transcript, at.clone());
    summary.workspace = folder_of(tracked);
    (summary.created_at, summary.updated_at) = tracked.times();
    let says_nothing = summary.workspace.is_none() && summary.updated_at.is_none();
    (!says_nothing).then(|| Fragment::new(summary).as_evidence())
}

/// The folder in which all files lie that it wrote to.
fn folder_of(tracked: &TrackedConversation) -> Option<Workspace> {
    let path = common_folder(&tracked.files())?;
    let spelled = place(&path).map_or(path, |place| place.path);
    Some(Workspace { path: spelled, uri: None, remote: None, by: Attribution::Tracking })
}

/// The deepest folder in which all absolute paths lie; a single file does not tell how far up its project begins.
fn common_folder(files: &[&str]) -> Option<String> {
    let is_absolute = |path: &&&str| {
        let bytes = path.as_bytes();
        matches!(bytes, [b'/', _, ..]) || matches!(bytes, [_, b':', b'/' | b'\\', ..])
    };
    let absolute: Vec<&&str> = files.iter().filter(is_absolute).collect();
    if absolute.len() < 2 {
        return None;
    }
    let segments = |path: &str| path.split_inclusive(['/', '\\']).map(str::to_owned).collect::<Vec<_>>();
    let mut common = segments(absolute[0]);
    for path in &absolute {
        let own = segments(path);
        let same = common.iter().zip(&own).take_while(|(a, b)| a == b).count();
        common.truncate(same.min(own.len() - 1));
    }
    let folder = common.concat();
    let folder = folder.trim_end_matches(['/', '\\']);
    (folder.matches(['/', '\\']).count() >= 2).then(|| folder.to_owned())
}

/// Rows of `ai_code_hashes`; columns that a generation lacks are read as NULL.
fn lines(db: &ReadOnlyDb, condition: &str) -> Result<Vec<TrackingRow>, ReadError> {
    lines_with(db, "", condition)
}

fn lines_with(db: &ReadOnlyDb, more: &str, condition: &str) -> Result<Vec<TrackingRow>, ReadError> {
    let there = db.columns("ai_code_hashes")?;
    if !there.contains("conversationId") {
        return Ok(Vec::new());
    }
    let columns = COLUMNS.map(|column| if there.contains(column) { column } else { "NULL" }).join(", ");
    let text = |row: &Row<'_>, at: usize| row.get::<_, Option<String>>(at).ok().flatten();
    let number = |row: &Row<'_>, at: usize| row.get::<_, Option<i64>>(at).ok().flatten();
    db.list(&format!("SELECT {columns}{more} FROM ai_code_hashes {condition}"), [], |row| {
        Ok(TrackingRow {
            file_name: text(row, 0),
            request_id: text(row, 1),
            conversation_id: text(row, 2),
            model: text(row, 3),
            timestamp: number(row, 4),
            created_at: number(row, 5),
        })
    })
}

/// The first and the last row of each conversation and file.
fn first_and_last_lines(db: &ReadOnlyDb) -> Result<Vec<TrackingRow>, ReadError> {
    let there = db.columns("ai_code_hashes")?;
    let times: Vec<&str> =
        ["timestamp", "createdAt"].into_iter().filter(|column| there.contains(*column)).collect();
    let at = if times.len() == 2 {
        "coalesce(timestamp, createdAt)"
    } else {
        times.first().copied().unwrap_or("0")
    };
    let condition = "WHERE conversationId IS NOT NULL GROUP BY conversationId, fileName";
    // The other columns are those of the row with the least or the greatest time.
    let mut all = lines_with(db, &format!(", min({at})"), condition)?;
    all.extend(lines_with(db, &format!(", max({at})"), condition)?);
    Ok(all)
}

/// Files that later versions keep or saw deleted, each with the model that did it.
fn touched(db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<(String, Option<String>)>, ReadError> {
    let mut files = Vec::new();
    for (table, column) in [
        ("tracked_file_content", "conversationId"),
        ("ai_deleted_files", "conversationId"),
        ("ai_deleted_files", "composerId"),
    ] {
        let own = Some((column, id.as_str()));
        each(db, table, own, &["gitPath", "model"], &mut |row| {
            let model = row.text(&["model"]);
            files.push((row.text(&["gitPath"])?, model.as_deref().and_then(known_model).map(str::to_owned)));
            Some(())
        })?;
    }
    Ok(files)
}

/// What the whole file holds.
fn holding(db: &ReadOnlyDb, file: &Path) -> Result<SourceReport, ReadError> {
    let there = db.columns("ai_code_hashes")?;
    let mut holding = SourceReport::new(Layer::Tracking, file);
    holding.commits = scored_commits::all(db)?;
    let scored = holding.commits.iter().filter_map(|commit| commit.scored_at);
    let (mut first_at, mut last_at) = (scored.clone().min(), scored.max());
    if !there.is_empty() {
        let or_null = |name: &'static str| if there.contains(name) { name } else { "NULL" };
        let at = format!("coalesce({}, {})", or_null("timestamp"), or_null("createdAt"));
        let conversation = or_null("conversationId");
        let counted = format!(
            "SELECT count(*), count(DISTINCT nullif({conversation}, '')), min({at}), max({at}) FROM ai_code_hashes"
        );
        let counted = db.first(&counted, [], |row| {
            let number = |at: usize| row.get::<_, Option<i64>>(at).ok().flatten();
            Ok([number(0), number(1), number(2), number(3)])
        })?;
        let [lines, conversations, first, last] = counted.unwrap_or_default();
        let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        holding.tracked_lines = count(lines);
        holding.conversations = count(conversations).unwrap_or_default();
        let time = |ms: Option<i64>| ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        first_at = [first_at, time(first)].into_iter().flatten().min();
        last_at = last_at.max(time(last));
    }
    (holding.first_at, holding.last_at) = (first_at, last_at);
    Ok(holding)
}

/// Title, model and mode that `conversation_summaries` has.
fn summed_up(db: &ReadOnlyDb, id: &ConversationId) -> Result<Option<[Option<String>; 3]>, ReadError> {
    let mut found = None;
    let own = Some(("conversationId", id.as_str()));
    each(db, "conversation_summaries", own, &["title", "model", "mode"], &mut |row| {
        let column = |name: &str| row.text(&[name]).filter(|text| !text.trim().is_empty());
        let model = column("model").filter(|model| model != "default");
        found.get_or_insert([column("title"), model, column("mode")]);
        Some(())
    })?;
    Ok(found)
}

impl Inventory for Tracking {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        vec![(Layer::Tracking, self.file.to_path_buf())]
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        Ok(vec![self.ask(|db| holding(db, &self.file))?])
    }
}

impl Source for Tracking {
    fn id(&self) -> SourceId {
        SourceId::new("tracking", &*self.file, Layer::Tracking)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        // What lies beside it and is no file is noted.
        let _ = self.file.parent().map(|folder| self.files.children(folder));
        let stamp = self.files.database_stamp(&self.file);
        Decoded::clean(vec![Store { path: Arc::clone(&self.file), stamp }])
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        Some(self.files.database_stamp(store)).filter(|stamp| *stamp != ABSENT)
    }

    fn rest(&self) {
        self.connections.rest();
    }

    fn renewed(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(Self {
            file: Arc::clone(&self.file),
            files: Arc::clone(&self.files),
            connections: Arc::clone(&self.connections),
            tracked: OnceLock::new(),
        }))
    }

    /// Where and when conversations worked. What else it has counts only for a whole conversation.
    fn catalogue(&self, _: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let at = Origin::new(Layer::Tracking, Arc::clone(&self.file), "");
        let (mut prints, tracked, findings) = self.ask(|db| {
            Ok((row_prints(db, &NAMING)?, first_and_last_lines(db)?, scored_commits::troubles(db, &at)?))
        })?;
        let tracked = group(tracked).into_iter().filter_map(|one| Some((one.conversation_id.clone()?, one)));
        let tracked: BTreeMap<String, TrackedConversation> = tracked.collect();
        // Lines that name no conversation are kept under the empty id.
        prints.entry(String::new()).or_default();
        let entry = |(name, stamp): (String, u64)| {
            let id = ConversationId::new(&name);
            let head = tracked
                .get(&name)
                .and_then(|one| hint(one, &id, &at.with_key(format!("ai_code_hashes:{id}"))));
            let entry = CatalogueEntry::new(id, Arc::clone(&self.file), FragmentKind::Evidence);
            Catalogued { entry, heads: head.into_iter().collect(), stamp }
        };
        let entries = prints.into_iter().map(entry).collect();
        let damaged = self.connections.damage().findings(Layer::Tracking, &self.file);
        Ok(Catalogue { findings: findings.into_iter().chain(damaged).collect(), ..Catalogue::whole(entries) })
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        if entry.id.as_str().is_empty() {
            return Ok(vec![self.unattributed()?]);
        }
        Ok(self.ask(|db| self.tracked(db, &entry.id))?.into_iter().collect())
    }
}

/// What the list has of each conversation, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct TrackedLines {
    at: Option<Origin>,
    tracked: BTreeMap<String, TrackedConversation>,
    pub(crate) findings: Vec<Finding>,
}

impl TrackedLines {
    pub(crate) fn read(db: &ReadOnlyDb, file: &Arc<Path>) -> Result<Self, ReadError> {
        let at = Origin::new(Layer::Tracking, Arc::clone(file), TRACKED_LINES_KEY);
        let Some(items) = db.table("ItemTable")? else { return Ok(Self::default()) };
        let Some(bytes) = items.get(TRACKED_LINES_KEY)? else { return Ok(Self::default()) };
        let Decoded { value, findings } = tracked_lines(&bytes, &at);
        let tracked = group(value).into_iter().filter_map(|one| Some((one.conversation_id.clone()?, one)));
        let tracked = tracked.collect();
        Ok(Self { at: Some(at), tracked, findings })
    }

    /// What it has, by the ids of conversations.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &TrackedConversation)> {
        self.tracked.iter().map(|(id, one)| (id.as_str(), one))
    }

    /// What was tracked of one conversation.
    pub(crate) fn fragment(&self, id: &ConversationId) -> Option<Fragment> {
        let tracked = self.tracked.get(id.as_str())?;
        Some(fragment(tracked, id, self.at.as_ref()?))
    }

    /// Where each conversation worked, by the files that it wrote to.
    pub(crate) fn hints(&self) -> impl Iterator<Item = Fragment> {
        self.each().filter_map(|(id, _)| self.hint(&ConversationId::new(id)))
    }

    /// Where one conversation worked.
    pub(crate) fn hint(&self, id: &ConversationId) -> Option<Fragment> {
        let tracked = self.tracked.get(id.as_str())?;
        hint(tracked, id, self.at.as_ref()?)
    }
}
