//! Numbers over everything that is indexed, or over one workspace: counted by the database, without reading a store.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use rusqlite::{Connection, Params, Row, params};

use crate::months::{Months, QUARTER};
use crate::{Index, IndexError};

/// Which conversations are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Hidden ones too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// Only those of this workspace: its path, and its host.
    pub workspace: Option<(String, Option<String>)>,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Conversations.
    pub conversations: u64,
    /// Messages, orphans left out.
    pub messages: u64,
    /// Of these, said by the user.
    pub prompts: u64,
    /// Lines that stored diffs add and remove, by month, earliest first.
    pub lines: Vec<LineCount>,
    /// Tokens.
    pub tokens: TokenCount,
    /// Tools, most used first.
    pub tools: Vec<ToolCount>,
    /// Messages by month and model, earliest first.
    pub models: Vec<ModelCount>,
    /// Messages by hour since 1970, in UTC, where the hour is known exactly: whoever shows them knows the zone.
    pub hours: Vec<(i64, u64)>,
    /// Workspaces, most messages first.
    pub workspaces: Vec<WorkspaceCount>,
    /// Files, most touched first, at most a hundred.
    pub files: Vec<FileCount>,
}

/// Tokens: measured, guessed and unknown told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCount {
    /// Read by models, as stored.
    pub input: u64,
    /// Written by models, as stored.
    pub output: u64,
    /// Conversations for which tokens are stored.
    pub measured: u64,
    /// Conversations for which none are.
    pub unmeasured: u64,
    /// What their text would come to at four bytes each: a guess.
    pub guessed: u64,
    /// Conversations for which none are, and which have no text to guess by either.
    pub unknown: u64,
}

/// How often a tool was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCount {
    /// Its canonical name.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
}

/// How many lines were changed in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCount {
    /// The month, such as `2026-01`; empty where no time is known.
    pub month: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// How much a model said in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCount {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The model.
    pub model: String,
    /// Its messages.
    pub messages: u64,
}

/// How much was said in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceCount {
    /// Its path.
    pub path: String,
    /// Its host.
    pub remote: Option<String>,
    /// Conversations.
    pub conversations: u64,
    /// Messages.
    pub messages: u64,
}

/// How often a file was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCount {
    /// The file, as stored.
    pub path: String,
    /// Touches.
    pub touches: u64,
    /// Conversations that did.
    pub conversations: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// The conversations in scope; `?1` all, `?2` and `?3` the workspace.
const WITHIN: &str = "(c.hidden = 0 OR ?1) AND (?2 IS NULL OR (c.workspace = ?2 AND c.remote IS ?3))";

/// A message that its conversation lists.
const LISTED: &str = "m.state & 1 = 0";

impl Index {
    /// The numbers of what is in `scope`; months as they begin in `zone`.
    pub fn statistics(&self, scope: &Scope, zone: &TimeZone) -> Result<Statistics, IndexError> {
        let (path, remote) = scope.workspace.clone().unzip();
        let within = params![scope.all, path, remote.flatten()];
        let connection = self.connection();
        let mut told = Statistics::default();
        conversations(connection, within, &mut told)?;
        let sql = format!(
            "SELECT count(*), count(*) FILTER (WHERE m.role = 0) FROM message m JOIN conversation c ON c.number = m.conversation
             WHERE {LISTED} AND {WITHIN}"
        );
        (told.messages, told.prompts) =
            connection.query_row(&sql, within, |row| Ok((count(row, 0)?, count(row, 1)?)))?;
        told.tools = tools(connection, within)?;
        told.lines = lines(connection, within, zone)?;
        told.models = models(connection, within, zone)?;
        let sql = format!(
            "SELECT m.at / 3600000, count(*) FROM message m JOIN conversation c ON c.number = m.conversation
             WHERE m.at IS NOT NULL AND m.at_is = 0 AND {LISTED} AND {WITHIN} GROUP BY 1"
        );
        told.hours = rows(connection, &sql, within, |row| Ok((row.get(0)?, count(row, 1)?)))?;
        told.workspaces = workspaces(connection, within)?;
        told.files = files(connection, within)?;
        Ok(told)
    }
}

fn conversations(
    connection: &Connection,
    within: impl Params + Copy,
    told: &mut Statistics,
) -> Result<(), IndexError> {
    let sql = format!(
        "SELECT count(*), total(tokens_input), total(tokens_output),
                count(*) FILTER (WHERE tokens_input IS NOT NULL OR tokens_output IS NOT NULL),
                total(text_bytes) FILTER (WHERE tokens_input IS NULL AND tokens_output IS NULL),
                count(*) FILTER (WHERE tokens_input IS NULL AND tokens_output IS NULL AND text_bytes = 0)
         FROM conversation c WHERE {WITHIN}"
    );
    let (all, input, output, measured, bytes, unknown) = connection.query_row(&sql, within, |row| {
        Ok((
            count(row, 0)?,
            rounded(row, 1)?,
            rounded(row, 2)?,
            count(row, 3)?,
            rounded(row, 4)?,
            count(row, 5)?,
        ))
    })?;
    told.conversations = all;
    told.tokens = TokenCount {
        input,
        output,
        measured,
        unmeasured: all.saturating_sub(measured),
        guessed: bytes / 4,
        unknown,
    };
    Ok(())
}

fn tools(connection: &Connection, within: impl Params + Copy) -> Result<Vec<ToolCount>, IndexError> {
    let failed = crate::codes::status(backscroll_model::ToolStatus::Error);
    let sql = format!(
        "SELECT t.name, sum(k.count), total(k.count) FILTER (WHERE k.status = {failed})
         FROM call k JOIN tool t ON t.number = k.tool JOIN conversation c ON c.number = k.conversation
         WHERE {WITHIN} GROUP BY t.name ORDER BY 2 DESC, 1"
    );
    rows(connection, &sql, within, |row| {
        Ok(ToolCount { name: row.get(0)?, calls: count(row, 1)?, failed: rounded(row, 2)? })
    })
}

/// What is counted by month is counted by quarters of an hour first: SQLite does not know the zone's history.
fn lines(
    connection: &Connection,
    within: impl Params + Copy,
    zone: &TimeZone,
) -> Result<Vec<LineCount>, IndexError> {
    let sql = format!(
        "SELECT coalesce(m.at, c.recency) / {QUARTER}, total(t.added), total(t.removed)
         FROM touched t JOIN message m ON m.row = t.row JOIN conversation c ON c.number = t.conversation
         WHERE (t.added > 0 OR t.removed > 0) AND {WITHIN} GROUP BY 1"
    );
    let mut months = Months::of(zone);
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let found = rows(connection, &sql, within, |row| Ok((row.get(0)?, rounded(row, 1)?, rounded(row, 2)?)))?;
    for (quarter, added, removed) in found {
        let month = month_of(&mut months, quarter).unwrap_or_default();
        let (all_added, all_removed) = counts.entry(month.to_owned()).or_default();
        *all_added += added;
        *all_removed += removed;
    }
    let told = |(month, (added, removed))| LineCount { month, added, removed };
    Ok(counts.into_iter().map(told).collect())
}

fn models(
    connection: &Connection,
    within: impl Params + Copy,
    zone: &TimeZone,
) -> Result<Vec<ModelCount>, IndexError> {
    let sql = format!(
        "SELECT coalesce(m.at, c.recency) / {QUARTER}, o.name, count(*)
         FROM message m JOIN conversation c ON c.number = m.conversation JOIN model o ON o.number = m.model
         WHERE coalesce(m.at, c.recency) IS NOT NULL AND m.role = 1 AND {LISTED} AND {WITHIN} GROUP BY 1, m.model"
    );
    let mut months = Months::of(zone);
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (quarter, model, messages) in
        rows(connection, &sql, within, |row| Ok((row.get(0)?, row.get(1)?, count(row, 2)?)))?
    {
        let month = month_of(&mut months, quarter).unwrap_or_default();
        *counts.entry((month.to_owned(), model)).or_default() += messages;
    }
    let mut told: Vec<ModelCount> =
        counts.into_iter().map(|((month, model), messages)| ModelCount { month, model, messages }).collect();
    told.sort_by(|a, b| a.month.cmp(&b.month).then(b.messages.cmp(&a.messages)).then(a.model.cmp(&b.model)));
    Ok(told)
}

fn month_of<'m>(months: &'m mut Months<'_>, quarter: Option<i64>) -> Option<&'m str> {
    months.name(quarter?.checked_mul(QUARTER)?)
}

fn workspaces(
    connection: &Connection,
    within: impl Params + Copy,
) -> Result<Vec<WorkspaceCount>, IndexError> {
    let sql = format!(
        "SELECT c.workspace, c.remote, count(*), total(c.messages) FROM conversation c
         WHERE c.workspace IS NOT NULL AND {WITHIN} GROUP BY 1, 2 ORDER BY 4 DESC, 1"
    );
    rows(connection, &sql, within, |row| {
        Ok(WorkspaceCount {
            path: row.get(0)?,
            remote: row.get(1)?,
            conversations: count(row, 2)?,
            messages: rounded(row, 3)?,
        })
    })
}

fn files(connection: &Connection, within: impl Params + Copy) -> Result<Vec<FileCount>, IndexError> {
    let sql = format!(
        "SELECT f.path, count(*), count(DISTINCT t.conversation), total(t.added), total(t.removed)
         FROM touched t JOIN file f ON f.number = t.file JOIN conversation c ON c.number = t.conversation
         WHERE {WITHIN} GROUP BY t.file ORDER BY 2 DESC, 1 LIMIT 100"
    );
    rows(connection, &sql, within, |row| {
        Ok(FileCount {
            path: row.get(0)?,
            touches: count(row, 1)?,
            conversations: count(row, 2)?,
            added: rounded(row, 3)?,
            removed: rounded(row, 4)?,
        })
    })
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    within: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, IndexError> {
    let mut statement = connection.prepare(sql)?;
    let told = statement.query_map(within, read)?.collect::<Result<_, _>>()?;
    Ok(told)
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// A sum that SQLite tells as a floating number, because it may be beyond what its integers hold.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts saturate, and negative sums are nonsense"
)]
fn rounded(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, f64>(column)?.max(0.0) as u64)
}
