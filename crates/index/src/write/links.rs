//! Whose child a conversation is, as its parent tells: kept right in the columns `parent`, `flags` and `hidden` whenever either
//! of the two changes.

use std::collections::BTreeSet;

use backscroll_model::{Flag, Summary};
use rusqlite::{Connection, OptionalExtension as _};

use crate::IndexError;
use crate::codes;

/// Flags of conversations that a listing leaves out unless all are asked for.
const HIDDEN: [Flag; 5] = [Flag::Empty, Flag::Draft, Flag::Archived, Flag::Deleted, Flag::Subagent];

/// Whether a listing leaves a conversation with these flags out unless all are asked for.
pub(crate) fn is_hidden(flags: i64) -> bool {
    HIDDEN.iter().any(|flag| flags & codes::flag(*flag) != 0)
}

/// Writes down the children that `summary` names, in place of those it named before. Gives all of them, old and new.
pub(super) fn replace_children(
    connection: &Connection,
    parent: i64,
    summary: Option<&Summary>,
) -> Result<Vec<String>, IndexError> {
    let mut old = connection.prepare_cached("SELECT child FROM child WHERE parent = ?1")?;
    let mut children = old.query_map([parent], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    if !children.is_empty() {
        connection.prepare_cached("DELETE FROM child WHERE parent = ?1")?.execute([parent])?;
    }
    let named = summary.map(|summary| &summary.children[..]).unwrap_or_default();
    let mut insert = connection.prepare_cached("INSERT INTO child (parent, child) VALUES (?1, ?2)")?;
    let others: BTreeSet<_> =
        named.iter().filter(|child| summary.is_some_and(|summary| summary.id != **child)).collect();
    for child in others {
        insert.execute((parent, child.as_str()))?;
        children.push(child.as_str().to_owned());
    }
    Ok(children)
}

/// Tells the conversation with this id whose child it is. `own` are the parent and the flags that it tells by itself.
pub(super) fn link(connection: &Connection, id: &str) -> Result<(), IndexError> {
    let mut find = connection
        .prepare_cached("SELECT number, coalesce(summary_all, summary) FROM conversation WHERE id = ?1")?;
    let found =
        find.query_row([id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))).optional()?;
    let Some((number, json)) = found else { return Ok(()) };
    let summary = crate::stored::summary_from_json(&json)?;
    let mut flags = codes::flags(&summary);
    let mut parent = summary.parent.map(|parent| parent.as_str().to_owned());
    if parent.is_none() {
        let mut tellers = connection.prepare_cached(
            "SELECT conversation.id FROM child JOIN conversation ON conversation.number = child.parent
             WHERE child.child = ?1 ORDER BY conversation.id LIMIT 1",
        )?;
        parent = tellers.query_row([id], |row| row.get(0)).optional()?;
        if parent.is_some() && !summary.flags.contains(&Flag::BestOfN) {
            flags |= codes::flag(Flag::Subagent);
        }
    }
    connection
        .prepare_cached("UPDATE conversation SET parent = ?2, flags = ?3, hidden = ?4 WHERE number = ?1")?
        .execute((number, parent, flags, is_hidden(flags)))?;
    Ok(())
}
