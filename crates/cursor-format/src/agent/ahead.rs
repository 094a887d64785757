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
pub struct ReadAhead(Vec<Vec<Option<Opened>>>);

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
const MOST_WAITING: usize = 16;

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
        ReadAhead(read.into_iter().map(|(_, messages)| messages).collect())
    }
}

impl ReadAhead {
    /// The message at this place, unless it was given away.
    pub fn give(&mut self, at: AheadPlace) -> Option<MessageAhead> {
        let batch = self.0.get_mut(usize::try_from(at.batch).ok()?)?;
        batch.get_mut(usize::try_from(at.place).ok()?)?.take().map(MessageAhead)
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
