//! One thing said in a conversation: by whom, when, and the parts that it is made of.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::Timestamp;
use serde::Serialize;

use crate::{Fact, FactOrigin, MessageId, Origin, Todo, Tokens, ToolCall};

named! {
    /// Who speaks.
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The editor: system prompts and context of its own.
        System = "system",
        /// A tool, where its answer stands alone.
        Tool = "tool",
    }
}

impl Role {
    /// What people call the one who speaks.
    pub fn speaker(self) -> &'static str {
        match self {
            Self::User => "You",
            Self::Assistant => "Assistant",
            Self::System => "System",
            Self::Tool => "Tool",
        }
    }
}

named! {
    /// Who wrote a message that stands in the user's name.
    #[derive(Default)]
    pub enum SenderKind {
        /// The person at the keyboard.
        #[default]
        Person = "person",
        /// Another agent.
        Agent = "agent",
        /// A voice call.
        Voice = "voice",
        /// The editor: a plan that is carried out, a reminder, the end of a task in the background.
        Simulated = "simulated",
        /// A hook.
        Hook = "hook",
    }
}

/// Who wrote a message that no person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Sender {
    /// What the sender is.
    pub kind: SenderKind,
    /// The sender's id: of an agent, its conversation.
    pub id: Option<String>,
    /// The sender's name, or why it was sent.
    pub name: Option<String>,
}

impl Sender {
    /// A sender of whom only the kind is known.
    pub fn new(kind: SenderKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// The agent with this id.
    pub fn agent(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::new(SenderKind::Agent) }
    }

    /// With this name, where there is one.
    #[must_use]
    pub fn named(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// What two places know of one sender. `simulated` only says that no person typed it; any other kind says more.
    pub fn merged(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if one.kind == other.kind => {
                Some(Self { id: one.id.or(other.id), name: one.name.or(other.name), ..one })
            }
            (Some(one), Some(other)) if one.kind == SenderKind::Simulated => Some(other),
            (one, other) => one.or(other),
        }
    }

    /// What people call the sender: `Agent reviewer`.
    pub fn speaker(&self) -> String {
        let kind = match self.kind {
            SenderKind::Person => "You",
            SenderKind::Agent => "Agent",
            SenderKind::Voice => "Voice call",
            SenderKind::Simulated => "Simulated",
            SenderKind::Hook => "Hook",
        };
        match self.name.as_deref().or(self.id.as_deref()) {
            Some(name) => format!("{kind} {name}"),
            None => kind.to_owned(),
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
    /// Other layers that have the same message, and what was taken from them.
    pub also: Vec<Origin>,
    /// Facts of it that were not read at `origin`, and where they were.
    pub fact_origins: Vec<FactOrigin>,
    /// Only a backup or a copy still has it.
    pub deleted: bool,
    /// Who wrote it, if neither a person (as the user) nor the model (as the assistant) did.
    pub sender: Option<Sender>,
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
            sender: None,
        }
    }

    /// A number that is another one as soon as anything of the message is, but for who else has it or facts of it. The same in every run.
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
            sender,
        } = self;
        let mut hasher = DefaultHasher::new();
        (id, role, at, model, parts, tokens).hash(&mut hasher);
        (request_id, origin, deleted, sender).hash(&mut hasher);
        hasher.finish()
    }

    /// Notes that `fact`, of the tool call with this id if of any, was read at `origin`.
    pub fn note(&mut self, fact: Fact, call: Option<&str>, origin: &Origin) {
        let noted = FactOrigin { fact, call: call.map(str::to_owned), origin: origin.clone() };
        if *origin != self.origin && !self.fact_origins.contains(&noted) {
            self.fact_origins.push(noted);
        }
    }

    /// Whether a person said it.
    pub fn is_by_person(&self) -> bool {
        self.role == Role::User && self.sender.is_none()
    }

    /// What people call the one who speaks.
    pub fn speaker(&self) -> Cow<'static, str> {
        match &self.sender {
            Some(sender) => sender.speaker().into(),
            None => self.role.speaker().into(),
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

/// One piece of a message, in stored order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// Words, verbatim.
    Text(String),
    /// What the model thought before it spoke.
    Thinking {
        /// The thought.
        text: String,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// One use of a tool.
    ToolCall(Box<ToolCall>),
    /// A picture.
    Image(Box<Image>),
    /// Something the user or the editor put beside the words.
    Attachment(Box<Attachment>),
    /// Code that stands apart from the text.
    Code(Box<Code>),
    /// A summary of what was said before.
    Summary(String),
    /// Why the turn failed.
    Error(String),
    /// The list of things to do at this moment.
    Todos(Vec<Todo>),
}

impl Part {
    /// The `type` under which it is in a conversation's JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Thinking { .. } => "thinking",
            Self::ToolCall(_) => "tool_call",
            Self::Image(_) => "image",
            Self::Attachment(_) => "attachment",
            Self::Code(_) => "code",
            Self::Summary(_) => "summary",
            Self::Error(_) => "error",
            Self::Todos(_) => "todos",
        }
    }
}

impl From<Image> for Part {
    fn from(image: Image) -> Self {
        Self::Image(Box::new(image))
    }
}

/// A picture: where it lies, and what kind it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Image {
    /// The file, where one is named.
    pub path: Option<String>,
    /// Its media type, such as `image/png`.
    pub media_type: Option<String>,
    /// Base64 data, where the store holds the picture itself.
    pub data: Option<String>,
    /// Words that describe it.
    pub description: Option<String>,
}

named! {
    /// What an attachment is.
    pub enum AttachmentKind {
        /// A whole file.
        File = "file",
        /// A stretch of a file.
        Selection = "selection",
        /// A folder.
        Folder = "folder",
        /// A stretch of a terminal.
        Terminal = "terminal",
        /// Documentation.
        Doc = "doc",
        /// A link.
        Link = "link",
        /// A rule given to the agent.
        Rule = "rule",
        /// A command of the editor.
        Command = "command",
        /// A git commit.
        Commit = "commit",
        /// A pull request.
        PullRequest = "pull-request",
        /// A diff.
        Diff = "diff",
        /// A mention whose kind is unknown.
        Mention = "mention",
        /// A note kept in the editor.
        Note = "note",
        /// Another conversation.
        Conversation = "conversation",
        /// Linter messages.
        Lints = "lints",
        /// A plan.
        Plan = "plan",
        /// A skill.
        Skill = "skill",
        /// Output that was too long and spilled into a file.
        Output = "output",
        /// Context that the editor added by itself: `<user_info>`, git status, open files.
        Context = "context",
    }
}

impl AttachmentKind {
    /// Whether its path is that of a file.
    pub fn is_of_a_file(self) -> bool {
        matches!(self, Self::File | Self::Selection)
    }
}

/// Lines of a file or terminal, counted from one, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct LineRange {
    /// The first line.
    pub first: u64,
    /// The last line.
    pub last: u64,
}

/// Something that stood beside the words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Its file, folder or address.
    pub path: Option<String>,
    /// Its content, where the store holds it.
    pub text: Option<String>,
    /// Its name or label, such as a tag, a branch or a mention.
    pub title: Option<String>,
    /// The lines that were meant.
    pub lines: Option<LineRange>,
}

impl Attachment {
    /// An attachment of `kind`, with nothing else known yet.
    pub fn new(kind: AttachmentKind) -> Self {
        Self { kind, path: None, title: None, lines: None, text: None }
    }

    /// With this path or address.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// With this label.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// With this content.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}

/// Code that the agent proposed apart from its words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Code {
    /// The file it was meant for.
    pub path: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The code.
    pub text: String,
    /// What became of it, as stored (`accepted`, `rejected`, …).
    pub status: Option<String>,
    /// What it changed, as a unified diff.
    pub diff: Option<String>,
}

named! {
    /// How a message's time is known.
    #[derive(Default)]
    pub enum AtIs {
        /// Stored for this message.
        Exact = "exact",
        /// Lies between known neighbours.
        Interpolated = "interpolated",
        /// Only the conversation's own time is known.
        Conversation = "conversation",
        /// Nothing is known.
        #[default]
        Unknown = "unknown",
    }
}

/// A time together with how it is known. `at` is `None` exactly when `is` is [`AtIs::Unknown`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Moment {
    /// The time.
    pub at: Option<Timestamp>,
    /// How it is known.
    pub is: AtIs,
}

impl Moment {
    /// A time that was stored for this very message.
    pub fn exact(at: Timestamp) -> Self {
        Self { at: Some(at), is: AtIs::Exact }
    }

    /// A stored time if there is one, else unknown.
    pub fn exact_or_unknown(at: Option<Timestamp>) -> Self {
        at.map_or_else(Self::default, Self::exact)
    }
}
