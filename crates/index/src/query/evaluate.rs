//! Whether a conversation is asked for, by its head and its content: what the index answers by SQL for all conversations at once
//! (`search/plan.rs`), for one. A property test of `history` holds the two equal.

use std::cell::OnceCell;
use std::cmp::{Ordering, Reverse};

use backscroll_model::{Conversation, Flag, Role, SenderKind, Summary};
use jiff::Timestamp;

use super::ask::{Ask, Filter, Node, Order, PartName};
use crate::codes::{held, holds};

/// What a conversation holds, as far as questions ask for it. Orphans are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// Bits of [`holds`], of all messages.
    pub holds: i64,
    /// The models that its record or any of its messages names.
    pub models: Vec<String>,
    /// The tools that it used: name and stored name.
    pub tools: Vec<(String, String)>,
    /// The files that it touched.
    pub paths: Vec<String>,
    /// Who speaks in its messages, who sent them, and what they hold, each once.
    pub spoken: Vec<(Role, SenderKind, i64)>,
}

impl Content {
    /// What `conversation` holds.
    pub fn new(conversation: &Conversation) -> Self {
        let mut content = Self { models: conversation.summary.models.clone(), ..Self::default() };
        for message in &conversation.messages {
            let bits = held(message);
            let sender = message.sender.as_ref().map_or(SenderKind::Person, |sender| sender.kind);
            content.holds |= bits;
            content.models.extend(message.model.clone());
            content.spoken.push((message.role, sender, bits));
            let calls = message.tool_calls();
            content.tools.extend(calls.map(|call| (call.name.clone(), call.raw_name.clone())));
        }
        content.paths = conversation.touched().into_iter().map(|touched| touched.path).collect();
        content
    }
}

impl Ask {
    /// Whether it asks for a conversation. Its content is looked at only where the head does not tell; without it, what would have to
    /// stand there does not. Words are left out: only the index knows them.
    pub fn wants(&self, summary: &Summary, content: impl Fn() -> Option<Content>) -> bool {
        let is_shown = self.all || self.reveals_hidden() || !summary.flags.iter().any(|flag| hides(*flag));
        let known = Known { summary, content: &content, read: OnceCell::new() };
        is_shown && self.root.as_ref().is_none_or(|root| known.holds(root))
    }

    /// Puts `summaries` into the asked order. Equal ones stand by id, so that the order never depends on the run.
    pub fn sort(&self, summaries: &mut [Summary]) {
        summaries.sort_by(|a, b| self.order.compare(a, b).then_with(|| a.id.cmp(&b.id)));
    }
}

/// What is known of one conversation.
struct Known<'a> {
    summary: &'a Summary,
    content: &'a dyn Fn() -> Option<Content>,
    read: OnceCell<Option<Content>>,
}

impl Known<'_> {
    fn holds(&self, node: &Node) -> bool {
        match node {
            Node::Text(_) => true,
            Node::Not(node) => node.has_text() || !self.holds(node),
            Node::Any(nodes) => nodes.iter().any(|node| self.holds(node)),
            // What the head tells comes first: it may save reading the content.
            Node::All(nodes) => {
                let (by_content, by_head): (Vec<&Node>, Vec<&Node>) =
                    nodes.iter().partition(|node| self.needs_content(node));
                by_head.into_iter().chain(by_content).all(|node| self.holds(node))
            }
            Node::Filter { filter, .. } => self.is_so(filter),
        }
    }

    fn needs_content(&self, node: &Node) -> bool {
        let mut filters = Vec::new();
        node.collect_filters(&mut filters);
        filters.into_iter().any(|filter| match filter {
            Filter::Model(_) => self.summary.models.is_empty(),
            Filter::Tool(_)
            | Filter::Has(_)
            | Filter::Role(_)
            | Filter::Sender(_)
            | Filter::Part(_)
            | Filter::Path(_) => true,
            Filter::Workspace(_)
            | Filter::Surface(_)
            | Filter::Mode(_)
            | Filter::Title(_)
            | Filter::After(_)
            | Filter::Before(_)
            | Filter::Flag(_)
            | Filter::Id(_) => false,
        })
    }

    fn in_content(&self, is_so: impl Fn(&Content) -> bool) -> bool {
        self.read.get_or_init(self.content).as_ref().is_some_and(is_so)
    }

    fn is_so(&self, filter: &Filter) -> bool {
        let summary = self.summary;
        let there = |text: &Option<String>, is: &dyn Fn(&str) -> bool| text.as_deref().is_some_and(is);
        match filter {
            Filter::Surface(surfaces) => surfaces.contains(&summary.surface),
            Filter::Flag(flags) => flags.iter().any(|flag| summary.flags.contains(flag)),
            Filter::Id(ids) => ids.iter().any(|id| summary.id.as_str().starts_with(id.as_str())),
            Filter::Mode(modes) => {
                there(&summary.mode, &|mode| modes.iter().any(|asked| asked.eq_ignore_ascii_case(mode)))
            }
            Filter::Title(titles) => {
                there(&summary.title, &|title| titles.iter().any(|asked| contains(title, asked)))
            }
            Filter::Workspace(asked) => asked.iter().any(|asked| summary.is_of_workspace(asked)),
            // From its beginning to its last change a conversation meets the asked time. One without any time does not.
            Filter::After(at) => self.times().max().is_some_and(|last| last >= *at),
            Filter::Before(at) => self.times().min().is_some_and(|first| first < *at),
            Filter::Model(names) => {
                let is_one = |models: &[String]| {
                    models.iter().any(|model| names.iter().any(|asked| contains(model, asked)))
                };
                if summary.models.is_empty() {
                    self.in_content(|content| is_one(&content.models))
                } else {
                    is_one(&summary.models)
                }
            }
            Filter::Tool(names) => self.in_content(|content| {
                content.tools.iter().any(|(name, raw)| names.iter().any(|asked| is_tool(asked, name, raw)))
            }),
            Filter::Has(things) => {
                self.in_content(|content| things.iter().any(|thing| content.holds & thing.bit() != 0))
            }
            Filter::Path(paths) => self.in_content(|content| {
                content.paths.iter().any(|path| paths.iter().any(|asked| crate::search::is_file(asked, path)))
            }),
            Filter::Role(roles) => {
                self.in_content(|content| content.spoken.iter().any(|(role, ..)| roles.contains(role)))
            }
            Filter::Sender(kinds) => self.in_content(|content| {
                let is_person =
                    |role: &Role, kind: &SenderKind| *kind != SenderKind::Person || *role == Role::User;
                content.spoken.iter().any(|(role, kind, _)| kinds.contains(kind) && is_person(role, kind))
            }),
            Filter::Part(parts) => parts.iter().any(|part| match part.bits() {
                None => summary.title.is_some(),
                Some(bits) => self.in_content(|content| content.holds & bits != 0),
            }),
        }
    }

    fn times(&self) -> impl Iterator<Item = Timestamp> {
        [self.summary.created_at, self.summary.updated_at].into_iter().flatten()
    }
}

impl PartName {
    /// The bits of [`holds`] that messages with such a part have; `None` for titles, which no message has.
    pub(crate) fn bits(self) -> Option<i64> {
        Some(match self {
            Self::Title => return None,
            Self::Text => holds::TEXT,
            Self::Thinking => holds::THINKING,
            Self::ToolCall | Self::Arguments | Self::Result => holds::TOOLS,
            Self::Code => holds::CODE | holds::DIFF,
            Self::Attachment => holds::ATTACHMENTS,
            Self::Path => holds::TOOLS | holds::ATTACHMENTS | holds::IMAGES,
            Self::Summary => holds::SUMMARY,
            Self::Error => holds::ERROR,
            Self::Todos => holds::TODOS,
            Self::Image => holds::IMAGES,
        })
    }
}

impl Order {
    /// Whether what matched does not matter for it.
    pub(crate) fn is_by_head(self) -> bool {
        !matches!(self, Self::Relevance | Self::Newest | Self::Oldest)
    }

    /// Compares by what heads tell.
    pub fn compare(self, a: &Summary, b: &Summary) -> Ordering {
        match self {
            Self::Relevance | Self::Newest | Self::Updated => Reverse(a.recency()).cmp(&Reverse(b.recency())),
            Self::Oldest => a.recency().cmp(&b.recency()),
            Self::Created => Reverse(a.created_at).cmp(&Reverse(b.created_at)),
            Self::Messages => Reverse(a.messages).cmp(&Reverse(b.messages)),
            Self::Title => named_first(a.title.as_deref(), b.title.as_deref()),
            Self::Workspace => {
                let path =
                    |summary: &Summary| summary.workspace.as_ref().map(|workspace| workspace.path.clone());
                named_first(path(a).as_deref(), path(b).as_deref()).then_with(|| Self::Updated.compare(a, b))
            }
        }
    }
}

/// By name, whatever the case; those without a name last.
fn named_first(a: Option<&str>, b: Option<&str>) -> Ordering {
    let key = |name: Option<&str>| (name.is_none(), name.map(str::to_lowercase));
    key(a).cmp(&key(b))
}

/// Whether `text` contains `part`, whatever the case.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Whether `asked` names the tool: by canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
pub(crate) fn is_tool(asked: &str, name: &str, raw_name: &str) -> bool {
    let asked = asked.trim_end_matches(':').to_lowercase();
    let name = name.to_lowercase();
    let is_server = (asked == "mcp" || asked.starts_with("mcp:")) && name.starts_with(&format!("{asked}:"));
    asked == name || asked == raw_name.to_lowercase() || is_server
}

/// Whether conversations with this flag are left out unless all are asked for.
pub(crate) fn hides(flag: Flag) -> bool {
    match flag {
        Flag::Empty | Flag::Draft | Flag::Archived | Flag::Deleted | Flag::Subagent => true,
        Flag::BestOfN | Flag::Worktree | Flag::Background | Flag::Lost => false,
    }
}
