//! What an edit changed, as a unified diff, from the arguments of the tool that made it: old and new strings, whole files,
//! or the patch language of `ApplyPatch` (`*** Begin Patch` …).
//!
//! Such a patch has no line numbers, so hunks are numbered as if the file had nothing else.

use std::fmt::Write as _;

use backscroll_model::{Payload, argument};

use crate::diff;
use crate::wire_json::Object;

/// The file that a call with these arguments is about.
pub(crate) fn path(arguments: &Payload) -> Option<String> {
    Object::read(arguments.as_str())?.first_text(argument::FILE).filter(|path| !path.is_empty())
}

/// What a call of the tool with this canonical name changed, if its arguments say.
pub fn from_arguments(name: &str, arguments: &Payload) -> Option<String> {
    if !matches!(name, "edit" | "multi_edit" | "write" | "notebook_edit") {
        return None;
    }
    let object = match arguments {
        Payload::Text(text) => return from_patch(text),
        Payload::Json(json) => Object::parse(json)?,
    };
    let given = object.first_text(&["patch", "input"]);
    if let Some(diff) = given.and_then(|text| from_patch(&text)) {
        return Some(diff);
    }
    let path = object.first_text(argument::FILE);
    let path = path.as_deref().unwrap_or("file");
    if let Some(edits) = object.items("edits") {
        let edits = edits.into_iter().filter_map(Object::parse);
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

/// The unified diff that `patch` stands for; `None` if it is no such patch.
pub fn from_patch(patch: &str) -> Option<String> {
    let from_begin = &patch[patch.find("*** Begin Patch")?..];
    let mut converter = Converter::default();
    for line in from_begin.lines().skip(1) {
        if line.starts_with("*** End Patch") {
            break;
        }
        converter.line(line);
    }
    converter.end_hunk();
    (!converter.diff.is_empty()).then_some(converter.diff)
}

#[derive(Default)]
struct Converter {
    diff: String,
    context: String,
    hunk: Vec<String>,
    old_line: usize,
    new_line: usize,
    old_path: String,
}

impl Converter {
    fn line(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("*** Update File: ") {
            self.file(path, path);
        } else if let Some(path) = line.strip_prefix("*** Add File: ") {
            self.file("/dev/null", path);
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            self.file(path, "/dev/null");
        } else if let Some(path) = line.strip_prefix("*** Move to: ") {
            let old_path = self.old_path.clone();
            let _ = writeln!(self.diff, "rename from {old_path}\nrename to {path}");
        } else if let Some(context) = line.strip_prefix("@@") {
            self.end_hunk();
            context.clone_into(&mut self.context);
        } else if !line.starts_with("*** End of File") {
            let known = line.starts_with(['+', '-', ' ', '\\']);
            // An empty context line often loses its leading space.
            self.hunk.push(if known { line.to_owned() } else { format!(" {line}") });
        }
    }

    fn file(&mut self, old: &str, new: &str) {
        self.end_hunk();
        old.clone_into(&mut self.old_path);
        (self.old_line, self.new_line) = (1, 1);
        let _ = writeln!(self.diff, "--- {old}\n+++ {new}");
    }

    fn end_hunk(&mut self) {
        let lines = std::mem::take(&mut self.hunk);
        let context = std::mem::take(&mut self.context);
        if lines.is_empty() {
            return;
        }
        let removed = lines.iter().filter(|line| line.starts_with(['-', ' '])).count();
        let added = lines.iter().filter(|line| line.starts_with(['+', ' '])).count();
        let (old, new) = (start(self.old_line, removed), start(self.new_line, added));
        let _ = writeln!(self.diff, "@@ -{old},{removed} +{new},{added} @@{context}");
        for line in lines {
            self.diff.push_str(&line);
            self.diff.push('\n');
        }
        self.old_line += removed;
        self.new_line += added;
    }
}

/// A side without lines begins at line zero.
fn start(line: usize, count: usize) -> usize {
    if count == 0 { 0 } else { line.max(1) }
}
