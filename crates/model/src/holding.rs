//! What one file of a source holds, for those who ask about places instead of conversations.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::{Layer, Lines};

/// What one file holds. What is not counted is told by the source's listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Holding {
    /// What kind of store it is.
    pub layer: Layer,
    /// The file.
    pub file: PathBuf,
    /// How many conversations it tells of.
    pub conversations: Option<u64>,
    /// How many messages it holds.
    pub messages: Option<u64>,
    /// The earliest time it names.
    pub first_at: Option<Timestamp>,
    /// The latest time it names.
    pub last_at: Option<Timestamp>,
    /// How many lines of code it tracks.
    pub tracked_lines: Option<u64>,
    /// Commits that it scored.
    pub commits: Vec<ScoredCommit>,
    /// Files of spilled output that lie in it.
    pub spilled: Option<Spilled>,
}

impl Holding {
    /// A file of which nothing is counted yet.
    pub fn of(layer: Layer, file: impl Into<PathBuf>) -> Self {
        Self {
            layer,
            file: file.into(),
            conversations: None,
            messages: None,
            first_at: None,
            last_at: None,
            tracked_lines: None,
            commits: Vec::new(),
            spilled: None,
        }
    }

    /// So many messages.
    #[must_use]
    pub fn with_messages(mut self, messages: u64) -> Self {
        self.messages = Some(messages);
        self
    }
}

/// Output of tools that was too long for a message and lies in files of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spilled {
    /// How many files.
    pub files: u64,
    /// How many of them no call of a transcript names, so that nobody knows which call they belong to.
    pub unnamed: u64,
}

/// A commit whose lines the editor attributed to people and models. It names no conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScoredCommit {
    /// The commit.
    pub hash: String,
    /// The branch it was made on.
    pub branch: Option<String>,
    /// When it was scored.
    pub scored_at: Option<Timestamp>,
    /// Its message.
    pub message: Option<String>,
    /// When it was made, as stored.
    pub date: Option<String>,
    /// Who wrote its lines, where the version tells.
    pub lines: Option<ScoredLines>,
    /// The share that models wrote, in percent, as stored.
    pub ai_percentage: Option<String>,
}

/// Who wrote the lines of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScoredLines {
    /// All of them.
    pub all: Lines,
    /// By completion.
    pub tab: Lines,
    /// By the agent.
    pub composer: Lines,
    /// By people.
    pub human: Lines,
    /// Without anything on them.
    pub blank: Lines,
}
