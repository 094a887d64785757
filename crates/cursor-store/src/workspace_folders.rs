//! The folders behind workspace ids: every `workspaceStorage/<id>/workspace.json` of one user-data folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use backscroll_cursor_format::uri::{Place, place};
use backscroll_model::{Finding, FindingKind, Layer, Origin};

/// One folder of `workspaceStorage`.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceFolder {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    /// Where the workspace is; numbered and empty windows are nowhere.
    pub(crate) place: Option<Place>,
}

/// All workspaces that one user-data folder remembers. Read when first asked for.
#[derive(Debug)]
pub struct WorkspaceFolders {
    storage: Option<PathBuf>,
    read: OnceLock<(Vec<WorkspaceFolder>, Vec<Finding>)>,
}

impl WorkspaceFolders {
    /// Those under `<user folder>/workspaceStorage`.
    pub fn of(user_folder: &Path) -> Self {
        Self { storage: Some(user_folder.join("workspaceStorage")), read: OnceLock::new() }
    }

    /// None at all, for a store that stands alone.
    pub fn none() -> Self {
        Self { storage: None, read: OnceLock::new() }
    }

    /// Just this one folder, for a workspace's store that stands alone.
    pub(crate) fn only(folder: &Path) -> Self {
        let read = OnceLock::from((vec![workspace_folder(folder, &mut Vec::new())], Vec::new()));
        Self { storage: None, read }
    }

    /// The place behind a workspace id. Folders are kept in order of their ids.
    pub(crate) fn place(&self, id: &str) -> Option<Place> {
        let at = self.all().binary_search_by(|folder| folder.id.as_str().cmp(id)).ok()?;
        self.all()[at].place.clone()
    }

    pub(crate) fn all(&self) -> &[WorkspaceFolder] {
        &self.read().0
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.read().1
    }

    fn read(&self) -> &(Vec<WorkspaceFolder>, Vec<Finding>) {
        self.read.get_or_init(|| self.storage.as_deref().map(read).unwrap_or_default())
    }
}

fn read(storage: &Path) -> (Vec<WorkspaceFolder>, Vec<Finding>) {
    let mut findings = Vec::new();
    let entries = match fs::read_dir(storage) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (Vec::new(), findings),
        Err(error) => {
            findings.push(unreadable(storage, &error.to_string()));
            return (Vec::new(), findings);
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let folders = paths.iter().filter(|path| path.is_dir()).map(|path| workspace_folder(path, &mut findings));
    let folders = folders.collect();
    (folders, findings)
}

fn workspace_folder(path: &Path, findings: &mut Vec<Finding>) -> WorkspaceFolder {
    let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let json = path.join("workspace.json");
    let place = match fs::read(&json) {
        Ok(bytes) => folder_uri(&bytes).and_then(|uri| place(&uri)).or_else(|| {
            findings.push(unreadable(&json, "it names neither a folder nor a workspace"));
            None
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            findings.push(unreadable(&json, &error.to_string()));
            None
        }
    };
    WorkspaceFolder { id, path: path.to_owned(), place }
}

/// The URI that a `workspace.json` names: one folder, or the file of a multi-root workspace.
fn folder_uri(bytes: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let named = ["folder", "workspace", "configuration"].iter().find_map(|key| json.get(*key)?.as_str());
    named.map(str::to_owned)
}

pub(crate) fn unreadable(path: &Path, why: &str) -> Finding {
    let at = Origin::new(Layer::IdeWorkspace, path, "");
    Finding::new(FindingKind::Unreadable, at, format!("{} cannot be read: {why}", path.display()))
}
