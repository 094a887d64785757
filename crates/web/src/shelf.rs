//! Conversations that were read lately, so that the next slice, picture or export of one does not read it again.
//! Bounded by what they weigh; one that is asked for by many at once is read once.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use backscroll_model::{Conversation, ConversationId, Message, Part, Payload};

use crate::edition::Edition;
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

    /// Whether the conversation with this id stands here as the edition has it, wholly read.
    pub(crate) fn has(&self, edition: &Edition, id: &ConversationId) -> bool {
        let standing = self.standing();
        let is_read = |kept: &Kept| kept.id == *id && kept.read.get().is_some();
        standing.edition == edition.number && standing.kept.iter().any(is_read)
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
    let payload = |payload: &Option<Payload>| payload.as_ref().map_or(0, |payload| payload.as_str().len());
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let parts = message.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Thinking { text, .. } | Part::Summary(text) | Part::Error(text) => {
            text.len()
        }
        Part::ToolCall(call) => {
            payload(&call.arguments) + payload(&call.result) + text(&call.diff) + text(&call.error)
        }
        Part::Image(image) => text(&image.data),
        Part::Attachment(attachment) => text(&attachment.text),
        Part::Code(code) => code.text.len() + text(&code.diff),
        Part::Todos(todos) => todos.iter().map(|todo| todo.content.len()).sum(),
    });
    512 + parts.map(|bytes| bytes + 128).sum::<usize>()
}
