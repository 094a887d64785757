//! Messages read ahead: while a store still hands over its blobs, another thread reads those that look like messages.
//! Must not decide which of them the conversation lists.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};

use backscroll_model::Origin;

use super::opened::{Opened, open};
use super::root::Reference;
use crate::BlobId;

/// Messages that a store had read ahead.
pub trait MessagesAhead {
    /// The message that this blob holds. Each is given away once.
    fn message(&self, id: &BlobId) -> Option<MessageAhead>;
}

/// A message that was read ahead, with whatever is odd about it.
#[derive(Debug)]
pub struct MessageAhead(pub(super) Opened);

/// Where a message is among those that were read ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AheadPlace {
    batch: u32,
    place: u32,
}

/// Reads messages ahead.
#[derive(Debug)]
pub struct ReadingAhead<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    root: Origin,
    filling: Batch,
    waiting: SyncSender<Batch>,
    taken: Arc<Mutex<Receiver<Batch>>>,
    helper: Option<ScopedJoinHandle<'scope, Vec<Read>>>,
    read: Vec<Read>,
}

/// Messages that were read ahead, until somebody asks for them.
#[derive(Debug, Default)]
pub struct ReadAhead(Vec<ReadBatch>);

/// The messages of one batch, until all of them are given away.
#[derive(Debug)]
struct ReadBatch {
    messages: Vec<Option<Opened>>,
    left: usize,
}

/// Blobs that are read together.
#[derive(Debug, Default)]
struct Batch {
    number: u32,
    bytes: Vec<u8>,
    blobs: Vec<(BlobId, Range<usize>)>,
}

/// The messages of one batch.
type Read = (u32, Vec<Option<Opened>>);

/// A batch is full when it has so many bytes.
const FULL: usize = 256 * 1024;
/// So many batches wait for the helper; then whoever brings one more has to read it, so that not all wait at once.
const MOST_WAITING: usize = 32;
/// A batch that is larger, because a single blob is, does not wait: many of these would fill the memory.
const LARGEST_WAITING: usize = 4 << 20;

/// Whether a blob may hold a message.
pub fn may_be_message(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'{')
}

impl<'scope, 'env> ReadingAhead<'scope, 'env> {
    /// Reads messages of the file in which `root` is. Nothing is begun before there is much to do.
    pub fn new(scope: &'scope Scope<'scope, 'env>, root: Origin) -> Self {
        let (waiting, taken) = sync_channel(MOST_WAITING);
        let taken = Arc::new(Mutex::new(taken));
        Self { scope, root, filling: Batch::default(), waiting, taken, helper: None, read: Vec::new() }
    }

    /// Has one more blob read, and tells where its message will be found.
    pub fn take(&mut self, id: BlobId, bytes: &[u8]) -> AheadPlace {
        let batch = &mut self.filling;
        let start = batch.bytes.len();
        batch.bytes.extend_from_slice(bytes);
        let place =
            AheadPlace { batch: batch.number, place: u32::try_from(batch.blobs.len()).unwrap_or(u32::MAX) };
        batch.blobs.push((id, start..batch.bytes.len()));
        if batch.bytes.len() >= FULL {
            let next = Batch { number: batch.number + 1, ..Batch::default() };
            let full = std::mem::replace(batch, next);
            self.hand_over(full);
        }
        place
    }

    fn hand_over(&mut self, batch: Batch) {
        if batch.bytes.len() > LARGEST_WAITING {
            self.read.push(batch.read(&self.root));
            return;
        }
        if self.helper.is_none() {
            let (taken, root) = (Arc::clone(&self.taken), self.root.clone());
            self.helper = Some(self.scope.spawn(move || read_waiting(&taken, &root)));
        }
        if let Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) =
            self.waiting.try_send(batch)
        {
            self.read.push(batch.read(&self.root));
        }
    }

    /// Reads what is left, together with the helper.
    pub fn finish(self) -> ReadAhead {
        let Self { root, filling, waiting, taken, helper, mut read, .. } = self;
        drop(waiting);
        read.push(filling.read(&root));
        read.extend(read_waiting(&taken, &root));
        let helped =
            helper.map(|helper| helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        read.extend(helped.into_iter().flatten());
        read.sort_by_key(|(number, _)| *number);
        let batch = |(_, messages): Read| ReadBatch { left: messages.len(), messages };
        ReadAhead(read.into_iter().map(batch).collect())
    }
}

impl ReadAhead {
    /// The message at this place, unless it was given away.
    pub fn give(&mut self, at: AheadPlace) -> Option<MessageAhead> {
        let batch = self.0.get_mut(usize::try_from(at.batch).ok()?)?;
        let message = batch.messages.get_mut(usize::try_from(at.place).ok()?)?.take()?;
        batch.left -= 1;
        if batch.left == 0 {
            batch.messages = Vec::new();
        }
        Some(MessageAhead(message))
    }
}

impl Batch {
    fn read(self, root: &Origin) -> Read {
        let read = self.blobs.iter().map(|(id, range)| {
            let bytes = self.bytes.get(range.clone()).unwrap_or_default();
            Some(open(root, "", &Reference::Blob(*id), Cow::Borrowed(bytes)))
        });
        (self.number, read.collect())
    }
}

/// Reads batches until there are none and none will come.
fn read_waiting(taken: &Mutex<Receiver<Batch>>, root: &Origin) -> Vec<Read> {
    std::iter::from_fn(|| {
        let next = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
        next.ok().map(|batch| batch.read(root))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::Layer;

    use super::*;
    use crate::agent::opened::Stored;

    fn told(message: Option<MessageAhead>) -> Option<usize> {
        let Opened::There { what: Stored::Message(read), is_genuine: true, .. } = message?.0 else {
            return None;
        };
        read.value?.request_id?.parse().ok()
    }

    /// A message with its number and so many letters.
    fn json(number: usize, size: usize) -> String {
        let options = format!(r#"{{"cursor":{{"requestId":"{number}"}}}}"#);
        let words = "y".repeat(size);
        format!(r#"{{"role":"user","content":"{words}","providerOptions":{options}}}"#)
    }

    fn take(ahead: &mut ReadingAhead<'_, '_>, json: &str) -> AheadPlace {
        ahead.take(BlobId::of_content(json.as_bytes()), json.as_bytes())
    }

    fn origin() -> Origin {
        Origin::new(Layer::CliStore, Path::new("store.db"), "blobs")
    }

    #[test]
    fn whoever_reads_a_message_it_is_given_once_and_under_its_own_place() {
        let sizes = [10, FULL, 3 * FULL, LARGEST_WAITING, 100, 2 * FULL];
        // More than may wait, so that this thread has to help.
        let all = sizes.into_iter().cycle().take(2 * MOST_WAITING).enumerate();
        std::thread::scope(|scope| {
            let mut ahead = ReadingAhead::new(scope, origin());
            let places: Vec<AheadPlace> =
                all.map(|(number, size)| take(&mut ahead, &json(number, size))).collect();
            let mut read = ahead.finish();
            for (number, at) in places.iter().enumerate().rev() {
                assert_eq!(told(read.give(*at)), Some(number));
            }
            assert!(places.iter().all(|at| read.give(*at).is_none()), "each is given once");
        });
    }

    #[test]
    fn what_is_too_large_to_wait_is_read_at_once() {
        std::thread::scope(|scope| {
            let mut ahead = ReadingAhead::new(scope, origin());
            let large = take(&mut ahead, &json(7, LARGEST_WAITING));
            assert_eq!((ahead.read.len(), ahead.helper.is_none()), (1, true));
            assert_eq!(told(ahead.finish().give(large)), Some(7));
        });
    }
}
