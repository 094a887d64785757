//! Numbers over everything that is indexed, or over one workspace: counted by the database, without reading a store.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Connection, Params, Row, params};

use crate::database::Statements as _;
use crate::{Index, IndexError};

/// Which conversations are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct StatisticsScope {
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
    /// Messages by hour since 1970, in UTC, where the hour is known exactly: the reader knows the zone.
    pub hours: Vec<(i64, u64)>,
    /// Workspaces, most messages first.
    pub workspaces: Vec<WorkspaceCount>,
    /// Files, most touched first, at most a hundred.
    pub files: Vec<FileCount>,
}

/// Tokens: measured, guessed and unknown kept apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCount {
    /// Read by models, as stored.
    pub input: u64,
    /// Written by models, as stored.
    pub output: u64,
    /// Read from a cache, where that is stored.
    pub cache_read: u64,
    /// Put into a cache, where that is stored.
    pub cache_write: u64,
    /// The share of the output that was thinking, where that is stored.
    pub reasoning: u64,
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

/// A message that a person wrote: of the user, and without a sender (see `codes::state`).
const PROMPT: &str = "m.role = 0 AND m.state < 4";

impl Index {
    /// The numbers of what is in `scope`; months as they begin in `zone`.
    pub fn statistics(&self, scope: &StatisticsScope, zone: &TimeZone) -> Result<Statistics, IndexError> {
        let (path, remote) = scope.workspace.clone().unzip();
        let within = params![scope.all, path, remote.flatten()];
        let connection = self.connection();
        let mut statistics = Statistics::default();
        conversations(connection, within, &mut statistics)?;
        let sql = format!(
            "SELECT count(*), count(*) FILTER (WHERE {PROMPT}) FROM message m JOIN conversation c ON c.number = m.conversation
             WHERE {LISTED} AND {WITHIN}"
        );
        (statistics.messages, statistics.prompts) =
            connection.query_row(&sql, within, |row| Ok((count(row, 0)?, count(row, 1)?)))?;
        statistics.tools = tools(connection, within)?;
        statistics.lines = lines(connection, within, zone)?;
        statistics.models = models(connection, within, zone)?;
        let sql = format!(
            "SELECT m.at / 3600000, count(*) FROM message m JOIN conversation c ON c.number = m.conversation
             WHERE m.at IS NOT NULL AND m.at_is = 0 AND {LISTED} AND {WITHIN} GROUP BY 1"
        );
        statistics.hours = connection.all(&sql, within, |row| Ok((row.get(0)?, count(row, 1)?)))?;
        statistics.workspaces = workspaces(connection, within)?;
        statistics.files = files(connection, within)?;
        Ok(statistics)
    }
}

fn conversations(
    connection: &Connection,
    within: impl Params + Copy,
    statistics: &mut Statistics,
) -> Result<(), IndexError> {
    let sql = format!(
        "SELECT count(*), total(tokens_input), total(tokens_output),
                count(*) FILTER (WHERE tokens_input IS NOT NULL OR tokens_output IS NOT NULL),
                total(text_bytes) FILTER (WHERE tokens_input IS NULL AND tokens_output IS NULL),
                count(*) FILTER (WHERE tokens_input IS NULL AND tokens_output IS NULL AND text_bytes = 0),
                total(tokens_cache_read), total(tokens_cache_write), total(tokens_reasoning)
         FROM conversation c WHERE {WITHIN}"
    );
    (statistics.conversations, statistics.tokens) = connection.query_row(&sql, within, |row| {
        let (all, measured) = (count(row, 0)?, count(row, 3)?);
        let tokens = TokenCount {
            input: rounded(row, 1)?,
            output: rounded(row, 2)?,
            cache_read: rounded(row, 6)?,
            cache_write: rounded(row, 7)?,
            reasoning: rounded(row, 8)?,
            measured,
            unmeasured: all.saturating_sub(measured),
            guessed: rounded(row, 4)? / 4,
            unknown: count(row, 5)?,
        };
        Ok((all, tokens))
    })?;
    Ok(())
}

fn tools(connection: &Connection, within: impl Params + Copy) -> Result<Vec<ToolCount>, IndexError> {
    let failed = crate::codes::code(backscroll_model::ToolStatus::Error);
    let sql = format!(
        "SELECT t.name, sum(k.count), total(k.count) FILTER (WHERE k.status = {failed})
         FROM call k JOIN tool t ON t.number = k.tool JOIN conversation c ON c.number = k.conversation
         WHERE {WITHIN} GROUP BY t.name ORDER BY 2 DESC, 1"
    );
    connection.all(&sql, within, |row| {
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
    let mut months = Months::new(zone);
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let found: Vec<(Option<i64>, u64, u64)> =
        connection.all(&sql, within, |row| Ok((row.get(0)?, rounded(row, 1)?, rounded(row, 2)?)))?;
    for (quarter, added, removed) in found {
        let month = month_of(&mut months, quarter).unwrap_or_default();
        let (all_added, all_removed) = counts.entry(month.to_owned()).or_default();
        *all_added += added;
        *all_removed += removed;
    }
    let line_count = |(month, (added, removed))| LineCount { month, added, removed };
    Ok(counts.into_iter().map(line_count).collect())
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
    let mut months = Months::new(zone);
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    let found: Vec<(Option<i64>, String, u64)> =
        connection.all(&sql, within, |row| Ok((row.get(0)?, row.get(1)?, count(row, 2)?)))?;
    for (quarter, model, messages) in found {
        let month = month_of(&mut months, quarter).unwrap_or_default();
        *counts.entry((month.to_owned(), model)).or_default() += messages;
    }
    let mut models: Vec<ModelCount> =
        counts.into_iter().map(|((month, model), messages)| ModelCount { month, model, messages }).collect();
    models
        .sort_by(|a, b| a.month.cmp(&b.month).then(b.messages.cmp(&a.messages)).then(a.model.cmp(&b.model)));
    Ok(models)
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
    connection.all(&sql, within, |row| {
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
    connection.all(&sql, within, |row| {
        Ok(FileCount {
            path: row.get(0)?,
            touches: count(row, 1)?,
            conversations: count(row, 2)?,
            added: rounded(row, 3)?,
            removed: rounded(row, 4)?,
        })
    })
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// A sum that SQLite gives as a floating number, because it may be beyond what its integers hold.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts saturate, and negative sums are nonsense"
)]
fn rounded(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, f64>(column)?.max(0.0) as u64)
}

/// Moments lie in the same month if they lie in the same quarter of an hour: no zone is off by less.
const QUARTER: i64 = 15 * 60 * 1_000;

/// The months of one time zone, each name made once.
#[derive(Debug)]
pub(crate) struct Months<'a> {
    zone: &'a TimeZone,
    known: HashMap<i64, Option<String>>,
}

impl<'a> Months<'a> {
    pub(crate) fn new(zone: &'a TimeZone) -> Self {
        Self { zone, known: HashMap::new() }
    }

    /// The month of a moment, such as `2026-01`; `None` beyond all calendars.
    pub(crate) fn name(&mut self, millisecond: i64) -> Option<&str> {
        let quarter = millisecond.div_euclid(QUARTER);
        let zone = self.zone;
        let name = || {
            let at = Timestamp::from_millisecond(quarter.checked_mul(QUARTER)?).ok()?;
            Some(at.to_zoned(zone.clone()).strftime("%Y-%m").to_string())
        };
        self.known.entry(quarter).or_insert_with(name).as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_when_it_begins_here() {
        let table = [
            ("UTC", "2026-01-31T23:59:59Z", "2026-01"),
            ("Europe/Berlin", "2026-01-31T22:59:59Z", "2026-01"),
            ("Europe/Berlin", "2026-01-31T23:00:00Z", "2026-02"),
            ("America/New_York", "2026-02-01T04:59:59Z", "2026-01"),
            ("Asia/Kathmandu", "2026-01-31T18:14:59Z", "2026-01"),
            ("Asia/Kathmandu", "2026-01-31T18:15:00Z", "2026-02"),
            ("UTC", "1969-12-31T23:59:59Z", "1969-12"),
        ];
        for (zone, at, month) in table {
            let zone = TimeZone::get(zone).expect("a zone");
            let at: Timestamp = at.parse().expect("a time");
            assert_eq!(Months::new(&zone).name(at.as_millisecond()), Some(month), "{at}");
        }
        assert_eq!(Months::new(&TimeZone::UTC).name(i64::MAX), None);
    }
}
