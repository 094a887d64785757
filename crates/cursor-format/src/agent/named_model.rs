//! Whether the agent's messages name their models at all: a look at the first few, before all are read for it.

use std::borrow::Cow;

use super::graph::Place;
use super::message::message;
use super::message_part::Piece;
use super::root::{Reference, root};

/// Whether any of the first `most` messages of `root_bytes` names a model. Builds that name it do so on every message
/// of the model's, so a handful tells.
pub fn names_a_model(root_bytes: &[u8], place: &Place<'_>, most: usize) -> bool {
    let listed = root(root_bytes, &place.root).value.messages;
    listed.iter().take(most).any(|reference| {
        let bytes = match reference {
            Reference::Inline(bytes) => Some(Cow::Borrowed(bytes.as_slice())),
            Reference::Blob(id) => place.blobs.blob(id).ok().flatten(),
        };
        let stored = bytes.and_then(|bytes| message(&bytes, &place.root).value);
        stored.is_some_and(|stored| {
            let is_named = |piece: &Piece| matches!(piece, Piece::Thought { model: Some(_), .. });
            stored.model.is_some() || stored.pieces.iter().any(is_named)
        })
    })
}
