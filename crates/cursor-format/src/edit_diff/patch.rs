//! The patch language of `ApplyPatch` (`*** Begin Patch` …), turned into a unified diff.
//!
//! Such a patch tells no line numbers, so hunks are numbered as if the file held nothing else.

use std::fmt::Write as _;

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
