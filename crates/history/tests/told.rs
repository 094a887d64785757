//! A source that tells what it is given.

use std::path::PathBuf;

use backscroll_model::{Conversation, ConversationId, Finding, Source, SourceError, Summary};

/// A source that tells these tellings.
pub(crate) struct Told(pub(crate) Vec<Conversation>);

impl Source for Told {
    fn place(&self) -> PathBuf {
        PathBuf::from("told")
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        Ok((self.0.iter().map(|telling| telling.summary.clone()).collect(), Vec::new()))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        Ok(self.0.iter().filter(|telling| telling.summary.id == *id).cloned().collect())
    }
}
