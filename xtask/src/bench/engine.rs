//! What the full-text engine alone needs: the same words into the same table, on one thread, with nothing else to do.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use backscroll_cli::{Where, find};
use backscroll_history::{Ask, History};
use backscroll_index::fields::pieces;
use backscroll_index::tokens::Stream;
use rusqlite::{Connection, params_from_iter};

use super::cost::{self, Cost};
use crate::arguments::Trouble;

/// Columns of the full-text table.
const COLUMNS: usize = 8;

/// Writes the words of every message of `home` to `file`, in the order in which a first build meets them; gives the bytes of
/// text that they were made of.
pub(super) fn record(home: &Path, file: &Path) -> Result<u64, Trouble> {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let mut summaries = history.list(&Ask::everything()).summaries;
    summaries.sort_by_cached_key(|summary| (summary.recency(), summary.id.clone()));
    let mut out = BufWriter::new(File::create(file)?);
    let mut streams: [Stream; COLUMNS] = Default::default();
    let mut text = 0;
    for summary in &summaries {
        let Ok(whole) = history.load(&summary.id) else { continue };
        for message in whole.messages.iter().chain(&whole.orphans) {
            streams.iter_mut().for_each(Stream::clear);
            pieces(message, &mut |field, piece| {
                text += piece.len() as u64;
                streams[field as usize].add(piece);
            });
            for stream in &mut streams {
                write(&mut out, stream.finish())?;
            }
        }
        streams.iter_mut().for_each(Stream::clear);
        if let Some(title) = &summary.title {
            streams[0].add(title);
        }
        for stream in &mut streams {
            write(&mut out, stream.finish())?;
        }
    }
    out.flush()?;
    Ok(text)
}

fn write(out: &mut impl std::io::Write, words: &str) -> Result<(), Trouble> {
    out.write_all(&u32::try_from(words.len())?.to_le_bytes())?;
    Ok(out.write_all(words.as_bytes())?)
}

/// Fills the table that `index` has with the recorded words, in a database of its own at `database`.
#[expect(clippy::disallowed_methods, reason = "our own files")]
pub(super) fn replay(recorded: &Path, index: &Path, database: &Path) -> Result<Cost, Trouble> {
    let table: String = Connection::open(index)?.query_row(
        "SELECT sql FROM sqlite_schema WHERE name = 'words'",
        [],
        |row| row.get(0),
    )?;
    let connection = Connection::open(database)?;
    connection.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768;",
    )?;
    connection.execute_batch(&table)?;
    // As in the room `index`: collect much, merge nothing.
    for (name, value) in [("automerge", 0), ("crisismerge", 4096), ("hashsize", 48 * 1024 * 1024)] {
        connection.execute("INSERT INTO words (words, rank) VALUES (?1, ?2)", (name, value))?;
    }
    let mut input = BufReader::with_capacity(1 << 20, File::open(recorded)?);
    let mut columns: [String; COLUMNS] = Default::default();
    cost::of(|| {
        connection.execute_batch("BEGIN")?;
        let mut insert = connection.prepare("INSERT INTO words VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        while read(&mut input, &mut columns)? {
            insert.execute(params_from_iter(&columns))?;
        }
        Ok(connection.execute_batch("COMMIT")?)
    })
}

/// Reads one row; `false` at the end.
fn read(input: &mut impl std::io::Read, columns: &mut [String; COLUMNS]) -> Result<bool, Trouble> {
    for (number, column) in columns.iter_mut().enumerate() {
        let mut length = [0; 4];
        match input.read_exact(&mut length) {
            Err(error) if number == 0 && error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Ok(false);
            }
            read => read?,
        }
        let mut bytes = std::mem::take(column).into_bytes();
        bytes.clear();
        input.take(u64::from(u32::from_le_bytes(length))).read_to_end(&mut bytes)?;
        *column = String::from_utf8(bytes)?;
    }
    Ok(true)
}
