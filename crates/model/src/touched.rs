//! The files that a conversation read, changed or was given. Paths are told as stored; nothing is looked up.

use crate::{Conversation, Message, Part, Payload, ToolCall};

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Touch {
    /// It stood beside the user's words.
    Attached,
    /// A tool read it.
    Read,
    /// A tool wrote or changed it.
    Edited,
    /// A tool deleted it.
    Deleted,
}

impl Touch {
    /// The name that people read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attached => "attached",
            Self::Read => "read",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
        }
    }
}

/// One touch of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched<'a> {
    /// The file, as stored.
    pub path: String,
    /// What was done to it.
    pub how: Touch,
    /// The number of the message, counted from zero.
    pub message: usize,
    /// The number of its part, counted from zero.
    pub part: usize,
    /// What changed, as a unified diff.
    pub diff: Option<&'a str>,
}

/// The names under which tools are given the file they work on.
const PATH_FIELDS: &[&str] = &[
    "target_file",
    "targetFile",
    "file_path",
    "filePath",
    "path",
    "relativeWorkspacePath",
    "relative_workspace_path",
    "target_notebook",
    "targetNotebook",
    "effectiveUri",
    "uri",
    "fileName",
    "file",
];

impl ToolCall {
    /// The file that this call worked on, and how; `None` for tools that do not work on one file.
    pub fn touches(&self) -> Option<(String, Touch)> {
        let how = match self.name.as_str() {
            "read" | "lints" => Touch::Read,
            "write" | "edit" | "multi_edit" | "notebook_edit" => Touch::Edited,
            "delete" => Touch::Deleted,
            _ => self.diff.as_ref().map(|_| Touch::Edited)?,
        };
        let path = self.arguments.as_ref().and_then(path_among).or_else(|| {
            let diff = self.diff.as_deref().or_else(|| self.arguments.as_ref().map(Payload::as_str))?;
            path_of_diff(diff)
        })?;
        Some((path, how))
    }
}

impl Conversation {
    /// Every touch of every file, in the order of the messages.
    pub fn touched(&self) -> Vec<Touched<'_>> {
        let messages = self.messages.iter().enumerate();
        messages.flat_map(|(number, message)| of_message(number, message)).collect()
    }
}

fn of_message(message: usize, told: &Message) -> Vec<Touched<'_>> {
    let touched = told.parts.iter().enumerate().filter_map(|(part, of)| {
        let (path, how, diff) = match of {
            Part::ToolCall(call) => {
                let (path, how) = call.touches()?;
                (path, how, call.diff.as_deref())
            }
            Part::Attachment(attached) if attached.kind.is_of_a_file() => {
                (attached.path.clone()?, Touch::Attached, None)
            }
            Part::Code(code) if code.diff.is_some() => {
                (code.path.clone()?, Touch::Edited, code.diff.as_deref())
            }
            _ => return None,
        };
        Some(Touched { path, how, message, part, diff })
    });
    touched.collect()
}

fn path_among(arguments: &Payload) -> Option<String> {
    let fields = arguments.text_fields();
    let named = PATH_FIELDS.iter().find_map(|name| fields.iter().find(|(key, _)| key == name));
    named.map(|(_, path)| path.clone()).filter(|path| !path.is_empty() && !path.contains('\n'))
}

/// The file that a unified diff or a patch names first.
fn path_of_diff(diff: &str) -> Option<String> {
    const BEFORE_PATH: &[&str] =
        &["+++ b/", "+++ ", "*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let line_path =
        |line: &str| BEFORE_PATH.iter().find_map(|before| line.strip_prefix(before).map(str::to_owned));
    diff.lines().find_map(line_path).map(|path| path.trim().to_owned()).filter(|path| path != "/dev/null")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        let arguments = Some(Payload::from_text(arguments.to_owned()));
        ToolCall { name: name.to_owned(), arguments, ..ToolCall::default() }
    }

    #[test]
    fn the_file_of_a_call_is_found_under_every_name() {
        let read = call("read", r#"{"limit":5,"target_file":"src/auth.py"}"#);
        assert_eq!(read.touches(), Some(("src/auth.py".to_owned(), Touch::Read)));
        let patch = call("edit", "*** Begin Patch\n*** Update File: a/b.rs\n@@\n-x\n+y\n");
        assert_eq!(patch.touches(), Some(("a/b.rs".to_owned(), Touch::Edited)));
        assert_eq!(call("shell", r#"{"command":"ls","path":"x"}"#).touches(), None);
        assert_eq!(call("write", r#"{"file_path":""}"#).touches(), None);
    }
}
