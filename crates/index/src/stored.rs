//! Summaries and findings as JSON, to the letter: a listing out of the index tells the same as one out of the sources.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{
    Attribution, ConversationId, Finding, FindingKind, Flag, Layer, Origin, Summary, Surface, Workspace,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::IndexError;
use crate::names::Named;

#[derive(Serialize, Deserialize)]
struct StoredSummary<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    surface: Cow<'a, str>,
    title: Option<String>,
    workspace: Option<StoredWorkspace>,
    created_at: Option<i128>,
    updated_at: Option<i128>,
    mode: Option<String>,
    models: Vec<String>,
    messages: Option<u64>,
    flags: Vec<Cow<'a, str>>,
    parent: Option<String>,
    children: Vec<String>,
    origins: Vec<StoredOrigin>,
}

#[derive(Serialize, Deserialize)]
struct StoredWorkspace {
    path: String,
    uri: Option<String>,
    remote: Option<String>,
    by: String,
}

#[derive(Serialize, Deserialize)]
struct StoredOrigin {
    layer: String,
    file: StoredPath,
    key: String,
}

/// A path as text where it is text. Others keep their bytes, or the listing would tell another file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredPath {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Serialize, Deserialize)]
struct StoredFinding {
    kind: String,
    at: StoredOrigin,
    says: String,
}

/// The summary as JSON.
pub(crate) fn summary_to_json(summary: &Summary) -> String {
    let ids = |ids: &[ConversationId]| ids.iter().map(|id| id.as_str().to_owned()).collect();
    let stored = StoredSummary {
        id: summary.id.as_str().into(),
        surface: summary.surface.name().into(),
        title: summary.title.clone(),
        workspace: summary.workspace.as_ref().map(|workspace| StoredWorkspace {
            path: workspace.path.clone(),
            uri: workspace.uri.clone(),
            remote: workspace.remote.clone(),
            by: workspace.by.name().to_owned(),
        }),
        created_at: summary.created_at.map(Timestamp::as_nanosecond),
        updated_at: summary.updated_at.map(Timestamp::as_nanosecond),
        mode: summary.mode.clone(),
        models: summary.models.clone(),
        messages: summary.messages,
        flags: summary.flags.iter().map(|flag| flag.name().into()).collect(),
        parent: summary.parent.as_ref().map(|id| id.as_str().to_owned()),
        children: ids(&summary.children),
        origins: summary.origins.iter().map(origin_to_stored).collect(),
    };
    serde_json::to_string(&stored).expect("text, numbers and lists are always JSON")
}

/// The summary that was stored as `json`.
pub(crate) fn summary_from_json(json: &str) -> Result<Summary, IndexError> {
    let stored: StoredSummary<'_> = serde_json::from_str(json).map_err(damaged)?;
    let workspace = stored.workspace.map(|workspace| {
        Ok::<_, IndexError>(Workspace {
            path: workspace.path,
            uri: workspace.uri,
            remote: workspace.remote,
            by: Attribution::named(&workspace.by)?,
        })
    });
    Ok(Summary {
        id: ConversationId::new(stored.id),
        surface: Surface::named(&stored.surface)?,
        title: stored.title,
        workspace: workspace.transpose()?,
        created_at: time(stored.created_at)?,
        updated_at: time(stored.updated_at)?,
        mode: stored.mode,
        models: stored.models,
        messages: stored.messages,
        flags: stored.flags.iter().map(|name| Flag::named(name)).collect::<Result<_, _>>()?,
        parent: stored.parent.map(ConversationId::new),
        children: stored.children.into_iter().map(ConversationId::new).collect(),
        origins: stored.origins.into_iter().map(origin_from_stored).collect::<Result<_, _>>()?,
    })
}

/// The finding as JSON.
pub(crate) fn finding_to_json(finding: &Finding) -> String {
    let kind = finding.kind.name().to_owned();
    let stored = StoredFinding { kind, at: origin_to_stored(&finding.at), says: finding.says.clone() };
    serde_json::to_string(&stored).expect("text, numbers and lists are always JSON")
}

/// The finding that was stored as `json`.
pub(crate) fn finding_from_json(json: &str) -> Result<Finding, IndexError> {
    let stored: StoredFinding = serde_json::from_str(json).map_err(damaged)?;
    Ok(Finding::new(FindingKind::named(&stored.kind)?, origin_from_stored(stored.at)?, stored.says))
}

fn origin_to_stored(origin: &Origin) -> StoredOrigin {
    StoredOrigin {
        layer: origin.layer.name().to_owned(),
        file: path_to_stored(&origin.file),
        key: origin.key.clone(),
    }
}

fn origin_from_stored(stored: StoredOrigin) -> Result<Origin, IndexError> {
    Ok(Origin { layer: Layer::named(&stored.layer)?, file: path_from_stored(stored.file), key: stored.key })
}

fn path_to_stored(path: &Path) -> StoredPath {
    match path.to_str() {
        Some(text) => StoredPath::Text(text.to_owned()),
        None => StoredPath::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
    }
}

fn path_from_stored(stored: StoredPath) -> Arc<Path> {
    match stored {
        StoredPath::Text(text) => Path::new(&text).into(),
        StoredPath::Bytes(bytes) => path_of_bytes(&bytes),
    }
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> Arc<Path> {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).into()
}

/// Other systems' paths cannot be made of bytes safely; such a name is shown with replacement characters.
#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> Arc<Path> {
    Path::new(&*String::from_utf8_lossy(bytes)).into()
}

fn time(nanoseconds: Option<i128>) -> Result<Option<Timestamp>, IndexError> {
    nanoseconds.map(Timestamp::from_nanosecond).transpose().map_err(damaged)
}

fn damaged(because: impl std::fmt::Display) -> IndexError {
    IndexError::Damaged(because.to_string())
}
