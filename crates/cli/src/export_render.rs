//! What is done with each conversation of an export: it is loaded, its secrets are taken out, it is rendered.
//!
//! Where secrets go from several conversations, all are looked through before the first is written: a secret that gives
//! itself away in the last one may stand bare in the first, or in the name of a file.
//!
//! Two workers do this, and hand over in order, with a few conversations at a time in memory. Each worker takes the next conversation that nobody has taken. One that is finished before those in front of it waits;
//! a worker that is too far ahead waits too. So a huge conversation stops nobody at once, and memory stays bounded.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{io, thread};

use backscroll_history::{AskError, History, Query};
use backscroll_model::{Conversation, ConversationId};
use backscroll_redact::Scanned;

use crate::export_writer::{Document, Writer};

/// Which conversations are to be written.
pub(crate) struct Wanted<'a> {
    pub(crate) history: &'a History,
    pub(crate) ids: Vec<ConversationId>,
    /// What they must hold besides.
    pub(crate) filter: Option<&'a Query>,
}

/// What became of one conversation.
pub(crate) enum Rendered {
    /// It is written.
    Written(Box<Document>),
    /// It does not hold what was asked for.
    NotWanted,
    /// It could not be read.
    Failed(AskError),
    /// It could not be written.
    Unwritten(io::Error),
}

impl Wanted<'_> {
    /// Looks for secrets in all of them; `done` is told of each.
    pub(crate) fn learn(&self, writer: &Writer, mut done: impl FnMut()) -> io::Result<()> {
        let work = |number: usize| -> Option<Scanned> {
            let conversation = self.load(number).ok()?;
            Some(writer.scan(&conversation))
        };
        in_order(self.ids.len(), work, |_, scanned| {
            if let Some(scanned) = scanned {
                writer.learn(&scanned);
            }
            done();
            Ok(())
        })
    }

    /// Renders them and gives each to `receive`, in their order.
    pub(crate) fn render(
        &self,
        writer: &Writer,
        receive: impl FnMut(usize, Rendered) -> io::Result<()>,
    ) -> io::Result<()> {
        let work = |number: usize| match self.load(number) {
            Ok(mut conversation) => {
                writer.fetch_pictures(&mut conversation);
                let scanned = writer.scan(&conversation);
                writer.redact(&mut conversation, scanned);
                rendered(writer, *conversation)
            }
            Err(rendered) => rendered,
        };
        in_order(self.ids.len(), work, receive)
    }

    /// The conversation, or why there is nothing to render.
    fn load(&self, number: usize) -> Result<Box<Conversation>, Rendered> {
        let conversation = self.history.load(&self.ids[number]).map_err(Rendered::Failed)?;
        let is_wanted = self
            .filter
            .is_none_or(|query| query.wants(&conversation.summary) && query.wants_content(&conversation));
        if is_wanted { Ok(Box::new(conversation)) } else { Err(Rendered::NotWanted) }
    }
}

fn rendered(writer: &Writer, conversation: Conversation) -> Rendered {
    match writer.document(conversation) {
        Ok(document) => Rendered::Written(Box::new(document)),
        Err(error) => Rendered::Unwritten(error),
    }
}

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
    finished: BTreeMap<usize, T>,
    /// Nobody receives any more, or a worker died.
    is_over: bool,
}

/// What the workers and the writer share.
struct Desk<T> {
    progress: Mutex<Progress<T>>,
    moved: Condvar,
}

impl<T> Desk<T> {
    fn new() -> Self {
        let progress = Progress { next: 0, wanted: 0, finished: BTreeMap::new(), is_over: false };
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
fn in_order<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut receive: impl FnMut(usize, T) -> io::Result<()>,
) -> io::Result<()> {
    let desk = Desk::new();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let _ending = Ending(&desk);
                while let Some(number) = desk.take(count) {
                    desk.put(number, work(number));
                }
            });
        }
        let mut done = (0..count).map_while(|number| Some((number, desk.hand_over()?)));
        let received = done.try_for_each(|(number, done)| receive(number, done));
        desk.end();
        received
    })
}
