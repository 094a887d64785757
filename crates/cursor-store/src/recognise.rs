//! What a file is, by what stands in it: names lie, and a copy may have any.

use std::path::Path;

use backscroll_cursor_format::transcript::Dialect;

use crate::folder_listing::{beginning, name_of};
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

/// So much of a text is looked at.
const GLANCE: u64 = 4_096;

/// What the file at `path` is.
pub(crate) fn recognise(path: &Path) -> Kind {
    let name = name_of(path);
    let Ok((start, _)) = beginning(path, GLANCE) else { return by_name(&name) };
    if start.starts_with(b"SQLite format 3\0") {
        return database(path).unwrap_or_else(|| by_name(&name));
    }
    match by_name(&name) {
        Kind::Other => text(&start),
        known => known,
    }
}

/// What a database is, by its tables; `None` where these do not tell.
fn database(path: &Path) -> Option<Kind> {
    let db = ReadOnlyDb::open(path).ok()?;
    let has = |table: &str, column: &str| db.columns(table).is_ok_and(|columns| columns.contains(column));
    if has("ItemTable", "key") || has("cursorDiskKV", "key") {
        Some(Kind::State)
    } else if has("blobs", "data") {
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
        "agents.ndjson" | "runs.ndjson" | "run_events.ndjson" => Kind::SdkLines,
        _ => Kind::Other,
    }
}

/// Which dialect of transcript a text is.
fn text(start: &[u8]) -> Kind {
    let start = String::from_utf8_lossy(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start));
    let start = start.trim_start();
    let first = start.lines().next().unwrap_or_default().trim_end();
    let speaks = start.contains("\"role\"");
    match start.chars().next() {
        Some('[') if speaks => Kind::Transcript(Dialect::Json),
        Some('{') if speaks || first.contains("\"type\"") => Kind::Transcript(Dialect::Jsonl),
        _ if matches!(first, "user:" | "assistant:") => Kind::Transcript(Dialect::Text),
        _ => Kind::Other,
    }
}
