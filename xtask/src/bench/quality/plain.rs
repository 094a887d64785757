//! The yardstick: SQLite's full text with stems, any word, one row for each conversation.

use rusqlite::Connection;

use super::corpus::Talk;
use crate::arguments::Trouble;

pub(super) struct Plain(Connection);

impl Plain {
    pub(super) fn of(talks: &[Talk]) -> Result<Self, Trouble> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE plain USING fts5 (id UNINDEXED, title, text, tokenize = 'porter')",
        )?;
        for talk in talks {
            let text = format!("{}\n{}\n{}", talk.said.join("\n"), talk.file, talk.code);
            connection.execute(
                "INSERT INTO plain (id, title, text) VALUES (?1, ?2, ?3)",
                (&talk.id, &talk.title, text),
            )?;
        }
        Ok(Self(connection))
    }

    /// The ids of the ten best conversations.
    pub(super) fn ask(&self, typed: &str) -> Result<Vec<String>, Trouble> {
        let words: Vec<String> = typed
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut find =
            self.0.prepare_cached("SELECT id FROM plain WHERE plain MATCH ?1 ORDER BY rank LIMIT 10")?;
        let found = find.query_map([words.join(" OR ")], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}
