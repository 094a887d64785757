//! What a message is made of.

use crate::{Todo, ToolCall};

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

impl From<Image> for Part {
    fn from(image: Image) -> Self {
        Self::Image(Box::new(image))
    }
}

/// A picture: where it lies, and what kind it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
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

/// What an attachment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttachmentKind {
    /// A whole file.
    File,
    /// A stretch of a file.
    Selection,
    /// A folder.
    Folder,
    /// A stretch of a terminal.
    Terminal,
    /// Documentation.
    Doc,
    /// A link.
    Link,
    /// A rule given to the agent.
    Rule,
    /// A command of the editor.
    Command,
    /// A git commit.
    Commit,
    /// A pull request.
    PullRequest,
    /// A diff.
    Diff,
    /// A mention whose kind is not told.
    Mention,
    /// A note kept in the editor.
    Note,
    /// Another conversation.
    Conversation,
    /// Linter messages.
    Lints,
    /// A plan.
    Plan,
    /// A skill.
    Skill,
    /// Output that was too long and spilled into a file.
    Output,
    /// Context that the editor added by itself: `<user_info>`, git status, open files.
    Context,
}

impl AttachmentKind {
    /// Whether its path is that of a file.
    pub fn is_of_a_file(self) -> bool {
        matches!(self, Self::File | Self::Selection)
    }

    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Selection => "selection",
            Self::Folder => "folder",
            Self::Terminal => "terminal",
            Self::Doc => "doc",
            Self::Link => "link",
            Self::Rule => "rule",
            Self::Command => "command",
            Self::Commit => "commit",
            Self::PullRequest => "pull-request",
            Self::Diff => "diff",
            Self::Mention => "mention",
            Self::Note => "note",
            Self::Conversation => "conversation",
            Self::Lints => "lints",
            Self::Plan => "plan",
            Self::Skill => "skill",
            Self::Output => "output",
            Self::Context => "context",
        }
    }
}

/// Lines of a file or terminal, counted from one, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first line.
    pub first: u64,
    /// The last line.
    pub last: u64,
}

/// Something that stood beside the words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Its file, folder or address.
    pub path: Option<String>,
    /// Its name or label, such as a tag, a branch or a mention.
    pub title: Option<String>,
    /// The lines that were meant.
    pub lines: Option<LineRange>,
    /// Its content, where the store holds it.
    pub text: Option<String>,
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
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
