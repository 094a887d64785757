//! Work that several threads do and one thread receives in order, with bounded memory.
//!
//! Each worker takes the next piece that is free. A finished piece waits until all pieces before it were received; workers
//! that are too far ahead of the receiver, in pieces or in bytes, wait too. So a large piece does not stop the other
//! workers at once, and a slow receiver stops all of them.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::locked;

/// The number of workers, and how far they may be ahead of the receiver.
#[derive(Debug, Clone, Copy)]
pub struct OrderedQueue {
    /// Threads that work.
    pub workers: usize,
    /// Pieces that may be taken before the next one is received.
    pub pieces_ahead: usize,
    /// Bytes of finished pieces at which no further piece is taken.
    pub bytes_ahead: usize,
}

impl OrderedQueue {
    /// Makes `count` pieces and gives each to `receive` with its number, in order, on this thread. `weight` is the size
    /// of a piece in memory, in bytes. The first error of `receive` ends the work.
    pub fn run<T: Send, E>(
        self,
        count: usize,
        make: impl Fn(usize) -> T + Sync,
        weight: impl Fn(&T) -> usize + Sync,
        mut receive: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        if count <= 1 {
            return (0..count).try_for_each(|number| receive(number, make(number)));
        }
        let queue =
            Queue { limits: self, count, state: Mutex::new(QueueState::default()), changed: Condvar::new() };
        thread::scope(|scope| {
            for _ in 0..self.workers.clamp(1, count) {
                scope.spawn(|| {
                    let _guard = StopOnPanic(&queue);
                    while let Some(number) = queue.take() {
                        let piece = make(number);
                        let bytes = weight(&piece);
                        queue.put(number, piece, bytes);
                    }
                });
            }
            let mut pieces = (0..count).map_while(|number| Some((number, queue.next()?)));
            let received = pieces.try_for_each(|(number, piece)| receive(number, piece));
            queue.stop();
            received
        })
    }
}

struct QueueState<T> {
    /// The next piece to make.
    next_taken: usize,
    /// The next piece to receive.
    next_received: usize,
    /// Finished pieces that were not received yet, with their weights.
    finished: BTreeMap<usize, (T, usize)>,
    /// The sum of these weights.
    bytes: usize,
    /// The receiver has ended, or a worker panicked.
    is_stopped: bool,
}

impl<T> Default for QueueState<T> {
    fn default() -> Self {
        Self { next_taken: 0, next_received: 0, finished: BTreeMap::new(), bytes: 0, is_stopped: false }
    }
}

struct Queue<T> {
    limits: OrderedQueue,
    count: usize,
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

impl<T> Queue<T> {
    fn wait<'a>(&self, state: MutexGuard<'a, QueueState<T>>) -> MutexGuard<'a, QueueState<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next piece to make; `None` when all are taken or the work has ended.
    fn take(&self) -> Option<usize> {
        let mut state = locked(&self.state);
        while !state.is_stopped
            && state.next_taken < self.count
            && (state.next_taken >= state.next_received + self.limits.pieces_ahead
                || state.bytes >= self.limits.bytes_ahead)
        {
            state = self.wait(state);
        }
        let number = state.next_taken;
        (!state.is_stopped && number < self.count).then(|| {
            state.next_taken += 1;
            number
        })
    }

    fn put(&self, number: usize, piece: T, bytes: usize) {
        let mut state = locked(&self.state);
        state.bytes += bytes;
        state.finished.insert(number, (piece, bytes));
        self.changed.notify_all();
    }

    /// The next piece in order; `None` if a worker panicked.
    fn next(&self) -> Option<T> {
        let mut state = locked(&self.state);
        loop {
            let number = state.next_received;
            if let Some((piece, bytes)) = state.finished.remove(&number) {
                state.next_received += 1;
                state.bytes -= bytes;
                self.changed.notify_all();
                return Some(piece);
            }
            if state.is_stopped {
                return None;
            }
            state = self.wait(state);
        }
    }

    fn stop(&self) {
        locked(&self.state).is_stopped = true;
        self.changed.notify_all();
    }
}

/// Stops the queue if its worker panics, so that no thread waits for a piece that never comes.
struct StopOnPanic<'a, T>(&'a Queue<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::OrderedQueue;

    const SMALL: OrderedQueue = OrderedQueue { workers: 3, pieces_ahead: 4, bytes_ahead: 100 };

    #[test]
    fn pieces_are_received_in_order_and_workers_stay_near() {
        let received = AtomicUsize::new(0);
        let make = |number: usize| {
            // The receiver may be between taking a piece and counting it.
            assert!(number <= received.load(Ordering::SeqCst) + SMALL.pieces_ahead, "too far ahead");
            vec![0_u8; number % 40]
        };
        let mut numbers = Vec::new();
        let done = SMALL.run(500, make, Vec::len, |number, piece| {
            assert_eq!(piece.len(), number % 40);
            numbers.push(number);
            received.fetch_add(1, Ordering::SeqCst);
            Ok::<_, ()>(())
        });
        assert_eq!(done, Ok(()));
        assert!(numbers.into_iter().eq(0..500));
    }

    #[test]
    fn an_error_of_the_receiver_ends_the_work() {
        let count = AtomicUsize::new(0);
        let make = |number: usize| {
            count.fetch_add(1, Ordering::SeqCst);
            number
        };
        let receive = |number: usize, _| if number == 7 { Err("full") } else { Ok(()) };
        assert_eq!(SMALL.run(10_000, make, |_| 1, receive), Err("full"));
        assert!(count.load(Ordering::SeqCst) <= 7 + 1 + SMALL.pieces_ahead);
    }

    #[test]
    fn a_panic_of_a_worker_ends_the_work() {
        let run = || {
            let make = |number: usize| assert!(number != 5, "a piece that cannot be made");
            SMALL.run(100, make, |()| 1, |_, ()| Ok::<_, ()>(()))
        };
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
