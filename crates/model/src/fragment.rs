//! What one layer has of one conversation, facts with their origins, the account of its messages, and what one file holds.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::wire::time;
use crate::{Attachment, Facts, Finding, KeptFiles, Layer, Lines, Message, Origin, Sender, Summary};

/// One turn of a layer whose messages were not read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnOutline {
    /// The request, the same in all layers.
    pub request_id: Option<String>,
    /// The id of the user's message, the same in all layers.
    pub user_message_id: Option<String>,
    /// The number of steps that the agent took.
    pub steps: usize,
    /// The model that the request was routed to.
    pub model: Option<String>,
    /// Who wrote the user's message, if no person did.
    pub sender: Option<Sender>,
    /// What hooks added to the user's message.
    pub context: Vec<Attachment>,
}

named! {
    /// What a fragment is to the conversation that it belongs to.
    #[derive(Default)]
    pub enum FragmentKind {
        /// The conversation itself, or an index entry of it.
        #[default]
        Account = "account",
        /// Prompts that were stored apart from conversations. Only those that no conversation has count.
        Prompts = "prompts",
        /// Facts about a conversation that another layer has. Alone they make none.
        Evidence = "evidence",
    }
}

/// What one layer has of one conversation: head facts and messages, as one record or file holds them.
///
/// A source makes fragments. Only the room `history` makes a [`Conversation`](crate::Conversation) out of them. As JSON it
/// has what a listing needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fragment {
    /// What it is to its conversation.
    pub kind: FragmentKind,
    /// The head facts. `origins` names the records they were read from, the main one first.
    pub summary: Summary,
    /// Further facts of the conversation as a whole.
    #[serde(skip)]
    pub facts: Facts,
    /// Facts that were read elsewhere than at [`origin`](Fragment::origin), and where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fact_origins: Vec<FactOrigin>,
    /// Its messages, in the layer's own order.
    #[serde(skip)]
    pub messages: Vec<Message>,
    /// Stored messages that the layer does not list.
    #[serde(skip)]
    pub orphans: Vec<Message>,
    /// The account of its messages.
    #[serde(skip)]
    pub coverage: Coverage,
    /// What was wrong while it was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Files as checkpoints kept them; only with [`Scope::Files`](crate::Scope::Files).
    #[serde(skip)]
    pub kept_files: KeptFiles,
    /// The turns of a layer whose messages were not read, because they mostly repeat those of another layer.
    #[serde(skip)]
    pub outline: Option<Vec<TurnOutline>>,
}

impl Fragment {
    /// A fragment without messages.
    pub fn new(summary: Summary) -> Self {
        Self {
            kind: FragmentKind::Account,
            summary,
            facts: Facts::default(),
            fact_origins: Vec::new(),
            messages: Vec::new(),
            orphans: Vec::new(),
            coverage: Coverage::default(),
            findings: Vec::new(),
            kept_files: KeptFiles::default(),
            outline: None,
        }
    }

    /// The same, as something that makes no conversation by itself.
    #[must_use]
    pub fn as_evidence(mut self) -> Self {
        self.kind = FragmentKind::Evidence;
        self
    }

    /// The record that it was read from.
    ///
    /// # Panics
    ///
    /// If the summary names no origin: [`Summary::new`] always sets one.
    pub fn origin(&self) -> &Origin {
        &self.summary.origins[0]
    }

    /// The layer that it is of.
    pub fn layer(&self) -> Layer {
        self.origin().layer
    }

    /// Where `fact` was read.
    pub fn origin_of(&self, fact: Fact) -> &Origin {
        let noted = self.fact_origins.iter().find(|noted| noted.fact == fact);
        noted.map_or_else(|| self.origin(), |noted| &noted.origin)
    }

    /// Records that `fact` was read at `origin` and not with the rest.
    pub fn note(&mut self, fact: Fact, origin: &Origin) {
        self.fact_origins.push(FactOrigin { fact, call: None, origin: origin.clone() });
    }

    /// Counts its messages: all are listed, those without parts are empty.
    pub fn count_messages(&mut self) {
        let listed = self.messages.len() as u64;
        let read = self.messages.iter().filter(|message| !message.parts.is_empty()).count() as u64;
        self.coverage = Coverage { listed, read, empty: listed - read, ..self.coverage };
    }
}

/// How many messages were promised, and what became of them.
///
/// `listed = read + missing + empty + undecodable`; `orphaned` are stored but not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Coverage {
    /// Messages that the conversation's own list names.
    pub listed: u64,
    /// Of these, read with at least one part.
    pub read: u64,
    /// Of these, without a row, or with a NULL one.
    pub missing: u64,
    /// Stored messages that the list does not name.
    pub orphaned: u64,
    /// Listed, stored, and without any content.
    pub empty: u64,
    /// Listed, stored, and not understood.
    pub undecodable: u64,
}

impl Coverage {
    /// Whether the account adds up.
    pub fn adds_up(&self) -> bool {
        self.listed == self.read + self.missing + self.empty + self.undecodable
    }
}

named! {
    /// A fact of a conversation or of a message, where several places may know it.
    pub enum Fact {
        /// The title.
        Title = "title",
        /// The folder it belongs to.
        Workspace = "workspace",
        /// When it began.
        Begun = "begun",
        /// When it last changed.
        Changed = "changed",
        /// The mode.
        Mode = "mode",
        /// The models that an index names.
        Models = "models",
        /// The conversation that started it.
        Parent = "parent",
        /// Tokens.
        Tokens = "tokens",
        /// Lines added and removed.
        Lines = "lines",
        /// How full the context was.
        Context = "context",
        /// The branch.
        Branch = "branch",
        /// Things to do.
        Todos = "todos",
        /// Words that were never sent.
        Draft = "draft",
        /// What it cost.
        Cost = "cost",
        /// When a message was said.
        Time = "time",
        /// The model of a message.
        Model = "model",
        /// The request that a message belongs to.
        Request = "request",
        /// Words.
        Text = "text",
        /// A thought.
        Thinking = "thinking",
        /// A tool call as a whole.
        Call = "call",
        /// What a tool was given.
        Arguments = "arguments",
        /// What a tool answered, or why it failed.
        Result = "result",
        /// What a tool changed.
        Diff = "diff",
        /// What stands beside the words.
        Attachment = "attachment",
    }
}

/// Where one fact was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactOrigin {
    /// The fact.
    pub fact: Fact,
    /// The tool call that it belongs to, by its id, where it belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The place.
    pub origin: Origin,
}

/// Output of tools that was too long for a message and lies in files of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spilled {
    /// How many files.
    pub files: u64,
    /// How many of them no call of a transcript names, so that nobody knows which call they belong to.
    pub unnamed: u64,
}

/// A commit whose lines the editor attributed to people and models. It names no conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ScoredCommit {
    /// The commit.
    pub hash: String,
    /// The branch it was made on.
    pub branch: Option<String>,
    /// When it was scored.
    #[serde(with = "time")]
    pub scored_at: Option<Timestamp>,
    /// Its message.
    pub message: Option<String>,
    /// When it was made, as stored.
    pub date: Option<String>,
    /// Who wrote its lines, where the version says.
    pub lines: Option<ScoredLines>,
    /// The share that models wrote, in percent, as stored.
    pub ai_percentage: Option<String>,
}

/// Who wrote the lines of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
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
