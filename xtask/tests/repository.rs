//! Where the repository is, and which text files of ours it holds.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing we wrote: builds, what fuzzing leaves, recorded evidence.
const NOT_OURS: &[&str] = &["target", ".git", "corpus", "artifacts", "recorded", "node_modules"];

/// One text file.
pub(crate) struct TextFile {
    /// Its path below the root, with slashes.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every text file of ours.
pub(crate) fn text_files() -> Vec<TextFile> {
    let root = root();
    let mut files = Vec::new();
    let mut todo = vec![root.clone()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !NOT_OURS.contains(&name.as_str()) {
                    todo.push(path);
                }
            } else if let Some(text) = fs::read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
                let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                files.push(TextFile { path, text });
            }
        }
    }
    // A worktree's `.git` is a file that names a place on this machine; it is not part of the repository.
    files.retain(|file| file.path != ".git");
    files
}
