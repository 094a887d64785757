//! The rows of one message: the message itself, its words, its calls, and the files that it touched. Like the
//! [`Writer`] it belongs to, it may use no statement that SQLite might have to undo half-way.

use rusqlite::{OptionalExtension as _, params};

use super::insert::{Writer, count, length};
use super::prepare::{NewMessage, Prepared};
use crate::IndexError;
use crate::codes;

impl Writer<'_> {
    /// Writes the messages that are new; gives whether any is.
    pub(super) fn put_messages(
        &mut self,
        conversation: i64,
        prepared: &Prepared,
    ) -> Result<bool, IndexError> {
        let mut is_new = false;
        for (number, message) in prepared.messages.iter().enumerate() {
            if let Some(new) = &message.new {
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                self.remove_message(conversation, number)?;
                self.put_message(conversation, number, message.fingerprint, new)?;
                is_new = true;
            }
        }
        let count = i64::try_from(prepared.messages.len()).unwrap_or(i64::MAX);
        self.remove_messages_from(conversation, count)?;
        Ok(is_new)
    }

    fn put_message(
        &mut self,
        conversation: i64,
        number: i64,
        fingerprint: i64,
        new: &NewMessage,
    ) -> Result<(), IndexError> {
        let row = self.new_row();
        let place = self.names.place(self.connection, &new.origin)?;
        let model = new.model.as_deref().map(|name| self.names.model(self.connection, name)).transpose()?;
        let tokens =
            |of: fn(&backscroll_model::Tokens) -> u64| new.tokens.as_ref().map(|tokens| count(of(tokens)));
        self.connection
            .prepare_cached(
                "INSERT INTO message (row, conversation, number, id, role, at, at_is, model, place, key, holds, state,
                     tokens_input, tokens_output, fingerprint)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .execute(params![
                row,
                conversation,
                number,
                new.id,
                new.role,
                new.at,
                new.at_is,
                model,
                place,
                new.origin.key,
                new.holds,
                new.state,
                tokens(|tokens| tokens.input),
                tokens(|tokens| tokens.output),
                fingerprint,
            ])?;
        self.put_words(row, &new.words)?;
        self.put_calls(row, conversation, new)?;
        self.put_touched(row, conversation, new)
    }

    fn put_words(&self, row: i64, words: &[String; 8]) -> Result<(), IndexError> {
        let [title, said, thinking, arguments, results, paths, code, attached] = words;
        self.connection
            .prepare_cached(
                "INSERT INTO words (rowid, title, said, thinking, arguments, results, paths, code, attached)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![row, title, said, thinking, arguments, results, paths, code, attached])?;
        Ok(())
    }

    fn put_calls(&mut self, row: i64, conversation: i64, new: &NewMessage) -> Result<(), IndexError> {
        for ((name, raw_name, status), count) in &new.calls {
            let tool = self.names.tool(self.connection, &(name.clone(), raw_name.clone()))?;
            self.connection
                .prepare_cached(
                    "INSERT INTO call (row, conversation, tool, status, count) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute((row, conversation, tool, codes::status(*status), count))?;
        }
        Ok(())
    }

    fn put_touched(&mut self, row: i64, conversation: i64, new: &NewMessage) -> Result<(), IndexError> {
        for touched in &new.touched {
            let file = self.names.file(self.connection, &touched.path)?;
            self.connection
                .prepare_cached(
                    "INSERT INTO touched (row, part, conversation, file, how, added, removed, has_diff)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    row,
                    length(touched.part),
                    conversation,
                    file,
                    codes::touch(touched.how),
                    length(touched.added),
                    length(touched.removed),
                    touched.has_diff,
                ])?;
        }
        Ok(())
    }

    fn remove_message(&self, conversation: i64, number: i64) -> Result<(), IndexError> {
        let mut find = self
            .connection
            .prepare_cached("SELECT row FROM message WHERE conversation = ?1 AND number = ?2")?;
        match find.query_row((conversation, number), |row| row.get(0)).optional()? {
            Some(row) => self.remove_row(row),
            None => Ok(()),
        }
    }

    pub(super) fn remove_messages_from(&self, conversation: i64, number: i64) -> Result<(), IndexError> {
        let mut find = self
            .connection
            .prepare_cached("SELECT row FROM message WHERE conversation = ?1 AND number >= ?2")?;
        let rows = find.query_map((conversation, number), |row| row.get(0))?;
        let rows = rows.collect::<Result<Vec<i64>, _>>()?;
        rows.into_iter().try_for_each(|row| self.remove_row(row))
    }

    fn remove_row(&self, row: i64) -> Result<(), IndexError> {
        self.remove_words(row)?;
        self.run("DELETE FROM call WHERE row = ?1", row)?;
        self.run("DELETE FROM touched WHERE row = ?1", row)?;
        self.run("DELETE FROM message WHERE row = ?1", row)
    }
}
