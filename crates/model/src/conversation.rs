//! A whole conversation: its id, its summary, its facts, and the workspace that it belongs to. Ids are opaque text, which may
//! hold newlines. Paths are compared as text, never looked up: most are on another machine or gone.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::wire::time;
use crate::{Coverage, FactOrigin, Finding, KeptFiles, Message, Named as _, Origin};

/// Tokens as stored, in buckets. No total is kept: versions of Cursor disagree on what they add up to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Tokens {
    /// Tokens read by the model.
    pub input: u64,
    /// Tokens written by it.
    pub output: u64,
    /// Tokens read from the cache, where the store counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Tokens put into the cache, where the store counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// The share of the output that was thinking, where the store counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Tokens {
    /// Input and output alone.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, ..Self::default() }
    }

    /// Both added up, bucket by bucket.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let either = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: either(self.cache_read, other.cache_read),
            cache_write: either(self.cache_write, other.cache_write),
            reasoning: either(self.reasoning, other.reasoning),
        }
    }
}

/// Lines that a conversation added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Lines {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// How full the model's context was at the last turn: a gauge, not usage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ContextUsage {
    /// Tokens used.
    pub used: Option<u64>,
    /// Tokens allowed.
    pub limit: Option<u64>,
    /// The same as a percentage, as stored.
    pub percent: Option<f64>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Todo {
    /// Its id.
    pub id: Option<String>,
    /// What is to be done.
    pub content: String,
    /// How far it is, as stored; [`Todo::progress`] is what that means.
    pub status: Option<String>,
}

named! {
    /// How far something to do is, under the names that Cursor stores.
    pub enum TodoStatus {
        /// Nothing was done yet, or nobody knows.
        Pending = "pending",
        /// Somebody is at it.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
        /// It was given up.
        Cancelled = "cancelled",
    }
}

impl Todo {
    /// What its stored status means.
    pub fn progress(&self) -> TodoStatus {
        match self.status.as_deref() {
            Some("done") => TodoStatus::Completed,
            Some("canceled") => TodoStatus::Cancelled,
            stored => stored.and_then(TodoStatus::from_name).unwrap_or(TodoStatus::Pending),
        }
    }
}

/// What a conversation's record says besides its messages.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Facts {
    /// Tokens, added up over what is stored.
    pub tokens: Option<Tokens>,
    /// Lines added and removed.
    pub lines: Option<Lines>,
    /// How full the context was.
    pub context: Option<ContextUsage>,
    /// The branch it last worked on.
    pub branch: Option<String>,
    /// Every branch it names, in the order of first mention.
    pub branches: Vec<String>,
    /// Pull requests it names.
    pub pull_requests: Vec<String>,
    /// The list of things to do, as it last stood.
    pub todos: Vec<Todo>,
    /// Files it names as relevant, created or changed.
    pub files: Vec<String>,
    /// Plans that it made or followed.
    pub plans: Vec<String>,
    /// Words in the input box that were never sent.
    pub draft: Option<String>,
    /// What it cost, in hundredths of a dollar, where the store says.
    pub cost_cents: Option<u64>,
    /// The time zone of the user, by its IANA name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// What is known of single requests apart from messages.
    #[serde(skip)]
    pub requests: Vec<RequestFact>,
    /// The folder that only those know who read its messages. Believed where no listing knows one, so that a listing never
    /// contradicts the whole; then it is in the summary, and no longer here.
    #[serde(skip)]
    pub held_in: Option<Workspace>,
}

/// What a request did, as seen from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestFact {
    /// The request; the same as a message's.
    pub request_id: String,
    /// The model that answered it.
    pub model: Option<String>,
    /// Files that it wrote to.
    pub files: Vec<String>,
    /// What it took, as measured.
    pub tokens: Option<Tokens>,
    /// When it was asked for.
    pub asked_at: Option<Timestamp>,
    /// When its last answer was complete.
    pub answered_at: Option<Timestamp>,
    /// Where this was read.
    pub origin: Option<Origin>,
}

/// A conversation with everything that is known of it: the merged fragments of all layers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conversation {
    /// What a listing shows of it.
    pub summary: Summary,
    /// What its record says besides.
    pub facts: Facts,
    /// Where each of its facts was read, as far as they are known separately.
    pub fact_origins: Vec<FactOrigin>,
    /// What was said, in the conversation's own order.
    pub messages: Vec<Message>,
    /// Stored messages that the conversation does not list.
    pub orphans: Vec<Message>,
    /// The account of the messages.
    pub coverage: Coverage,
    /// What was not as it should be.
    pub findings: Vec<Finding>,
    /// Files as checkpoints kept them; empty unless somebody asked for them.
    pub kept_files: KeptFiles,
}

impl Conversation {
    /// A conversation without messages. A lint keeps it to the room `history`, which merges, and to tests.
    pub fn new(summary: Summary) -> Self {
        Self {
            summary,
            facts: Facts::default(),
            fact_origins: Vec::new(),
            messages: Vec::new(),
            orphans: Vec::new(),
            coverage: Coverage::default(),
            findings: Vec::new(),
            kept_files: KeptFiles::default(),
        }
    }
}

named! {
    /// Where a conversation was held.
    pub enum Surface {
        /// The editor's composer and agent.
        Ide = "ide",
        /// The editor's old chat pane.
        IdeChat = "ide-chat",
        /// The command line agent.
        Cli = "cli",
        /// The SDK.
        Sdk = "sdk",
        /// Only a transcript has it.
        Transcript = "transcript",
    }
}

named! {
    /// What a conversation is besides being one.
    pub enum Flag {
        /// It has no message.
        Empty = "empty",
        /// It was never sent.
        Draft = "draft",
        /// The user put it away.
        Archived = "archived",
        /// Another conversation started it.
        Subagent = "subagent",
        /// One of several parallel attempts.
        BestOfN = "best-of-n",
        /// It worked in a worktree of its own.
        Worktree = "worktree",
        /// It ran in the background or in the cloud.
        Background = "background",
        /// Only an archive, a backup file or orphaned rows still have it.
        Deleted = "deleted",
        /// Only a list still names it, and it once had messages: its record is gone.
        Lost = "lost",
    }
}

/// A conversation from the outside: what an index says about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    #[serde(with = "time")]
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    #[serde(with = "time")]
    pub updated_at: Option<Timestamp>,
    /// The mode, as stored: `agent`, `chat`, `edit`, `plan`, ….
    pub mode: Option<String>,
    /// The models that its index names.
    pub models: Vec<String>,
    /// How many messages its index promises; `None` where no index says.
    pub messages: Option<u64>,
    /// What it is besides.
    pub flags: BTreeSet<Flag>,
    /// The conversation that started it.
    pub parent: Option<ConversationId>,
    /// Conversations that it started.
    pub children: Vec<ConversationId>,
    /// Where all this was read.
    pub origins: Vec<Origin>,
}

impl Summary {
    /// A conversation of which nothing but its id and place is known yet.
    pub fn new(id: ConversationId, surface: Surface, origin: Origin) -> Self {
        Self { origins: vec![origin], ..Self::without_origin(id, surface) }
    }

    /// A conversation that is only named: nothing of it was read.
    pub fn without_origin(id: ConversationId, surface: Surface) -> Self {
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
            origins: Vec::new(),
        }
    }

    /// Whether it belongs to the workspace that `asked` means. Where none is known, `asked` may be the name of a folder of `chats`
    /// around its store, which is a hash of the workspace's path.
    pub fn is_of_workspace(&self, asked: &str) -> bool {
        let lies_in = |origin: &Origin| origin.file.iter().any(|name| name == asked);
        match &self.workspace {
            Some(workspace) => Workspace::answers_to(&workspace.path, workspace.remote.as_deref(), asked),
            None => is_chats_folder(asked) && self.origins.iter().any(lies_in),
        }
    }

    /// When it was last touched, as far as is known.
    pub fn recency(&self) -> Option<Timestamp> {
        self.updated_at.or(self.created_at)
    }
}

named! {
    /// The route by which a conversation was given its workspace, strongest first.
    pub enum Attribution {
        /// A row of the header table or an entry of the header list.
        Header = "header",
        /// The conversation's own record.
        Record = "record",
        /// Membership in a project of the agents window.
        Project = "project",
        /// The list, selection or panes of a workspace.
        WorkspaceList = "workspace-list",
        /// Where the agent ran: its location, worktree, or repository.
        AgentLocation = "agent-location",
        /// A message names it.
        Message = "message",
        /// The folder beside which the store lies, by name, hash or marker.
        StoreFolder = "store-folder",
        /// A project folder's slug, matched against known paths.
        Slug = "slug",
        /// Commit or line tracking.
        Tracking = "tracking",
        /// Most absolute paths in tool arguments lie in it: a last resort.
        ToolPaths = "tool-paths",
    }
}

/// Whether a name may be that of a folder of `chats`: a hash in hexadecimal.
pub fn is_chats_folder(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A folder, a multi-root workspace file, or a folder on another host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
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

impl Serialize for Workspace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_from_tools = self.by == Attribution::ToolPaths;
        let mut workspace = serializer.serialize_struct("Workspace", 4 + usize::from(is_from_tools))?;
        workspace.serialize_field("path", &self.path)?;
        workspace.serialize_field("uri", &self.uri)?;
        workspace.serialize_field("remote", &self.remote)?;
        workspace.serialize_field("by", &self.by)?;
        if is_from_tools {
            workspace.serialize_field("known_from", "tools")?;
        }
        workspace.end()
    }
}

impl Workspace {
    /// Whether a workspace at `path`, on the host `remote`, is meant by `asked`: an absolute path means that folder and
    /// everything in it; anything else, a part of the path or of the host.
    pub fn answers_to(path: &str, remote: Option<&str>, asked: &str) -> bool {
        if is_absolute(asked) {
            return lies_in(path, asked);
        }
        contains(&with_slashes(path), &with_slashes(asked)) || contains(remote.unwrap_or_default(), asked)
    }
}

/// Whether `part` is in `text`, whatever the case.
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || has_drive(path)
}

/// Whether `path` begins with a drive, as in `c:\work`. Two letters before the colon would be a scheme or a host.
fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Whether `path` is `folder` or lies in it. Windows ignores case.
fn lies_in(path: &str, folder: &str) -> bool {
    let (path, folder) = (comparable(path), comparable(folder));
    path.strip_prefix(&folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder.is_empty())
}

fn comparable(path: &str) -> String {
    let slashed = with_slashes(path);
    let trimmed = slashed.trim_end_matches('/');
    if has_drive(trimmed) || path.starts_with('\\') { trimmed.to_lowercase() } else { trimmed.to_owned() }
}

fn with_slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// Adds `item` to `list`, unless it is there.
pub fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(String);

        impl $name {
            /// The id with exactly this text.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text of the id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }
    };
}

id! {
    /// Names a conversation: a composer id, a chat tab id, a CLI session id or an SDK agent id.
    ConversationId
}

id! {
    /// Names a message inside its conversation.
    MessageId
}
