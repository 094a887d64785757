//! What a tool was given or answered: short fields together, each long text in a block of its own, as it was.

use std::borrow::Cow;
use std::io::{self, Write};

use backscroll_model::Payload;

use super::blocks::Blocks;
use super::{Look, fence, inline};
use crate::Detail;
use crate::terminal::folded::counted;
use crate::terminal::payload::{Fields, fields, readable};

/// A field longer than this stands apart.
const SHORT: usize = 120;

/// How much is written of one text, unless everything is wanted.
const LINES: usize = 60;
const BYTES: usize = 6_000;

/// Writes all of `payload` under `name`.
pub(super) fn write<W: Write>(
    blocks: &mut Blocks<W>,
    name: &str,
    payload: &Payload,
    look: &Look<'_>,
) -> io::Result<()> {
    if payload.is_hollow() {
        return Ok(());
    }
    let Some(Fields(fields)) = fields(payload) else {
        let language = if matches!(payload, Payload::Json(_)) { "json" } else { "text" };
        return text(blocks, name, language, payload.as_str(), look);
    };
    let fields: Vec<(String, &str, Cow<'_, str>)> =
        fields.into_iter().map(|(key, value)| (key, value.get(), readable(value))).collect();
    let is_long = |readable: &str| readable.len() > SHORT || readable.trim_end().contains('\n');
    if fields.iter().all(|(_, _, value)| !is_long(value)) {
        return text(blocks, name, "json", payload.as_str(), look);
    }
    let short: Vec<String> = fields
        .iter()
        .filter(|(_, _, value)| !is_long(value))
        .map(|(key, source, _)| format!("{}: {source}", inline::code(key).trim_matches('`').trim()))
        .collect();
    if !short.is_empty() {
        text(blocks, name, "yaml", &short.join("\n"), look)?;
    }
    for (key, source, value) in fields.iter().filter(|(_, _, value)| is_long(value)) {
        let language = if source.starts_with('"') { "text" } else { "json" };
        text(blocks, &format!("{name}: {}", inline::words(key)), language, value, look)?;
    }
    Ok(())
}

/// Writes a text under `name`; its beginning, unless everything is wanted.
pub(super) fn text<W: Write>(
    blocks: &mut Blocks<W>,
    name: &str,
    language: &str,
    text: &str,
    look: &Look<'_>,
) -> io::Result<()> {
    blocks.block(&format!("**{name}**"))?;
    let shown = if look.detail == Detail::Full { text } else { beginning(text) };
    blocks.block(&fence::fenced(language, shown))?;
    let rest = text.get(shown.len()..).unwrap_or_default();
    if rest.trim().is_empty() {
        return Ok(());
    }
    let lines = u64::try_from(rest.lines().filter(|line| !line.is_empty()).count()).unwrap_or(u64::MAX);
    blocks.block(&format!("*… {} more*", counted(lines.max(1), "line")))
}

/// The first lines of `text`.
fn beginning(text: &str) -> &str {
    let lines = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at + 1);
    let mut end = lines.min(BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
