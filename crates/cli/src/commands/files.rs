//! `backscroll files`: which conversations read or changed a file.

use std::io;

use backscroll_history::{FileTouch, History, TouchedBy};
use backscroll_model::{Conversation, Part};
use backscroll_render::json;
use backscroll_render::list::{relative, short_ids};
use backscroll_render::terminal::Palette;
use backscroll_render::text::{one_line, sanitise};
use clap::Args;

use crate::config::RedactionArgs;
use crate::error::{Exit, Result};
use crate::filters::{WhichArgs, at_most};
use crate::fresh_index;
use crate::program::Context;
use crate::ui::Ui;

/// Find the conversations that read or changed a file
///
/// PATH is a name, the end of a path, or all of it, in any system's spelling; with a slash at its end, a folder.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FilesArgs {
    /// The file
    path: String,

    /// With what was changed
    #[arg(long)]
    diff: bool,

    /// Only those that changed it
    #[arg(long)]
    edited: bool,

    /// One JSON object a line (backscroll.summary/1)
    #[arg(long, conflicts_with = "diff")]
    json: bool,

    /// The maximum number of conversations; 0 for all
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,

    #[command(flatten)]
    which: WhichArgs,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll files src/auth.py
  backscroll files auth.py --edited --diff --since 7d
  backscroll files 'C:\\work\\app\\main.rs' --json";

/// Writes the conversations that touched the file.
pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &FilesArgs) -> Result<Exit> {
    let Context { history, index, mut outcome, .. } = context;
    let index = fresh_index::fresh(ui, history, index, &mut outcome)?;
    let mut found = history.files(&index, &args.path, &args.which.ask(ui.environment))?;
    if args.edited {
        for by in &mut found {
            by.touches.retain(|touch| touch.how.is_change());
        }
        found.retain(|by| !by.touches.is_empty());
    }
    let limit = at_most(args.limit);
    let more = found.len().saturating_sub(limit);
    found.truncate(limit);
    if found.is_empty() {
        ui.warning("no conversation touched such a file");
        ui.hint("the name alone finds it in every folder; --all looks into hidden conversations too");
        return Ok(outcome.conclude_unfound(ui, history));
    }
    outcome.matched = found.len();
    if args.json {
        for by in &found {
            ui.json(|out| json::summary(&by.summary, out))?;
        }
    } else {
        tell(ui, history, &found, args.diff)?;
    }
    ui.flush()?;
    if more > 0 {
        ui.note(&format!("{more} more conversations; --limit shows them"));
    }
    Ok(outcome.conclude(ui))
}

fn tell(ui: &mut Ui<'_>, history: &History, found: &[TouchedBy], with_diff: bool) -> Result<()> {
    let palette = Palette::new(ui.colour());
    let now = ui.environment.now.clone();
    let summaries: Vec<_> = found.iter().map(|by| by.summary.clone()).collect();
    for (by, id) in found.iter().zip(short_ids(&summaries)) {
        let title = by.summary.title.as_deref().map_or_else(|| "(untitled)".to_owned(), one_line);
        let when = by.at.map(|at| relative(at, &now)).unwrap_or_default();
        let (strong, dim, magenta) = (palette.strong, palette.dim, palette.id);
        writeln!(ui.out(), "{strong}{title}{strong:#}  {dim}{when}{dim:#}  {magenta}{id}{magenta:#}")?;
        for line in told_touches(&by.touches) {
            writeln!(ui.out(), "  {line}")?;
        }
        if with_diff {
            // A message read alone lacks what other rows know of its edits.
            let conversation = history.load(&by.summary.id)?;
            for touch in by.touches.iter().filter(|touch| touch.has_diff) {
                write_diff(ui, &conversation, touch, palette)?;
            }
        }
    }
    Ok(())
}

/// One line for each path and way of touching it.
fn told_touches(touches: &[FileTouch]) -> Vec<String> {
    let mut lines: Vec<(String, &'static str, usize, u64, u64)> = Vec::new();
    for touch in touches {
        let (path, how) = (one_line(&touch.path), touch.how.name());
        match lines.iter_mut().find(|line| line.0 == path && line.1 == how) {
            Some(line) => {
                line.2 += 1;
                line.3 += touch.lines.0;
                line.4 += touch.lines.1;
            }
            None => lines.push((path, how, 1, touch.lines.0, touch.lines.1)),
        }
    }
    let told = lines.into_iter().map(|(path, how, times, added, removed)| {
        let times = if times > 1 { format!(" {times}×") } else { String::new() };
        let lines = if added + removed > 0 { format!(" +{added} -{removed}") } else { String::new() };
        format!("{how}{times}{lines} {path}")
    });
    told.collect()
}

fn write_diff(
    ui: &mut Ui<'_>,
    conversation: &Conversation,
    touch: &FileTouch,
    palette: Palette,
) -> io::Result<()> {
    let number = usize::try_from(touch.hit.number).unwrap_or(usize::MAX);
    let Some(message) = conversation.messages.get(number) else { return Ok(()) };
    let diff = match message.parts.get(touch.part) {
        Some(Part::ToolCall(call)) => call.diff.as_deref(),
        Some(Part::Code(code)) => code.diff.as_deref(),
        _ => None,
    };
    for line in diff.unwrap_or_default().lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => palette.good,
            Some(b'-') => palette.bad,
            _ => palette.dim,
        };
        writeln!(ui.out(), "    {style}{}{style:#}", sanitise(line))?;
    }
    Ok(())
}
