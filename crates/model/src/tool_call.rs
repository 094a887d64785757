//! One use of a tool by the agent: what was asked, what came back.

use jiff::Timestamp;

use crate::Payload;

/// How a tool call ended, or that it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ToolStatus {
    /// It ran and answered.
    Completed,
    /// It failed.
    Error,
    /// The user or the editor stopped it.
    Cancelled,
    /// It was still running when the store was last written.
    Running,
    /// It had not begun.
    Pending,
    /// The store does not say.
    #[default]
    Unknown,
}

impl ToolStatus {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::Running => "running",
            Self::Pending => "pending",
            Self::Unknown => "unknown",
        }
    }
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ToolCall {
    /// The call's id; opaque, may hold a newline.
    pub id: Option<String>,
    /// The name in our one vocabulary over all surfaces.
    pub name: String,
    /// The name as stored.
    pub raw_name: String,
    /// What the tool was given.
    pub arguments: Option<Payload>,
    /// What it answered.
    pub result: Option<Payload>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it ended.
    pub status: ToolStatus,
    /// What the user decided when asked, as stored (`accepted`, `rejected`).
    pub decision: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it changed, as a unified diff.
    pub diff: Option<String>,
    /// The conversation that this call started, where it is known.
    pub child: Option<String>,
}
