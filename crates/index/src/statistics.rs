//! Numbers over everything that the index holds: how much, when, where, with which tools and models. Counted, never
//! guessed: what a store does not tell is left out and said to be.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::{Index, IndexError};

/// Which conversations are counted, and in whose time.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Hidden ones too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// The zone in which days and hours begin.
    pub zone: TimeZone,
    /// The most workspaces, tools, models and files that are told one by one.
    pub most: usize,
}

/// All numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// How much there is.
    pub totals: Totals,
    /// Each day on which anything was said or begun, in order.
    pub days: Vec<(Date, Activity)>,
    /// Messages by the hour of the day at which they were said.
    pub hours: [u64; 24],
    /// Messages by model for each month (`2026-01`), in order.
    pub models_by_month: Vec<(String, BTreeMap<String, u64>)>,
    /// Workspaces with the most messages first.
    pub workspaces: Vec<(String, Activity)>,
    /// Tools used most, by canonical name.
    pub tools: Vec<(String, u64)>,
    /// Models that said most, by messages.
    pub models: Vec<(String, u64)>,
    /// Files touched most, with their workspace.
    pub files: Vec<TouchedMost>,
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Conversations.
    pub conversations: u64,
    /// Messages, orphans included.
    pub messages: u64,
    /// Messages whose time no store tells; they are in no day and no hour.
    pub messages_without_time: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Lines added, as conversations' records tell.
    pub lines_added: u64,
    /// Lines removed.
    pub lines_removed: u64,
    /// Tokens read by models, where stored.
    pub tokens_input: u64,
    /// Tokens written by models, where stored.
    pub tokens_output: u64,
    /// Conversations for which tokens are stored at all; of the others nothing is known.
    pub conversations_with_tokens: u64,
}

/// What happened on a day or in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// Conversations that began there or then.
    pub conversations: u64,
    /// Messages that were said there or then.
    pub messages: u64,
}

/// A file that was touched often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedMost {
    /// The workspace of the conversations that touched it.
    pub workspace: Option<String>,
    /// The file, as stored.
    pub path: String,
    /// In how many conversations.
    pub conversations: u64,
    /// How often it was edited.
    pub edits: u64,
}

impl Index {
    /// All numbers over what is `counted`.
    pub fn statistics(&self, counted: &Counted) -> Result<Statistics, IndexError> {
        let mut statistics = Statistics { totals: self.totals(counted)?, ..Statistics::default() };
        self.count_conversations(counted, &mut statistics)?;
        self.count_messages(counted, &mut statistics)?;
        statistics.tools = self.ranked(counted, TOOLS)?;
        statistics.models = self.ranked(counted, MODELS)?;
        statistics.files = self.files_touched_most(counted)?;
        Ok(statistics)
    }

    fn totals(&self, counted: &Counted) -> Result<Totals, IndexError> {
        let totals = |row: &rusqlite::Row<'_>| {
            let number =
                |column| row.get::<_, Option<i64>>(column).map(|number| unsigned(number.unwrap_or(0)));
            Ok(Totals {
                conversations: number(0)?,
                lines_added: number(1)?,
                lines_removed: number(2)?,
                tokens_input: number(3)?,
                tokens_output: number(4)?,
                conversations_with_tokens: number(5)?,
                tool_calls: number(6)?,
                ..Totals::default()
            })
        };
        let sql =
            "SELECT count(*), sum(lines_added), sum(lines_removed), sum(tokens_input), sum(tokens_output),
                       count(coalesce(tokens_input, tokens_output)),
                       (SELECT sum(count) FROM call JOIN conversation c ON c.number = call.conversation
                        WHERE ?1 OR c.hidden = 0)
                   FROM conversation WHERE ?1 OR hidden = 0";
        Ok(self.connection().prepare_cached(sql)?.query_row([counted.all], totals)?)
    }

    /// Conversations begin on a day and belong to a workspace.
    fn count_conversations(&self, counted: &Counted, into: &mut Statistics) -> Result<(), IndexError> {
        let sql = "SELECT created_at, workspace, (SELECT count(*) FROM message WHERE conversation = conversation.number)
                   FROM conversation WHERE ?1 OR hidden = 0";
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([counted.all])?;
        let mut days: BTreeMap<Date, Activity> = BTreeMap::new();
        let mut workspaces: BTreeMap<String, Activity> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if let Some(begun) = row.get::<_, Option<i64>>(0)?.and_then(|at| counted.local(at)) {
                days.entry(begun.date()).or_default().conversations += 1;
            }
            if let Some(path) = row.get::<_, Option<String>>(1)? {
                let activity = workspaces.entry(path).or_default();
                activity.conversations += 1;
                activity.messages += unsigned(row.get(2)?);
            }
        }
        let mut workspaces: Vec<(String, Activity)> = workspaces.into_iter().collect();
        workspaces
            .sort_by_key(|(_, activity)| std::cmp::Reverse((activity.messages, activity.conversations)));
        workspaces.truncate(counted.most);
        into.workspaces = workspaces;
        into.days = days.into_iter().collect();
        Ok(())
    }

    /// Messages are said on a day, at an hour, by a model.
    fn count_messages(&self, counted: &Counted, into: &mut Statistics) -> Result<(), IndexError> {
        let sql = "SELECT message.at, model.name FROM message
                   JOIN conversation ON conversation.number = message.conversation
                   LEFT JOIN model ON model.number = message.model AND message.role = 1
                   WHERE ?1 OR conversation.hidden = 0";
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([counted.all])?;
        let mut days: BTreeMap<Date, Activity> = std::mem::take(&mut into.days).into_iter().collect();
        let mut months: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            into.totals.messages += 1;
            let Some(said) = row.get::<_, Option<i64>>(0)?.and_then(|at| counted.local(at)) else {
                into.totals.messages_without_time += 1;
                continue;
            };
            days.entry(said.date()).or_default().messages += 1;
            if let Some(hour) = usize::try_from(said.hour()).ok().and_then(|hour| into.hours.get_mut(hour)) {
                *hour += 1;
            }
            if let Some(model) = row.get::<_, Option<String>>(1)? {
                let month = format!("{:04}-{:02}", said.year(), said.month());
                *months.entry(month).or_default().entry(model).or_default() += 1;
            }
        }
        into.days = days.into_iter().collect();
        into.models_by_month = months.into_iter().collect();
        Ok(())
    }

    fn ranked(&self, counted: &Counted, sql: &str) -> Result<Vec<(String, u64)>, IndexError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let most = i64::try_from(counted.most).unwrap_or(i64::MAX);
        let rows =
            statement.query_map((counted.all, most), |row| Ok((row.get(0)?, unsigned(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn files_touched_most(&self, counted: &Counted) -> Result<Vec<TouchedMost>, IndexError> {
        let sql = "SELECT conversation.workspace, file.path, count(DISTINCT touched.conversation), sum(touched.how = 2)
                   FROM touched JOIN file ON file.number = touched.file
                   JOIN conversation ON conversation.number = touched.conversation
                   WHERE ?1 OR conversation.hidden = 0
                   GROUP BY conversation.workspace, touched.file ORDER BY 3 DESC, 4 DESC, file.path LIMIT ?2";
        let mut statement = self.connection().prepare_cached(sql)?;
        let touched = |row: &rusqlite::Row<'_>| {
            Ok(TouchedMost {
                workspace: row.get(0)?,
                path: row.get(1)?,
                conversations: unsigned(row.get(2)?),
                edits: unsigned(row.get(3)?),
            })
        };
        let most = i64::try_from(counted.most).unwrap_or(i64::MAX);
        Ok(statement.query_map((counted.all, most), touched)?.collect::<Result<_, _>>()?)
    }
}

const TOOLS: &str = "SELECT tool.name, sum(call.count) FROM call JOIN tool ON tool.number = call.tool
    JOIN conversation ON conversation.number = call.conversation
    WHERE ?1 OR conversation.hidden = 0 GROUP BY tool.name ORDER BY 2 DESC, 1 LIMIT ?2";

const MODELS: &str = "SELECT model.name, count(*) FROM message JOIN model ON model.number = message.model
    JOIN conversation ON conversation.number = message.conversation
    WHERE message.role = 1 AND (?1 OR conversation.hidden = 0) GROUP BY model.name ORDER BY 2 DESC, 1 LIMIT ?2";

impl Counted {
    fn local(&self, milliseconds: i64) -> Option<Zoned> {
        Timestamp::from_millisecond(milliseconds).ok().map(|at| at.to_zoned(self.zone.clone()))
    }
}

/// Counts are never below zero.
fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
