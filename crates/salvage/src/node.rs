//! One page of a tree: its kind, its cells, and whether a page that nobody named looks like one.

use std::collections::HashSet;

use crate::bytes::{u16_at, u32_at, varint, varint_size};
use crate::record;
use crate::walk::{Span, is_inside};

/// What a page of a tree holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    IndexInterior,
    TableInterior,
    IndexLeaf,
    TableLeaf,
}

impl Kind {
    pub(crate) fn is_leaf(self) -> bool {
        matches!(self, Self::IndexLeaf | Self::TableLeaf)
    }

    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::TableInterior | Self::TableLeaf)
    }
}

/// A page of a tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    bytes: Vec<u8>,
    start: usize,
    pub(crate) cells: usize,
    usable: usize,
}

/// One cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// The page with what lies before this cell, on an interior page.
    pub(crate) child: u32,
    /// The row's number, in a table's tree.
    pub(crate) rowid: i64,
    /// Where the part of the payload begins and ends that is on this page.
    pub(crate) local: (usize, usize),
    /// How long the whole payload is.
    pub(crate) payload: usize,
    /// The page where the payload goes on; 0 if it is whole here.
    pub(crate) overflow: u32,
}

impl Node {
    /// The page of a tree in `bytes`; `None` if it is none.
    pub(crate) fn parse(number: u32, bytes: Vec<u8>, usable: usize) -> Option<Self> {
        let start = if number == 1 { 100 } else { 0 };
        let kind = match bytes.get(start)? {
            2 => Kind::IndexInterior,
            5 => Kind::TableInterior,
            10 => Kind::IndexLeaf,
            13 => Kind::TableLeaf,
            _ => return None,
        };
        let cells = usize::from(u16_at(&bytes, start + 3)?);
        let node = Self { kind, bytes, start, cells, usable };
        (node.pointers_end() <= usable && usable <= node.bytes.len()).then_some(node)
    }

    fn pointers(&self) -> usize {
        self.start + if self.kind.is_leaf() { 8 } else { 12 }
    }

    fn pointers_end(&self) -> usize {
        self.pointers() + 2 * self.cells
    }

    /// The page behind the last cell of an interior page.
    pub(crate) fn right_child(&self) -> u32 {
        u32_at(&self.bytes, self.start + 8).unwrap_or_default()
    }

    /// The cell with this index; `None` if it does not lie on the page.
    pub(crate) fn cell(&self, index: usize) -> Option<Cell> {
        let at = usize::from(u16_at(&self.bytes, self.pointers() + 2 * index)?);
        // With 65,536 bytes a page, only an empty page's content begins at 0.
        (index < self.cells && at >= self.pointers_end()).then(|| self.cell_at(at))?
    }

    fn cell_at(&self, mut at: usize) -> Option<Cell> {
        let bytes = self.bytes.get(..self.usable)?;
        let mut cell = Cell { child: 0, rowid: 0, local: (0, 0), payload: 0, overflow: 0 };
        if !self.kind.is_leaf() {
            cell.child = u32_at(bytes, at)?;
            at += 4;
        }
        if self.kind == Kind::TableInterior {
            let (rowid, end) = varint(bytes, at)?;
            return Some(Cell { rowid, local: (end, end), ..cell });
        }
        (cell.payload, at) = varint_size(bytes, at)?;
        if self.kind == Kind::TableLeaf {
            (cell.rowid, at) = varint(bytes, at)?;
        }
        let local = local_size(cell.payload, self.usable, self.kind);
        cell.local = (at, at.checked_add(local)?);
        bytes.get(at..cell.local.1)?;
        if local < cell.payload {
            cell.overflow = u32_at(bytes, cell.local.1)?;
        }
        Some(cell)
    }

    /// The part of a cell's payload that is on this page.
    pub(crate) fn local(&self, cell: &Cell) -> &[u8] {
        self.bytes.get(cell.local.0..cell.local.1).unwrap_or_default()
    }

    /// Whether every record on a page is where it should be: the test for a page that no other page names.
    pub(crate) fn is_sound(&self) -> bool {
        let cells: Option<Vec<Cell>> = (0..self.cells).map(|index| self.cell(index)).collect();
        let Some(cells) = cells.filter(|cells| self.kind != Kind::TableInterior && !cells.is_empty()) else {
            return false;
        };
        let is_record = |cell: &Cell| {
            let local = self.local(cell);
            // A header that goes on elsewhere is rare enough to be believed.
            let header = varint_size(local, 0);
            header.is_some_and(|(header, _)| {
                header > local.len() || record::column_count(local, cell.payload).is_some()
            })
        };
        let in_order = !self.kind.is_table()
            || cells.windows(2).all(|pair| matches!(pair, [one, next] if one.rowid < next.rowid));
        in_order && cells.iter().all(is_record)
    }

    /// Whether the pages below an interior page can be these, in a file with `count` pages, and the numbers of rows between them
    /// are in order within `span`.
    pub(crate) fn has_sound_children(&self, count: u32, span: Span) -> bool {
        let cells: Option<Vec<Cell>> = (0..self.cells).map(|index| self.cell(index)).collect();
        let Some(cells) = cells else { return false };
        let mut children: Vec<u32> = cells.iter().map(|cell| cell.child).collect();
        children.push(self.right_child());
        let is_apart = children.iter().collect::<HashSet<_>>().len() == children.len();
        let is_ordered = !self.kind.is_table()
            || cells.is_sorted_by(|one, next| one.rowid < next.rowid)
                && cells.iter().all(|cell| is_inside(cell.rowid, &span));
        is_ordered && is_apart && children.iter().all(|child| (2..=count).contains(child))
    }

    /// Whether no row of a table's leaf has a number within `span`: it is another leaf than the one that should be here.
    pub(crate) fn is_outside(&self, span: Span) -> bool {
        let mut cells = (0..self.cells).filter_map(|index| self.cell(index)).peekable();
        cells.peek().is_some() && !cells.any(|cell| is_inside(cell.rowid, &span))
    }

    /// Whether its cells, its free blocks and the fragments that it counts fill it from where its content begins: what SQLite
    /// keeps true, and a wrong count of cells does not.
    pub(crate) fn is_accounted(&self) -> bool {
        let begins = match u16_at(&self.bytes, self.start + 5) {
            Some(0) => 65536,
            Some(begins) => usize::from(begins),
            None => return false,
        };
        let fragments = self.bytes.get(self.start + 7).copied().map_or(0, usize::from);
        let length = |index: usize| {
            let at = usize::from(u16_at(&self.bytes, self.pointers() + 2 * index)?);
            let cell = self.cell(index)?;
            let end = cell.local.1 + if cell.overflow > 0 { 4 } else { 0 };
            // A cell takes as much room as a free block needs, at least.
            Some((end - at).max(4))
        };
        let cells: Option<usize> = (0..self.cells).map(length).sum();
        let free: usize = self.free_blocks().map(|(_, size)| size).sum();
        cells.is_some_and(|cells| begins + cells + free + fragments == self.usable)
    }

    /// Whether some cell or free block ends where the page does, which is where SQLite begins to fill it.
    pub(crate) fn reaches_end(&self) -> bool {
        let end_of = |cell: Cell| cell.local.1 + if cell.overflow > 0 { 4 } else { 0 };
        let mut ends = (0..self.cells).filter_map(|index| self.cell(index).map(end_of));
        ends.any(|end| end == self.usable) || self.free_blocks().any(|(at, size)| at + size == self.usable)
    }

    /// Where each free block begins, and how long it is.
    fn free_blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut at = u16_at(&self.bytes, self.start + 1).map_or(0, usize::from);
        std::iter::from_fn(move || {
            let (next, size) = (u16_at(&self.bytes, at)?, u16_at(&self.bytes, at + 2)?);
            let block = (at, usize::from(size));
            // Blocks are in order of place, so this ends.
            at = if usize::from(next) > at { usize::from(next) } else { 0 };
            (block.0 > 0).then_some(block)
        })
    }
}

/// How much of a payload stays on a page with this many usable bytes.
fn local_size(payload: usize, usable: usize, kind: Kind) -> usize {
    let room = usable.saturating_sub(12);
    let most = if kind.is_table() { usable.saturating_sub(35) } else { (room * 64 / 255).saturating_sub(23) };
    if payload <= most {
        return payload;
    }
    let least = (room * 32 / 255).saturating_sub(23);
    let filled = least + payload.saturating_sub(least) % usable.saturating_sub(4).max(1);
    if filled <= most { filled } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_payload_leaves_the_part_that_fills_its_overflow_pages() {
        assert_eq!(local_size(4061, 4096, Kind::TableLeaf), 4061);
        assert_eq!(local_size(4062, 4096, Kind::TableLeaf), 489);
        assert_eq!(local_size(5000, 4096, Kind::TableLeaf), 908);
        assert_eq!(local_size(1003, 4096, Kind::IndexLeaf), 489);
    }

    #[test]
    fn a_page_of_zeros_is_no_page_of_a_tree() {
        assert!(Node::parse(2, vec![0; 512], 512).is_none());
        assert!(Node::parse(2, vec![13; 512], 512).is_none(), "more pointers than fit");
    }
}
