//! Conversations that were read lately, so that the next slice, picture or export of one does not read it again.
//! Bounded by what they weigh; one that is asked for by many at once is read once.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use backscroll_model::{Conversation, ConversationId, Message};

use crate::library::Edition;
use crate::problem::Problem;

/// How many bytes of text may lie on the shelf.
const HEAVIEST: usize = 64 * 1024 * 1024;
/// How many conversations may.
const MOST: usize = 256;

type Read = OnceLock<Result<Arc<Conversation>, Problem>>;

/// The shelf. The last used stands last.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<Standing>);

#[derive(Debug, Default)]
struct Standing {
    edition: u64,
    kept: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    id: ConversationId,
    read: Arc<Read>,
    weight: usize,
}

impl Shelf {
    /// The conversation with this id, as the edition has it.
    pub(crate) fn get(&self, edition: &Edition, id: &ConversationId) -> Result<Arc<Conversation>, Problem> {
        let read = self.slot(edition.number, id);
        let loaded =
            read.get_or_init(|| edition.history.load(id).map(Arc::new).map_err(Problem::from)).clone();
        self.settle(id, &read, loaded.as_ref().ok().map(|whole| weight(whole)));
        loaded
    }

    /// Takes off what changed up to this edition.
    pub(crate) fn keep_up(&self, edition: &Edition) {
        let mut standing = self.standing();
        if standing.edition >= edition.number {
            return;
        }
        let is_next = standing.edition + 1 == edition.number;
        match edition.changed.as_ref().filter(|_| is_next) {
            Some(changed) => standing.kept.retain(|kept| !changed.contains(&kept.id)),
            None => standing.kept.clear(),
        }
        standing.edition = edition.number;
    }

    fn slot(&self, edition: u64, id: &ConversationId) -> Arc<Read> {
        let mut standing = self.standing();
        // Whoever still works with an older edition reads for itself.
        if standing.edition != edition {
            return Arc::default();
        }
        let kept = match standing.kept.iter().position(|kept| kept.id == *id) {
            Some(at) => standing.kept.remove(at),
            None => Kept { id: id.clone(), read: Arc::default(), weight: 0 },
        };
        let read = Arc::clone(&kept.read);
        standing.kept.push(kept);
        read
    }

    /// Notes what the conversation weighs, and makes room. What could not be read is not kept.
    fn settle(&self, id: &ConversationId, read: &Arc<Read>, weight: Option<usize>) {
        let mut standing = self.standing();
        let Some(at) = standing.kept.iter().position(|kept| kept.id == *id && Arc::ptr_eq(&kept.read, read))
        else {
            return;
        };
        match weight {
            Some(weight) => standing.kept[at].weight = weight,
            None => drop(standing.kept.remove(at)),
        }
        while standing.kept.len() > MOST
            || standing.kept.iter().map(|kept| kept.weight).sum::<usize>() > HEAVIEST
        {
            standing.kept.remove(0);
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// About how many bytes a conversation takes.
fn weight(conversation: &Conversation) -> usize {
    let messages = conversation.messages.iter().chain(&conversation.orphans);
    messages.map(weight_of_message).sum::<usize>() + conversation.findings.len() * 256
}

fn weight_of_message(message: &Message) -> usize {
    let mut bytes = 512 + message.parts.len() * 128;
    message.visit_texts(|_, text| bytes += text.as_str().len());
    bytes
}
