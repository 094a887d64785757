//! Tool calls: a line that says what was done, and behind it what was asked, what came back and what changed.

use std::io::{self, Write};

use backscroll_model::{ToolCall, ToolStatus};

use super::blocks::Blocks;
use super::{Look, fence, inline, payload};
use crate::Detail;
use crate::terminal::diff_stat;
use crate::terminal::folded::duration;
use crate::terminal::payload::main_argument;
use crate::text::{cut, status_sign};

/// A line longer than this is not one that people read.
const LONGEST_ARGUMENT: usize = 100;

/// A change of at most so many lines is not folded.
const SMALL_CHANGE: usize = 40;

/// Writes `call`.
pub(super) fn write<W: Write>(blocks: &mut Blocks<W>, call: &ToolCall, look: &Look<'_>) -> io::Result<()> {
    let diff = call.diff.as_deref().filter(|diff| !diff.trim().is_empty());
    let is_small = diff.is_some_and(|diff| diff.lines().count() <= SMALL_CHANGE);
    blocks.unfold(&line(call), is_small)?;
    if let Some(child) = call.child.as_deref() {
        blocks.block(&format!("Started {}.", look.link_to(child).unwrap_or_else(|| inline::code(child))))?;
    }
    let is_full = look.detail == Detail::Full;
    if is_full && call.raw_name != call.name && !call.raw_name.is_empty() {
        blocks.block(&format!("Called {}", inline::code(&call.raw_name)))?;
    }
    // What was asked and answered only repeats the change.
    if diff.is_none() || is_full {
        if let Some(arguments) = &call.arguments {
            payload::write(blocks, "Arguments", arguments, look)?;
        }
        if let Some(result) = &call.result {
            payload::write(blocks, "Result", result, look)?;
        }
    }
    if let Some(error) = call.error.as_deref().filter(|error| !error.trim().is_empty()) {
        super::part::error(blocks, error)?;
    }
    if let Some(diff) = diff {
        blocks.block(&fence::fenced("diff", diff))?;
    }
    blocks.fold()
}

/// Sign, name, main argument, how it ended, how long it took, what it changed: as HTML.
fn line(call: &ToolCall) -> String {
    let sign = status_sign(call.status);
    let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
    let mut line = format!("{sign} <b>{}</b>", inline::html(name));
    if let Some(argument) = call.arguments.as_ref().and_then(main_argument) {
        line = format!("{line} <code>{}</code>", inline::html(&cut(&argument, LONGEST_ARGUMENT)));
    }
    let ended = (!matches!(call.status, ToolStatus::Completed | ToolStatus::Unknown))
        .then(|| call.status.name().to_owned());
    let decision = call.decision.as_deref().map(inline::html);
    let changed = call.diff.as_deref().map(diff_stat).map(|stat| stat.to_string());
    for fact in [ended, decision, took(call), changed].into_iter().flatten() {
        line = format!("{line} · {fact}");
    }
    line
}

fn took(call: &ToolCall) -> Option<String> {
    let milliseconds = call.started_at?.until(call.ended_at?).ok()?.total(jiff::Unit::Millisecond).ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative and huge spans were left out"
    )]
    (0.0..1e12).contains(&milliseconds).then(|| duration(milliseconds as u64))
}
