//! A SQLite file with its log: how long its pages are, and the newest committed content of each.

use crate::bytes::{ReadAt, read_exact, u32_at};
use crate::log::{Log, is_page_size};
use crate::node::Node;
use crate::page_set::PageSet;
use crate::record::{Encoding, Value};
use crate::schema::{Index, Table};
use crate::walk::{Damage, Entries, Row, Rows, Trouble, Walk};

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Where a database's page size and encoding were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    /// In the header on page 1.
    Stored,
    /// In the header on page 1, but for what the pages themselves contradict: their size, the encoding, or the bytes that are
    /// reserved.
    Corrected,
    /// Guessed from pages and rows: the header is lost.
    Guessed,
}

/// A SQLite file, and its log.
pub struct SqliteFile<'a> {
    main: &'a dyn ReadAt,
    log: Option<(&'a dyn ReadAt, Log)>,
    header: Header,
    page_size: usize,
    /// The bytes of a page that hold content; the rest is reserved for extensions.
    usable: usize,
    encoding: Encoding,
    count: u32,
    /// How many pages the header says there are.
    stated: Option<u32>,
    /// The first page of the list of free pages.
    free: u32,
}

impl std::fmt::Debug for SqliteFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { header, page_size, encoding, count, .. } = self;
        write!(f, "SqliteFile {{ {count} pages of {page_size} bytes, {encoding:?}, {header:?} }}")
    }
}

impl<'a> SqliteFile<'a> {
    /// The database in `main`, with its log; `None` if no page of it can be told from any other bytes.
    pub fn read(main: &'a dyn ReadAt, log: Option<&'a dyn ReadAt>) -> Option<Self> {
        let own = read_exact(main, 0, 100);
        let (stated, is_corrected) =
            own.as_deref().map_or((None, false), |header| checked_page_size(main, header));
        let log = log.map(|bytes| (bytes, Log::read(bytes, stated)));
        let log = log.filter(|(_, log)| log.page_size() > 0 && log.count().is_some());
        let of_log = log.as_ref().map(|(_, log)| log.page_size());
        // A log of other pages than the file has is another file's.
        let log = log.filter(|(_, log)| stated.is_none_or(|size| size == log.page_size()));
        let first = log.as_ref().and_then(|(bytes, log)| read_exact(*bytes, log.place(1)?, 100));
        let header = first.or(own).filter(|header| stated_page_size(header).is_some());
        let page_size = stated.or(of_log).or_else(|| guessed_page_size(main))?;
        let mut file = Self {
            main,
            log,
            header: match header {
                Some(_) if is_corrected => Header::Corrected,
                Some(_) => Header::Stored,
                None => Header::Guessed,
            },
            page_size,
            usable: page_size,
            encoding: Encoding::default(),
            count: 0,
            stated: None,
            free: 0,
        };
        if let Some(header) = &header {
            file.take_header(header);
        }
        file.count_pages();
        file.mend_usable();
        if file.header == Header::Guessed {
            file.encoding = file.guessed_encoding();
        } else if file.encoding != Encoding::Utf8 && file.has_schema_in_utf8() {
            file.encoding = Encoding::Utf8;
            file.header = Header::Corrected;
        }
        Some(file)
    }

    fn take_header(&mut self, header: &[u8]) {
        let reserved = header.get(20).copied().map_or(0, usize::from);
        // SQLite takes fewer than 480 usable bytes for damage, and so do we.
        self.usable =
            Some(self.page_size - reserved).filter(|usable| *usable >= 480).unwrap_or(self.page_size);
        self.encoding = match u32_at(header, 56) {
            Some(2) => Encoding::Utf16Le,
            Some(3) => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        };
        self.stated = stated_count(header);
        self.free = u32_at(header, 32).unwrap_or_default();
    }

    /// Reserved bytes are rare: where whole pages are filled to their ends, none are.
    fn mend_usable(&mut self) {
        let filled = |usable: usize| {
            let pages = sample(u64::from(self.count)).filter_map(|number| {
                let number = u32::try_from(number).ok()?.checked_add(1)?;
                Node::parse(number, self.page(number)?, usable)
            });
            pages.filter(|node| node.is_sound() && node.reaches_end()).count()
        };
        if self.usable < self.page_size && filled(self.page_size) > filled(self.usable) {
            self.usable = self.page_size;
            self.header = Header::Corrected;
        }
    }

    /// Whether the schema begins with a word that only UTF-8 spells so.
    fn has_schema_in_utf8(&self) -> bool {
        let first = self.node(1).ok();
        let below = |node: &Node| {
            let child = node.cell(0).map_or(node.right_child(), |cell| cell.child);
            self.node(child).ok()
        };
        let leaf = first.and_then(|node| if node.kind.is_leaf() { Some(node) } else { below(&node) });
        let record = leaf.and_then(|leaf| crate::record::read(leaf.local(&leaf.cell(0)?), Encoding::Utf8));
        let kind = record.and_then(|record| record.values.into_iter().next());
        matches!(kind, Some(Value::Text(kind)) if [&b"table"[..], b"index", b"view", b"trigger"].contains(&&*kind))
    }

    fn count_pages(&mut self) {
        let there = u32::try_from(self.main.size() / self.page_size as u64).unwrap_or(u32::MAX - 1);
        let of_log = self.log.as_ref().map(|(_, log)| log);
        let committed = of_log.and_then(Log::count);
        self.stated = committed.or(self.stated);
        // Behind the end that the log's last commit states, a file holds nothing, however long it is.
        self.count = there.min(committed.unwrap_or(there)).max(of_log.map_or(0, |log| log.highest(there)));
    }

    /// Whether the header was there.
    pub fn header(&self) -> Header {
        self.header
    }

    /// How many pages are there.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// How many bytes a page has.
    pub fn page_size(&self) -> usize {
        self.page_size
    }

    /// How many pages the header, or the log's last commit, says there are.
    pub fn stated_count(&self) -> Option<u32> {
        self.stated
    }

    /// The log, if it holds anything that was committed.
    pub fn log(&self) -> Option<&Log> {
        self.log.as_ref().map(|(_, log)| log)
    }

    /// The newest committed content of a page.
    pub fn page(&self, number: u32) -> Option<Vec<u8>> {
        // A frame of the log with a damaged number is no page. While the file is being opened, pages are not counted yet.
        if self.count > 0 && number > self.count {
            return None;
        }
        let of_log = self.log.as_ref().and_then(|(bytes, log)| Some((*bytes, log.place(number)?)));
        let (from, offset) = match of_log {
            Some(place) => place,
            None => (self.main, u64::from(number.checked_sub(1)?) * self.page_size as u64),
        };
        read_exact(from, offset, self.page_size)
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The page of a tree with this number.
    pub(crate) fn node(&self, number: u32) -> Result<Node, Trouble> {
        let bytes = self.page(number).ok_or(Trouble::Absent)?;
        // In chunks, so that the compiler compares many bytes at once: a damaged file may have gigabytes of zeros.
        if bytes.chunks(64).all(|chunk| chunk.iter().fold(0, |all, byte| all | byte) == 0) {
            return Err(Trouble::Zeros);
        }
        Node::parse(number, bytes, self.usable).ok_or(Trouble::NotOfTree)
    }

    /// The payload that begins with `local` and goes on at page `next`: as much of it as is there, and what is wrong.
    /// The pages of a whole payload are added to `chained`.
    pub(crate) fn payload(
        &self,
        local: &[u8],
        length: usize,
        mut next: u32,
        chained: &mut PageSet,
    ) -> (Vec<u8>, Option<Damage>) {
        let mut payload = local.to_vec();
        let room = self.usable - 4;
        let needed = length.saturating_sub(local.len()).div_ceil(room);
        let broken = |page: u32, trouble: Trouble| Some(Damage { page, rowid: None, trouble });
        if needed > self.count as usize {
            return (payload, broken(next, Trouble::TooLong));
        }
        let mut seen = std::collections::HashSet::new();
        let mut last = next;
        while payload.len() < length {
            if next == 0 {
                return (payload, broken(last, Trouble::ChainEnds));
            }
            if !seen.insert(next) {
                return (payload, broken(next, Trouble::Loop));
            }
            let Some(page) = self.page(next) else { return (payload, broken(next, Trouble::Absent)) };
            let taken = room.min(length - payload.len());
            let (link, content) = page.split_at(4);
            if taken == length - payload.len() && taken >= MOST_ZEROS && page.iter().all(|byte| *byte == 0) {
                return (payload, broken(next, Trouble::Zeros));
            }
            payload.extend_from_slice(&content[..taken]);
            last = next;
            next = u32_at(link, 0).unwrap_or_default();
        }
        for page in seen {
            chained.add(page);
        }
        (payload, None)
    }

    /// The rows of a table, in the order of its tree.
    pub fn rows<'s>(&'s self, table: &'s Table) -> Rows<'s> {
        Rows::new(self, table)
    }

    /// The entries of an index, in its order: indexed values, and the row's number last.
    pub fn entries(&self, index: &Index) -> Entries<'_> {
        Entries(Walk::of_index(self, index.root))
    }

    /// The pages that the list of free pages names, and whether all of it could be read.
    pub(crate) fn free_pages(&self) -> (Vec<u32>, bool) {
        let mut free = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut next = self.free;
        while next != 0 {
            let trunk = self.page(next).filter(|_| seen.insert(next));
            let Some(trunk) = trunk.filter(|trunk| trunk.iter().any(|byte| *byte != 0)) else {
                return (free, false);
            };
            free.push(next);
            free.extend(trunk_leaves(&trunk, self.usable));
            next = u32_at(&trunk, 0).unwrap_or_default();
        }
        (free, self.header != Header::Guessed)
    }

    /// The free pages that this page names, if it looks like a part of the list.
    pub(crate) fn guessed_trunk(&self, page: &[u8]) -> Option<Vec<u32>> {
        let next = u32_at(page, 0)?;
        let leaves = trunk_leaves(page, self.usable);
        let is_page = |number: &u32| (2..=self.count).contains(number);
        let is_one = !leaves.is_empty()
            && u32_at(page, 4).and_then(|count| usize::try_from(count).ok()) == Some(leaves.len())
            && (next == 0 || is_page(&next))
            && leaves.iter().all(is_page);
        is_one.then_some(leaves)
    }

    /// The encoding in which the text of rows has the fewest zeros where letters should be.
    fn guessed_encoding(&self) -> Encoding {
        let (mut even, mut odd, mut all) = (0_u32, 0_u32, 0_u32);
        for number in sample(u64::from(self.count)) {
            let number = u32::try_from(number).map_or(u32::MAX, |number| number + 1);
            let Ok(node) = self.node(number) else { continue };
            for cell in (0..node.cells).filter_map(|index| node.cell(index)) {
                let record = crate::record::read(node.local(&cell), Encoding::Utf8).unwrap_or_default();
                for value in record.values {
                    let Value::Text(bytes) = value else { continue };
                    for pair in bytes.as_chunks::<2>().0 {
                        all += 1;
                        even += u32::from(pair[0] == 0);
                        odd += u32::from(pair[1] == 0);
                    }
                }
            }
        }
        match (odd * 4 > all, even * 4 > all) {
            (true, false) => Encoding::Utf16Le,
            (false, true) => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        }
    }
}

/// A last overflow page is taken for lost only if more zeros than this would be content.
const MOST_ZEROS: usize = 16;

/// The tables that the rows of `sqlite_schema` name.
pub(crate) fn add_to_schema(row: &Row, tables: &mut Vec<Table>, indexes: &mut Vec<Index>) {
    let text = |at: usize| match row.values.get(at) {
        Some(Value::Text(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    let root = match row.values.get(3) {
        Some(Value::Integer(root)) => u32::try_from(*root).ok().filter(|root| *root > 0),
        _ => None,
    };
    let (Some(kind), Some(name), sql) = (text(0), text(1), text(4)) else { return };
    if kind == "table" {
        // A table without a root is there nevertheless, unless it is a virtual one: its leaves are found without a tree.
        tables.extend(Table::of_statement(&name, &sql.unwrap_or_default(), root));
    } else if let ("index", Some(table), Some(root)) = (kind.as_str(), text(2), root) {
        indexes.push(Index { name, table, root, sql });
    }
}

/// Whether the rows on the first page of a database fill it as they should; with fewer of them, tables would be missing. A page
/// that cannot be read counts as one that is filled: SQLite says so itself.
pub fn has_whole_first_page(main: &dyn ReadAt) -> bool {
    let header = read_exact(main, 0, 100);
    let page_size = header.as_deref().and_then(stated_page_size);
    let page = page_size.and_then(|size| read_exact(main, 0, size));
    let reserved = header.and_then(|header| header.get(20).copied()).map_or(0, usize::from);
    let node = page.and_then(|page| Node::parse(1, page, page_size? - reserved));
    node.is_none_or(|node| node.is_accounted())
}

fn trunk_leaves(trunk: &[u8], usable: usize) -> Vec<u32> {
    let count = u32_at(trunk, 4).and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
    (0..count.min(usable / 4 - 2)).filter_map(|index| u32_at(trunk, 8 + 4 * index)).collect()
}

/// How many pages the header says there are. The count holds only if the same writer wrote both numbers.
fn stated_count(header: &[u8]) -> Option<u32> {
    let is_current = u32_at(header, 24) == u32_at(header, 92);
    u32_at(header, 28).filter(|count| is_current && *count > 0)
}

/// The page size that the header states, and whether it had to be corrected: another size is right if the file then has as many
/// pages as the header says, and its pages look like that.
fn checked_page_size(main: &dyn ReadAt, header: &[u8]) -> (Option<usize>, bool) {
    let Some(stated) = stated_page_size(header) else { return (None, false) };
    let count = stated_count(header).map(u64::from).filter(|count| main.size().is_multiple_of(*count));
    let by_count = count.and_then(|count| usize::try_from(main.size() / count).ok());
    let is_right =
        |size: &usize| *size != stated && is_page_size(*size) && guessed_page_size(main) == Some(*size);
    let corrected = by_count.filter(is_right);
    (corrected.or(Some(stated)), corrected.is_some())
}

fn stated_page_size(header: &[u8]) -> Option<usize> {
    let stated = usize::from(crate::bytes::u16_at(header, 16)?);
    let size = if stated == 1 { 65536 } else { stated };
    (header.starts_with(MAGIC) && is_page_size(size)).then_some(size)
}

/// At most this many pages are looked at for a guess.
const SAMPLE: u64 = 256;

/// Numbers from 0 up to, but without, `count`: the first ones, and some of the rest.
fn sample(count: u64) -> impl Iterator<Item = u64> {
    let first = count.min(SAMPLE);
    let step = (count / SAMPLE).max(1);
    (0..first).chain((first..count).step_by(usize::try_from(step).unwrap_or(usize::MAX)))
}

/// The page size by which most pages are leaves of trees, filled from their ends.
fn guessed_page_size(main: &dyn ReadAt) -> Option<usize> {
    let sizes = (9..=16).map(|power| 1_usize << power);
    let score = |size: usize| {
        let (mut seen, mut sound) = (0_u64, 0_u64);
        for number in sample(main.size() / size as u64) {
            let Some(bytes) = read_exact(main, number * size as u64, size) else { continue };
            // No page but the first has a header, so its number does not matter.
            let number = if number == 0 { 1 } else { 2 };
            let node = Node::parse(number, bytes, size);
            seen += 1;
            sound += u64::from(node.is_some_and(|node| node.is_sound() && node.reaches_end()));
        }
        sound * 1000 / seen.max(1)
    };
    sizes
        .map(|size| (score(size), size))
        .filter(|(score, _)| *score > 0)
        .max_by_key(|(score, _)| *score)
        .map(|(_, size)| size)
}
