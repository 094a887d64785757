//! `ai-code-tracking.db`: which model wrote which lines for which request. It tells nothing of conversations that
//! nobody else has, so it lists none; what it knows of one is given to whoever loads that.
//!
//! Scored commits are counted among what the file holds: they speak of commits, and name no conversation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::tracking::{TrackedConversation, TrackingRow, group, known_model};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, Changes, Conversation, ConversationId, Finding, Holding, Layer, Mark, Origin, RequestFact,
    Source, SourceError, Summary, Surface, Workspace,
};
use jiff::Timestamp;
use rusqlite::{Params, Row};

use crate::connections::Connections;
use crate::feed::small;
use crate::named_columns::each;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::scored_commits;

/// The tracking of lines.
#[derive(Debug)]
pub struct Tracking {
    file: Arc<Path>,
    connections: Connections,
}

/// The columns of `ai_code_hashes`, of all generations.
const COLUMNS: [&str; 7] =
    ["source", "fileName", "requestId", "conversationId", "model", "timestamp", "createdAt"];

impl Tracking {
    /// The database at `file`.
    pub fn new(file: &Path) -> Self {
        Self { file: Arc::from(file), connections: Connections::to(file) }
    }

    fn ask<T>(&self, question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>) -> Result<T, SourceError> {
        self.connections.ask(question).map_err(|because| SourceError::new(&*self.file, because))
    }

    fn told(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Option<Conversation>, ReadError> {
        let tracked = group(lines(db, "WHERE conversationId = ?1", [id.as_str()])?);
        let tracked = tracked.into_iter().find(|one| one.conversation_id.as_deref() == Some(id.as_str()));
        let summed_up = summed_up(db, id)?;
        let touched = touched(db, id)?;
        if tracked.is_none() && summed_up.is_none() && touched.is_empty() {
            return Ok(None);
        }
        let origin = Origin::new(Layer::Tracking, Arc::clone(&self.file), format!("ai_code_hashes:{id}"));
        let mut conversation = Conversation::of(Summary::new(id.clone(), Surface::Transcript, origin));
        if let Some(tracked) = tracked {
            take_over(&mut conversation, &tracked);
        }
        for (file, model) in touched {
            let (files, models) = (&mut conversation.facts.files, &mut conversation.summary.models);
            files.extend(Some(file).filter(|file| !files.contains(file)));
            models.extend(model.filter(|model| !models.contains(model)));
        }
        if let Some([title, model, mode]) = summed_up {
            let summary = &mut conversation.summary;
            summary.title = title;
            summary.mode = mode;
            summary.models.extend(model.filter(|model| !summary.models.contains(model)));
        }
        Ok(Some(conversation))
    }
}

/// Which conversation, and which files it wrote to.
pub(crate) fn take_over(conversation: &mut Conversation, tracked: &TrackedConversation) {
    conversation.summary.workspace = folder_of(tracked);
    for request in &tracked.requests {
        for model in &request.models {
            if !conversation.summary.models.contains(model) {
                conversation.summary.models.push(model.clone());
            }
        }
        conversation.facts.requests.extend(request.request_id.clone().map(|request_id| RequestFact {
            request_id,
            model: request.models.first().cloned(),
            files: request.files.clone(),
            origin: conversation.summary.origins.first().cloned(),
        }));
    }
    conversation.facts.files = tracked.files().into_iter().map(str::to_owned).collect();
}

/// The folder in which all files lie that it wrote to.
pub(crate) fn folder_of(tracked: &TrackedConversation) -> Option<Workspace> {
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
fn lines(db: &ReadOnlyDb, condition: &str, parameters: impl Params) -> Result<Vec<TrackingRow>, ReadError> {
    let there = db.columns("ai_code_hashes")?;
    if !there.contains("conversationId") {
        return Ok(Vec::new());
    }
    let columns = COLUMNS.map(|column| if there.contains(column) { column } else { "NULL" }).join(", ");
    let text = |row: &Row<'_>, at: usize| row.get::<_, Option<String>>(at).ok().flatten();
    let number = |row: &Row<'_>, at: usize| row.get::<_, Option<i64>>(at).ok().flatten();
    let read = || -> rusqlite::Result<Vec<TrackingRow>> {
        let mut statement =
            db.connection().prepare(&format!("SELECT {columns} FROM ai_code_hashes {condition}"))?;
        let rows = statement.query_map(parameters, |row| {
            Ok(TrackingRow {
                source: text(row, 0),
                file_name: text(row, 1),
                request_id: text(row, 2),
                conversation_id: text(row, 3),
                model: text(row, 4),
                timestamp: number(row, 5),
                created_at: number(row, 6),
            })
        })?;
        rows.collect()
    };
    read().map_err(|because| db.error(because))
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
fn holding(db: &ReadOnlyDb, file: &Path) -> Result<Holding, ReadError> {
    let there = db.columns("ai_code_hashes")?;
    let mut holding = Holding::of(Layer::Tracking, file);
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
        let read = || {
            db.connection().query_row(&counted, [], |row| {
                let number = |at: usize| row.get::<_, Option<i64>>(at).ok().flatten();
                Ok([number(0), number(1), number(2), number(3)])
            })
        };
        let [lines, conversations, first, last] = read().map_err(|because| db.error(because))?;
        let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        (holding.tracked_lines, holding.conversations) = (count(lines), count(conversations));
        let time = |ms: Option<i64>| ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        first_at = [first_at, time(first)].into_iter().flatten().min();
        last_at = last_at.max(time(last));
    }
    (holding.first_at, holding.last_at) = (first_at, last_at);
    Ok(holding)
}

/// Title, model and mode that `conversation_summaries` has.
fn summed_up(db: &ReadOnlyDb, id: &ConversationId) -> Result<Option<[Option<String>; 3]>, ReadError> {
    if !db
        .columns("conversation_summaries")?
        .is_superset(&["title", "model", "mode"].map(str::to_owned).into())
    {
        return Ok(None);
    }
    let read = || -> rusqlite::Result<Option<[Option<String>; 3]>> {
        let mut statement = db
            .connection()
            .prepare("SELECT title, model, mode FROM conversation_summaries WHERE conversationId = ?1")?;
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let column = |at: usize| -> rusqlite::Result<Option<String>> {
            Ok(row.get::<_, Option<String>>(at)?.filter(|text| !text.trim().is_empty()))
        };
        Ok(Some([column(0)?, column(1)?.filter(|model| model != "default"), column(2)?]))
    };
    read().map_err(|because| db.error(because))
}

impl Source for Tracking {
    fn place(&self) -> PathBuf {
        self.file.to_path_buf()
    }

    fn files(&self) -> Vec<(Layer, PathBuf)> {
        vec![(Layer::Tracking, self.place())]
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        // Whether it can be read at all is told here; what it holds is told to those who have the conversation.
        let at = Origin::new(Layer::Tracking, Arc::clone(&self.file), "");
        let troubles = self.ask(|db| {
            db.columns("ai_code_hashes")?;
            scored_commits::troubles(db, &at)
        })?;
        Ok((Vec::new(), troubles.into_iter().collect()))
    }

    fn requests(&self, ids: &BTreeSet<&str>) -> Result<Vec<RequestFact>, SourceError> {
        let at = Origin::new(Layer::Tracking, Arc::clone(&self.file), "");
        // Lines that name a conversation are told with it.
        let condition = "WHERE coalesce(conversationId, '') = '' AND requestId IS NOT NULL";
        let lines = self.ask(|db| lines(db, condition, []))?;
        let named = |row: &TrackingRow| row.request_id.as_deref().is_some_and(|id| ids.contains(id));
        let tracked = group(lines.into_iter().filter(named)).into_iter().flat_map(|one| one.requests);
        let told = tracked.filter_map(|request| {
            let request_id = request.request_id?;
            let origin = Some(at.with_key(format!("ai_code_hashes:{request_id}")));
            Some(RequestFact {
                request_id,
                model: request.models.first().cloned(),
                files: request.files,
                origin,
            })
        });
        Ok(told.collect())
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        Ok(vec![self.ask(|db| holding(db, &self.file))?])
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        if id.as_str().is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.ask(|db| self.told(db, id))?.into_iter().collect())
    }

    fn kind(&self) -> &'static str {
        "tracking"
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(small::database(
            since,
            &self.file,
            &[
                ("ai_code_hashes", "conversationId"),
                ("conversation_summaries", "conversationId"),
                ("tracked_file_content", "conversationId"),
                ("ai_deleted_files", "conversationId"),
            ],
        ))
    }

    fn belongings(&self) -> Result<Vec<(ConversationId, Workspace)>, SourceError> {
        let condition = "WHERE conversationId IS NOT NULL GROUP BY conversationId, fileName";
        let tracked = group(self.ask(|db| lines(db, condition, []))?);
        let of = |one: TrackedConversation| {
            let folder = folder_of(&one)?;
            Some((ConversationId::new(one.conversation_id?), folder))
        };
        Ok(tracked.into_iter().filter_map(of).collect())
    }
}
