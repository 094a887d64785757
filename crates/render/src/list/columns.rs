//! Columns that fit a width: every cell is one line, and what is too long is cut.

use std::io::{self, Write};

use anstyle::Style;

use crate::text::{cut, cut_front, width};

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

const GAP: &str = "  ";

/// Writes `rows` under their headings, at most `room` cells wide.
pub(super) fn write(
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
