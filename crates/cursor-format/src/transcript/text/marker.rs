//! The lines that carry the structure of a text transcript.

use backscroll_model::Role;

/// A marker inside what the agent said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker<'a> {
    /// `[Tool call] Name`, with anything that is glued to the name.
    Call {
        /// The tool's name.
        name: &'a str,
        /// The beginning of a free-form input, without any separator.
        glued: &'a str,
    },
    /// `[Tool result] Name`.
    Result(&'a str),
}

/// The role that a line alone names.
pub(super) fn role(line: &str) -> Option<Role> {
    match line.trim_end() {
        "user:" => Some(Role::User),
        "assistant:" | "A:" => Some(Role::Assistant),
        _ => None,
    }
}

/// The marker that `line` is. Any other bracketed word at the start of a line is just text.
pub(super) fn marker(line: &str) -> Option<Marker<'_>> {
    if let Some(rest) = line.strip_prefix("[Tool call] ") {
        let (name, glued) = name(rest)?;
        return Some(Marker::Call { name, glued });
    }
    let (name, rest) = name(line.strip_prefix("[Tool result] ")?)?;
    rest.trim().is_empty().then_some(Marker::Result(name))
}

/// A tool's name and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let end = text.find(|c: char| !is_of_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (!name.is_empty()).then_some((name, rest))
}
