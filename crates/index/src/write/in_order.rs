//! Work done by several, handed over in order, a few pieces at a time in memory.
//!
//! Each worker takes the next piece that nobody has taken. One that is finished before those in front of it waits; workers that are
//! too far ahead, in pieces or in bytes, wait too. So a huge piece stops nobody at once, and memory stays bounded.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How far the workers may be ahead of the receiver, in pieces.
const PIECES_AHEAD: usize = 64;

/// The same in bytes.
const BYTES_AHEAD: usize = 24 * 1024 * 1024;

/// Something that takes memory.
pub(crate) trait Weighs {
    /// About how many bytes.
    fn weight(&self) -> usize;
}

struct Progress<T> {
    /// The next piece to take.
    next: usize,
    /// The next one to hand over.
    wanted: usize,
    finished: BTreeMap<usize, T>,
    /// The bytes of those that are finished.
    bytes: usize,
    /// Nobody receives any more, or a worker died.
    is_over: bool,
}

struct Desk<T> {
    progress: Mutex<Progress<T>>,
    moved: Condvar,
}

impl<T: Weighs> Desk<T> {
    fn new() -> Self {
        let progress = Progress { next: 0, wanted: 0, finished: BTreeMap::new(), bytes: 0, is_over: false };
        Self { progress: Mutex::new(progress), moved: Condvar::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress<T>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, progress: MutexGuard<'a, Progress<T>>) -> MutexGuard<'a, Progress<T>> {
        self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece to make; `None` when all are taken, or nobody wants them.
    fn take(&self, count: usize) -> Option<usize> {
        let mut progress = self.progress();
        while !progress.is_over
            && progress.next < count
            && (progress.next >= progress.wanted + PIECES_AHEAD || progress.bytes >= BYTES_AHEAD)
        {
            progress = self.wait(progress);
        }
        let number = progress.next;
        (!progress.is_over && number < count).then(|| {
            progress.next += 1;
            number
        })
    }

    fn put(&self, number: usize, made: T) {
        let mut progress = self.progress();
        progress.bytes += made.weight();
        progress.finished.insert(number, made);
        self.moved.notify_all();
    }

    /// The next piece in order; `None` if it will never come.
    fn hand_over(&self) -> Option<T> {
        let mut progress = self.progress();
        loop {
            let wanted = progress.wanted;
            if let Some(made) = progress.finished.remove(&wanted) {
                progress.wanted += 1;
                progress.bytes -= made.weight();
                self.moved.notify_all();
                return Some(made);
            }
            if progress.is_over {
                return None;
            }
            progress = self.wait(progress);
        }
    }

    fn end(&self) {
        self.progress().is_over = true;
        self.moved.notify_all();
    }
}

/// Ends the work when it goes, by a panic too: nobody must wait for a worker that died.
struct Ending<'a, T: Weighs>(&'a Desk<T>);

impl<T: Weighs> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

/// Makes `count` pieces with this many workers, and gives them to `receive` in order, on this thread.
pub(crate) fn in_order<T: Weighs + Send, E>(
    count: usize,
    workers: usize,
    make: impl Fn(usize) -> T + Sync,
    mut receive: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    if count <= 1 {
        return (0..count).map(make).try_for_each(receive);
    }
    let desk = Desk::new();
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, count) {
            scope.spawn(|| {
                let _ending = Ending(&desk);
                while let Some(number) = desk.take(count) {
                    desk.put(number, make(number));
                }
            });
        }
        let received = (0..count).map_while(|_| desk.hand_over()).try_for_each(&mut receive);
        desk.end();
        received
    })
}
