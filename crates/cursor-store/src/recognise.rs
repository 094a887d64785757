//! What a file is, by what stands in it: names lie, and a copy may have any. And what is not Cursor's: the same layout is
//! used by other editors.

use std::path::Path;

use backscroll_cursor_format::transcript::Dialect;

use crate::files::name_of;
use crate::plain_file::beginning;
use crate::read_only_db::ReadOnlyDb;

/// What a file is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An editor's `state.vscdb`.
    State,
    /// The editor's search index.
    Search,
    /// A command line agent's `store.db`.
    CliStore,
    /// An SDK's `index.db`.
    SdkIndex,
    /// One of the files of an SDK store of JSON lines.
    SdkLines,
    /// `ai-code-tracking.db`.
    Tracking,
    /// A transcript.
    Transcript(Dialect),
    /// Nothing that we know.
    Other,
}

/// The number of bytes of a text that are examined.
const GLANCE: u64 = 4_096;

/// How every SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Whether a file is a database, whatever its name.
pub(crate) fn is_database(path: &Path) -> bool {
    beginning(path, SQLITE.len() as u64).is_ok_and(|(start, _)| start == SQLITE)
}

/// What the file at `path` is.
pub(crate) fn recognise(path: &Path) -> Kind {
    let name = name_of(path);
    let Ok((start, _)) = beginning(path, GLANCE) else { return by_name(&name) };
    if start.starts_with(SQLITE) {
        return database(path).unwrap_or_else(|| by_name(&name));
    }
    match by_name(&name) {
        Kind::Other => Dialect::of_beginning(&start).map_or(Kind::Other, Kind::Transcript),
        known => known,
    }
}

/// What a database is, by its tables; `None` where these do not tell.
fn database(path: &Path) -> Option<Kind> {
    ReadOnlyDb::ask(path, |db| Ok(by_tables(db))).ok().flatten()
}

fn by_tables(db: &ReadOnlyDb) -> Option<Kind> {
    let has = |table: &str, column: &str| db.columns(table).is_ok_and(|columns| columns.contains(column));
    if has("ItemTable", "key") || has("cursorDiskKV", "key") {
        Some(Kind::State)
    } else if has("blobs", "data") || has("blobs", "value") {
        Some(Kind::CliStore)
    } else if has("agents", "agent_id") {
        Some(Kind::SdkIndex)
    } else if has("ai_code_hashes", "hash") {
        Some(Kind::Tracking)
    } else if has("conversations", "source") {
        Some(Kind::Search)
    } else {
        None
    }
}

/// What a file should be: an empty store, or one that cannot be opened.
fn by_name(name: &str) -> Kind {
    match name {
        "state.vscdb" => Kind::State,
        "store.db" => Kind::CliStore,
        "index.db" => Kind::SdkIndex,
        "ai-code-tracking.db" => Kind::Tracking,
        "conversation-search.db" => Kind::Search,
        "agents.ndjson" | "runs.ndjson" | "run_events.ndjson" | "checkpoints.ndjson" => Kind::SdkLines,
        _ => Kind::Other,
    }
}

/// The product that owns a store by the folder above `User`, if it is not Cursor. A folder elsewhere in the path may
/// be called anything: many people keep their work in `Code`.
pub(crate) fn owner(path: &Path) -> Option<&'static str> {
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    names.windows(2).rev().find(|pair| pair[1] == "User").and_then(|pair| product(pair[0]))
}

/// The product that owns a user-data folder, if it is not Cursor.
pub(crate) fn owner_of_user_data(folder: &Path) -> Option<&'static str> {
    let name = folder.file_name()?.to_str()?;
    product(name).filter(|_| folder.join("User").is_dir())
}

fn product(name: &str) -> Option<&'static str> {
    match name {
        "Code" | "Code - Insiders" | "Code - OSS" | "code-server" => Some("VS Code"),
        "VSCodium" | "VSCodium - Insiders" => Some("VSCodium"),
        "Windsurf" | "Windsurf - Next" => Some("Windsurf"),
        "Antigravity" => Some("Antigravity"),
        "Trae" => Some("Trae"),
        "Kiro" => Some("Kiro"),
        "Void" => Some("Void"),
        "PearAI" => Some("PearAI"),
        "Positron" => Some("Positron"),
        _ => None,
    }
}

/// Whether a file is a backup or a copy of `state.vscdb`: `.backup`, `.corrupted.<time>`, `state 2.vscdb`.
pub fn is_copy_of_state(path: &Path) -> bool {
    is_name_of_copy(&path.file_name().unwrap_or_default().to_string_lossy()) && path.is_file()
}

/// Whether a backup or a copy of `state.vscdb` has such a name.
pub(crate) fn is_name_of_copy(name: &str) -> bool {
    let is_other = ["-wal", "-shm", "-journal", ".json"].iter().any(|ending| name.ends_with(ending));
    name != "state.vscdb" && name.starts_with("state") && name.contains(".vscdb") && !is_other
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn cousins_are_told_apart_by_their_folder() {
        let of = |path: &str| owner(Path::new(path));
        assert_eq!(of("/h/.config/Code/User/globalStorage/state.vscdb"), Some("VS Code"));
        assert_eq!(of("/h/.config/Windsurf/User"), Some("Windsurf"));
        assert_eq!(of("/h/.config/Cursor/User/globalStorage/state.vscdb"), None);
        assert_eq!(of("/h/Code/backup/state.vscdb"), None);
        assert_eq!(of("/h/Code/User/copies/Cursor/User/globalStorage/state.vscdb"), None);
    }

    #[test]
    fn copies_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let is_copy = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            is_copy_of_state(&path)
        };
        for name in
            ["state.vscdb.backup", "state 2.vscdb", "state.vscdb.corrupted.1700000000000", "state copy.vscdb"]
        {
            assert!(is_copy(name), "{name}");
        }
        for name in [
            "state.vscdb",
            "state.vscdb-wal",
            "state.vscdb.backup-shm",
            "state.vscdb.options.json",
            "other.db",
        ] {
            assert!(!is_copy(name), "{name}");
        }
    }
}
