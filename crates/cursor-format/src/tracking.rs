//! Rows of `ai_code_hashes`: which request, by which model, wrote lines into which file.
//!
//! One row is one added line. Three generations: without a model, with one, and with scored commits beside it;
//! columns that a generation lacks are simply absent.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use backscroll_model::{Decoded, Finding, FindingKind, Origin};
use jiff::Timestamp;
use serde_json::value::RawValue;

use crate::wire_json::{Object, list};

pub use crate::placeholders::known_model;

/// A row of `ai_code_hashes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackingRow {
    /// `fileName`: often an absolute path.
    pub file_name: Option<String>,
    /// `requestId`.
    pub request_id: Option<String>,
    /// `conversationId`.
    pub conversation_id: Option<String>,
    /// `model`, since the second generation.
    pub model: Option<String>,
    /// `timestamp`, in milliseconds.
    pub timestamp: Option<i64>,
    /// `createdAt`, in milliseconds.
    pub created_at: Option<i64>,
}

/// What tracking says about one request, or about all lines of a conversation that name no request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackedRequest {
    /// The request; the same as a message's.
    pub request_id: Option<String>,
    /// The models that wrote, without placeholders.
    pub models: Vec<String>,
    /// The files that were written to, each once.
    pub files: Vec<String>,
    /// How many lines.
    pub lines: u64,
    /// The first of them.
    pub first_at: Option<Timestamp>,
    /// The last of them.
    pub last_at: Option<Timestamp>,
}

/// What tracking says about one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackedConversation {
    /// The conversation, by its id; none where lines name a request alone.
    pub conversation_id: Option<String>,
    /// Its requests, in order of their ids; lines without a request stand first.
    pub requests: Vec<TrackedRequest>,
}

impl TrackedConversation {
    /// All files of all its requests, each once.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> =
            self.requests.iter().flat_map(|one| one.files.iter().map(String::as_str)).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// When the first and the last of its lines were written.
    pub fn times(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        let first = self.requests.iter().filter_map(|one| one.first_at).min();
        (first, self.requests.iter().filter_map(|one| one.last_at).max())
    }
}

/// Groups rows by conversation and request. Rows that name neither say nothing of a conversation and are left out.
pub fn group(rows: impl IntoIterator<Item = TrackingRow>) -> Vec<TrackedConversation> {
    let mut found: BTreeMap<Option<String>, BTreeMap<Option<String>, Gathered>> = BTreeMap::new();
    for row in rows {
        let conversation = row.conversation_id.clone().filter(|id| !id.is_empty());
        let request = row.request_id.clone().filter(|id| !id.is_empty());
        if conversation.is_some() || request.is_some() {
            let requests = found.entry(conversation).or_default();
            requests.entry(request).or_default().count(row);
        }
    }
    found
        .into_iter()
        .map(|(conversation_id, requests)| TrackedConversation {
            conversation_id,
            requests: requests
                .into_iter()
                .map(|(request_id, gathered)| TrackedRequest { request_id, ..gathered.request })
                .collect(),
        })
        .collect()
}

/// A request while its lines are counted.
#[derive(Default)]
struct Gathered {
    request: TrackedRequest,
    seen: HashSet<String>,
}

impl Gathered {
    fn count(&mut self, row: TrackingRow) {
        let request = &mut self.request;
        request.lines += 1;
        let model = row.model.as_deref().and_then(known_model).map(str::to_owned);
        request.models.extend(model.filter(|model| !request.models.contains(model)));
        let file = row.file_name.filter(|file| !file.is_empty());
        request.files.extend(file.filter(|file| self.seen.insert(file.clone())));
        let at = row.timestamp.or(row.created_at);
        if let Some(at) = at.and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
            request.first_at = Some(request.first_at.map_or(at, |first| first.min(at)));
            request.last_at = Some(request.last_at.map_or(at, |last| last.max(at)));
        }
    }
}

/// The key of the list.
pub const TRACKED_LINES_KEY: &str = "aiCodeTrackingLines";

/// The lines as rows. Entries that are nothing of the kind are reported once, with their number.
pub fn tracked_lines(bytes: &[u8], at: &Origin) -> Decoded<Vec<TrackingRow>> {
    let repaired = OnceCell::new();
    let Some(items) = list(bytes, &repaired) else {
        let finding =
            Finding::new(FindingKind::Undecodable, at.clone(), "the tracked lines are no JSON list");
        return Decoded { value: Vec::new(), findings: vec![finding] };
    };
    let rows: Vec<TrackingRow> = items.iter().filter_map(|item| row(item)).collect();
    let strange = items.len() - rows.len();
    let says = format!("{strange} tracked lines are of no shape that we know");
    let finding = (strange > 0).then(|| Finding::new(FindingKind::Unknown, at.clone(), says));
    Decoded { value: rows, findings: finding.into_iter().collect() }
}

fn row(item: &RawValue) -> Option<TrackingRow> {
    let metadata = Object::parse(item)?.object("metadata")?;
    Some(TrackingRow {
        file_name: metadata.text("fileName"),
        request_id: metadata.text("requestId"),
        conversation_id: metadata.text("composerId"),
        model: None,
        timestamp: metadata.integer("timestamp"),
        created_at: None,
    })
}
