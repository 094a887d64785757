//! What SQLite alone needs to hand over the rows in question: one thread, warm cache, nothing decoded.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::arguments::Trouble;

/// The rows of `ItemTable` from which conversations are listed.
const INDEX_ITEMS: &str = "SELECT key, value FROM ItemTable WHERE key IN ('composer.composerHeaders',
    'composer.composerData', 'workbench.panel.aichat.view.aichat.chatdata', 'aiService.prompts',
    'aiService.generations', 'glass.localAgentProjects.v1', 'glass.localAgentProjectMembership.v1')";

/// Reads everything that a list needs: index rows, composer rows, header table, each workspace, each CLI store's record.
pub(super) fn list(home: &Path) -> Result<u64, Trouble> {
    let user = home.join(".config/Cursor/User");
    let global = open(&user.join("globalStorage/state.vscdb"))?;
    let mut bytes = hand_over(&global, INDEX_ITEMS)?
        + hand_over(
            &global,
            "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'",
        )?
        + hand_over(&global, "SELECT * FROM composerHeaders")?;
    for workspace in folders(&user.join("workspaceStorage")) {
        bytes += hand_over(&open(&workspace.join("state.vscdb"))?, INDEX_ITEMS)?;
    }
    for chats in folders(&home.join(".cursor/chats")) {
        for chat in folders(&chats) {
            bytes += hand_over(&open(&chat.join("store.db"))?, "SELECT key, value FROM meta")?;
        }
    }
    Ok(bytes)
}

/// Reads every bubble.
pub(super) fn export(home: &Path) -> Result<u64, Trouble> {
    let global = open(&home.join(".config/Cursor/User/globalStorage/state.vscdb"))?;
    hand_over(&global, "SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'")
}

/// Reads every blob of one session of the command line.
pub(super) fn blobs(store: &Path) -> Result<u64, Trouble> {
    hand_over(&open(store)?, "SELECT id, data FROM blobs")
}

/// Reads every row of conversations: all that the editor's global database keeps by key.
pub(super) fn everything(home: &Path) -> Result<u64, Trouble> {
    let global = open(&home.join(".config/Cursor/User/globalStorage/state.vscdb"))?;
    hand_over(&global, "SELECT key, value FROM cursorDiskKV")
}

#[expect(clippy::disallowed_methods, reason = "the floor is SQLite without our door")]
fn open(path: &Path) -> Result<Connection, Trouble> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(format!("file:{}?immutable=1", path.display()), flags)?)
}

/// Steps through all rows and looks at every byte's length; gives their sum.
fn hand_over(connection: &Connection, sql: &str) -> Result<u64, Trouble> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            bytes += match row.get_ref(column)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
                ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
            };
        }
    }
    Ok(bytes)
}

/// The folders in a folder.
pub(super) fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
