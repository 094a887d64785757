//! The folder a conversation belongs to, and how we know.

/// The route by which a conversation was given its workspace, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribution {
    /// A row of the header table or an entry of the header list.
    Header,
    /// The conversation's own record.
    Record,
    /// Membership in a project of the agents window.
    Project,
    /// The list, selection or panes of a workspace.
    WorkspaceList,
    /// Where the agent ran: its location, worktree, or repository.
    AgentLocation,
    /// A message names it.
    Message,
    /// The folder beside which the store lies, by name, hash or marker.
    StoreFolder,
    /// A project folder's slug, matched against known paths.
    Slug,
    /// Commit or line tracking.
    Tracking,
    /// Most absolute paths in tool arguments lie in it: a last resort.
    ToolPaths,
}

impl Attribution {
    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Record => "record",
            Self::Project => "project",
            Self::WorkspaceList => "workspace-list",
            Self::AgentLocation => "agent-location",
            Self::Message => "message",
            Self::StoreFolder => "store-folder",
            Self::Slug => "slug",
            Self::Tracking => "tracking",
            Self::ToolPaths => "tool-paths",
        }
    }
}

/// A folder, a multi-root workspace file, or a folder on another host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The path in the spelling of the machine it is on.
    pub path: String,
    /// The URI as stored, where one was.
    pub uri: Option<String>,
    /// The host, such as `ssh-remote+box` or `wsl+ubuntu`.
    pub remote: Option<String>,
    /// How the conversation came to it.
    pub by: Attribution,
}
