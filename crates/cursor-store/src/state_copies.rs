//! Backups and copies of `state.vscdb`, known by their names.

use std::path::Path;

use crate::file_state::companion;

/// Whether a file is a backup or a copy of `state.vscdb`: `.backup`, `.corrupted.<time>`, `state 2.vscdb`.
pub(crate) fn is_copy_of_state(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_companion = ["-wal", "-shm", "-journal"].iter().any(|ending| name.ends_with(ending));
    let is_state = name.starts_with("state") && name.contains(".vscdb") && !name.ends_with(".json");
    name != "state.vscdb" && is_state && !is_companion && companion(path, "").is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
