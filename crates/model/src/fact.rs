//! Facts by name, each with the place that it was read from.

use crate::Origin;

/// A fact of a conversation or of a message, where several places may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// The title.
    Title,
    /// The folder it belongs to.
    Workspace,
    /// When it began.
    Begun,
    /// When it last changed.
    Changed,
    /// The mode.
    Mode,
    /// The models that an index names.
    Models,
    /// The conversation that started it.
    Parent,
    /// Tokens.
    Tokens,
    /// Lines added and removed.
    Lines,
    /// How full the context was.
    Context,
    /// The branch.
    Branch,
    /// Things to do.
    Todos,
    /// Words that were never sent.
    Draft,
    /// What it cost.
    Cost,
    /// When a message was said.
    Time,
    /// The model of a message.
    Model,
    /// The request that a message belongs to.
    Request,
    /// Words.
    Text,
    /// A thought.
    Thinking,
    /// A tool call as a whole.
    Call,
    /// What a tool was given.
    Arguments,
    /// What a tool answered, or why it failed.
    Result,
    /// What a tool changed.
    Diff,
    /// What stands beside the words.
    Attachment,
}

impl Fact {
    /// The name that people and programs are told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Workspace => "workspace",
            Self::Begun => "begun",
            Self::Changed => "changed",
            Self::Mode => "mode",
            Self::Models => "models",
            Self::Parent => "parent",
            Self::Tokens => "tokens",
            Self::Lines => "lines",
            Self::Context => "context",
            Self::Branch => "branch",
            Self::Todos => "todos",
            Self::Draft => "draft",
            Self::Cost => "cost",
            Self::Time => "time",
            Self::Model => "model",
            Self::Request => "request",
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Call => "call",
            Self::Arguments => "arguments",
            Self::Result => "result",
            Self::Diff => "diff",
            Self::Attachment => "attachment",
        }
    }
}

/// Where one fact was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactOrigin {
    /// The fact.
    pub fact: Fact,
    /// The tool call that it belongs to, by its id, where it belongs to one.
    pub call: Option<String>,
    /// The place.
    pub origin: Origin,
}
