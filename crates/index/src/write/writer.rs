//! Writes conversations that were made ready into the tables. One writer at a time, inside of a transaction that others
//! hold.
//!
//! No statement here may need to be undone half-way (`INSERT OR REPLACE`, an upsert, several rows at once): SQLite then sets a
//! savepoint, and the full-text engine writes out everything it has collected at each of them.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{Flag, Layer, Named as _, Origin, Summary};
use rusqlite::{Connection, Params, params};

use super::ledger::Ledger;
use super::prepare::{NewMessage, Prepared, words_of};
use crate::database::Statements as _;
use crate::query::hides;
use crate::vocabulary::{self, Counted};
use crate::{IndexError, codes};

/// The fact that names the next row number.
const NEXT_ROW: &str = "next_row";
/// The fact that says how many rows were removed.
const REMOVED: &str = "removed";
/// The fact that says how many of these were messages whose words are not counted out yet.
const UNCOUNTED: &str = "uncounted";
/// When that is one row in this many, words are counted again: what a removed message said is not known any more.
const RECOUNTED: i64 = 20;
/// In an index of fewer rows counting costs nothing.
const FEW_ROWS: i64 = 2_000;

/// How many rows the full-text table has.
pub(crate) fn row_count(connection: &Connection) -> Result<i64, IndexError> {
    let ledger = Ledger::new(connection);
    let made = ledger.noted::<i64>(NEXT_ROW)?.unwrap_or(1) - 1;
    Ok(made - ledger.noted::<i64>(REMOVED)?.unwrap_or(0))
}

/// Writes conversations.
pub(crate) struct Writer<'a> {
    pub(super) connection: &'a Connection,
    names: SharedNames,
    next_row: i64,
    /// Rows that were removed since that was last noted.
    removed: Cell<i64>,
    /// Those of them whose words are not counted out.
    uncounted: Cell<i64>,
    /// Conversations whose parent may have to be written anew.
    to_link: Vec<String>,
    /// Words of new rows; `None` in a first build, where they are counted at its end.
    counted: Option<Counted>,
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
    noted: Option<String>,
}

impl Old {
    /// Whether the words of its own are the same, those of messages aside.
    fn holds_words_of(&self, prepared: &Prepared) -> bool {
        self.title == prepared.summary.title && self.draft == prepared.draft && self.noted == prepared.noted
    }
}

impl<'a> Writer<'a> {
    /// A writer into `connection`, which `is_new` and will be [finished](crate::database::finish), or is an index already.
    pub(crate) fn new(connection: &'a Connection, is_new: bool) -> Result<Self, IndexError> {
        let next_row = Ledger::new(connection).noted(NEXT_ROW)?.unwrap_or(1);
        let counted = (!is_new).then(Counted::default);
        Ok(Self {
            connection,
            names: SharedNames::default(),
            next_row,
            removed: Cell::new(0),
            uncounted: Cell::new(0),
            to_link: Vec::new(),
            counted,
        })
    }

    /// Writes a conversation in place of what the index has of it.
    pub(crate) fn put(&mut self, prepared: &Prepared) -> Result<(), IndexError> {
        let id = prepared.summary.id.as_str();
        let old = self.old(id)?;
        let number = match &old {
            Some(old) => old.number,
            None => self.new_number()?,
        };
        let is_new = self.put_messages(number, prepared)?;
        let title_row = match old {
            Some(old) if !is_new && old.holds_words_of(prepared) => old.title_row,
            old => self.put_title(old, prepared)?,
        };
        self.run("DELETE FROM conversation WHERE number = ?1", number)?;
        self.put_conversation(number, title_row, prepared)?;
        self.put_models(number, prepared)?;
        let children = replace_children(self.connection, number, Some(&prepared.summary))?;
        self.to_link.push(id.to_owned());
        self.to_link.extend(children);
        Ok(())
    }

    /// Removes everything that the index has of a conversation.
    pub(crate) fn remove(&mut self, id: &str) -> Result<(), IndexError> {
        let Some(old) = self.old(id)? else { return Ok(()) };
        self.remove_messages_from(old.number, 0)?;
        self.remove_title(&old)?;
        self.to_link.extend(replace_children(self.connection, old.number, None)?);
        self.run("DELETE FROM conversation_model WHERE conversation = ?1", old.number)?;
        self.run("DELETE FROM conversation WHERE number = ?1", old.number)
    }

    /// Settles what depends on several conversations. To be called before the transaction ends.
    pub(crate) fn settle(&mut self) -> Result<(), IndexError> {
        let mut to_link = std::mem::take(&mut self.to_link);
        to_link.sort();
        to_link.dedup();
        to_link.iter().try_for_each(|id| link(self.connection, id))?;
        if let Some(counted) = &mut self.counted {
            counted.write(self.connection)?;
        }
        let ledger = Ledger::new(self.connection);
        ledger.note(NEXT_ROW, self.next_row)?;
        ledger.note(REMOVED, ledger.noted::<i64>(REMOVED)?.unwrap_or(0) + self.removed.take())?;
        let uncounted = ledger.noted::<i64>(UNCOUNTED)?.unwrap_or(0) + self.uncounted.take();
        let rows = row_count(self.connection)?;
        let is_recounted = uncounted > 0 && (uncounted * RECOUNTED > rows || rows < FEW_ROWS);
        if is_recounted {
            vocabulary::fill(self.connection)?;
        }
        ledger.note(UNCOUNTED, if is_recounted { 0 } else { uncounted })
    }

    fn old(&self, id: &str) -> Result<Option<Old>, IndexError> {
        let sql = "SELECT number, title_row, title, draft, noted FROM conversation WHERE id = ?1";
        self.connection.one(sql, [id], |row| {
            Ok(Old {
                number: row.get(0)?,
                title_row: row.get(1)?,
                title: row.get(2)?,
                draft: row.get(3)?,
                noted: row.get(4)?,
            })
        })
    }

    fn new_number(&self) -> Result<i64, IndexError> {
        let sql = "SELECT coalesce(max(number), 0) + 1 FROM conversation";
        Ok(self.connection.one(sql, [], |row| row.get(0))?.unwrap_or(1))
    }

    fn new_row(&mut self) -> i64 {
        self.next_row += 1;
        self.next_row - 1
    }

    fn put_title(&mut self, old: Option<Old>, prepared: &Prepared) -> Result<i64, IndexError> {
        if let Some(old) = old {
            self.remove_title(&old)?;
        }
        let row = self.new_row();
        let words = [&prepared.title_words, &prepared.draft_words, &prepared.noted_words];
        let sql = "INSERT INTO words (rowid, title, said, paths) VALUES (?1, ?2, ?3, ?4)";
        self.connection.run(sql, (row, words[0], words[1], words[2]))?;
        if let Some(counted) = &mut self.counted {
            counted.add(words.iter().map(|words| words.as_str()), 1);
        }
        Ok(row)
    }

    fn put_conversation(&self, number: i64, title_row: i64, prepared: &Prepared) -> Result<(), IndexError> {
        let summary = &prepared.summary;
        let workspace = summary.workspace.as_ref();
        let time = |at: Option<jiff::Timestamp>| at.map(jiff::Timestamp::as_millisecond);
        let flags = codes::flags(summary);
        let (lines, tokens) = (prepared.lines, prepared.tokens);
        self.connection.run(
                "INSERT INTO conversation (number, id, title_row, summary, title, workspace,
                     workspace_name, remote, surface, mode, parent, created_at, recency, flags, hidden, holds, messages,
                     lines_added, lines_removed, tokens_input, tokens_output, text_bytes, losses, loaded,
                     trouble_layer, trouble_place, trouble, draft, noted, tokens_cache_read, tokens_cache_write,
                     tokens_reasoning)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                     ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32)",
            params![
                number,
                summary.id.as_str(),
                title_row,
                serde_json::to_string(summary)?,
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
                is_hidden(flags),
                prepared.holds,
                length(prepared.listed),
                lines.map(|lines| count(lines.added)),
                lines.map(|lines| count(lines.removed)),
                tokens.map(|tokens| count(tokens.input)),
                tokens.map(|tokens| count(tokens.output)),
                length(prepared.text_bytes),
                length(prepared.losses),
                prepared.is_loaded,
                prepared.trouble.as_ref().map(|trouble| trouble.layer.name()),
                prepared.trouble.as_ref().map(|trouble| trouble.place.to_string_lossy()),
                prepared.trouble.as_ref().map(|trouble| trouble.because.to_string()),
                prepared.draft,
                prepared.noted,
                tokens.and_then(|tokens| tokens.cache_read).map(count),
                tokens.and_then(|tokens| tokens.cache_write).map(count),
                tokens.and_then(|tokens| tokens.reasoning).map(count),
            ],
        )
    }

    fn put_models(&mut self, conversation: i64, prepared: &Prepared) -> Result<(), IndexError> {
        self.run("DELETE FROM conversation_model WHERE conversation = ?1", conversation)?;
        for name in &prepared.models {
            let model = self.names.model(self.connection, name)?;
            let sql = "INSERT INTO conversation_model (conversation, model) VALUES (?1, ?2)";
            self.connection.run(sql, (conversation, model))?;
        }
        Ok(())
    }

    /// What a title said is known, unlike the words of a message, so it is counted out at once.
    fn remove_title(&mut self, old: &Old) -> Result<(), IndexError> {
        self.remove_words(old.title_row)?;
        if let Some(counted) = &mut self.counted {
            let words = [&old.title, &old.draft, &old.noted].map(|text| words_of(text.as_deref()));
            counted.add(words.iter().map(String::as_str), -1);
        }
        Ok(())
    }

    fn remove_words(&self, row: i64) -> Result<(), IndexError> {
        self.removed.set(self.removed.get() + 1);
        self.run("DELETE FROM words WHERE rowid = ?1", row)
    }

    fn run(&self, sql: &str, number: i64) -> Result<(), IndexError> {
        self.connection.run(sql, [number])
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

impl Writer<'_> {
    /// Writes the messages that are new; gives whether any is.
    fn put_messages(&mut self, conversation: i64, prepared: &Prepared) -> Result<bool, IndexError> {
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
        self.connection.run(
                "INSERT INTO message (row, conversation, number, id, role, at, at_is, model, place, key, holds, state,
                     tokens_input, tokens_output, fingerprint)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            params![
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
            ],
        )?;
        self.put_words(row, &new.words)?;
        if let Some(counted) = &mut self.counted {
            counted.add(new.words.iter().map(String::as_str), 1);
        }
        self.put_calls(row, conversation, new)?;
        self.put_touched(row, conversation, new)
    }

    fn put_words(&self, row: i64, words: &[String; 8]) -> Result<(), IndexError> {
        let [title, said, thinking, arguments, results, paths, code, attached] = words;
        self.connection.run(
            "INSERT INTO words (rowid, title, said, thinking, arguments, results, paths, code, attached)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![row, title, said, thinking, arguments, results, paths, code, attached],
        )
    }

    fn put_calls(&mut self, row: i64, conversation: i64, new: &NewMessage) -> Result<(), IndexError> {
        for ((name, raw_name, status), count) in &new.calls {
            let tool = self.names.tool(self.connection, &(name.clone(), raw_name.clone()))?;
            let sql = "INSERT INTO call (row, conversation, tool, status, count) VALUES (?1, ?2, ?3, ?4, ?5)";
            self.connection.run(sql, (row, conversation, tool, codes::code(*status), count))?;
        }
        Ok(())
    }

    fn put_touched(&mut self, row: i64, conversation: i64, new: &NewMessage) -> Result<(), IndexError> {
        for touched in &new.touched {
            let file = self.names.file(self.connection, &touched.path)?;
            self.connection.run(
                "INSERT INTO touched (row, part, conversation, file, how, added, removed, has_diff)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    row,
                    length(touched.part),
                    conversation,
                    file,
                    codes::code(touched.how),
                    length(touched.added),
                    length(touched.removed),
                    touched.has_diff,
                ],
            )?;
        }
        Ok(())
    }

    fn remove_message(&self, conversation: i64, number: i64) -> Result<(), IndexError> {
        let sql = "SELECT row FROM message WHERE conversation = ?1 AND number = ?2";
        let row = self.connection.one(sql, (conversation, number), |row| row.get(0))?;
        row.map_or(Ok(()), |row| self.remove_row(row))
    }

    fn remove_messages_from(&self, conversation: i64, number: i64) -> Result<(), IndexError> {
        let sql = "SELECT row FROM message WHERE conversation = ?1 AND number >= ?2";
        let rows: Vec<i64> = self.connection.all(sql, (conversation, number), |row| row.get(0))?;
        rows.into_iter().try_for_each(|row| self.remove_row(row))
    }

    fn remove_row(&self, row: i64) -> Result<(), IndexError> {
        self.uncounted.set(self.uncounted.get() + 1);
        self.remove_words(row)?;
        self.run("DELETE FROM call WHERE row = ?1", row)?;
        self.run("DELETE FROM touched WHERE row = ?1", row)?;
        self.run("DELETE FROM message WHERE row = ?1", row)
    }
}

/// Whether a listing leaves a conversation with these flags out unless all are asked for.
fn is_hidden(flags: i64) -> bool {
    Flag::ALL.iter().any(|flag| hides(*flag) && flags & codes::flag(*flag) != 0)
}

/// Writes down the children that `summary` names, in place of those it named before. Gives all of them, old and new.
fn replace_children(
    connection: &Connection,
    parent: i64,
    summary: Option<&Summary>,
) -> Result<Vec<String>, IndexError> {
    let sql = "SELECT child FROM child WHERE parent = ?1";
    let mut children: Vec<String> = connection.all(sql, [parent], |row| row.get(0))?;
    if !children.is_empty() {
        connection.run("DELETE FROM child WHERE parent = ?1", [parent])?;
    }
    let named = summary.map(|summary| &summary.children[..]).unwrap_or_default();
    let others: BTreeSet<_> =
        named.iter().filter(|child| summary.is_some_and(|summary| summary.id != **child)).collect();
    for child in others {
        connection.run("INSERT INTO child (parent, child) VALUES (?1, ?2)", (parent, child.as_str()))?;
        children.push(child.as_str().to_owned());
    }
    Ok(children)
}

/// Writes whose child the conversation with this id is. `own` are the parent and the flags that it has by itself.
fn link(connection: &Connection, id: &str) -> Result<(), IndexError> {
    let sql = "SELECT number, summary FROM conversation WHERE id = ?1";
    let found: Option<(i64, String)> = connection.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((number, json)) = found else { return Ok(()) };
    let summary = serde_json::from_str::<Summary>(&json)?;
    let mut flags = codes::flags(&summary);
    let mut parent = summary.parent.map(|parent| parent.as_str().to_owned());
    if parent.is_none() {
        let sql = "SELECT conversation.id FROM child JOIN conversation ON conversation.number = child.parent
                   WHERE child.child = ?1 ORDER BY conversation.id LIMIT 1";
        parent = connection.one(sql, [id], |row| row.get(0))?;
        if parent.is_some() && !summary.flags.contains(&Flag::BestOfN) {
            flags |= codes::flag(Flag::Subagent);
        }
    }
    let sql = "UPDATE conversation SET parent = ?2, flags = ?3, hidden = ?4 WHERE number = ?1";
    connection.run(sql, (number, parent, flags, is_hidden(flags)))
}

/// The numbers of names.
#[derive(Debug, Default)]
struct SharedNames {
    places: HashMap<(Layer, Arc<Path>), i64>,
    models: HashMap<String, i64>,
    tools: HashMap<(String, String), i64>,
    files: HashMap<String, i64>,
}

/// Files are many; beyond this many the memory is given back and the tables are asked again.
const MOST_FILES: usize = 100_000;

impl SharedNames {
    pub(super) fn place(&mut self, connection: &Connection, origin: &Origin) -> Result<i64, IndexError> {
        let key = (origin.layer, Arc::clone(&origin.file));
        if let Some(number) = self.places.get(&key) {
            return Ok(*number);
        }
        let file = origin.file.to_string_lossy();
        let number = find_or_insert(
            connection,
            "SELECT number FROM place WHERE layer = ?1 AND file = ?2",
            "INSERT INTO place (layer, file) VALUES (?1, ?2)",
            (origin.layer.name(), &*file),
        )?;
        self.places.insert(key, number);
        Ok(number)
    }

    pub(super) fn model(&mut self, connection: &Connection, name: &str) -> Result<i64, IndexError> {
        if let Some(number) = self.models.get(name) {
            return Ok(*number);
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM model WHERE name = ?1",
            "INSERT INTO model (name) VALUES (?1)",
            [name],
        )?;
        self.models.insert(name.to_owned(), number);
        Ok(number)
    }

    pub(super) fn tool(
        &mut self,
        connection: &Connection,
        names: &(String, String),
    ) -> Result<i64, IndexError> {
        if let Some(number) = self.tools.get(names) {
            return Ok(*number);
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM tool WHERE name = ?1 AND raw_name = ?2",
            "INSERT INTO tool (name, raw_name) VALUES (?1, ?2)",
            (&names.0, &names.1),
        )?;
        self.tools.insert(names.clone(), number);
        Ok(number)
    }

    pub(super) fn file(&mut self, connection: &Connection, path: &str) -> Result<i64, IndexError> {
        if let Some(number) = self.files.get(path) {
            return Ok(*number);
        }
        if self.files.len() >= MOST_FILES {
            self.files.clear();
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM file WHERE path = ?1 AND name = ?2",
            "INSERT INTO file (path, name) VALUES (?1, ?2)",
            (path, last_component(path)),
        )?;
        self.files.insert(path.to_owned(), number);
        Ok(number)
    }
}

/// The last component of a path of any system, in lower case; the path itself if it has none.
pub(super) fn last_component(path: &str) -> String {
    let mut components = path.rsplit(['/', '\\']).filter(|component| !component.is_empty());
    components.next().unwrap_or(path).to_lowercase()
}

fn find_or_insert(
    connection: &Connection,
    find: &str,
    insert: &str,
    names: impl Params + Clone,
) -> Result<i64, IndexError> {
    match connection.one(find, names.clone(), |row| row.get(0))? {
        Some(number) => Ok(number),
        None => Ok(connection.prepare_cached(insert)?.insert(names)?),
    }
}
