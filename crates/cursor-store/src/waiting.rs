//! Waiting for a writer: for how long, and who says so.
//!
//! SQLite asks [`wait`] again and again while a writer has the database for itself. After a second the program that runs us
//! is told once, so that it can say why nothing happens.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The pause between two tries to get the lock.
const PAUSE: Duration = Duration::from_millis(20);
/// Maximum number of pauses for one lock: three seconds.
const MOST_PAUSES: i32 = 150;
/// Number of pauses after which the wait is announced: one second.
const LONG: i32 = 50;

static ANNOUNCE: OnceLock<fn(&Path)> = OnceLock::new();
static IS_ANNOUNCED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The database that this thread asks.
    static ASKED: RefCell<PathBuf> = RefCell::default();
}

/// Calls `announce`, once in this process, when a question has waited for a second for the writer of a database.
pub fn announce_waits(announce: fn(&Path)) {
    // The first one stays: a process has one place for its messages.
    let _ = ANNOUNCE.set(announce);
}

/// Notes that this thread begins to ask the database at `path`.
pub(crate) fn begin(path: &Path) {
    ASKED.with_borrow_mut(|asked| path.clone_into(asked));
}

/// Pauses before the next try; false if there was enough of them.
pub(crate) fn wait(pauses: i32) -> bool {
    if pauses == LONG
        && let Some(announce) = ANNOUNCE.get()
        && !IS_ANNOUNCED.swap(true, Ordering::Relaxed)
    {
        ASKED.with_borrow(|asked| announce(asked));
    }
    std::thread::sleep(PAUSE);
    pauses < MOST_PAUSES
}
