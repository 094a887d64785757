//! The names under which tools are given things, over all tools, layers and eras: the one vocabulary of arguments.
//!
//! Who looks for one thing goes through the names of one list; who looks for what a call is about goes through several, in
//! the order that suits.

use crate::Payload;

/// A command.
pub const COMMAND: &[&str] = &["command", "cmd"];

/// The file that is worked on.
pub const FILE: &[&str] = &[
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
];

/// A file, under names that mean other things elsewhere.
pub const PERHAPS_FILE: &[&str] = &["uri", "fileName", "file"];

/// A folder.
pub const FOLDER: &[&str] = &["target_directory", "targetDirectory", "directory_path"];

/// What is looked for in files, or among their names.
pub const PATTERN: &[&str] = &["pattern", "glob_pattern", "globPattern"];

/// What is asked of a search.
pub const QUERY: &[&str] = &["query", "search_term", "searchTerm"];

/// An address.
pub const ADDRESS: &[&str] = &["url"];

/// What another agent is asked to do.
pub const PROMPT: &[&str] = &["prompt"];

impl Payload {
    /// The first field among `names`, in the order of these lists, whose value is text; with its name.
    pub fn first_of(&self, names: &[&[&'static str]]) -> Option<(&'static str, String)> {
        let mut fields = self.text_fields();
        let names = names.iter().copied().flatten();
        let (name, at) = names
            .into_iter()
            .find_map(|name| Some((*name, fields.iter().position(|(key, _)| key == name)?)))?;
        Some((name, fields.swap_remove(at).1))
    }
}
