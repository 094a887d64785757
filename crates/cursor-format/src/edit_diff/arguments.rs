//! Diffs out of old and new strings, or whole files that were written.

use std::fmt::Write as _;

use backscroll_model::Payload;
use similar::TextDiff;

use super::patch;
use crate::loose_json::Object;

/// Above this many bytes the texts are shown as one replaced by the other: a real diff could take minutes.
const LARGEST: usize = 1 << 20;

/// What a call of the tool with this canonical name changed, if its arguments tell.
pub fn from_arguments(name: &str, arguments: &Payload) -> Option<String> {
    if !matches!(name, "edit" | "multi_edit" | "write") {
        return None;
    }
    let object = match arguments {
        Payload::Text(text) => return patch::from_patch(text),
        Payload::Json(json) => Object::of(json)?,
    };
    let given = object.first_text(&["patch", "input"]);
    if let Some(diff) = given.and_then(|text| patch::from_patch(&text)) {
        return Some(diff);
    }
    let path =
        object.first_text(&["path", "file_path", "target_file", "filePath", "relative_workspace_path"]);
    let path = path.as_deref().unwrap_or("file");
    if let Some(edits) = object.items("edits") {
        let edits = edits.into_iter().filter_map(Object::of);
        let diffs: String = edits.filter_map(|edit| replacement(path, &edit)).collect();
        return (!diffs.is_empty()).then_some(diffs);
    }
    replacement(path, &object).or_else(|| {
        let keys = ["contents", "content", "file_text", "fileText"];
        let written = object.first_text(&keys).filter(|_| name == "write")?;
        unified("/dev/null", path, "", &written)
    })
}

fn replacement(path: &str, edit: &Object<'_>) -> Option<String> {
    let old = edit.first_text(&["old_string", "oldString", "old_str", "old_text"]);
    let new = edit.first_text(&["new_string", "newString", "new_str", "new_text"]);
    if old.is_none() && new.is_none() {
        return None;
    }
    unified(path, path, &old.unwrap_or_default(), &new.unwrap_or_default())
}

fn unified(old_path: &str, new_path: &str, old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    if old.len() + new.len() > LARGEST {
        return Some(replaced(old_path, new_path, old, new));
    }
    let diff = TextDiff::from_lines(old, new);
    Some(diff.unified_diff().header(old_path, new_path).to_string())
}

fn replaced(old_path: &str, new_path: &str, old: &str, new: &str) -> String {
    let (removed, added) = (old.lines().count(), new.lines().count());
    let mut diff = format!(
        "--- {old_path}\n+++ {new_path}\n@@ -{},{removed} +{},{added} @@\n",
        removed.min(1),
        added.min(1)
    );
    for (sign, text) in [('-', old), ('+', new)] {
        for line in text.lines() {
            let _ = writeln!(diff, "{sign}{line}");
        }
    }
    diff
}
