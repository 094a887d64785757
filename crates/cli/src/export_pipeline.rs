//! Conversations loaded and rendered by two workers, handed over in order, a few at a time in memory.
//!
//! Each worker takes the next conversation that nobody has taken. One that is finished before those in front of it waits;
//! a worker that is too far ahead waits too. So a huge conversation stops nobody at once, and memory stays bounded. Secrets
//! are taken out in order, because their placeholders are numbered as they are met.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use backscroll_history::{AskError, History, Query};
use backscroll_model::{Conversation, ConversationId, SourceError};
use backscroll_render::redact::Report;

use crate::export_writer::{Document, Writer};

/// How many load and render at once.
const WORKERS: usize = 2;

/// How far the workers may be ahead of the writer.
const AHEAD: usize = 8;

/// What became of one conversation.
pub(crate) enum Rendered {
    /// It is written.
    Written(Box<Document>),
    /// It does not hold what was asked for.
    NotWanted,
    /// It could not be read.
    Failed(AskError),
}

/// How far everybody is.
#[derive(Default)]
struct Progress {
    /// The next conversation to take.
    next: usize,
    /// The next one to hand over.
    wanted: usize,
    /// The next one whose secrets are taken out.
    redacting: usize,
    finished: BTreeMap<usize, Rendered>,
    /// Nobody receives any more, or a worker died.
    is_over: bool,
}

/// What the workers and the writer share.
#[derive(Default)]
struct Desk {
    progress: Mutex<Progress>,
    moved: Condvar,
}

impl Desk {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next conversation to render; `None` when all are taken, or nobody wants them.
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

    /// Does `work` for this conversation when it was done for all before it. Each has to pass here once.
    fn in_turn<T>(&self, number: usize, work: impl FnOnce() -> T) -> T {
        let mut progress = self.progress();
        while !progress.is_over && progress.redacting != number {
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        drop(progress);
        let done = work();
        self.progress().redacting += 1;
        self.moved.notify_all();
        done
    }

    fn put(&self, number: usize, rendered: Rendered) {
        self.progress().finished.insert(number, rendered);
        self.moved.notify_all();
    }

    /// The next conversation in order; `None` if it will never come.
    fn hand_over(&self) -> Option<Rendered> {
        let mut progress = self.progress();
        loop {
            let wanted = progress.wanted;
            if let Some(rendered) = progress.finished.remove(&wanted) {
                progress.wanted += 1;
                self.moved.notify_all();
                return Some(rendered);
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
struct Ending<'a>(&'a Desk);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

/// Renders the conversations `ids` and gives them to `receive`, in this order.
pub(crate) fn run(
    history: &History,
    ids: &[ConversationId],
    filter: Option<&Query>,
    writer: &Writer,
    mut receive: impl FnMut(usize, Rendered) -> io::Result<()>,
) -> io::Result<()> {
    let desk = Desk::default();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let _ending = Ending(&desk);
                while let Some(number) = desk.take(ids.len()) {
                    let loaded = load(history, &ids[number], filter);
                    let redact = || loaded.map(|mut whole| (writer.redact(&mut whole), whole));
                    // Placeholders are numbered in the order of the listing; where there are none, nobody need wait.
                    let redacted =
                        if writer.redactor.is_some() { desk.in_turn(number, redact) } else { redact() };
                    desk.put(
                        number,
                        redacted.map_or_else(
                            |rendered| rendered,
                            |(report, conversation)| rendered(writer, *conversation, report),
                        ),
                    );
                }
            });
        }
        let mut rendered = (0..ids.len()).map_while(|number| Some((number, desk.hand_over()?)));
        let written = rendered.try_for_each(|(number, rendered)| receive(number, rendered));
        desk.end();
        written
    })
}

/// The conversation, or why there is nothing to render.
fn load(
    history: &History,
    id: &ConversationId,
    filter: Option<&Query>,
) -> Result<Box<Conversation>, Rendered> {
    let conversation = history.load(id).map_err(Rendered::Failed)?;
    let is_wanted =
        filter.is_none_or(|query| query.wants(&conversation.summary) && query.wants_content(&conversation));
    if is_wanted { Ok(Box::new(conversation)) } else { Err(Rendered::NotWanted) }
}

fn rendered(writer: &Writer, conversation: Conversation, report: Report) -> Rendered {
    let id = conversation.summary.id.clone();
    match writer.document(conversation, report) {
        Ok(document) => Rendered::Written(Box::new(document)),
        Err(error) => Rendered::Failed(AskError::Source(SourceError::new(id.as_str(), error))),
    }
}
