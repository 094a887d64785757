//! The small records beside a command line agent's blobs: the `meta` row, `meta.json`, `prompt_history.json`.

use std::cell::OnceCell;

use backscroll_model::{Decoded, Finding, FindingKind, Origin};
use jiff::Timestamp;

use crate::hex;
use crate::placeholders::{is_placeholder_title, known_model};
use crate::wire_json::{Text, When, list, parse, text, wire};

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
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// The folder it worked in.
    pub cwd: Option<String>,
    /// Its name, cleaned as [`StoreMeta::title`].
    pub title: Option<String>,
}

wire! {
    struct WireMeta<'a> {
        agent_id: Text<'a> = "agentId",
        root_id: Text<'a> = "latestRootBlobId",
        name: Text<'a> = "name",
        title: Text<'a> = "title",
        mode: Text<'a> = "mode",
        created_at: When = "createdAt" | "createdAtMs",
        updated_at: When = "updatedAtMs",
        model: Text<'a> = "lastUsedModel",
        workspace_path: Text<'a> = "workspacePath",
        cwd: Text<'a> = "cwd",
    }
}

/// Reads the `meta` row: JSON, plain or in hexadecimal.
pub fn store_meta(value: &[u8], at: &Origin) -> Decoded<Option<StoreMeta>> {
    let plain = hex::decode(value.trim_ascii()).filter(|_| !value.is_empty());
    with_json(plain.as_deref().unwrap_or(value), at, "the meta row", |stored| StoreMeta {
        agent_id: stored.agent_id.owned(),
        root_id: stored.root_id.filled().map(str::to_ascii_lowercase),
        title: title(&stored.name),
        mode: stored.mode.owned(),
        created_at: stored.created_at.0,
        model: stored.model.filled().and_then(known_model).map(str::to_owned),
        workspace_path: stored.workspace_path.owned(),
    })
}

/// Reads `meta.json`.
pub fn session_file(bytes: &[u8], at: &Origin) -> Decoded<Option<SessionFile>> {
    with_json(bytes, at, "meta.json", |stored| SessionFile {
        created_at: stored.created_at.0,
        updated_at: stored.updated_at.0,
        cwd: stored.cwd.owned(),
        title: title(&stored.title),
    })
}

/// Reads `prompt_history.json`: what was typed, oldest first.
pub fn prompt_history(bytes: &[u8], at: &Origin) -> Decoded<Vec<String>> {
    let repaired = OnceCell::new();
    let Some(items) = list(bytes, &repaired) else {
        let findings = vec![undecodable(at, "the prompt history is no JSON list")];
        return Decoded { value: Vec::new(), findings };
    };
    let mut history = Decoded::clean(Vec::with_capacity(items.len()));
    for item in items {
        match text(item) {
            Some(prompt) => history.value.push(prompt),
            None => history.findings.push(undecodable(at, "an entry of the prompt history is no text")),
        }
    }
    history
}

fn with_json<T>(
    bytes: &[u8],
    at: &Origin,
    what: &str,
    take: impl FnOnce(&WireMeta<'_>) -> T,
) -> Decoded<Option<T>> {
    let repaired = OnceCell::new();
    let says = match parse::<WireMeta<'_>>(bytes, &repaired) {
        Ok(stored) if bytes.trim_ascii_start().starts_with(b"{") => {
            return Decoded::clean(Some(take(&stored)));
        }
        Ok(_) => format!("{what} is no JSON object"),
        Err(error) => format!("{what} is no JSON object: {error}"),
    };
    Decoded { value: None, findings: vec![undecodable(at, &says)] }
}

fn undecodable(at: &Origin, says: &str) -> Finding {
    Finding::new(FindingKind::Undecodable, at.clone(), says)
}

/// The first line of a name, without what a terminal typed into it.
fn title(name: &Text<'_>) -> Option<String> {
    let name = name.filled()?;
    let line = name.lines().map(str::trim).find(|line| !line.is_empty())?;
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim();
    (!is_placeholder_title(clean)).then(|| clean.to_owned())
}
