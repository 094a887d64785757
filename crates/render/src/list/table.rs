//! The listing of conversations.

use std::io::{self, Write};

use backscroll_model::Summary;
use jiff::Zoned;

use super::columns::{self, Column};
use super::{relative, short_ids, short_workspace};
use crate::terminal::Palette;
use crate::text::one_line;

/// How a listing is shown to people.
#[derive(Debug, Clone)]
pub struct ListView {
    /// The cells of a line.
    pub width: usize,
    /// What time it is, and where.
    pub now: Zoned,
    /// In colour.
    pub colour: bool,
}

/// Writes `summaries` as a table that fits the width.
pub fn table(summaries: &[Summary], view: &ListView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let rows: Vec<Vec<String>> =
        summaries.iter().zip(short_ids(summaries)).map(|(summary, id)| row(summary, id, view)).collect();
    let text =
        |heading, style, least| Column { heading, style, is_number: false, is_path: false, needs: 0, least };
    let columns = [
        text("CHANGED", palette.dim, None),
        text("TITLE", palette.strong, Some(12)),
        Column { is_path: true, needs: 50, ..text("WORKSPACE", palette.path, Some(9)) },
        Column { needs: 90, ..text("KIND", palette.dim, Some(8)) },
        Column { is_number: true, needs: 60, ..text("MESSAGES", palette.plain, None) },
        text("ID", palette.id, None),
    ];
    columns::write(&columns, &rows, view.width, palette.dim, &mut out)
}

fn row(summary: &Summary, id: String, view: &ListView) -> Vec<String> {
    vec![
        summary.recency().map(|at| relative(at, &view.now)).unwrap_or_default(),
        title(summary),
        summary.workspace.as_ref().map(short_workspace).unwrap_or_default(),
        kind(summary),
        summary.messages.map(|messages| messages.to_string()).unwrap_or_default(),
        id,
    ]
}

/// The title, with what the conversation is besides.
fn title(summary: &Summary) -> String {
    let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let mut shown = title.unwrap_or_else(|| "(untitled)".to_owned());
    for flag in &summary.flags {
        shown = format!("{shown} [{}]", flag.name());
    }
    shown
}

fn kind(summary: &Summary) -> String {
    match summary.mode.as_deref() {
        Some(mode) => format!("{} {}", summary.surface.name(), one_line(mode)),
        None => summary.surface.name().to_owned(),
    }
}

/// Writes `summaries` as tab-separated columns: id, last change, surface, mode, messages, workspace, title.
pub fn plain(summaries: &[Summary], mut out: impl Write) -> io::Result<()> {
    for summary in summaries {
        let workspace = summary.workspace.as_ref().map(|workspace| one_line(&workspace.path));
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            one_line(summary.id.as_str()),
            summary.recency().map(|at| at.to_string()).unwrap_or_default(),
            summary.surface.name(),
            summary.mode.as_deref().map(one_line).unwrap_or_default(),
            summary.messages.map(|messages| messages.to_string()).unwrap_or_default(),
            workspace.unwrap_or_default(),
            summary.title.as_deref().map(one_line).unwrap_or_default(),
        )?;
    }
    Ok(())
}
