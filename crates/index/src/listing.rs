//! What a listing needs, out of the index: summaries to the letter, what was found in the sources, and what conversations hold.

use std::collections::BTreeMap;
use std::path::PathBuf;

use backscroll_model::{ConversationId, Finding, SourceError, Summary};
use rusqlite::OptionalExtension as _;

use crate::stored::{finding_from_json, summary_from_json};
use crate::{Index, IndexError};

/// What a conversation holds, as far as listings ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Bits of [`codes::holds`](crate::codes::holds).
    pub holds: i64,
    /// The models that its record or any of its messages names.
    pub models: Vec<String>,
    /// The tools that it used: name and stored name.
    pub tools: Vec<(String, String)>,
}

impl Index {
    /// Every conversation as a listing tells it, before parents are told by their children, in no order; with `all`
    /// those inside of others too.
    pub fn summaries(&self, all: bool) -> Result<Vec<Summary>, IndexError> {
        let sql = if all {
            "SELECT coalesce(summary_all, summary) FROM conversation"
        } else {
            "SELECT summary FROM conversation WHERE summary IS NOT NULL"
        };
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut summaries = Vec::new();
        while let Some(row) = rows.next()? {
            summaries.push(summary_from_json(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
        }
        Ok(summaries)
    }

    /// What is not as it should be in each source as a whole; `None` if some source changed since that was looked for.
    pub fn findings(&self) -> Result<Option<BTreeMap<String, Vec<Finding>>>, IndexError> {
        let unknown = "SELECT EXISTS (SELECT 1 FROM mark WHERE findings_known = 0)";
        if self.connection().query_row(unknown, [], |row| row.get(0))? {
            return Ok(None);
        }
        let mut all = self
            .connection()
            .prepare_cached("SELECT source, finding FROM finding ORDER BY source, number")?;
        let mut rows = all.query([])?;
        let mut findings: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let finding = finding_from_json(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
            findings.entry(row.get(0)?).or_default().push(finding);
        }
        Ok(Some(findings))
    }

    /// What a conversation holds; `Ok(None)` if it has no messages that could be read, the trouble where that is why.
    pub fn content(&self, id: &ConversationId) -> Result<Result<Option<Content>, SourceError>, IndexError> {
        let mut find = self.connection().prepare_cached(
            "SELECT number, holds, loaded, trouble_place, trouble FROM conversation WHERE id = ?1",
        )?;
        let found = find.query_row([id.as_str()], |row| {
            let trouble: Option<(String, String)> = row.get::<_, Option<String>>(3)?.zip(row.get(4)?);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, bool>(2)?, trouble))
        });
        match found.optional()? {
            Some((_, _, _, Some((place, trouble)))) => {
                Ok(Err(SourceError::new(PathBuf::from(place), trouble)))
            }
            Some((number, holds, true, None)) => Ok(Ok(Some(Content {
                holds,
                models: self.models_of(number)?,
                tools: self.tools_of(number)?,
            }))),
            Some((_, _, false, None)) | None => Ok(Ok(None)),
        }
    }

    fn models_of(&self, conversation: i64) -> Result<Vec<String>, IndexError> {
        let mut names = self.connection().prepare_cached(
            "SELECT model.name FROM conversation_model JOIN model ON model.number = conversation_model.model
             WHERE conversation = ?1",
        )?;
        Ok(names.query_map([conversation], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// Orphans' tools are left out: a listing does not look at orphans.
    fn tools_of(&self, conversation: i64) -> Result<Vec<(String, String)>, IndexError> {
        let mut names = self.connection().prepare_cached(
            "SELECT DISTINCT tool.name, tool.raw_name FROM message
             JOIN call ON call.row = message.row JOIN tool ON tool.number = call.tool
             WHERE message.conversation = ?1 AND message.state & 1 = 0",
        )?;
        Ok(names
            .query_map([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?)
    }
}
