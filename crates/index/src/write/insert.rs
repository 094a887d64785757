//! Writes conversations that were made ready into the tables. One writer at a time, inside of a transaction that others hold.
//! The rows of their messages are [`message_rows`](super::message_rows)' affair.
//!
//! No statement here may need to be undone half-way (`INSERT OR REPLACE`, an upsert, several rows at once): SQLite then sets a
//! savepoint, and the full-text engine writes out everything it has collected at each of them.

use std::fmt;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::ledger::Ledger;
use super::links;
use super::prepare::Prepared;
use super::shared_names::{SharedNames, last_component};
use crate::IndexError;
use crate::codes;
use crate::stored::summary_to_json;

/// The fact that names the next row number.
const NEXT_ROW: &str = "next_row";

/// Writes conversations.
pub(crate) struct Writer<'a> {
    pub(super) connection: &'a Connection,
    pub(super) names: SharedNames,
    next_row: i64,
    /// Conversations whose parent may have to be told anew.
    to_link: Vec<String>,
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("next_row", &self.next_row).finish_non_exhaustive()
    }
}

/// What the index has of a conversation.
struct Old {
    number: i64,
    title_row: i64,
    title: Option<String>,
    draft: Option<String>,
}

impl Old {
    /// Whether the words of its own are the same, those of messages aside.
    fn holds_words_of(&self, prepared: &Prepared) -> bool {
        self.title == prepared.entry.in_all.title && self.draft == prepared.draft
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn of(connection: &'a Connection) -> Result<Self, IndexError> {
        let next_row = Ledger::of(connection).noted(NEXT_ROW)?.unwrap_or(1);
        Ok(Self { connection, names: SharedNames::default(), next_row, to_link: Vec::new() })
    }

    /// Writes a conversation in place of what the index has of it.
    pub(crate) fn put(&mut self, prepared: &Prepared) -> Result<(), IndexError> {
        let id = prepared.entry.in_all.id.as_str();
        let old = self.old(id)?;
        let number = match &old {
            Some(old) => old.number,
            None => self.new_number()?,
        };
        let is_new = self.put_messages(number, prepared)?;
        let title_row = match old {
            Some(old) if !is_new && old.holds_words_of(prepared) => old.title_row,
            old => self.put_title(old.map(|old| old.title_row), prepared)?,
        };
        self.run("DELETE FROM conversation WHERE number = ?1", number)?;
        self.put_conversation(number, title_row, prepared)?;
        self.put_models(number, prepared)?;
        let children = links::replace_children(self.connection, number, Some(&prepared.entry.in_all))?;
        self.to_link.push(id.to_owned());
        self.to_link.extend(children);
        Ok(())
    }

    /// Removes everything that the index has of a conversation.
    pub(crate) fn remove(&mut self, id: &str) -> Result<(), IndexError> {
        let Some(old) = self.old(id)? else { return Ok(()) };
        self.remove_messages_from(old.number, 0)?;
        self.remove_words(old.title_row)?;
        self.to_link.extend(links::replace_children(self.connection, old.number, None)?);
        self.run("DELETE FROM conversation_model WHERE conversation = ?1", old.number)?;
        self.run("DELETE FROM conversation WHERE number = ?1", old.number)
    }

    /// Settles what depends on several conversations. To be called before the transaction ends.
    pub(crate) fn settle(&mut self) -> Result<(), IndexError> {
        let mut to_link = std::mem::take(&mut self.to_link);
        to_link.sort();
        to_link.dedup();
        to_link.iter().try_for_each(|id| links::link(self.connection, id))?;
        Ledger::of(self.connection).note(NEXT_ROW, self.next_row)
    }

    fn old(&self, id: &str) -> Result<Option<Old>, IndexError> {
        let mut find = self
            .connection
            .prepare_cached("SELECT number, title_row, title, draft FROM conversation WHERE id = ?1")?;
        let old = |row: &rusqlite::Row<'_>| {
            Ok(Old { number: row.get(0)?, title_row: row.get(1)?, title: row.get(2)?, draft: row.get(3)? })
        };
        Ok(find.query_row([id], old).optional()?)
    }

    fn new_number(&self) -> Result<i64, IndexError> {
        let mut highest =
            self.connection.prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM conversation")?;
        Ok(highest.query_row([], |row| row.get(0))?)
    }

    pub(super) fn new_row(&mut self) -> i64 {
        self.next_row += 1;
        self.next_row - 1
    }

    fn put_title(&mut self, old: Option<i64>, prepared: &Prepared) -> Result<i64, IndexError> {
        if let Some(row) = old {
            self.remove_words(row)?;
        }
        let row = self.new_row();
        let mut insert =
            self.connection.prepare_cached("INSERT INTO words (rowid, title, said) VALUES (?1, ?2, ?3)")?;
        insert.execute((row, &prepared.title_words, &prepared.draft_words))?;
        Ok(row)
    }

    fn put_conversation(&self, number: i64, title_row: i64, prepared: &Prepared) -> Result<(), IndexError> {
        let summary = &prepared.entry.in_all;
        let listed = prepared.entry.listed.as_ref();
        let in_all = (listed != Some(summary)).then(|| summary_to_json(summary));
        let workspace = summary.workspace.as_ref();
        let time = |at: Option<jiff::Timestamp>| at.map(jiff::Timestamp::as_millisecond);
        let flags = codes::flags(summary);
        let (lines, tokens) = (prepared.lines, prepared.tokens);
        self.connection
            .prepare_cached(
                "INSERT INTO conversation (number, id, title_row, summary, summary_all, title, workspace,
                     workspace_name, remote, surface, mode, parent, created_at, recency, flags, hidden, holds, messages,
                     lines_added, lines_removed, tokens_input, tokens_output, text_bytes, findings, loaded,
                     trouble_place, trouble, draft)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                     ?22, ?23, ?24, ?25, ?26, ?27, ?28)",
            )?
            .execute(params![
                number,
                summary.id.as_str(),
                title_row,
                listed.map(summary_to_json),
                in_all,
                summary.title,
                workspace.map(|workspace| &workspace.path),
                workspace.map(|workspace| last_component(&workspace.path)),
                workspace.and_then(|workspace| workspace.remote.as_deref()),
                summary.surface.name(),
                summary.mode,
                summary.parent.as_ref().map(backscroll_model::ConversationId::as_str),
                time(summary.created_at),
                time(summary.recency()),
                flags,
                links::is_hidden(flags),
                prepared.holds,
                length(prepared.listed),
                lines.map(|lines| count(lines.added)),
                lines.map(|lines| count(lines.removed)),
                tokens.map(|tokens| count(tokens.input)),
                tokens.map(|tokens| count(tokens.output)),
                length(prepared.text_bytes),
                length(prepared.findings),
                prepared.is_loaded,
                prepared.trouble.as_ref().map(|trouble| trouble.place.to_string_lossy()),
                prepared.trouble.as_ref().map(|trouble| trouble.because.to_string()),
                prepared.draft,
            ])?;
        Ok(())
    }

    fn put_models(&mut self, conversation: i64, prepared: &Prepared) -> Result<(), IndexError> {
        self.run("DELETE FROM conversation_model WHERE conversation = ?1", conversation)?;
        for name in &prepared.models {
            let model = self.names.model(self.connection, name)?;
            self.connection
                .prepare_cached("INSERT INTO conversation_model (conversation, model) VALUES (?1, ?2)")?
                .execute((conversation, model))?;
        }
        Ok(())
    }

    pub(super) fn remove_words(&self, row: i64) -> Result<(), IndexError> {
        self.run("DELETE FROM words WHERE rowid = ?1", row)
    }

    pub(super) fn run(&self, sql: &str, number: i64) -> Result<(), IndexError> {
        self.connection.prepare_cached(sql)?.execute([number])?;
        Ok(())
    }
}

/// A count as SQLite stores it.
pub(super) fn count(of: u64) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

/// A length as SQLite stores it.
pub(super) fn length(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}
