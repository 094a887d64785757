//! The listing of places where conversations are kept.

use std::io::{self, Write};

use super::columns::{self, Column};
use super::{ListView, relative, size};
use crate::SourceReport;
use crate::terminal::Palette;
use crate::terminal::folded::counted;
use crate::text::one_line;

/// Writes `reports` as a table that fits the width.
pub fn sources_table(reports: &[SourceReport], view: &ListView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let text =
        |heading, style, least| Column { heading, style, is_number: false, is_path: false, needs: 0, least };
    let number = |heading, needs| Column { is_number: true, needs, ..text(heading, palette.plain, None) };
    let columns = [
        text("LAYER", palette.strong, Some(8)),
        Column { is_path: true, ..text("FILE", palette.path, Some(12)) },
        number("SIZE", 80),
        number("CONVERSATIONS", 60),
        number("MESSAGES", 90),
        Column { needs: 120, ..text("FIRST", palette.dim, None) },
        Column { needs: 110, ..text("LAST", palette.dim, None) },
        text("HEALTH", palette.plain, Some(10)),
    ];
    let time = |at: Option<jiff::Timestamp>| at.map(|at| relative(at, &view.now)).unwrap_or_default();
    let row = |report: &SourceReport| {
        vec![
            layers(report),
            one_line(&report.file.to_string_lossy()),
            report.bytes.map(size).unwrap_or_default(),
            report.conversations.to_string(),
            report.messages.map(|count| count.to_string()).unwrap_or_default(),
            time(report.first_at),
            time(report.last_at),
            [health(report), besides(report)]
                .into_iter()
                .filter(|told| !told.is_empty())
                .collect::<Vec<_>>()
                .join(" · "),
        ]
    };
    let rows: Vec<_> = reports.iter().map(row).collect();
    columns::write(&columns, &rows, view.width, palette.dim, &mut out)
}

/// Writes `reports` as tab-separated columns: layer, file, bytes, conversations, messages, first, last, health, what else
/// it holds.
pub fn sources_plain(reports: &[SourceReport], mut out: impl Write) -> io::Result<()> {
    let time = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    for report in reports {
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            layers(report),
            one_line(&report.file.to_string_lossy()),
            report.bytes.map(|bytes| bytes.to_string()).unwrap_or_default(),
            report.conversations,
            report.messages.map(|count| count.to_string()).unwrap_or_default(),
            time(report.first_at),
            time(report.last_at),
            health(report),
            besides(report),
        )?;
    }
    Ok(())
}

fn layers(report: &SourceReport) -> String {
    let names: Vec<_> = report.layers.iter().map(|layer| layer.name()).collect();
    names.join(" ")
}

fn health(report: &SourceReport) -> String {
    let backup = if report.is_backup { "backup, " } else { "" };
    match &report.unreadable {
        Some(why) => format!("{backup}unreadable: {}", one_line(why)),
        None if report.findings.is_empty() => format!("{backup}ok"),
        None => {
            let kinds = report.findings_by_kind();
            let told: Vec<String> =
                kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            format!("{backup}{}", told.join(", "))
        }
    }
}

/// What it holds besides conversations: lines of code that it tracks, commits that it scored, spilled output.
fn besides(report: &SourceReport) -> String {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let lines = report.tracked_lines.map(|lines| counted(lines, "tracked line"));
    let commits = Some(report.commits.len()).filter(|commits| *commits > 0);
    let commits = commits.map(|commits| counted(count(commits), "scored commit"));
    let spilled = report.spilled.map(|spilled| {
        let files = counted(spilled.files, "file");
        format!("{files} of spilled output, {} named by no call", spilled.unnamed)
    });
    lines.into_iter().chain(commits).chain(spilled).collect::<Vec<_>>().join(", ")
}
