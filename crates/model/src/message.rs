//! One thing said in a conversation.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::{Fact, FactOrigin, MessageId, Moment, Origin, Part, Tokens};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The editor: system prompts and context of its own.
    System,
    /// A tool, where its answer stands alone.
    Tool,
}

impl Role {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// One thing said, by one role.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Moment,
    /// The model that spoke, or that was asked.
    pub model: Option<String>,
    /// What it is made of.
    pub parts: Vec<Part>,
    /// Tokens counted for it.
    pub tokens: Option<Tokens>,
    /// The request it belongs to; the same over all layers.
    pub request_id: Option<String>,
    /// Where it was read.
    pub origin: Origin,
    /// Other layers that tell the same message, and what was taken from them.
    pub also: Vec<Origin>,
    /// Facts of it that were not read at `origin`, and where they were.
    pub fact_origins: Vec<FactOrigin>,
    /// Only a backup or a copy still has it.
    pub deleted: bool,
    /// The user did not type it: the editor spoke in their name.
    pub simulated: bool,
}

impl Message {
    /// A message of which nothing but its place and role is known yet.
    pub fn new(id: impl Into<String>, role: Role, origin: Origin) -> Self {
        Self {
            id: MessageId::new(id),
            role,
            at: Moment::default(),
            model: None,
            parts: Vec::new(),
            tokens: None,
            request_id: None,
            origin,
            also: Vec::new(),
            fact_origins: Vec::new(),
            deleted: false,
            simulated: false,
        }
    }

    /// A number that is another one as soon as anything of the message is, but for who else tells it or facts of it. The same in every run.
    pub fn fingerprint(&self) -> u64 {
        let Self {
            id,
            role,
            at,
            model,
            parts,
            tokens,
            request_id,
            origin,
            also: _,
            fact_origins: _,
            deleted,
            simulated,
        } = self;
        let mut hasher = DefaultHasher::new();
        (id, role, at, model, parts, tokens).hash(&mut hasher);
        (request_id, origin, deleted, simulated).hash(&mut hasher);
        hasher.finish()
    }

    /// Notes that `fact`, of the tool call with this id if of any, was read at `origin`.
    pub fn note(&mut self, fact: Fact, call: Option<&str>, origin: &Origin) {
        let noted = FactOrigin { fact, call: call.map(str::to_owned), origin: origin.clone() };
        if *origin != self.origin && !self.fact_origins.contains(&noted) {
            self.fact_origins.push(noted);
        }
    }

    /// All its words, without thinking and tools.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Its tool calls.
    pub fn tool_calls(&self) -> impl Iterator<Item = &crate::ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(&**call),
            _ => None,
        })
    }
}
