//! Worker threads. The history is synchronous: asked on the threads that talk to clients, one huge conversation would keep
//! everybody waiting.
//!
//! Their number is fixed, and they live as long as the server. The system's allocator keeps the memory that a thread freed for
//! that thread, so a pool which hands each piece of work to another thread would hold the largest piece once for every thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use backscroll_model::locked;

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A queue of work, and the threads that do it.
#[derive(Debug, Clone)]
pub struct Workers(Sender<Job>);

impl Workers {
    /// Starts this many threads. They end when nobody can ask for work any more.
    pub fn start(threads: usize) -> io::Result<Self> {
        let (queue, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name("worker".to_owned()).spawn(move || work(&jobs))?;
        }
        Ok(Self(queue))
    }

    /// Does `work` when it is its turn; where it panics, its answer is an error. Work that nobody waits for any more is not begun,
    /// what was begun is finished.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
        let (answer, answered) = oneshot::channel();
        let job = move || {
            if !answer.is_closed() {
                // The asker may have left meanwhile.
                let _ = answer.send(work());
            }
        };
        // The threads listen as long as this exists.
        let _ = self.0.send(Box::new(job));
        answered
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    let next = || locked(jobs).recv();
    while let Ok(job) = next() {
        // A panic ends the job, which its asker notices, not the thread.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_one_answer_and_no_thread() {
        let workers = Workers::start(1).unwrap();
        assert!(workers.run(|| -> u8 { panic!("on purpose") }).blocking_recv().is_err());
        assert_eq!(workers.run(|| 7).blocking_recv(), Ok(7));
    }

    #[test]
    fn work_that_nobody_waits_for_is_not_begun() {
        let workers = Workers::start(1).unwrap();
        let (begin, may_begin) = channel();
        let (done, was_done) = channel();
        let first = workers.run(move || may_begin.recv().unwrap());
        drop(workers.run(move || done.send(())));
        begin.send(3).unwrap();
        assert_eq!(first.blocking_recv(), Ok(3));
        assert!(was_done.recv().is_err(), "it was dropped without having run");
    }
}
