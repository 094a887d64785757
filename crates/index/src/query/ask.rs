//! What was asked, as a tree of words and facts.

use std::ops::Range;

use backscroll_model::{Flag, Role, SenderKind, Surface, named};
use jiff::Timestamp;

use super::error::Trouble;
use crate::codes::holds;

/// A question: words and filters, in which order the conversations come, and how many of them. The default asks for every
/// conversation that is not hidden.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ask {
    /// What must hold; `None` asks for everything.
    pub root: Option<Node>,
    /// Words of which nothing is ever indexed, such as `=>`: they were left out. By their place in the query.
    pub ignored: Vec<Range<usize>>,
    /// What looked like a part of the language and was taken as text, by its place in the query, and why.
    pub taken_as_text: Vec<(Range<usize>, Trouble)>,
    /// Times that were named in words, from and to, in milliseconds: what was said then is preferred.
    pub times: Vec<(i64, i64)>,
    /// Hidden conversations too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// The order of the conversations.
    pub order: Order,
    /// The number of conversations to leave out.
    pub offset: usize,
    /// The maximum number of conversations.
    pub limit: Option<usize>,
}

named! {
    /// The order of conversations. Without words, the first three go by the last change.
    #[derive(Default)]
    pub enum Order {
        /// Best match first.
        #[default]
        Relevance = "relevance",
        /// Latest match first.
        Newest = "newest",
        /// Earliest match first; without words, last changed last.
        Oldest = "oldest",
        /// Last changed first.
        Updated = "updated",
        /// Last begun first.
        Created = "created",
        /// By title.
        Title = "title",
        /// Most messages first.
        Messages = "messages",
        /// By workspace, then last changed first.
        Workspace = "workspace",
    }
}

/// One condition, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Words stand in the message or title.
    Text(Text),
    /// A fact holds.
    Filter {
        /// The fact.
        filter: Filter,
        /// Where it stood in the query.
        at: Range<usize>,
    },
    /// All hold. Never empty.
    All(Vec<Node>),
    /// One holds. Never empty.
    Any(Vec<Node>),
    /// It does not hold.
    Not(Box<Node>),
}

/// A word or phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Text {
    /// As typed, without quotes and `*`.
    pub typed: String,
    /// It stood in quotation marks, so that every letter counts.
    pub is_quoted: bool,
    /// What begins with its last word is meant, too.
    pub is_prefix: bool,
    /// It is still being typed: what begins with it may be meant.
    pub is_unfinished: bool,
    /// It says when something was said, and need not stand in the text.
    pub is_date: bool,
    /// Where it stood in the query.
    pub at: Range<usize>,
}

impl Ask {
    /// Every conversation, hidden ones too.
    pub fn everything() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// Whether it asks for words, or for facts of single messages, which only the index can find.
    pub fn needs_index(&self) -> bool {
        let chooses_messages = |filter: &&Filter| filter.chooses_messages();
        self.root.as_ref().is_some_and(Node::has_text) || self.filters().iter().any(chooses_messages)
    }

    /// A question for a flag or an id means hidden conversations too.
    pub(crate) fn reveals_hidden(&self) -> bool {
        let reveals =
            |node: &Node| matches!(node, Node::Filter { filter: Filter::Flag(_) | Filter::Id(_), .. });
        match &self.root {
            Some(Node::All(nodes)) => nodes.iter().any(reveals),
            root => root.as_ref().is_some_and(reveals),
        }
    }

    /// The same question, of which `filters` must hold besides.
    #[must_use]
    pub fn with(self, filters: impl IntoIterator<Item = Filter>) -> Self {
        self.and(filters.into_iter().map(|filter| Node::Filter { filter, at: 0..0 }))
    }

    /// The same question, of which none of `filters` may hold.
    #[must_use]
    pub fn without(self, filters: impl IntoIterator<Item = Filter>) -> Self {
        let not = |filter| Node::Not(Box::new(Node::Filter { filter, at: 0..0 }));
        self.and(filters.into_iter().map(not))
    }

    fn and(mut self, more: impl Iterator<Item = Node>) -> Self {
        let mut all: Vec<Node> = match self.root.take() {
            Some(Node::All(nodes)) => nodes,
            other => other.into_iter().collect(),
        };
        all.extend(more);
        self.root = match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(Node::All(all)),
        };
        self
    }

    /// The same question while its last word, at the end of `query`, is still being typed.
    #[must_use]
    pub fn still_typed(mut self, query: &str) -> Self {
        let end = query.len();
        let last = self.root.as_mut().and_then(|root| root.text_at(end));
        if let Some(text) = last.filter(|text| !text.is_quoted && !text.is_prefix) {
            text.is_unfinished = true;
        }
        self
    }

    /// Whether the end of the query was left out, because it is too long.
    pub(super) fn is_cut(&self) -> bool {
        self.taken_as_text.iter().any(|(_, trouble)| *trouble == Trouble::TooLong)
    }

    /// The words and phrases that a match may hold: those that are not excluded.
    pub fn wanted_texts(&self) -> Vec<&Text> {
        let mut texts = Vec::new();
        if let Some(root) = &self.root {
            root.collect_wanted(&mut texts);
        }
        texts
    }

    /// Every filter, wherever it stands.
    pub fn filters(&self) -> Vec<&Filter> {
        let mut filters = Vec::new();
        if let Some(root) = &self.root {
            root.collect_filters(&mut filters);
        }
        filters
    }
}

impl Node {
    /// Whether any words stand in it.
    pub fn has_text(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Filter { .. } => false,
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().any(Self::has_text),
            Self::Not(node) => node.has_text(),
        }
    }

    /// Whether it has any filter.
    pub fn has_filter(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Filter { .. } => true,
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().any(Self::has_filter),
            Self::Not(node) => node.has_filter(),
        }
    }

    /// The word or phrase that ends at `end`, if it is not excluded.
    fn text_at(&mut self, end: usize) -> Option<&mut Text> {
        match self {
            Self::Text(text) => Some(text).filter(|text| text.at.end == end),
            Self::All(nodes) | Self::Any(nodes) => nodes.iter_mut().find_map(|node| node.text_at(end)),
            Self::Not(_) | Self::Filter { .. } => None,
        }
    }

    /// Every word and phrase in it, excluded ones too.
    pub(crate) fn collect_texts<'a>(&'a self, texts: &mut Vec<&'a Text>) {
        match self {
            Self::Text(text) => texts.push(text),
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().for_each(|node| node.collect_texts(texts)),
            Self::Not(node) => node.collect_texts(texts),
            Self::Filter { .. } => {}
        }
    }

    /// The words and phrases in it that are not excluded.
    pub(crate) fn collect_wanted<'a>(&'a self, texts: &mut Vec<&'a Text>) {
        match self {
            Self::Text(text) => texts.push(text),
            Self::All(nodes) | Self::Any(nodes) => {
                for node in nodes {
                    node.collect_wanted(texts);
                }
            }
            Self::Filter { .. } | Self::Not(_) => {}
        }
    }

    pub(super) fn collect_filters<'a>(&'a self, filters: &mut Vec<&'a Filter>) {
        match self {
            Self::Text(_) => {}
            Self::Filter { filter, .. } => filters.push(filter),
            Self::All(nodes) | Self::Any(nodes) => {
                for node in nodes {
                    node.collect_filters(filters);
                }
            }
            Self::Not(node) => node.collect_filters(filters),
        }
    }
}

/// A fact that must hold; of several values, one must.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Who speaks.
    Role(Vec<Role>),
    /// Who wrote it; a person only speaks as the user.
    Sender(Vec<SenderKind>),
    /// The conversation used this tool, by canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
    Tool(Vec<String>),
    /// The conversation touched this file: its name, the end of its path, or all of it.
    Path(Vec<String>),
    /// The workspace: an absolute path that it is or lies in, or else a part of its path or host.
    Workspace(Vec<String>),
    /// Where it was held.
    Surface(Vec<Surface>),
    /// The message's or conversation's model has this in its name.
    Model(Vec<String>),
    /// The conversation's mode.
    Mode(Vec<String>),
    /// The title has this in it, whatever the case.
    Title(Vec<String>),
    /// The words stand in such a part; without words: the message has such a part.
    Part(Vec<PartName>),
    /// Said at or after.
    After(Timestamp),
    /// Said before.
    Before(Timestamp),
    /// The conversation holds one of these.
    Has(Vec<Has>),
    /// The conversation has one of these flags.
    Flag(Vec<Flag>),
    /// The conversation's id begins so.
    Id(Vec<String>),
}

impl Filter {
    /// Whether it chooses single messages, not conversations.
    fn chooses_messages(&self) -> bool {
        match self {
            Self::Role(_) | Self::Sender(_) | Self::Part(_) | Self::Path(_) => true,
            Self::Tool(_)
            | Self::Workspace(_)
            | Self::Surface(_)
            | Self::Model(_)
            | Self::Mode(_)
            | Self::Title(_)
            | Self::After(_)
            | Self::Before(_)
            | Self::Has(_)
            | Self::Flag(_)
            | Self::Id(_) => false,
        }
    }
}

named! {
    /// A kind of part, as typed.
    pub enum PartName {
        /// Words.
        Text = "text",
        /// Thinking.
        Thinking = "thinking",
        /// A tool call: arguments and result.
        ToolCall = "tool_call",
        /// What tools were given.
        Arguments = "arguments",
        /// What tools answered.
        Result = "result",
        /// Code that stands apart, and diffs.
        Code = "code",
        /// What stood beside the words.
        Attachment = "attachment",
        /// Paths of files.
        Path = "path",
        /// The title.
        Title = "title",
        /// A summary of what was said before.
        Summary = "summary",
        /// Why a turn failed.
        Error = "error",
        /// Things to do.
        Todos = "todos",
        /// Pictures.
        Image = "image",
    }
}

named! {
    /// Something to hold, as typed.
    pub enum Has {
        /// Thinking.
        Thinking = "thinking",
        /// Tool calls.
        Tools = "tools",
        /// Pictures.
        Images = "images",
        /// Diffs.
        Diff = "diff",
        /// Code that stands apart.
        Code = "code",
        /// Attachments.
        Attachments = "attachments",
        /// Things to do.
        Todos = "todos",
        /// A failed turn.
        Error = "error",
    }
}

impl Has {
    /// Its bit among [`holds`].
    pub fn bit(self) -> i64 {
        match self {
            Self::Thinking => holds::THINKING,
            Self::Tools => holds::TOOLS,
            Self::Images => holds::IMAGES,
            Self::Diff => holds::DIFF,
            Self::Code => holds::CODE,
            Self::Attachments => holds::ATTACHMENTS,
            Self::Todos => holds::TODOS,
            Self::Error => holds::ERROR,
        }
    }
}
