//! Diffs out of old and new strings, or whole files that were written.

use backscroll_model::Payload;

use super::patch;
use crate::diff;
use crate::wire_json::Object;

/// The fields that name the file, over all tools and eras.
const PATHS: [&str; 8] = [
    "path",
    "file_path",
    "target_file",
    "filePath",
    "targetFile",
    "relativeWorkspacePath",
    "relative_workspace_path",
    "target_notebook",
];

/// The file that a call with these arguments is about.
pub(crate) fn path(arguments: &Payload) -> Option<String> {
    Object::read(arguments.as_str())?.first_text(&PATHS).filter(|path| !path.is_empty())
}

/// What a call of the tool with this canonical name changed, if its arguments tell.
pub fn from_arguments(name: &str, arguments: &Payload) -> Option<String> {
    if !matches!(name, "edit" | "multi_edit" | "write" | "notebook_edit") {
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
    let path = object.first_text(&PATHS);
    let path = path.as_deref().unwrap_or("file");
    if let Some(edits) = object.items("edits") {
        let edits = edits.into_iter().filter_map(Object::of);
        let diffs: String = edits.filter_map(|edit| replacement(path, &edit)).collect();
        return (!diffs.is_empty()).then_some(diffs);
    }
    replacement(path, &object).or_else(|| {
        let keys = ["contents", "content", "file_text", "fileText"];
        let written = object.first_text(&keys).or_else(|| object.object("code")?.text("code"));
        diff::unified(path, "", &written.filter(|_| name == "write")?)
    })
}

fn replacement(path: &str, edit: &Object<'_>) -> Option<String> {
    let old = edit.first_text(&["old_string", "oldString", "old_str", "old_text"]);
    let new = edit.first_text(&["new_string", "newString", "new_str", "new_text"]);
    if old.is_none() && new.is_none() {
        return None;
    }
    diff::replaced(path, &old.unwrap_or_default(), &new.unwrap_or_default())
}
