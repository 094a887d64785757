//! Conversations about the same, and those that touched a file.

use std::collections::BTreeSet;

use backscroll_index::Index;
use backscroll_index::query::Ask;
use backscroll_index::search::{Related, TouchedBy};
use backscroll_model::{Conversation, ConversationId};

use super::SearchError;
use crate::History;

/// Of a prompt, only the beginning is compared: what follows is mostly pasted.
const LONGEST: usize = 4_000;

impl History {
    /// Conversations about the same as `conversation` that `ask` asks for, most related first.
    pub fn related(
        &self,
        index: &Index,
        conversation: &Conversation,
        ask: &Ask,
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
        let mut related = index.related(&conversation.summary.id, &texts)?;
        let wanted = self.ids(ask);
        related.retain(|one| wanted.contains(&one.summary.id));
        related.truncate(ask.limit.unwrap_or(usize::MAX));
        Ok(related)
    }

    /// The conversations that touched the file at `path` and that `ask` asks for, latest first.
    pub fn files(&self, index: &Index, path: &str, ask: &Ask) -> Result<Vec<TouchedBy>, SearchError> {
        let mut found = index.files(path)?;
        let wanted = self.ids(ask);
        found.retain(|by| wanted.contains(&by.summary.id));
        Ok(found)
    }

    fn ids(&self, ask: &Ask) -> BTreeSet<ConversationId> {
        let ask = Ask { offset: 0, limit: None, ..ask.clone() };
        self.list(&ask).summaries.into_iter().map(|summary| summary.id).collect()
    }
}
