//! How much work was done: counted, not timed, so that a test can say how cost grows.
//!
//! Everything that this room opens and reads goes through the door (`door.rs`), the tables (`table.rs`) and the file layer
//! (`files.rs`), and each of them counts.

use std::sync::atomic::{AtomicU64, Ordering};

static OPENED: AtomicU64 = AtomicU64::new(0);
static ROWS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// What this process has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Files, folders and databases that were opened.
    pub opened: u64,
    /// Rows that SQLite handed over.
    pub rows: u64,
    /// Bytes of files and values that were read.
    pub bytes: u64,
}

/// What this process has done so far.
pub fn done() -> Work {
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Work { opened: count(&OPENED), rows: count(&ROWS), bytes: count(&BYTES) }
}

impl Work {
    /// What was done since.
    #[must_use]
    pub fn since(self) -> Self {
        let now = done();
        Self { opened: now.opened - self.opened, rows: now.rows - self.rows, bytes: now.bytes - self.bytes }
    }
}

/// Something was opened.
pub(crate) fn opened() {
    OPENED.fetch_add(1, Ordering::Relaxed);
}

/// A row was handed over.
pub(crate) fn row(bytes: usize) {
    ROWS.fetch_add(1, Ordering::Relaxed);
    read(bytes);
}

/// Counts bytes that were read.
pub(crate) fn read(bytes: usize) {
    BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
}
