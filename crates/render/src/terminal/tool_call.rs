//! Tool calls: one line each, or everything.

use std::io::{self, Write};

use backscroll_model::{ToolCall, ToolStatus};

use super::folded::first_words;
use super::page::Page;
use super::{diff, diff_stat, payload};
use crate::text::{cut, one_line, width};

/// Writes `call` as one line: sign, name, main argument, what it changed, how it failed.
pub(super) fn line<W: Write>(page: &mut Page<'_, W>, indent: usize, call: &ToolCall) -> io::Result<()> {
    let palette = page.palette;
    let (sign, style) = match call.status {
        ToolStatus::Completed => ("✓ ", palette.good),
        ToolStatus::Error => ("✗ ", palette.bad),
        ToolStatus::Cancelled => ("⊘ ", palette.warning),
        ToolStatus::Running => ("◌ ", palette.warning),
        ToolStatus::Pending => ("○ ", palette.dim),
        ToolStatus::Unknown => ("· ", palette.dim),
    };
    let name = one_line(if call.name.is_empty() { &call.raw_name } else { &call.name });
    let stat = call.diff.as_deref().map(diff_stat).map(|stat| format!(" {stat}")).unwrap_or_default();
    let decision = call.decision.as_deref().map(|decision| format!(" · {}", one_line(decision)));
    let child = call.child.as_deref().map(|child| format!(" → {}", cut(&one_line(child), 12)));
    let error = call.error.as_deref().map(|error| format!(" — {}", first_words(error)));
    let after = stat + &decision.unwrap_or_default() + &child.unwrap_or_default();
    // The argument gives way to what stands behind it, but keeps half of the line.
    let room =
        page.width().saturating_sub(indent + 2 + width(&name) + 1 + width(&after)).max(page.width() / 2);
    let argument = call.arguments.as_ref().and_then(payload::main_argument);
    let argument = argument.map(|text| format!(" {}", cut(&text, room))).unwrap_or_default();
    let spans = [
        (style, sign),
        (palette.strong, name.as_str()),
        (palette.plain, argument.as_str()),
        (palette.dim, after.as_str()),
        (palette.bad, error.as_deref().unwrap_or_default()),
    ];
    page.line(indent, &spans)
}

/// Writes everything that is known of `call`.
pub(super) fn full<W: Write>(page: &mut Page<'_, W>, indent: usize, call: &ToolCall) -> io::Result<()> {
    line(page, indent, call)?;
    if call.raw_name != call.name && !call.raw_name.is_empty() {
        page.line(indent + 2, &[(page.palette.dim, &format!("called {}", one_line(&call.raw_name)))])?;
    }
    if let Some(arguments) = &call.arguments {
        payload::write(page, indent + 2, "arguments", arguments)?;
    }
    if let Some(result) = &call.result {
        payload::write(page, indent + 2, "result", result)?;
    }
    if let Some(error) = &call.error {
        page.line(indent + 2, &[(page.palette.dim, "error")])?;
        page.paragraph(indent + 4, page.palette.bad, &crate::text::sanitise(error))?;
    }
    if let Some(changed) = &call.diff {
        page.line(indent + 2, &[(page.palette.dim, "diff")])?;
        diff::write(page, indent + 4, changed)?;
    }
    page.gap();
    Ok(())
}
