//! What can be told of a conversation without reading its messages.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{ConversationId, Origin, Workspace};

/// Where a conversation was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Surface {
    /// The editor's composer and agent.
    Ide,
    /// The editor's old chat pane.
    IdeChat,
    /// The command line agent.
    Cli,
    /// The SDK.
    Sdk,
    /// Nothing but a transcript tells of it.
    Transcript,
}

impl Surface {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ide => "ide",
            Self::IdeChat => "ide-chat",
            Self::Cli => "cli",
            Self::Sdk => "sdk",
            Self::Transcript => "transcript",
        }
    }
}

/// What a conversation is besides being one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// It has no message.
    Empty,
    /// It was never sent.
    Draft,
    /// The user put it away.
    Archived,
    /// Another conversation started it.
    Subagent,
    /// One of several parallel attempts.
    BestOfN,
    /// It worked in a worktree of its own.
    Worktree,
    /// It ran in the background or in the cloud.
    Background,
    /// Only an archive, a backup file or orphaned rows still have it.
    Deleted,
}

impl Flag {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Draft => "draft",
            Self::Archived => "archived",
            Self::Subagent => "subagent",
            Self::BestOfN => "best-of-n",
            Self::Worktree => "worktree",
            Self::Background => "background",
            Self::Deleted => "deleted",
        }
    }
}

/// A conversation from the outside: what an index tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its id.
    pub id: ConversationId,
    /// Where it was held.
    pub surface: Surface,
    /// Its name, or the first line the user wrote.
    pub title: Option<String>,
    /// The folder it belongs to.
    pub workspace: Option<Workspace>,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// The mode, as stored: `agent`, `chat`, `edit`, `plan`, ….
    pub mode: Option<String>,
    /// The models that its index names.
    pub models: Vec<String>,
    /// How many messages its index promises; `None` where no index tells.
    pub messages: Option<u64>,
    /// What it is besides.
    pub flags: BTreeSet<Flag>,
    /// The conversation that started it.
    pub parent: Option<ConversationId>,
    /// Conversations that its index names as started by it.
    pub children: Vec<ConversationId>,
    /// Where all this was read.
    pub origins: Vec<Origin>,
}

impl Summary {
    /// A conversation of which nothing but its id and place is known yet.
    pub fn new(id: ConversationId, surface: Surface, origin: Origin) -> Self {
        Self {
            id,
            surface,
            title: None,
            workspace: None,
            created_at: None,
            updated_at: None,
            mode: None,
            models: Vec::new(),
            messages: None,
            flags: BTreeSet::new(),
            parent: None,
            children: Vec::new(),
            origins: vec![origin],
        }
    }

    /// When it was last touched, as far as is known.
    pub fn recency(&self) -> Option<Timestamp> {
        self.updated_at.or(self.created_at)
    }
}
