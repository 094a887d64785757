//! The folders behind workspace ids: every `workspaceStorage/<id>/workspace.json` of one user-data folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::uri::{FolderUri, place};
use backscroll_model::{Decoded, Finding, FindingKind, Layer, Origin};

use crate::files::{Child, FileCache, name_of};
use crate::fingerprint;
use crate::in_parallel;

/// One folder of `workspaceStorage`.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceFolder {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    /// Where the workspace is; numbered and empty windows are nowhere.
    pub(crate) place: Option<FolderUri>,
}

/// All workspaces that one user-data folder remembers. Read when first asked for.
#[derive(Debug)]
pub struct WorkspaceFolders {
    storage: Option<PathBuf>,
    files: Arc<FileCache>,
    read: OnceLock<Read>,
}

#[derive(Debug, Default)]
struct Read {
    /// In order of id.
    folders: Vec<WorkspaceFolder>,
    findings: Vec<Finding>,
    /// Changes when any of their places does.
    stamp: u64,
}

impl WorkspaceFolders {
    /// Those under `<user folder>/workspaceStorage`.
    pub fn in_user_folder(user_folder: &Path, files: Arc<FileCache>) -> Self {
        Self { storage: Some(user_folder.join("workspaceStorage")), files, read: OnceLock::new() }
    }

    /// None at all, for a store that stands alone.
    pub fn none() -> Self {
        Self { storage: None, files: Arc::default(), read: OnceLock::new() }
    }

    /// The place behind a workspace id.
    pub(crate) fn place(&self, id: &str) -> Option<FolderUri> {
        let at = self.all().binary_search_by(|folder| folder.id.as_str().cmp(id)).ok()?;
        self.all()[at].place.clone()
    }

    pub(crate) fn all(&self) -> &[WorkspaceFolder] {
        &self.read().folders
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.read().findings
    }

    /// A number that changes when the place of any workspace does.
    pub(crate) fn stamp(&self) -> u64 {
        self.read().stamp
    }

    fn read(&self) -> &Read {
        self.read.get_or_init(|| {
            self.storage.as_deref().map(|storage| read(storage, &self.files)).unwrap_or_default()
        })
    }
}

fn read(storage: &Path, files: &FileCache) -> Read {
    let mut read = Read::default();
    let children = files.children_reported(storage, &mut read.findings);
    let folders: Vec<&Child> = children.iter().filter(|child| child.is_folder).collect();
    for found in in_parallel::each(&folders, |child| workspace_folder(child.path.clone(), files)) {
        read.folders.push(found.report_to(&mut read.findings));
    }
    let places = read.folders.iter().filter(|folder| folder.place.is_some());
    read.stamp = fingerprint::of(&places.map(|folder| (&folder.id, &folder.place)).collect::<Vec<_>>());
    read
}

/// The folder of one workspace, and where the workspace is.
pub(crate) fn workspace_folder(path: PathBuf, files: &FileCache) -> Decoded<WorkspaceFolder> {
    let mut findings = Vec::new();
    let id = name_of(&path);
    let json = path.join("workspace.json");
    let uri = files.words_of(&json, "workspace", |bytes| folder_uri(bytes).unwrap_or_default());
    let place = match uri {
        Ok(uri) => place(&uri).or_else(|| {
            findings.push(unreadable(&json, "it names neither a folder nor a workspace"));
            None
        }),
        // The cache of files reports what cannot be read.
        Err(_) => None,
    };
    Decoded { value: WorkspaceFolder { id, path, place }, findings }
}

/// The URI that a `workspace.json` names: one folder, or the file of a multi-root workspace.
fn folder_uri(bytes: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let named = ["folder", "workspace", "configuration"].iter().find_map(|key| json.get(*key)?.as_str());
    named.map(str::to_owned)
}

/// A place that is there and cannot be read.
pub(crate) fn unreadable(path: &Path, why: &str) -> Finding {
    let at = Origin::new(layer_of(path), path, "");
    Finding::new(FindingKind::Unreadable, at, format!("{} cannot be read: {why}", path.display()))
}

/// The layer of which a place is a part, by its name.
fn layer_of(path: &Path) -> Layer {
    let has = |folder: &str| path.iter().any(|name| name == folder);
    if has("sdk-agent-store") {
        Layer::SdkIndex
    } else if has("agent-transcripts") {
        Layer::TranscriptJsonl
    } else if has("chats") || has("acp-sessions") {
        Layer::CliStore
    } else if has("globalStorage") {
        Layer::IdeGlobal
    } else {
        Layer::IdeWorkspace
    }
}
