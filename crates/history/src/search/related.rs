//! Conversations about the same.

use backscroll_index::Index;
use backscroll_index::search::Related;
use backscroll_model::Conversation;

use super::found::SearchError;
use crate::History;

/// Of a prompt, only the beginning is compared: what follows is mostly pasted.
const LONGEST: usize = 4_000;

impl History {
    /// Conversations about the same as `conversation`, most related first.
    pub fn related(
        &self,
        index: &Index,
        conversation: &Conversation,
        all: bool,
        limit: usize,
    ) -> Result<Vec<Related>, SearchError> {
        let prompts: Vec<String> = conversation
            .messages
            .iter()
            .filter(|message| message.is_by_person())
            .map(|message| message.text().chars().take(LONGEST).collect())
            .collect();
        let title = conversation.summary.title.as_deref();
        // The title is the shortest telling of what it is about, so it counts twice.
        let texts: Vec<&str> =
            title.into_iter().chain(title).chain(prompts.iter().map(String::as_str)).collect();
        Ok(index.related(&conversation.summary.id, &texts, all, limit)?)
    }
}
