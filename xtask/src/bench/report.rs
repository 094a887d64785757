//! The table of what was measured, for a terminal or for `docs/benchmarks.md`.

use std::time::Duration;

use super::measure::Times;

/// What is promised of one measurement.
#[derive(Debug, Clone, Copy)]
pub(super) enum Promise {
    /// The maximum ratio to the floor.
    TimesFloor(f64),
    /// The maximum number of milliseconds.
    Milliseconds(f64),
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) what: String,
    pub(super) program: Times,
    pub(super) floor: Option<Times>,
    pub(super) promise: Promise,
    pub(super) peak: Option<u64>,
    pub(super) peak_promise: u64,
}

/// The heads of the table's columns.
const HEADS: [&str; 7] =
    ["what", "best", "worst", "measured against", "ratio", "promised", "peak memory (promised)"];

/// The whole table.
pub(super) fn table(lines: &[Line], markdown: bool) -> String {
    let rows: Vec<[String; 7]> = lines.iter().map(cells).collect();
    if markdown {
        let head = format!("| {} |\n|{}\n", HEADS.join(" | "), "---|".repeat(HEADS.len()));
        return rows.iter().fold(head, |text, row| text + "| " + &row.join(" | ") + " |\n");
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(HEADS[column].len())
    };
    let line = |row: [&str; 7]| {
        let cells =
            row.iter().enumerate().map(|(column, cell)| format!("{cell:<width$}", width = width(column)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    line(HEADS) + &rows.iter().map(|row| line(row.each_ref().map(String::as_str))).collect::<String>()
}

fn cells(line: &Line) -> [String; 7] {
    let ratio = line.floor.map(|floor| line.program.best.as_secs_f64() / floor.best.as_secs_f64().max(1e-9));
    let (promised, kept) = match line.promise {
        Promise::TimesFloor(most) => (format!("≤ {most} ×"), ratio.is_some_and(|ratio| ratio <= most)),
        Promise::Milliseconds(most) => {
            (format!("≤ {most} ms"), line.program.best.as_secs_f64() * 1e3 <= most)
        }
    };
    let megabytes = |bytes: u64| bytes.div_ceil(1024 * 1024);
    let peak = line.peak.map_or_else(|| "?".to_owned(), |peak| format!("{} MB", megabytes(peak)));
    [
        line.what.clone(),
        milliseconds(line.program.best),
        milliseconds(line.program.worst),
        line.floor.map_or_else(|| "–".to_owned(), |floor| milliseconds(floor.best)),
        ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
        format!("{promised} {}", if kept { "kept" } else { "BROKEN" }),
        format!("{peak} (≤ {} MB)", megabytes(line.peak_promise)),
    ]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
