//! Work on many conversations by two workers, handed over in order, a few at a time in memory.
//!
//! Each worker takes the next conversation that nobody has taken. One that is finished before those in front of it waits;
//! a worker that is too far ahead waits too. So a huge conversation stops nobody at once, and memory stays bounded. What
//! has to be done in order, such as numbering placeholders, waits for its turn.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many work at once.
const WORKERS: usize = 2;

/// How far the workers may be ahead of the writer.
const AHEAD: usize = 8;

/// How far everybody is.
struct Progress<T> {
    /// The next conversation to take.
    next: usize,
    /// The next one to hand over.
    wanted: usize,
    /// The next one whose turn it is.
    due: usize,
    finished: BTreeMap<usize, T>,
    /// Nobody receives any more, or a worker died.
    is_over: bool,
}

/// What the workers and the writer share.
struct Desk<T> {
    progress: Mutex<Progress<T>>,
    moved: Condvar,
}

/// One conversation's place among the others.
pub(crate) struct Turn<'a, T> {
    desk: &'a Desk<T>,
    number: usize,
}

impl<T> Turn<'_, T> {
    /// Does `work` when it was done for all conversations before. Where one does, each has to, once.
    pub(crate) fn wait_for<R>(&self, work: impl FnOnce() -> R) -> R {
        self.desk.in_turn(self.number, work)
    }
}

impl<T> Desk<T> {
    fn new() -> Self {
        let progress = Progress { next: 0, wanted: 0, due: 0, finished: BTreeMap::new(), is_over: false };
        Self { progress: Mutex::new(progress), moved: Condvar::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress<T>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next conversation to work on; `None` when all are taken, or nobody wants them.
    fn take(&self, count: usize) -> Option<usize> {
        let mut progress = self.progress();
        while !progress.is_over && progress.next < count && progress.next >= progress.wanted + AHEAD {
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        let number = progress.next;
        (!progress.is_over && number < count).then(|| {
            progress.next += 1;
            number
        })
    }

    fn in_turn<R>(&self, number: usize, work: impl FnOnce() -> R) -> R {
        let mut progress = self.progress();
        while !progress.is_over && progress.due != number {
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        drop(progress);
        let done = work();
        self.progress().due += 1;
        self.moved.notify_all();
        done
    }

    fn put(&self, number: usize, done: T) {
        self.progress().finished.insert(number, done);
        self.moved.notify_all();
    }

    /// The next conversation in order; `None` if it will never come.
    fn hand_over(&self) -> Option<T> {
        let mut progress = self.progress();
        loop {
            let wanted = progress.wanted;
            if let Some(done) = progress.finished.remove(&wanted) {
                progress.wanted += 1;
                self.moved.notify_all();
                return Some(done);
            }
            if progress.is_over {
                return None;
            }
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        self.progress().is_over = true;
        self.moved.notify_all();
    }
}

/// Ends the work when it goes, by a panic too: nobody must wait for a worker that died.
struct Ending<'a, T>(&'a Desk<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

/// Does `work` for each of `count` conversations and gives what came of it to `receive`, in their order.
pub(crate) fn run<T: Send>(
    count: usize,
    work: impl Fn(usize, &Turn<'_, T>) -> T + Sync,
    mut receive: impl FnMut(usize, T) -> io::Result<()>,
) -> io::Result<()> {
    let desk = Desk::new();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let _ending = Ending(&desk);
                while let Some(number) = desk.take(count) {
                    desk.put(number, work(number, &Turn { desk: &desk, number }));
                }
            });
        }
        let mut done = (0..count).map_while(|number| Some((number, desk.hand_over()?)));
        let received = done.try_for_each(|(number, done)| receive(number, done));
        desk.end();
        received
    })
}
