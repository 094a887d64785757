//! What each place is made of: rows and bytes by kind.

use std::io::{self, Write};

use backscroll_model::StoredKind;

use super::ListView;
use super::columns::{self, Column};
use super::size;
use crate::SourceReport;
use crate::terminal::Palette;
use crate::text::one_line;

/// Writes what each of `reports` is made of, as one table for each.
pub fn kinds_tables(reports: &[SourceReport], view: &ListView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let text = |heading, least| Column {
        heading,
        style: palette.plain,
        is_number: false,
        is_path: false,
        needs: 0,
        least,
    };
    let number = |heading, needs| Column { is_number: true, needs, ..text(heading, None) };
    let columns = [
        text("KIND", Some(10)),
        Column { needs: 60, ..text("TABLE", Some(8)) },
        number("ROWS", 0),
        number("BYTES", 0),
        number("ORPHANED", 70),
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
        columns::write(&columns, &rows, view.width, palette.dim, &mut out)?;
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
