//! A whole conversation.

use crate::{ConversationId, Coverage, FactOrigin, Finding, KeptFiles, Message, Origin, Summary, Workspace};

/// Tokens as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Tokens {
    /// Tokens read by the model.
    pub input: u64,
    /// Tokens written by it.
    pub output: u64,
}

/// Lines that a conversation added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// How full the model's context was at the last turn: a gauge, not usage.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContextUsage {
    /// Tokens used.
    pub used: Option<u64>,
    /// Tokens allowed.
    pub limit: Option<u64>,
    /// The same as a percentage, as stored.
    pub percent: Option<f64>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Todo {
    /// Its id.
    pub id: Option<String>,
    /// What is to be done.
    pub content: String,
    /// How far it is, as stored.
    pub status: Option<String>,
}

/// What a conversation's record tells besides its messages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Tokens, added up over what is stored.
    pub tokens: Option<Tokens>,
    /// Lines added and removed.
    pub lines: Option<Lines>,
    /// How full the context was.
    pub context: Option<ContextUsage>,
    /// The branch it last worked on.
    pub branch: Option<String>,
    /// Every branch it names, in the order of first mention.
    pub branches: Vec<String>,
    /// Pull requests it names.
    pub pull_requests: Vec<String>,
    /// The list of things to do, as it last stood.
    pub todos: Vec<Todo>,
    /// Files it names as relevant, created or changed.
    pub files: Vec<String>,
    /// Words in the input box that were never sent.
    pub draft: Option<String>,
    /// What it cost, in hundredths of a dollar, where the store says.
    pub cost_cents: Option<u64>,
    /// Plans that it made or followed.
    pub plans: Vec<String>,
    /// What is known of single requests apart from messages.
    pub requests: Vec<RequestFact>,
    /// The folder that only those know who read its messages. Believed where no listing knows one, so that a listing never
    /// contradicts the whole; then it stands in the summary, and here no more.
    pub held_in: Option<Workspace>,
}

/// What a request did, as told by whoever watched it from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestFact {
    /// The request; the same as a message's.
    pub request_id: String,
    /// The model that answered it.
    pub model: Option<String>,
    /// Files that it wrote to.
    pub files: Vec<String>,
    /// Where this was read.
    pub origin: Option<Origin>,
}

/// A conversation with everything that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// What an index tells of it.
    pub summary: Summary,
    /// Conversations that it started.
    pub children: Vec<ConversationId>,
    /// What its record tells besides.
    pub facts: Facts,
    /// Where each of its facts was read, as far as they were told apart.
    pub fact_origins: Vec<FactOrigin>,
    /// What was said, in the conversation's own order.
    pub messages: Vec<Message>,
    /// Stored messages that the conversation does not list.
    pub orphans: Vec<Message>,
    /// The account of the messages.
    pub coverage: Coverage,
    /// What was not as it should be.
    pub findings: Vec<Finding>,
    /// Files as checkpoints kept them; empty unless somebody asked for them.
    pub kept_files: KeptFiles,
}

impl Conversation {
    /// A conversation without messages.
    pub fn of(summary: Summary) -> Self {
        Self {
            summary,
            children: Vec::new(),
            facts: Facts::default(),
            fact_origins: Vec::new(),
            messages: Vec::new(),
            orphans: Vec::new(),
            coverage: Coverage::default(),
            findings: Vec::new(),
            kept_files: KeptFiles::default(),
        }
    }
}
