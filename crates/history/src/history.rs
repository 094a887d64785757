//! All sources of one machine, asked as one.

use backscroll_model::{Conversation, ConversationId, Finding, Source, SourceError, Summary};

use crate::Query;

/// All sources of one machine.
pub struct History {
    sources: Vec<Box<dyn Source>>,
    findings: Vec<Finding>,
}

/// The answer to a question about many conversations.
#[derive(Debug, Default)]
pub struct Listing {
    /// What was found, in the asked order.
    pub summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub findings: Vec<Finding>,
    /// Places that could not be read at all.
    pub unreadable: Vec<SourceError>,
}

/// A question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No conversation is meant by what was asked.
    #[error("no conversation matches `{asked}`")]
    NoMatch {
        /// What was asked.
        asked: String,
    },
    /// Several are.
    #[error("`{asked}` matches {} conversations", matches.len())]
    Ambiguous {
        /// What was asked.
        asked: String,
        /// The conversations that it may mean, latest first.
        matches: Vec<Summary>,
    },
    /// A place could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("sources", &self.sources.len()).finish_non_exhaustive()
    }
}

impl History {
    /// The history that `sources` tell together; `findings` are what was noted while looking for them.
    pub fn over(sources: Vec<Box<dyn Source>>, findings: Vec<Finding>) -> Self {
        Self { sources, findings }
    }

    /// What was noted while looking for the sources: places that exist and could not be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The conversations that `query` asks for.
    pub fn list(&self, query: &Query) -> Listing {
        let mut listing = Listing::default();
        for source in &self.sources {
            match source.summaries() {
                Ok((summaries, findings)) => {
                    listing.summaries.extend(summaries.into_iter().filter(|s| query.wants(s)));
                    listing.findings.extend(findings);
                }
                Err(error) => listing.unreadable.push(error),
            }
        }
        listing
    }

    /// The conversation that `asked` means: the beginning of an id, `@1` for the latest, or part of a title.
    pub fn resolve(&self, asked: &str) -> Result<ConversationId, AskError> {
        Err(AskError::NoMatch { asked: asked.to_owned() })
    }

    /// Everything that is known of one conversation.
    pub fn load(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        for source in &self.sources {
            if let Some(conversation) = source.load(id)?.pop() {
                return Ok(conversation);
            }
        }
        Err(AskError::NoMatch { asked: id.to_string() })
    }
}
