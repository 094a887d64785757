//! The one argument by which a call is known: a file, a command, a pattern.

use backscroll_model::Payload;

use crate::wire_json::{self, Object};

/// The argument that tells two calls of one tool apart best.
pub(super) fn primary_argument(arguments: &Payload) -> Option<String> {
    const KEYS: [&str; 16] = [
        "path",
        "file_path",
        "target_file",
        "filePath",
        "command",
        "pattern",
        "glob_pattern",
        "globPattern",
        "query",
        "search_term",
        "url",
        "prompt",
        "target_directory",
        "targetDirectory",
        "directory",
        "description",
    ];
    match arguments {
        Payload::Text(text) => Some(text.clone()),
        Payload::Json(json) => {
            let object = Object::of(json)?;
            object.first_text(&KEYS).or_else(|| {
                let first = object.keys().next()?.to_owned();
                object.raw(&first).map(|raw| wire_json::text(raw).unwrap_or_else(|| raw.get().to_owned()))
            })
        }
    }
}
