//! Rows as stored, column by column; every column may be absent. JSON lines of older hosts give the same rows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::BlobId;
use crate::wire_json::{self, Int, Object};

/// A row of `agents`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentRow {
    /// `agent_id`.
    pub agent_id: String,
    /// `workspace_ref`: the real path of the folder.
    pub workspace_ref: Option<String>,
    /// `status`.
    pub status: Option<String>,
    /// `name`.
    pub name: Option<String>,
    /// `latest_checkpoint_ref_json`: the root in the agent's own store.
    pub latest_checkpoint_ref_json: Option<String>,
    /// `created_at`.
    pub created_at: Option<String>,
    /// `updated_at`.
    pub updated_at: Option<String>,
}

/// A row of `run_events`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventRow {
    /// `run_id`.
    pub run_id: String,
    /// `seq`.
    pub seq: i64,
    /// `event_type`.
    pub event_type: Option<String>,
    /// `payload_json`.
    pub payload_json: Option<String>,
    /// `payload_ref`: where a payload lies that was too large for the row.
    pub payload_ref: Option<String>,
    /// `idempotency_key`: the same for an event that was sent twice.
    pub idempotency_key: Option<String>,
    /// `created_at`.
    pub created_at: Option<String>,
}

/// A line of `checkpoints.ndjson`: one blob of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    /// `agentId`.
    pub agent_id: String,
    /// `blobId`.
    pub blob_id: BlobId,
    /// What `dataBase64` holds.
    pub data: Vec<u8>,
}

/// The first of these columns that has a value, as text. Older hosts write lines of JSON, in which they have other names.
pub(super) type Column<'a> = &'a dyn Fn(&[&str]) -> Option<String>;

/// The row that `read` makes of a line of JSON. A string is its content, anything else its JSON.
pub(super) fn from_line<T>(line: &str, read: impl FnOnce(Column<'_>) -> Option<T>) -> Option<T> {
    let line = Object::read(line)?;
    read(&|names| {
        let raw = names.iter().find_map(|name| line.raw(name))?;
        Some(wire_json::text(raw).unwrap_or_else(|| raw.get().to_owned()))
    })
}

/// A whole number, however it is stored.
pub(super) fn number(text: &str) -> Option<i64> {
    text.trim().parse().ok().or_else(|| serde_json::from_str::<Int>(text).ok()?.0)
}

impl CheckpointRow {
    /// The row that a line holds.
    pub fn from_line(line: &str) -> Option<Self> {
        from_line(line, |column| {
            Some(Self {
                agent_id: column(&["agentId", "agent_id"])?,
                blob_id: BlobId::spelled(column(&["blobId", "blob_id"])?.as_bytes())?,
                data: STANDARD.decode(column(&["dataBase64", "data_base64"])?.trim()).ok()?,
            })
        })
    }
}

impl AgentRow {
    /// The row that a line of `agents.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        from_line(line, Self::from_columns)
    }

    /// The row with these columns; `None` without an id.
    pub fn from_columns(column: Column<'_>) -> Option<Self> {
        Some(Self {
            agent_id: column(&["agent_id", "agentId", "id"])?,
            workspace_ref: column(&["workspace_ref", "workspaceRef", "cwd"]),
            status: column(&["status"]),
            name: column(&["name"]),
            latest_checkpoint_ref_json: column(&[
                "latest_checkpoint_ref_json",
                "latestCheckpointRef",
                "latestCheckpoint",
            ]),
            created_at: column(&["created_at", "createdAt"]),
            updated_at: column(&["updated_at", "updatedAt"]),
        })
    }

    /// The id of the root blob that the latest checkpoint names, in lower-case hex.
    pub fn root_blob(&self) -> Option<String> {
        let reference = Object::read(self.latest_checkpoint_ref_json.as_deref()?)?;
        let id = reference.first_text(&["blobId", "rootBlobId"])?;
        Some(id.to_ascii_lowercase()).filter(|id| !id.is_empty())
    }
}

impl EventRow {
    /// The row that a line of `run_events.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        from_line(line, Self::from_columns)
    }

    /// The row with these columns; `None` without a run.
    pub fn from_columns(column: Column<'_>) -> Option<Self> {
        Some(Self {
            run_id: column(&["run_id", "runId"])?,
            seq: column(&["seq", "offset"]).as_deref().and_then(number).unwrap_or_default(),
            event_type: column(&["event_type", "eventType"]),
            payload_json: column(&["payload_json", "payloadJson", "payload"]),
            payload_ref: column(&["payload_ref", "payloadRef"]),
            idempotency_key: column(&["idempotency_key", "idempotencyKey"]),
            created_at: column(&["created_at", "createdAt"]),
        })
    }

    /// The agent that the payload names.
    pub fn agent_id(&self) -> Option<String> {
        let payload = Object::read(self.payload_json.as_deref()?)?;
        let names = ["agentId", "agent_id"];
        let inside = || payload.object("message")?.first_text(&names);
        payload.first_text(&names).or_else(inside).filter(|id| !id.is_empty())
    }
}
