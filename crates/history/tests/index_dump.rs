//! Everything that an index says, in words that do not depend on how it came to be: two indexes over the same stores are
//! the same exactly if these are.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// The database that is the current one of the index in `folder`.
pub(crate) fn current(folder: &Path) -> PathBuf {
    let named = std::fs::read_to_string(folder.join("current")).unwrap();
    folder.join(named.lines().next().unwrap())
}

/// That database, opened so that closing it changes nothing: an index that somebody else changed is made anew.
#[expect(clippy::disallowed_methods, reason = "our own file")]
pub(crate) fn open_current(folder: &Path) -> Connection {
    let connection = Connection::open(current(folder)).unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    connection
}

/// Every fact in the index, sorted. Fails if the database or the full text in it is damaged.
pub(crate) fn dump(folder: &Path) -> Vec<String> {
    let connection = open_current(folder);
    let health: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(health, "ok");
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')", []).unwrap();
    connection
        .execute_batch("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, instance)")
        .unwrap();
    let mut facts: Vec<String> = QUESTIONS.iter().flat_map(|sql| answers(&connection, sql)).collect();
    facts.sort();
    facts
}

/// Row numbers differ from build to build; ids do not.
const QUESTIONS: [&str; 11] = [
    "SELECT 'counted', word, rows FROM main.vocabulary",
    "SELECT 'source', name FROM source",
    "SELECT 'entry', entry.id, store.source, store.path, kind, file, parent, heads
     FROM entry JOIN store ON store.number = entry.store",
    "SELECT 'head', id, summary, recency, workspace, told, has_messages, findings, is_prompts, left_over, is_stale FROM head",
    "SELECT 'mention', name, id FROM mention",
    "SELECT 'conversation', id, summary, title, draft, workspace, workspace_name, remote, surface, mode, parent,
         created_at, recency, flags, hidden, holds, messages, lines_added, lines_removed, tokens_input, tokens_output,
         tokens_cache_read, tokens_cache_write, tokens_reasoning, text_bytes, losses, loaded, trouble_place, trouble FROM conversation",
    "SELECT 'message', conversation.id, message.number, message.id, role, at, at_is, model.name, place.layer, place.file, key,
         message.holds, state, message.tokens_input, message.tokens_output, fingerprint
     FROM message JOIN conversation ON conversation.number = message.conversation
     JOIN place ON place.number = message.place LEFT JOIN model ON model.number = message.model",
    "SELECT 'call', conversation.id, message.number, tool.name, tool.raw_name, status, count
     FROM call JOIN message ON message.row = call.row JOIN conversation ON conversation.number = call.conversation
     JOIN tool ON tool.number = call.tool",
    "SELECT 'touched', conversation.id, message.number, part, file.path, file.name, how, added, removed, has_diff
     FROM touched JOIN message ON message.row = touched.row
     JOIN conversation ON conversation.number = touched.conversation JOIN file ON file.number = touched.file",
    "SELECT 'model', conversation.id, model.name FROM conversation_model
     JOIN conversation ON conversation.number = conversation_model.conversation
     JOIN model ON model.number = conversation_model.model",
    "SELECT 'word', term, coalesce(said.id, titled.id), message.number, col, offset FROM temp.vocabulary
     LEFT JOIN message ON message.row = doc LEFT JOIN conversation said ON said.number = message.conversation
     LEFT JOIN conversation titled ON titled.title_row = doc",
];

fn answers(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let fact = |row: &rusqlite::Row<'_>| {
        let values = (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap()));
        Ok(values.collect::<Vec<_>>().join(" | "))
    };
    statement.query_map([], fact).unwrap().map(Result::unwrap).collect()
}
