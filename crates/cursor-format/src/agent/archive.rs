//! What was summed up and left the prompt: summary archives, each with its messages and its summary.

use super::graph::Graph;
use super::root::Reference;
use super::wire::Message;

/// One archive.
#[derive(Debug, Default)]
pub(super) struct Archive {
    /// The messages that were summed up.
    pub(super) messages: Vec<Reference>,
    /// The summary.
    pub(super) summary: Option<String>,
    /// The message by which the summary entered the prompt.
    pub(super) summary_message: Option<Reference>,
}

/// Reads the archives that a root lists.
pub(super) fn archives(references: &[Reference], graph: &mut Graph<'_>) -> Vec<Archive> {
    let mut archives = Vec::new();
    for reference in references {
        let Some(bytes) = graph.resolve(reference, "a summary archive") else {
            continue;
        };
        let message = Message::read(&bytes);
        archives.push(Archive {
            messages: message.every(1).map(Reference::of).collect(),
            summary: message.words(2),
            summary_message: message.bytes(4).filter(|id| !id.is_empty()).map(Reference::of),
        });
    }
    archives
}
