//! One conversation, whole: every source is asked, and what they tell is merged. Must not list.

use std::collections::HashSet;

use backscroll_model::{
    Conversation, ConversationId, Finding, FindingKind, Layer, Origin, SourceError, Summary, Surface,
};

use crate::history::{AskError, History};
use crate::merge;

impl History {
    /// Everything that is known of one conversation, all layers merged.
    pub fn load(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        match self.load_told(id) {
            // It may lie inside of another, where nobody has looked yet.
            Err(AskError::NoMatch { .. }) if self.nested(id.as_str()).contains(id) => self.load_told(id),
            Ok(told) if self.has_more_inside(&told.summary) => self.load_told(id),
            loaded => loaded,
        }
    }

    /// Whether a subagent that only a transcript told of lies inside of the conversation that started it, too.
    fn has_more_inside(&self, told: &Summary) -> bool {
        let Some(parent) = told.parent.as_ref().filter(|_| told.surface == Surface::Transcript) else {
            return false;
        };
        // Everybody looks.
        self.sources().iter().filter(|source| source.lies_inside(&told.id, parent)).count() > 0
    }

    /// The same, with the files as checkpoints kept them: for those who show files at a moment. It may be much more.
    pub fn load_with_files(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        let mut conversation = self.load(id)?;
        self.add_kept_files(&mut conversation);
        Ok(conversation)
    }

    /// Adds the files that checkpoints kept. A backup is asked only where nobody else has any.
    pub fn add_kept_files(&self, conversation: &mut Conversation) {
        for is_backup in [false, true] {
            for source in self.sources().iter().filter(|source| source.is_backup() == is_backup) {
                match source.kept_files(&conversation.summary.id) {
                    Ok(told) if told.value.checkpoints.is_empty() => {
                        conversation.findings.extend(told.findings);
                    }
                    Ok(told) => {
                        conversation.kept_files = told.report_to(&mut conversation.findings);
                        return;
                    }
                    Err(error) => conversation.findings.push(unreadable(&error)),
                }
            }
        }
    }

    fn load_told(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        let mut tellings = Vec::new();
        let mut troubles = Vec::new();
        for source in self.sources().iter().filter(|source| !source.is_backup()) {
            match source.load(id) {
                Ok(told) => tellings.extend(told),
                Err(error) => troubles.push(error),
            }
        }
        let mut merged = merge::tellings(tellings);
        for source in self.sources().iter().filter(|source| source.is_backup()) {
            let known = known_messages(merged.as_ref());
            match source.load_beyond(id, &known) {
                Ok(told) => merged = merge::backups(merged, told),
                Err(error) => troubles.push(error),
            }
        }
        match (merged, troubles.pop()) {
            (Some(mut conversation), trouble) => {
                conversation
                    .findings
                    .extend(trouble.into_iter().chain(troubles).map(|error| unreadable(&error)));
                self.name_requests(&mut conversation);
                merge::settle_own_times(&mut conversation);
                merge::attribute(&mut conversation, || self.belongings().get(id).cloned());
                Ok(conversation)
            }
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(AskError::NoMatch { asked: id.to_string() }),
        }
    }

    /// Asks whoever watched requests for the models of messages that name none.
    fn name_requests(&self, conversation: &mut Conversation) {
        let unnamed = merge::unnamed_requests(conversation);
        if unnamed.is_empty() {
            return;
        }
        let (mut told, mut troubles) = (Vec::new(), Vec::new());
        for source in self.sources() {
            match source.requests(&unnamed) {
                Ok(known) => told.extend(known),
                Err(error) => troubles.push(unreadable(&error)),
            }
        }
        conversation.findings.extend(troubles);
        merge::with_requests(conversation, told);
    }
}

/// The messages of which nothing is lacking.
fn known_messages(merged: Option<&Conversation>) -> HashSet<&str> {
    let messages = merged.map(|whole| whole.messages.iter().chain(&whole.orphans)).into_iter().flatten();
    messages.filter(|message| !message.parts.is_empty()).map(|message| message.id.as_str()).collect()
}

/// A place that could not be read, while others could.
fn unreadable(error: &SourceError) -> Finding {
    let at = Origin::new(Layer::IdeGlobal, error.place.clone(), "");
    Finding::new(FindingKind::Unreadable, at, format!("{error}: {}", error.because))
}
