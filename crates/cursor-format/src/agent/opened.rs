//! Stored messages fetched in one go, then checked and read: where there are many, with the help of a second thread,
//! because they are more than half of the work. Must not report: what is odd is handed over, to be told in the order
//! of the messages.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use backscroll_model::{Decoded, Origin};

use super::ahead::{MessageAhead, MessagesAhead, may_be_message};
use super::graph::{self, Graph, Place};
use super::message::{StoredMessage, message};
use super::root::Reference;
use crate::RowsError;

/// What became of a reference to a message.
#[derive(Debug)]
pub(super) enum Opened {
    /// Its blob is not there.
    Missing,
    /// The store could not give it.
    Unreadable(RowsError),
    /// It is there.
    There { at: Origin, is_genuine: bool, what: Stored },
}

/// What a blob holds.
#[derive(Debug)]
pub(super) enum Stored {
    /// JSON, read as a message.
    Message(Decoded<Option<StoredMessage>>),
    /// Something else, perhaps a list of further messages.
    Other(Vec<u8>),
}

/// The bytes of many messages, as the store gave them. Several threads may open them together.
pub(super) struct Fetched<'r> {
    root: Origin,
    prefix: &'r str,
    /// What nobody has opened yet.
    batches: Mutex<Vec<Batch<'r>>>,
}

/// Some of these.
#[derive(Default)]
struct Batch<'r> {
    number: usize,
    size: usize,
    entries: Vec<(&'r Reference, Found<'r>)>,
}

/// The bytes of a message; `None` if the store does not have it.
type Found<'r> = Result<Option<Cow<'r, [u8]>>, RowsError>;

/// A batch is full when it has so many bytes. It is freed as soon as its messages are read.
const FULL: usize = 512 * 1024;

/// Fetches what `references` stand for.
pub(super) fn fetch<'r>(references: &'r [Reference], graph: &Graph<'r>) -> Fetched<'r> {
    let place = graph.place();
    let (mut batches, mut batch) = (Vec::new(), Batch::default());
    for reference in references {
        if batch.size >= FULL {
            let next = Batch { number: batch.number + 1, ..Batch::default() };
            batches.push(std::mem::replace(&mut batch, next));
        }
        let found = match reference {
            Reference::Blob(id) => place.blobs.blob(id),
            Reference::Inline(bytes) => Ok(Some(Cow::Borrowed(bytes.as_slice()))),
        };
        batch.size += found.as_ref().map_or(0, |found| found.as_ref().map_or(0, |bytes| bytes.len()));
        batch.entries.push((reference, found));
    }
    batches.push(batch);
    // The first are taken first.
    batches.reverse();
    Fetched { root: place.root.clone(), prefix: place.prefix, batches: Mutex::new(batches) }
}

/// Opens what `references` stand for, one after the other, where the store has read most of them ahead.
pub(super) fn open_ahead<'r>(
    references: &'r [Reference],
    place: &'r Place<'_>,
    ahead: &'r dyn MessagesAhead,
) -> impl Iterator<Item = Opened> + 'r {
    references.iter().map(move |reference| {
        let found = match reference {
            Reference::Inline(bytes) => Ok(Some(Cow::Borrowed(bytes.as_slice()))),
            Reference::Blob(id) => match ahead.message(id) {
                Some(MessageAhead(opened)) => return opened,
                None => place.blobs.blob(id),
            },
        };
        opened(&place.root, place.prefix, reference, found)
    })
}

/// Opened messages, and which of the batches they are.
type Numbered = (usize, Vec<Opened>);

impl Fetched<'_> {
    /// Opens all of them, in their order.
    pub(super) fn open(self) -> impl Iterator<Item = Opened> {
        in_order(self.open_some())
    }

    /// Opens all of them with the help of another thread, which begins while this one does `other` work.
    pub(super) fn open_beside<T>(self, other: impl FnOnce() -> T) -> (impl Iterator<Item = Opened>, T) {
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| self.open_some());
            let done = other();
            let mut opened = self.open_some();
            opened.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            (in_order(opened), done)
        })
    }

    /// Checks and reads batches until none is left.
    fn open_some(&self) -> Vec<Numbered> {
        std::iter::from_fn(|| {
            let batch = self.batches.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            Some((batch.number, self.open_batch(batch)))
        })
        .collect()
    }

    fn open_batch(&self, batch: Batch<'_>) -> Vec<Opened> {
        let all = batch.entries.into_iter();
        all.map(|(reference, found)| opened(&self.root, self.prefix, reference, found)).collect()
    }
}

fn in_order(mut opened: Vec<Numbered>) -> impl Iterator<Item = Opened> {
    opened.sort_by_key(|(number, _)| *number);
    opened.into_iter().flat_map(|(_, batch)| batch)
}

fn opened(root: &Origin, prefix: &str, reference: &Reference, found: Found<'_>) -> Opened {
    match found {
        Ok(Some(bytes)) => open(root, prefix, reference, bytes),
        Ok(None) => Opened::Missing,
        Err(error) => Opened::Unreadable(error),
    }
}

/// Checks and reads one of them.
pub(super) fn open(root: &Origin, prefix: &str, reference: &Reference, bytes: Cow<'_, [u8]>) -> Opened {
    let (at, (bytes, is_genuine)) = match reference {
        Reference::Blob(id) => (graph::origin(root, prefix, *id), graph::genuine(*id, bytes)),
        Reference::Inline(_) => (root.clone(), (bytes, true)),
    };
    let what = if may_be_message(&bytes) {
        Stored::Message(message(&bytes, &at))
    } else {
        Stored::Other(bytes.into_owned())
    };
    Opened::There { at, is_genuine, what }
}
