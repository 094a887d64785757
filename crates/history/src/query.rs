//! Which conversations are asked for, and in what order.

use backscroll_model::{Conversation, Flag, Summary, Surface};
use jiff::Timestamp;

/// Something a conversation must hold. Answering needs its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Has {
    /// Thinking.
    Thinking,
    /// Tool calls.
    Tools,
    /// Images.
    Images,
    /// Diffs.
    Diff,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Last changed first.
    #[default]
    Updated,
    /// Last begun first.
    Created,
    /// By title.
    Title,
    /// Most messages first.
    Messages,
    /// By workspace, then last changed first.
    Workspace,
}

/// A question about conversations. The default asks for everything that is not hidden.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Path or name of the workspace, or a part of the path.
    pub workspace: Option<String>,
    /// Changed at or after.
    pub since: Option<Timestamp>,
    /// Begun before.
    pub until: Option<Timestamp>,
    /// Held on one of these; empty means any.
    pub surfaces: Vec<Surface>,
    /// In this mode.
    pub mode: Option<String>,
    /// With a model whose name contains this.
    pub model: Option<String>,
    /// Using this tool, by canonical or raw name. Needs messages.
    pub tool: Option<String>,
    /// With this in the title, whatever the case.
    pub title: Option<String>,
    /// Holding all of these. Needs messages.
    pub has: Vec<Has>,
    /// Hidden ones too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// At most so many.
    pub limit: Option<usize>,
    /// In this order.
    pub sort: Sort,
}

impl Query {
    /// Whether the answer depends on messages, not on summaries alone.
    pub fn needs_messages(&self) -> bool {
        self.tool.is_some() || !self.has.is_empty()
    }

    /// Whether `summary` is asked for, as far as it can tell.
    pub fn wants(&self, summary: &Summary) -> bool {
        self.all || !summary.flags.iter().any(|flag| hidden(*flag))
    }

    /// Whether `conversation` holds what is asked for.
    pub fn wants_content(&self, _conversation: &Conversation) -> bool {
        true
    }
}

/// Whether conversations with this flag are left out unless all are asked for.
fn hidden(flag: Flag) -> bool {
    match flag {
        Flag::Empty | Flag::Draft | Flag::Archived | Flag::Deleted | Flag::Subagent => true,
        Flag::BestOfN | Flag::Worktree | Flag::Background => false,
    }
}
