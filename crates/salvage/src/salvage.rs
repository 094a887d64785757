//! All rows of all tables of a file, wherever they lie.
//!
//! Trees come first. If a page of one cannot be read, or names wrong ones, what was behind it lies on pages that no tree names
//! any more: every page is looked at, and a leaf that is part of no tree and not free belongs to the table that lacks rows with
//! such numbers and has columns of this shape. Where several do, the [`Salvager`] decides.

use crate::file::{Header, SqliteFile, add_to_schema};
use crate::log::LogTrouble;
use crate::node::Kind;
use crate::page_set::PageSet;
use crate::record::Value;
use crate::schema::{Index, Table};
use crate::walk::{Damage, Row, Span, Trouble, Walk, arranged, is_inside, read_cell};

/// Who receives what is found.
pub trait Salvager {
    /// The tables that should be there, for a file whose schema is lost.
    fn expected(&self) -> Vec<Table> {
        Vec::new()
    }

    /// Which of these tables the rows of one leaf belong to; all of them could.
    fn choose(&mut self, candidates: &[&Table], rows: &[Row]) -> Option<usize>;

    /// The tables, before any row of them.
    fn tables(&mut self, tables: &[Table]);

    /// A row of a table. Rows of trees come first. One that `is_stray` was on a leaf that no tree names: it may be an
    /// older state of a row that came before.
    fn row(&mut self, table: &Table, row: Row, is_stray: bool);

    /// An entry of an index: indexed values, and the row's number last.
    fn entry(&mut self, index: &Index, values: Vec<Value>);

    /// Something that cannot be read, of this table or index if that is known.
    fn damage(&mut self, of: Option<&str>, damage: Damage);
}

/// What is known of one table.
struct Known {
    table: Table,
    /// How many rows its tree has.
    rows: usize,
    gaps: Vec<Span>,
}

/// Gives all that can be read of a file to `to`.
pub fn salvage(file: &SqliteFile<'_>, to: &mut dyn Salvager) {
    let mut reached = PageSet::new(file.count());
    let Schema { mut tables, indexes, is_whole } = read_schema(file, to, &mut reached);
    if file.header() == Header::Guessed || tables.is_empty() || !is_whole {
        let is_new = |table: &Table, tables: &[Table]| {
            !tables.iter().any(|known| known.name.eq_ignore_ascii_case(&table.name))
        };
        let missing: Vec<Table> = to.expected().into_iter().filter(|table| is_new(table, &tables)).collect();
        tables.extend(missing);
    }
    to.tables(&tables);
    let has_damaged_log = file
        .log()
        .is_some_and(|log| log.troubles().iter().any(|trouble| matches!(trouble, LogTrouble::Frames { .. })));
    let everything: Vec<Span> = if has_damaged_log { vec![(None, None)] } else { Vec::new() };
    let mut known: Vec<Known> = Vec::new();
    let widths: Vec<usize> = tables.iter().map(Table::width).collect();
    for table in tables {
        let mut gaps = everything.clone();
        let count = read_rows(file, &table, &widths, &mut gaps, &mut reached, to);
        known.push(Known { table, rows: count, gaps });
    }
    for index in &indexes {
        let mut entries = file.entries(index);
        let mut count = 0;
        for entry in entries.by_ref() {
            match entry {
                Ok(values) => {
                    count += 1;
                    to.entry(index, values);
                }
                Err(damage) => to.damage(Some(&index.name), damage),
            }
        }
        reached.add_all(&entries.0.seen);
        reached.add_all(&entries.0.chained);
        // The index of a constraint has an entry for each row. If it has not, a wrong page may be in place of another, which
        // leaves no gap. What is in excess of the rows of a table may be on leaves that its tree does not name any more.
        let of_table = known.iter_mut().find(|known| known.table.name == index.table);
        if let Some(known) = of_table.filter(|known| index.sql.is_none() && count > known.rows) {
            known.gaps.push((None, None));
        }
    }
    if known.iter().any(|known| !known.gaps.is_empty()) {
        exclude_free(file, &mut reached);
        read_strays(file, &known, &mut reached, to);
    }
}

/// Gives the rows of a table's tree to `to`, and returns how many there are.
fn read_rows(
    file: &SqliteFile<'_>,
    table: &Table,
    widths: &[usize],
    gaps: &mut Vec<Span>,
    reached: &mut PageSet,
    to: &mut dyn Salvager,
) -> usize {
    if table.root.is_none() {
        gaps.push((None, None));
        return 0;
    }
    let mut rows = file.rows(table);
    // A row with more values than the table has columns, and as many as another one has, is that one's.
    let is_foreign = |row: &Row| row.values.len() > table.width() && widths.contains(&row.values.len());
    let mut count = 0;
    for row in rows.walk.by_ref() {
        match row {
            Ok(row) if is_foreign(&row) => {
                let damage = Damage { page: row.page, rowid: row.rowid, trouble: Trouble::Elsewhere };
                to.damage(Some(&table.name), damage);
            }
            Ok(row) => {
                count += 1;
                to.row(table, arranged(table, row), false);
            }
            Err(damage) => to.damage(Some(&table.name), damage),
        }
    }
    reached.add_all(&rows.walk.seen);
    reached.add_all(&rows.walk.chained);
    gaps.append(&mut rows.walk.gaps);
    count
}

struct Schema {
    tables: Vec<Table>,
    indexes: Vec<Index>,
    /// Whether all of it was read.
    is_whole: bool,
}

/// The schema, also from leaves of it that its tree lost.
fn read_schema(file: &SqliteFile<'_>, to: &mut dyn Salvager, reached: &mut PageSet) -> Schema {
    let mut schema = Schema { tables: Vec::new(), indexes: Vec::new(), is_whole: true };
    let mut walk = Walk::of_table(file, 1);
    for row in walk.by_ref() {
        match row {
            Ok(row) => add_to_schema(&row, &mut schema.tables, &mut schema.indexes),
            Err(damage) => {
                schema.is_whole = false;
                to.damage(Some("sqlite_schema"), damage);
            }
        }
    }
    reached.add_all(&walk.seen);
    reached.add_all(&walk.chained);
    if file.node(1).is_ok_and(|node| !node.is_accounted()) {
        schema.is_whole = false;
        to.damage(Some("sqlite_schema"), Damage { page: 1, rowid: None, trouble: Trouble::Unaccounted });
    }
    if walk.gaps.is_empty() {
        return schema;
    }
    for number in 2..=file.count() {
        let rows = if reached.has(number) { None } else { sound_rows(file, number, reached) };
        let rows = rows.filter(|(kind, rows)| *kind == Kind::TableLeaf && rows.iter().all(is_schema_row));
        let Some((_, rows)) = rows else { continue };
        reached.add(number);
        for row in &rows {
            add_to_schema(row, &mut schema.tables, &mut schema.indexes);
        }
    }
    schema
}

fn is_schema_row(row: &Row) -> bool {
    let kinds: [&[u8]; 4] = [b"table", b"index", b"view", b"trigger"];
    let [Value::Text(kind), Value::Text(_), Value::Text(_), root, sql] = row.values.as_slice() else {
        return false;
    };
    kinds.contains(&kind.as_slice())
        && matches!(root, Value::Integer(_) | Value::Null)
        && matches!(sql, Value::Text(_) | Value::Null)
}

/// The rows of a page, if it is a sound one that holds rows. Interior pages of an index do, too.
fn sound_rows(file: &SqliteFile<'_>, number: u32, reached: &mut PageSet) -> Option<(Kind, Vec<Row>)> {
    let node = file.node(number).ok()?;
    if node.kind == Kind::TableInterior || !node.is_sound() {
        return None;
    }
    let rows = (0..node.cells).filter_map(|index| read_cell(file, number, &node, index, reached).ok());
    Some((node.kind, rows.collect()))
}

fn exclude_free(file: &SqliteFile<'_>, reached: &mut PageSet) {
    let (free, is_whole) = file.free_pages();
    reached.add_each(&free);
    if is_whole {
        return;
    }
    for number in 2..=file.count() {
        let page = file.page(number).filter(|_| !reached.has(number));
        if let Some(free) = page.and_then(|page| file.guessed_trunk(&page)) {
            reached.add_each(&free);
        }
    }
}

fn read_strays(file: &SqliteFile<'_>, known: &[Known], reached: &mut PageSet, to: &mut dyn Salvager) {
    for number in 1..=file.count() {
        let rows = if reached.has(number) { None } else { sound_rows(file, number, reached) };
        let Some((kind, rows)) = rows else { continue };
        let fitting: Vec<&Table> = fitting(known, &rows, kind);
        let chosen = match fitting.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => to.choose(&fitting, &rows).and_then(|index| fitting.get(index).copied()),
        };
        let Some(table) = chosen else { continue };
        for row in rows {
            to.row(table, arranged(table, row), true);
        }
    }
}

/// The tables that lack such rows.
fn fitting<'k>(known: &'k [Known], rows: &[Row], kind: Kind) -> Vec<&'k Table> {
    let is_in = |gap: &Span| rows.iter().all(|row| row.rowid.is_none_or(|rowid| is_inside(rowid, gap)));
    let is_as_wide =
        |table: &&Table| rows.iter().all(|row| row.damaged.is_some() || row.values.len() == table.width());
    let lacks = |known: &&Known| {
        known.gaps.iter().any(is_in)
            && known.table.without_rowid != (kind == Kind::TableLeaf)
            // An entry of any index could be the beginning of a longer row.
            && (kind == Kind::TableLeaf || is_as_wide(&&known.table))
            && rows.iter().all(|row| row.damaged.is_some() || known.table.fits(&row.values))
    };
    let fitting: Vec<&Table> = known.iter().filter(lacks).map(|known| &known.table).collect();
    // Rows that are as wide as the table are more likely its own than ones that lack a column.
    let wide: Vec<&Table> = fitting.iter().copied().filter(is_as_wide).collect();
    if wide.is_empty() { fitting } else { wide }
}
