//! The small records beside a command line agent's blobs: the `meta` row, `meta.json`, `prompt_history.json`.

use backscroll_model::{Decoded, Finding, FindingKind, Origin};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::hex;

/// Names that Cursor gives before anybody named the conversation.
const PLACEHOLDERS: [&str; 4] = ["New Agent", "New Chat", "Untitled", "New Project"];

/// The `meta` row with the key `0` of a `store.db`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreMeta {
    /// The conversation's id.
    pub agent_id: Option<String>,
    /// The blob to begin with.
    pub root_id: Option<String>,
    /// The name, without control characters; none if Cursor only filled in a placeholder.
    pub title: Option<String>,
    /// The mode, as stored.
    pub mode: Option<String>,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// The model last used.
    pub model: Option<String>,
    /// The folder it worked in.
    pub workspace_path: Option<String>,
}

/// `meta.json` beside a `store.db`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFile {
    /// The version of the file's shape.
    pub schema_version: Option<u64>,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// Whether anything was said; without it there is no `store.db`.
    pub has_conversation: Option<bool>,
    /// The folder it worked in.
    pub cwd: Option<String>,
    /// Its name, cleaned as [`StoreMeta::title`].
    pub title: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Stored<'a> {
    #[serde(borrow)]
    agent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    latest_root_blob_id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    mode: Option<&'a RawValue>,
    #[serde(borrow)]
    created_at: Option<&'a RawValue>,
    #[serde(borrow)]
    created_at_ms: Option<&'a RawValue>,
    #[serde(borrow)]
    updated_at_ms: Option<&'a RawValue>,
    #[serde(borrow)]
    last_used_model: Option<&'a RawValue>,
    #[serde(borrow)]
    workspace_path: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    schema_version: Option<&'a RawValue>,
    #[serde(borrow)]
    has_conversation: Option<&'a RawValue>,
}

/// Reads the `meta` row: JSON, plain or in hexadecimal.
pub fn store_meta(value: &[u8], at: &Origin) -> Decoded<Option<StoreMeta>> {
    let plain = hex::decode(value.trim_ascii()).filter(|_| !value.is_empty());
    with_json(plain.as_deref().unwrap_or(value), at, "the meta row", |stored| StoreMeta {
        agent_id: text(stored.agent_id),
        root_id: text(stored.latest_root_blob_id).map(|id| id.to_ascii_lowercase()),
        title: title(stored.name),
        mode: text(stored.mode),
        created_at: time(stored.created_at),
        model: text(stored.last_used_model),
        workspace_path: text(stored.workspace_path),
    })
}

/// Reads `meta.json`.
pub fn session_file(bytes: &[u8], at: &Origin) -> Decoded<Option<SessionFile>> {
    with_json(bytes, at, "meta.json", |stored| SessionFile {
        schema_version: stored.schema_version.and_then(|raw| raw.get().parse().ok()),
        created_at: time(stored.created_at_ms),
        updated_at: time(stored.updated_at_ms),
        has_conversation: stored.has_conversation.and_then(|raw| raw.get().parse().ok()),
        cwd: text(stored.cwd),
        title: title(stored.title),
    })
}

/// Reads `prompt_history.json`: what was typed, oldest first.
pub fn prompt_history(bytes: &[u8], at: &Origin) -> Decoded<Vec<String>> {
    let source = String::from_utf8_lossy(bytes);
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(&source) else {
        return Decoded {
            value: Vec::new(),
            findings: vec![undecodable(at, "the prompt history is no JSON list")],
        };
    };
    let mut history = Decoded::clean(Vec::with_capacity(items.len()));
    for item in items {
        match serde_json::from_str(item.get()) {
            Ok(prompt) => history.value.push(prompt),
            Err(_) => history.findings.push(undecodable(at, "an entry of the prompt history is no text")),
        }
    }
    history
}

fn with_json<T>(
    bytes: &[u8],
    at: &Origin,
    what: &str,
    take: impl FnOnce(&Stored<'_>) -> T,
) -> Decoded<Option<T>> {
    let source = String::from_utf8_lossy(bytes);
    match serde_json::from_str::<Stored<'_>>(&source) {
        Ok(stored) => Decoded::clean(Some(take(&stored))),
        Err(error) => Decoded {
            value: None,
            findings: vec![undecodable(at, &format!("{what} is no JSON object that we know: {error}"))],
        },
    }
}

fn undecodable(at: &Origin, says: &str) -> Finding {
    Finding::new(FindingKind::Undecodable, at.clone(), says)
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    let text: String = serde_json::from_str(raw?.get()).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Milliseconds since 1970, or a time in ISO 8601.
fn time(raw: Option<&RawValue>) -> Option<Timestamp> {
    let raw = raw?;
    if let Some(text) = text(Some(raw)) {
        return text.parse().ok();
    }
    let milliseconds: i64 = raw.get().parse().ok().filter(|&ms| ms > 0)?;
    Timestamp::from_millisecond(milliseconds).ok()
}

/// The first line of a name, without what a terminal typed into it.
fn title(raw: Option<&RawValue>) -> Option<String> {
    let name = text(raw)?;
    let line = name.lines().map(str::trim).find(|line| !line.is_empty())?;
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim();
    (!clean.is_empty() && !PLACEHOLDERS.contains(&clean)).then(|| clean.to_owned())
}
