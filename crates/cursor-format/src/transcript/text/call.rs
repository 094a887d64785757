//! The arguments of a tool call in a text transcript.
//!
//! `  key: value` opens an argument; its value may go on over lines that are not indented, blank ones too.

use std::collections::HashSet;

use backscroll_model::Payload;

use crate::wire_json::quoted;

/// Arguments that hold whole texts, in which a line may look like another argument.
const LONG: [&str; 12] = [
    "content",
    "contents",
    "code_edit",
    "file_text",
    "instructions",
    "message",
    "new_string",
    "old_string",
    "patch",
    "plan",
    "prompt",
    "text",
];

/// Arguments that Cursor's own tools have.
const KNOWN: [&str; 66] = [
    "allow_multiple",
    "background",
    "block_until_ms",
    "case_insensitive",
    "cell_idx",
    "cell_language",
    "code_edit",
    "command",
    "completed_subtitle",
    "content",
    "contents",
    "current_step",
    "description",
    "directory_path",
    "explanation",
    "file_path",
    "file_text",
    "files_to_edit",
    "final_summary",
    "glob",
    "glob_pattern",
    "head_limit",
    "ignore_globs",
    "include_pattern",
    "input",
    "instructions",
    "is_background",
    "is_new_cell",
    "limit",
    "merge",
    "message",
    "model",
    "multiline",
    "name",
    "new_string",
    "num_results",
    "offset",
    "old_string",
    "output_mode",
    "overview",
    "overwrite",
    "patch",
    "path",
    "paths",
    "pattern",
    "plan",
    "prompt",
    "query",
    "questions",
    "readonly",
    "recursive",
    "replace_all",
    "required_permissions",
    "search_term",
    "should_read_entire_file",
    "subagent_type",
    "target_directories",
    "target_directory",
    "target_file",
    "target_notebook",
    "timeout",
    "title",
    "todos",
    "type",
    "url",
    "working_directory",
];

/// The arguments in `block`, the lines up to the next marker, and how many of these lines belong to the call.
///
/// `glued` is what stood right behind the tool's name: the beginning of a free-form input.
pub(super) fn arguments(glued: &str, block: &[&str]) -> (Option<Payload>, usize) {
    if !glued.trim().is_empty() {
        let lines: Vec<&str> =
            std::iter::once(glued).chain(without_separator(block).iter().copied()).collect();
        return (Some(Payload::Text(lines.join("\n"))), block.len());
    }
    match block.first() {
        None => (None, 0),
        // Nothing was given: what follows the blank line is the agent's own text.
        Some(line) if line.trim().is_empty() => (None, 0),
        Some(line) if opens(line).is_none() => {
            (Some(Payload::Text(without_separator(block).join("\n"))), block.len())
        }
        Some(_) => (Some(keyed(without_separator(block))), block.len()),
    }
}

/// A blank line separates the last call from its results; it is no part of the value.
fn without_separator<'a, 'b>(block: &'b [&'a str]) -> &'b [&'a str] {
    match block.split_last() {
        Some((&"", rest)) => rest,
        _ => block,
    }
}

fn keyed(block: &[&str]) -> Payload {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut seen = HashSet::new();
    for line in block {
        let open = fields.last().map(|(key, _)| *key);
        let taken = opens(line).filter(|(key, _)| !seen.contains(key) && may_open(key, open));
        match (taken, fields.last_mut()) {
            (Some((key, value)), _) => {
                seen.insert(key);
                fields.push((key, vec![value]));
            }
            (None, Some((_, value))) => value.push(line),
            (None, None) => {}
        }
    }
    let shown: Vec<String> = fields
        .iter()
        .map(|(key, lines)| format!("{}:{}", quoted(key), value(key, &lines.join("\n"))))
        .collect();
    Payload::from_text(format!("{{{}}}", shown.join(",")))
}

/// Inside a long text only a name that a tool really has opens an argument.
fn may_open(key: &str, open: Option<&str>) -> bool {
    let inside_long = open.is_some_and(|open| LONG.contains(&open));
    !inside_long || KNOWN.contains(&key)
}

fn opens(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix("  ")?.split_once(':')?;
    let value = if value.is_empty() { value } else { value.strip_prefix(' ')? };
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key.then_some((key, value))
}

/// Numbers, booleans, arrays and objects were written as JSON, texts as they are.
fn value(key: &str, text: &str) -> String {
    let is_json = !LONG.contains(&key)
        && key != "command"
        && matches!(Payload::from_text(text.to_owned()), Payload::Json(_));
    if is_json { text.trim().to_owned() } else { quoted(text) }
}
