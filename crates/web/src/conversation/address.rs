//! From an address to the conversation that it means.

use std::sync::Arc;

use backscroll_model::{Conversation, ConversationId};

use crate::desk::Desk;
use crate::edition::Edition;
use crate::problem::Problem;

/// The conversation with this id. Addresses hold whole ids, because a beginning may come to mean another one.
pub(super) fn load(desk: &Desk, edition: &Edition, id: &str) -> Result<Arc<Conversation>, Problem> {
    desk.shelf.get(edition, &ConversationId::new(id))
}

/// Its title, or that there is none.
pub(super) fn title(conversation: &Conversation) -> &str {
    let title = conversation.summary.title.as_deref().map(str::trim);
    title.filter(|title| !title.is_empty()).unwrap_or("Untitled conversation")
}
