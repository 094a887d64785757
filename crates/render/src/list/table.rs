//! The table of conversations, and the columns any table of ours consists of.

use std::io::{self, Write};

use anstyle::Style;
use backscroll_model::{Summary, Workspace};
use jiff::{Timestamp, ToSpan, Zoned};

use crate::terminal::Palette;
use crate::text::{cut, cut_front, one_line, width};

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
    let columns = [
        Column::text("CHANGED", palette.dim, None),
        Column::text("TITLE", palette.strong, Some(12)),
        Column { is_path: true, needs: 50, ..Column::text("WORKSPACE", palette.path, Some(9)) },
        Column { needs: 90, ..Column::text("KIND", palette.dim, Some(8)) },
        Column::number("MESSAGES", 60),
        Column::text("ID", palette.id, None),
    ];
    write_table(&columns, &rows, view.width, palette.dim, &mut out)
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

/// One column: its heading, how it stands, and the cells it may take.
pub(super) struct Column {
    pub(super) heading: &'static str,
    pub(super) style: Style,
    pub(super) is_number: bool,
    /// Paths are cut at their front.
    pub(super) is_path: bool,
    /// Left out where the table has fewer cells than this.
    pub(super) needs: usize,
    /// May shrink to this when the table is too wide; `None` never shrinks.
    pub(super) least: Option<usize>,
}

impl Column {
    pub(super) fn text(heading: &'static str, style: Style, least: Option<usize>) -> Self {
        Self { heading, style, is_number: false, is_path: false, needs: 0, least }
    }

    pub(super) fn number(heading: &'static str, needs: usize) -> Self {
        Self { is_number: true, needs, ..Self::text(heading, Style::new(), None) }
    }
}

const GAP: &str = "  ";

/// Writes `rows` under their headings, at most `room` cells wide.
pub(super) fn write_table(
    columns: &[Column],
    rows: &[Vec<String>],
    room: usize,
    heading: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let shown = |number: &usize| columns[*number].needs <= room;
    let shown: Vec<usize> = (0..columns.len()).filter(shown).collect();
    let columns: Vec<&Column> = shown.iter().map(|number| &columns[*number]).collect();
    let only_shown = |row: &Vec<String>| shown.iter().map(|number| row[*number].clone()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(only_shown).collect();
    let widths = fit(&columns, &rows, room);
    let headings: Vec<String> = columns.iter().map(|column| column.heading.to_owned()).collect();
    write_row(&columns, &headings, &widths, Some(heading), out)?;
    rows.iter().try_for_each(|row| write_row(&columns, row, &widths, None, out))
}

/// The natural widths, shrunk from the widest shrinkable column on until all fit.
fn fit(columns: &[&Column], rows: &[Vec<String>], room: usize) -> Vec<usize> {
    let natural = |(number, column): (usize, &&Column)| {
        let cells = rows.iter().filter_map(|row| row.get(number)).map(|cell| width(cell));
        cells.chain([width(column.heading)]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(natural).collect();
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        let can_shrink = |(number, _): &(usize, &&Column)| {
            columns[*number].least.is_some_and(|least| widths[*number] > least)
        };
        let widest = columns.iter().enumerate().filter(can_shrink).max_by_key(|(number, _)| widths[*number]);
        let Some((number, _)) = widest else { break };
        widths[number] -= 1;
    }
    widths
}

fn write_row(
    columns: &[&Column],
    cells: &[String],
    widths: &[usize],
    heading: Option<Style>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut padding = 0;
    for (number, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let shown = if column.is_path && heading.is_none() {
            cut_front(cell, widths[number])
        } else {
            cut(cell, widths[number])
        };
        let missing = widths[number].saturating_sub(width(&shown));
        let style = heading.unwrap_or(column.style);
        let before = padding + if column.is_number { missing } else { 0 };
        // Spaces wait until something follows them, so that no line ends in spaces.
        if shown.is_empty() {
            padding = before;
        } else {
            write!(out, "{:before$}{style}{shown}{style:#}", "")?;
            padding = 0;
        }
        padding += GAP.len() + if column.is_number { 0 } else { missing };
    }
    writeln!(out)
}

/// `at` as seen from `now`: `3 h ago`, `yesterday`, `12 Mar`, `2024-11-02`.
pub fn relative(at: Timestamp, now: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - at.as_second();
    let then = at.to_zoned(now.time_zone().clone());
    let (today, day) = (now.date(), then.date());
    let is_yesterday = today.checked_sub(1.day()).is_ok_and(|yesterday| yesterday == day);
    match seconds {
        -60..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..43_200 => format!("{} h ago", seconds / 3_600),
        43_200.. if day == today => format!("{} h ago", seconds / 3_600),
        43_200.. if is_yesterday => "yesterday".to_owned(),
        0.. if day.year() == today.year() => then.strftime("%-d %b").to_string(),
        _ => day.to_string(),
    }
}

/// Nobody wants to type more, and fewer would soon be ambiguous.
const SHORTEST: usize = 8;

/// For each of `summaries`, the shortest beginning of its id, of eight characters or more, that no other has.
pub fn short_ids(summaries: &[Summary]) -> Vec<String> {
    let mut sorted: Vec<&str> = summaries.iter().map(|summary| summary.id.as_str()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    summaries.iter().map(|summary| short(summary.id.as_str(), &sorted)).collect()
}

fn short(id: &str, sorted: &[&str]) -> String {
    let place = sorted.partition_point(|other| *other < id);
    let before = place.checked_sub(1).and_then(|at| sorted.get(at));
    let shared = before.into_iter().chain(sorted.get(place + 1)).map(|other| common(id, other)).max();
    let length = shared.map_or(SHORTEST, |shared| SHORTEST.max(shared + 1));
    one_line(&id.chars().take(length).collect::<String>())
}

/// How many characters both begin with.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// The last two components of the path, behind the host if it is another one: `box:a/app`.
pub fn short_workspace(workspace: &Workspace) -> String {
    let components: Vec<&str> = workspace.path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    let last = components[components.len().saturating_sub(2)..].join("/");
    let path = if last.is_empty() { &workspace.path } else { &last };
    match workspace.remote.as_deref() {
        Some(remote) => one_line(&format!("{}:{path}", host(remote))),
        None => one_line(path),
    }
}

/// `box` of `ssh-remote+box`.
fn host(remote: &str) -> &str {
    remote.split_once('+').map_or(remote, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now = "2026-03-13T15:00:00+01:00[+01:00]".parse().expect("a time");
        let table = [
            ("2026-03-13T14:59:30+01:00", "just now"),
            ("2026-03-13T14:55:00+01:00", "5 min ago"),
            ("2026-03-13T12:00:00+01:00", "3 h ago"),
            ("2026-03-13T01:00:00+01:00", "14 h ago"),
            ("2026-03-13T00:10:00+01:00", "14 h ago"),
            ("2026-03-12T23:50:00+01:00", "yesterday"),
            ("2026-03-12T00:00:00+01:00", "yesterday"),
            ("2026-03-11T23:59:00+01:00", "11 Mar"),
            ("2025-12-31T23:59:00+01:00", "2025-12-31"),
            ("2024-11-02T10:00:00Z", "2024-11-02"),
            ("2026-03-20T10:00:00Z", "2026-03-20"),
        ];
        for (at, expected) in table {
            assert_eq!(relative(at.parse().expect("a time"), &now), expected, "{at}");
        }
    }
}
