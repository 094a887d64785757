//! Rows as stored, column by column; every column may be absent. JSON lines of older hosts give the same rows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::BlobId;
use crate::wire_json::{self, Object};

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

/// A row of `runs`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunRow {
    /// `run_id`.
    pub run_id: String,
    /// `agent_id`.
    pub agent_id: String,
    /// `request_id`.
    pub request_id: Option<String>,
    /// `turn_number`: counted from zero or from one, as it pleases the version.
    pub turn_number: Option<i64>,
    /// `status`.
    pub status: Option<String>,
    /// `model`.
    pub model: Option<String>,
    /// `usage_json`.
    pub usage_json: Option<String>,
    /// `result`.
    pub result: Option<String>,
    /// `error`, or `error_code`.
    pub error: Option<String>,
    /// `created_at`.
    pub created_at: Option<String>,
    /// `started_at`.
    pub started_at: Option<String>,
    /// `finished_at`, else `cancelled_at` or `expired_at`.
    pub finished_at: Option<String>,
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

impl CheckpointRow {
    /// The row that a line holds.
    pub fn from_line(line: &str) -> Option<Self> {
        let line = Object::read(line)?;
        let data = line.first_text(&["dataBase64", "data_base64"])?;
        Some(Self {
            agent_id: column(&line, &["agentId", "agent_id"])?,
            blob_id: BlobId::spelled(column(&line, &["blobId", "blob_id"])?.as_bytes())?,
            data: STANDARD.decode(data.trim()).ok()?,
        })
    }
}

impl AgentRow {
    /// The row that a line of `agents.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        let line = Object::read(line)?;
        Some(Self {
            agent_id: column(&line, &["agent_id", "agentId", "id"])?,
            workspace_ref: column(&line, &["workspace_ref", "workspaceRef", "cwd"]),
            status: column(&line, &["status"]),
            name: column(&line, &["name"]),
            latest_checkpoint_ref_json: column(
                &line,
                &["latest_checkpoint_ref_json", "latestCheckpointRef", "latestCheckpoint"],
            ),
            created_at: column(&line, &["created_at", "createdAt"]),
            updated_at: column(&line, &["updated_at", "updatedAt"]),
        })
    }

    /// The id of the root blob that the latest checkpoint names, in lower-case hex.
    pub fn root_blob(&self) -> Option<String> {
        let reference = Object::read(self.latest_checkpoint_ref_json.as_deref()?)?;
        let id = reference.first_text(&["blobId", "rootBlobId"])?;
        Some(id.to_ascii_lowercase()).filter(|id| !id.is_empty())
    }
}

impl RunRow {
    /// The row that a line of `runs.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        let line = Object::read(line)?;
        Some(Self {
            run_id: column(&line, &["run_id", "runId", "id"])?,
            agent_id: column(&line, &["agent_id", "agentId"])?,
            request_id: column(&line, &["request_id", "requestId"]),
            turn_number: line.integer("turn_number").or_else(|| line.integer("turnNumber")),
            status: column(&line, &["status"]),
            model: column(&line, &["model"]),
            usage_json: column(&line, &["usage_json", "usageJson", "usage"]),
            result: column(&line, &["result"]),
            error: column(&line, &["error", "error_code", "errorCode"]),
            created_at: column(&line, &["created_at", "createdAt"]),
            started_at: column(&line, &["started_at", "startedAt"]),
            finished_at: column(
                &line,
                &[
                    "finished_at",
                    "finishedAt",
                    "endedAt",
                    "cancelled_at",
                    "cancelledAt",
                    "expired_at",
                    "expiredAt",
                ],
            ),
            updated_at: column(&line, &["updated_at", "updatedAt"]),
        })
    }
}

impl EventRow {
    /// The row that a line of `run_events.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        let line = Object::read(line)?;
        Some(Self {
            run_id: column(&line, &["run_id", "runId"])?,
            seq: line.integer("seq").or_else(|| line.integer("offset")).unwrap_or_default(),
            event_type: column(&line, &["event_type", "eventType"]),
            payload_json: column(&line, &["payload_json", "payloadJson", "payload"]),
            payload_ref: column(&line, &["payload_ref", "payloadRef"]),
            idempotency_key: column(&line, &["idempotency_key", "idempotencyKey"]),
            created_at: column(&line, &["created_at", "createdAt"]),
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

/// The first of `names` that has a value: a string's content, or the JSON of anything else.
fn column(line: &Object<'_>, names: &[&str]) -> Option<String> {
    let raw = names.iter().find_map(|name| line.raw(name))?;
    Some(wire_json::text(raw).unwrap_or_else(|| raw.get().to_owned()))
}
