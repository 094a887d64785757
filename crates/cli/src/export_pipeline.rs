//! Conversations loaded and rendered by two workers, handed over in order, at most four at a time in memory.
//!
//! Each worker takes every second conversation and has a channel of its own with room for one; the receiver takes from
//! them in turns. So the order holds without sorting, and a slow writer stops the workers.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use backscroll_history::{AskError, History, Query};
use backscroll_model::ConversationId;
use backscroll_render::json;

const WORKERS: usize = 2;

/// What became of one conversation.
pub(crate) enum Rendered {
    /// It is one JSON object.
    Written {
        /// The object.
        bytes: Vec<u8>,
        /// How many things were not as they should be.
        findings: usize,
    },
    /// It does not hold what was asked for.
    NotWanted,
    /// It could not be read.
    Failed(AskError),
}

/// Renders the conversations `ids` and gives them to `receive`, in this order.
pub(crate) fn run(
    history: &History,
    ids: &[ConversationId],
    filter: Option<&Query>,
    mut receive: impl FnMut(Rendered) -> io::Result<()>,
) -> io::Result<()> {
    thread::scope(|scope| {
        let begin = |number: usize| -> Receiver<Rendered> {
            let (sender, receiver) = sync_channel(1);
            scope.spawn(move || work(history, ids.iter().skip(number).step_by(WORKERS), filter, &sender));
            receiver
        };
        let receivers: Vec<_> = (0..WORKERS).map(begin).collect();
        for number in 0..ids.len() {
            match receivers[number % WORKERS].recv() {
                Ok(rendered) => receive(rendered)?,
                // The worker died; the scope passes its panic on.
                Err(_) => break,
            }
        }
        Ok(())
    })
}

fn work<'a>(
    history: &History,
    ids: impl Iterator<Item = &'a ConversationId>,
    filter: Option<&Query>,
    sender: &SyncSender<Rendered>,
) {
    for id in ids {
        // Nobody receives any more once the writer has failed.
        if sender.send(render(history, id, filter)).is_err() {
            return;
        }
    }
}

fn render(history: &History, id: &ConversationId, filter: Option<&Query>) -> Rendered {
    let conversation = match history.load(id) {
        Ok(conversation) => conversation,
        Err(error) => return Rendered::Failed(error),
    };
    let is_wanted =
        filter.is_none_or(|query| query.wants(&conversation.summary) && query.wants_content(&conversation));
    if !is_wanted {
        return Rendered::NotWanted;
    }
    let mut bytes = Vec::new();
    match json::conversation(&conversation, &mut bytes) {
        Ok(()) => Rendered::Written { bytes, findings: conversation.findings.len() },
        Err(error) => {
            Rendered::Failed(AskError::Source(backscroll_model::SourceError::new(id.as_str(), error)))
        }
    }
}
