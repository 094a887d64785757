//! Walks a tree from its root, around pages that cannot be read, and gives its rows.

use crate::file::SqliteFile;
use crate::node::{Cell, Kind, Node};
use crate::page_set::PageSet;
use crate::record;
use crate::record::Value;
use crate::schema::Table;

/// What is wrong with a page or a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The page lies behind the end of the file.
    Absent,
    /// The page holds nothing but zeros.
    Zeros,
    /// The page is none of a tree, or of a tree of another kind.
    NotOfTree,
    /// The page holds rows of another part of the tree.
    Elsewhere,
    /// The page names others that cannot be below it.
    Children,
    /// Something on the page belongs to none of its rows, so that it may hold more of them.
    Unaccounted,
    /// The page is part of this tree already.
    Loop,
    /// The tree is deeper than any.
    TooDeep,
    /// A cell does not lie on its page.
    Cell,
    /// The cell holds no record.
    NoRecord,
    /// The record says that it is longer than the file.
    TooLong,
    /// The chain of overflow pages ends before the record does.
    ChainEnds,
}

/// Something that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The page.
    pub page: u32,
    /// The row, where that is known.
    pub rowid: Option<i64>,
    /// What is wrong.
    pub trouble: Trouble,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number; none in a table without them.
    pub rowid: Option<i64>,
    /// Its values in the order of the table's columns; only the first ones if it is `damaged`.
    pub values: Vec<Value>,
    /// The page on which it begins.
    pub page: u32,
    /// Why it is not whole.
    pub damaged: Option<Damage>,
}

/// What a table's tree holds between two row numbers, the second one included.
pub(crate) type Span = (Option<i64>, Option<i64>);

pub(crate) fn is_inside(rowid: i64, (after, upto): &Span) -> bool {
    after.is_none_or(|after| rowid > after) && upto.is_none_or(|upto| rowid <= upto)
}

struct Level {
    page: u32,
    node: Node,
    /// The next cell. An interior page has one child more than cells.
    next: usize,
    /// Whether the child before the next cell was visited, on an interior page.
    is_descended: bool,
    span: Span,
    /// Whether it names pages that cannot be below it: any of the others may be wrong, too.
    has_wrong_children: bool,
}

/// What one step of a walk gives.
enum Step {
    Moved,
    Found(Row),
    Damaged(Damage),
}

impl Step {
    fn from_row(read: Result<Row, Damage>) -> Self {
        read.map_or_else(Self::Damaged, Self::Found)
    }
}

/// A walk over one tree.
pub(crate) struct Walk<'s> {
    file: &'s SqliteFile<'s>,
    is_table: bool,
    stack: Vec<Level>,
    /// A page to visit before anything else.
    root: Option<u32>,
    /// All pages that were visited.
    pub(crate) seen: PageSet,
    /// All pages on which long rows go on.
    pub(crate) chained: PageSet,
    /// What lies between row numbers behind pages that cannot be read.
    pub(crate) gaps: Vec<Span>,
}

/// No tree of SQLite is deeper.
const DEEPEST: usize = 20;

impl<'s> Walk<'s> {
    pub(crate) fn of_table(file: &'s SqliteFile<'s>, root: u32) -> Self {
        Self {
            file,
            is_table: true,
            stack: Vec::new(),
            root: Some(root),
            seen: PageSet::new(file.count()),
            chained: PageSet::new(file.count()),
            gaps: Vec::new(),
        }
    }

    pub(crate) fn of_index(file: &'s SqliteFile<'s>, root: u32) -> Self {
        Self { is_table: false, ..Self::of_table(file, root) }
    }

    /// Goes down to a page.
    fn enter(&mut self, page: u32, span: Span) -> Result<(), Damage> {
        let node = if self.stack.len() >= DEEPEST {
            Err(Trouble::TooDeep)
        } else if self.seen.has(page) {
            Err(Trouble::Loop)
        } else {
            self.file.node(page)
        };
        let is_own = |node: &Node| node.kind.is_table() == self.is_table;
        let node = node.and_then(|node| {
            if !is_own(&node) {
                Err(Trouble::NotOfTree)
            } else if node.kind == Kind::TableLeaf && node.is_outside(span) {
                Err(Trouble::Elsewhere)
            } else {
                Ok(node)
            }
        });
        match node {
            Ok(node) => {
                self.seen.add(page);
                let has_wrong_children =
                    !node.kind.is_leaf() && !node.has_sound_children(self.file.count(), span);
                self.stack.push(Level { page, node, next: 0, is_descended: false, span, has_wrong_children });
                if has_wrong_children {
                    // What it does not name any more is found as leaves without a tree.
                    self.gaps.push(span);
                    return Err(Damage { page, rowid: None, trouble: Trouble::Children });
                }
                Ok(())
            }
            Err(trouble) => {
                self.gaps.push(span);
                Err(Damage { page, rowid: None, trouble })
            }
        }
    }

    /// The next step; none at the end of the tree.
    fn step(&mut self) -> Option<Step> {
        if let Some(root) = self.root.take() {
            return Some(self.enter(root, (None, None)).map_or_else(Step::Damaged, |()| Step::Moved));
        }
        let level = self.stack.last_mut()?;
        let (page, index) = (level.page, level.next);
        if level.node.kind.is_leaf() {
            if index >= level.node.cells {
                self.stack.pop();
                return Some(Step::Moved);
            }
            level.next += 1;
            return Some(Step::from_row(read_cell(self.file, page, &level.node, index, &mut self.chained)));
        }
        if index > level.node.cells {
            self.stack.pop();
            return Some(Step::Moved);
        }
        let cell = level.node.cell(index);
        if !level.is_descended {
            level.is_descended = true;
            let before = index.checked_sub(1).and_then(|index| level.node.cell(index));
            let knows_span = self.is_table && !level.has_wrong_children;
            let from = before.filter(|_| knows_span).map_or(level.span.0, |cell| Some(cell.rowid));
            let to = cell.filter(|_| knows_span).map_or(level.span.1, |cell| Some(cell.rowid));
            let has_wrong_children = level.has_wrong_children;
            let child = if index == level.node.cells {
                level.node.right_child()
            } else {
                cell.map_or(0, |cell| cell.child)
            };
            if has_wrong_children && self.file.node(child).is_err() {
                return Some(Step::Moved);
            }
            return Some(self.enter(child, (from, to)).map_or_else(Step::Damaged, |()| Step::Moved));
        }
        level.is_descended = false;
        level.next += 1;
        // Interior pages of an index hold entries themselves.
        let has_entry = !self.is_table && index < level.node.cells;
        Some(if has_entry {
            Step::from_row(read_cell(self.file, page, &level.node, index, &mut self.chained))
        } else {
            Step::Moved
        })
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Row, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.step()? {
                Step::Moved => {}
                Step::Found(row) => return Some(Ok(row)),
                Step::Damaged(damage) => return Some(Err(damage)),
            }
        }
    }
}

/// The record in a cell.
pub(crate) fn read_cell(
    file: &SqliteFile<'_>,
    page: u32,
    node: &Node,
    index: usize,
    chained: &mut PageSet,
) -> Result<Row, Damage> {
    let damage = |trouble, rowid| Damage { page, rowid, trouble };
    let cell = node.cell(index).ok_or_else(|| damage(Trouble::Cell, None))?;
    let rowid = node.kind.is_table().then_some(cell.rowid);
    read_record(file, page, node, &cell, chained).ok_or_else(|| damage(Trouble::NoRecord, rowid))
}

fn read_record(
    file: &SqliteFile<'_>,
    page: u32,
    node: &Node,
    cell: &Cell,
    chained: &mut PageSet,
) -> Option<Row> {
    let rowid = node.kind.is_table().then_some(cell.rowid);
    let local = node.local(cell);
    let (payload, broken) = if cell.overflow == 0 && local.len() == cell.payload {
        (std::borrow::Cow::Borrowed(local), None)
    } else {
        let (payload, broken) = file.payload(local, cell.payload, cell.overflow, chained);
        (std::borrow::Cow::Owned(payload), broken)
    };
    let record = record::read(&payload, file.encoding())?;
    let cut = (!record.is_complete).then_some(Damage { page, rowid, trouble: Trouble::NoRecord });
    let damaged = broken.map(|damage| Damage { rowid, ..damage }).or(cut);
    Some(Row { rowid, values: record.values, page, damaged })
}

/// The rows of a table.
pub struct Rows<'s> {
    pub(crate) walk: Walk<'s>,
    table: &'s Table,
}

impl<'s> Rows<'s> {
    pub(crate) fn new(file: &'s SqliteFile<'s>, table: &'s Table) -> Self {
        let root = table.root.unwrap_or_default();
        let walk = if table.without_rowid { Walk::of_index(file, root) } else { Walk::of_table(file, root) };
        Self { walk, table }
    }
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rows of {}", self.table.name)
    }
}

/// The values of a row as its table shows them.
pub(crate) fn arranged(table: &Table, row: Row) -> Row {
    let values = table.arrange(row.rowid, row.values, row.damaged.is_none());
    Row { values, ..row }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.walk.next()?.map(|row| arranged(self.table, row)))
    }
}

/// The entries of an index.
pub struct Entries<'s>(pub(crate) Walk<'s>);

impl std::fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entries")
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Vec<Value>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let whole = |row: Row| row.damaged.map_or(Ok(row.values), Err);
        Some(self.0.next()?.and_then(whole))
    }
}
