//! What can be said of the stores and of the index: tables for people, columns for programs.

use std::cmp::Reverse;
use std::io::{self, Write};

use backscroll_model::{Drift, Finding, IndexStatus, SourceReport, StoredKind};
use jiff::Zoned;

use super::ListView;
use super::table::{self, Column, relative};
use crate::phrases::counted;
use crate::terminal::Palette;
use crate::text::{one_line, sanitise};

/// Writes `reports` as a table that fits the width.
pub fn sources_table(reports: &[SourceReport], view: &ListView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let columns = [
        Column::text("LAYER", palette.strong, Some(8)),
        Column { is_path: true, ..Column::text("FILE", palette.path, Some(12)) },
        Column::number("SIZE", 80),
        Column::number("CONVERSATIONS", 60),
        Column::number("MESSAGES", 90),
        Column { needs: 120, ..Column::text("FIRST", palette.dim, None) },
        Column { needs: 110, ..Column::text("LAST", palette.dim, None) },
        Column::text("HEALTH", palette.plain, Some(10)),
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
    table::write_table(&columns, &rows, view.width, palette.dim, &mut out)
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

/// Writes `drift` as tab-separated columns: file, layer, kind, name, where, count, example.
pub fn drift_plain(drift: &Drift, mut out: impl Write) -> io::Result<()> {
    let file = drift.file.to_string_lossy();
    let example = one_line(&drift.example);
    let (layer, kind) = (drift.layer.name(), drift.kind.name());
    writeln!(
        out,
        "{}\t{layer}\t{kind}\t{}\t{}\t{}\t{example}",
        one_line(&file),
        drift.name,
        drift.place,
        drift.count
    )
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
        None => format!("{backup}{}", sentences(&report.findings)),
    }
}

/// The first findings in their own words, the worst first.
fn sentences(findings: &[Finding]) -> String {
    let mut sentences: Vec<&Finding> = findings.iter().collect();
    sentences.sort_by_key(|finding| Reverse(finding.kind.level()));
    sentences.dedup_by_key(|finding| &finding.says);
    let mut said: Vec<String> = sentences.iter().take(SENTENCES).map(|one| one_line(&one.says)).collect();
    if sentences.len() > SENTENCES {
        said.push(format!("and {} more", sentences.len() - SENTENCES));
    }
    said.join("; ")
}

/// The maximum number of findings of a store that are written out.
const SENTENCES: usize = 2;

/// What it holds besides conversations: lines of code that it tracks, commits that it scored, spilled output, notes.
fn besides(report: &SourceReport) -> String {
    let lines = report.tracked_lines.map(|lines| counted(lines, "tracked line"));
    let commits = Some(report.commits.len()).filter(|commits| *commits > 0);
    let commits = commits.map(|commits| counted(commits, "scored commit"));
    let spilled = report.spilled.map(|spilled| {
        let files = counted(spilled.files, "file");
        format!("{files} of spilled output, {} named by no call", spilled.unnamed)
    });
    let notes = report.notes.map(|notes| format!("{} of agents' notes", counted(notes, "file")));
    lines.into_iter().chain(commits).chain(spilled).chain(notes).collect::<Vec<_>>().join(", ")
}

/// Writes what each of `reports` is made of, as one table for each.
pub fn kinds_tables(reports: &[SourceReport], view: &ListView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let columns = [
        Column::text("KIND", palette.plain, Some(10)),
        Column { needs: 60, ..Column::text("TABLE", palette.plain, Some(8)) },
        Column::number("ROWS", 0),
        Column::number("BYTES", 0),
        Column::number("ORPHANED", 70),
    ];
    let row = |kind: &StoredKind| {
        vec![
            one_line(&kind.name),
            one_line(kind.table.as_deref().unwrap_or_default()),
            kind.rows.to_string(),
            size(kind.bytes),
            if kind.orphaned == 0 { String::new() } else { kind.orphaned.to_string() },
        ]
    };
    for (at, report) in reports.iter().enumerate() {
        let Some(contents) = &report.contents else { continue };
        if at > 0 {
            writeln!(out)?;
        }
        let free = match contents.free_bytes {
            0 => String::new(),
            free => format!(", {} free", size(free)),
        };
        let (strong, path) = (palette.strong, palette.path);
        writeln!(
            out,
            "{path}{}{path:#}  {strong}{}{strong:#}{free}",
            one_line(&report.file.to_string_lossy()),
            report.bytes.map(size).unwrap_or_default(),
        )?;
        let rows: Vec<_> = contents.kinds.iter().map(row).collect();
        table::write_table(&columns, &rows, view.width, palette.dim, &mut out)?;
    }
    Ok(())
}

/// Writes the same as tab-separated columns: file, table, kind, rows, bytes, orphaned rows.
pub fn kinds_plain(reports: &[SourceReport], mut out: impl Write) -> io::Result<()> {
    for report in reports {
        let file = one_line(&report.file.to_string_lossy());
        for kind in report.contents.iter().flat_map(|contents| &contents.kinds) {
            let table = one_line(kind.table.as_deref().unwrap_or_default());
            writeln!(
                out,
                "{file}\t{table}\t{}\t{}\t{}\t{}",
                one_line(&kind.name),
                kind.rows,
                kind.bytes,
                kind.orphaned
            )?;
        }
    }
    Ok(())
}

/// Writes one line for each fact: its name, then what it is.
pub fn index(status: &IndexStatus, now: &Zoned, out: &mut dyn Write) -> io::Result<()> {
    let place = status.place.to_string_lossy();
    let mut line = |name: &str, text: &str| writeln!(out, "{name:14} {}", sanitise(text));
    line("place", &place)?;
    line("format", &status.version.to_string())?;
    let Some(held) = &status.holds else {
        return line("state", "there is none yet; the first search makes it");
    };
    let state = match held.stale {
        0 => "fresh".to_owned(),
        1 => "1 conversation changed since".to_owned(),
        count => format!("{count} conversations changed since"),
    };
    line("state", &state)?;
    let refreshed = held.refreshed_at.map_or_else(|| "never".to_owned(), |at| relative(at, now));
    line("refreshed", &refreshed)?;
    line("conversations", &held.conversations.to_string())?;
    line("messages", &held.messages.to_string())?;
    if held.unread > 0 {
        line("unread", &format!("{} conversations could not be read", held.unread))?;
    }
    line("text indexed", &size(held.text_bytes))?;
    line("disk use", &size(status.disk_bytes))
}

const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

/// `1.2 MB`.
pub fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut unit_bytes: u128 = 1_000;
    let mut told = String::new();
    for unit in UNITS {
        let tenths = (u128::from(bytes) * 10 + unit_bytes / 2) / unit_bytes;
        told = format!("{}.{} {unit}", tenths / 10, tenths % 10);
        if tenths < 10_000 {
            break;
        }
        unit_bytes *= 1_000;
    }
    told
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_rounded_not_cut() {
        let table = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (1_949, "1.9 kB"),
            (1_950, "2.0 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (1_960_000, "2.0 MB"),
            (1_083_670_528, "1.1 GB"),
            (60_000_000_000, "60.0 GB"),
            (u64::MAX, "18446.7 PB"),
        ];
        for (bytes, expected) in table {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }
}
