//! Finding every store: below a home, in the current user's places, or just where the user points.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{Finding, FindingKind, Layer, Origin, Source};

use crate::file_state::companion;
use crate::foreign;
use crate::ide_global::IdeGlobal;
use crate::ide_search::IdeSearch;
use crate::ide_workspaces::{IdeWorkspaces, WorkspaceStore};
use crate::locations::{Locations, Surroundings, is_no_person};
use crate::workspace_folders::{WorkspaceFolders, unreadable};

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Where {
    /// Treat this folder as the user's home, in every system's layout.
    pub home: Option<PathBuf>,
    /// Read just these files and folders.
    pub stores: Vec<PathBuf>,
    /// What the environment says, for the current user's places.
    pub environment: Surroundings,
}

/// What was found.
#[derive(Default)]
pub struct Found {
    /// One source per place.
    pub sources: Vec<Box<dyn Source>>,
    /// Places that exist and cannot be read, and places that are not Cursor's.
    pub findings: Vec<Finding>,
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found")
            .field("sources", &self.sources.len())
            .field("findings", &self.findings)
            .finish()
    }
}

/// Folders given as a store are searched this deep.
const DEEPEST: usize = 12;

/// Looks for every store that is asked for.
pub fn find(asked: &Where) -> Found {
    let mut found = Found::default();
    if !asked.stores.is_empty() {
        asked.stores.iter().for_each(|store| found.add_store(store));
        return found;
    }
    let locations = asked.home.as_deref().map_or_else(
        || {
            let own = Locations::of_current_user(&asked.environment);
            let users = asked.environment.windows_users.as_deref();
            let windows = users.map(|users| found.windows_homes(users)).unwrap_or_default();
            windows.iter().fold(own, |all, home| all.and(Locations::below_home(home)))
        },
        |home| Locations::below_home(home).with_user_data(&asked.environment.user_data_dirs),
    );
    for user_data in &locations.user_data {
        found.add_user_folder(&user_data.join("User"));
    }
    found
}

impl Found {
    /// The homes of Windows users, seen from WSL.
    fn windows_homes(&mut self, users: &Path) -> Vec<PathBuf> {
        let mut homes = self.children(users);
        homes.retain(|home| !is_no_person(&home.file_name().unwrap_or_default().to_string_lossy()));
        homes.retain(|home| home.is_dir());
        homes
    }

    /// Everything in one `User` folder.
    fn add_user_folder(&mut self, user: &Path) {
        if !self.is_there(user) {
            return;
        }
        let folders = Arc::new(WorkspaceFolders::of(user));
        let global_folder = user.join("globalStorage");
        let main = self.add_global(&global_folder, &folders);
        for profile in self.children(&user.join("profiles")) {
            self.add_global(&profile.join("globalStorage"), &folders);
        }
        let search = global_folder.join("conversation-search.db");
        if self.is_there(&search) {
            self.sources.push(Box::new(IdeSearch::new(&search)));
        }
        self.add_workspaces(&user.join("workspaceStorage"), &folders, main);
    }

    /// The main database of a `globalStorage` folder and its backups.
    fn add_global(&mut self, folder: &Path, folders: &Arc<WorkspaceFolders>) -> Option<Arc<IdeGlobal>> {
        let main = folder.join("state.vscdb");
        let there = self.is_there(&main).then(|| Arc::new(IdeGlobal::new(&main, Arc::clone(folders), false)));
        if let Some(there) = &there {
            self.sources.push(Box::new(Arc::clone(there)));
        }
        for copy in self.children(folder).into_iter().filter(|path| is_copy_of_state(path)) {
            self.sources.push(Box::new(IdeGlobal::new(&copy, Arc::clone(folders), true)));
        }
        there
    }

    fn add_workspaces(&mut self, storage: &Path, folders: &WorkspaceFolders, global: Option<Arc<IdeGlobal>>) {
        self.findings.extend(folders.findings().iter().cloned());
        let stores = IdeWorkspaces::stores(folders);
        let mut copies = Vec::new();
        for folder in folders.all() {
            let paths = self.children(&folder.path).into_iter().filter(|path| is_copy_of_state(path));
            copies.extend(paths.map(|path| WorkspaceStore {
                id: folder.id.clone(),
                file: Arc::from(path),
                place: folder.place.clone(),
            }));
        }
        if !stores.is_empty() {
            self.sources.push(Box::new(IdeWorkspaces::new(storage, stores, global.clone(), false)));
        }
        if !copies.is_empty() {
            self.sources.push(Box::new(IdeWorkspaces::new(storage, copies, global, true)));
        }
    }

    /// A file or folder that the user named.
    fn add_store(&mut self, path: &Path) {
        if path.is_dir() {
            self.add_folder(path, 0);
        } else if let Some(owner) = foreign::owner(path) {
            self.note_foreign(path, owner);
        } else if is_search_index(path) {
            self.sources.push(Box::new(IdeSearch::new(path)));
        } else {
            // Whoever names a backup wants to see what is in it, not to hear that it was deleted elsewhere.
            self.add_state_file(path, false);
        }
    }

    /// One `state.vscdb`, wherever it lies: it may be a global one, a workspace's, or hold the keys of both.
    fn add_state_file(&mut self, path: &Path, is_backup: bool) {
        let folder = path.parent().unwrap_or(Path::new("."));
        let is_workspace =
            folder.parent().and_then(Path::file_name).is_some_and(|name| name == "workspaceStorage");
        let user = folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "globalStorage"));
        let folders = user.map_or_else(WorkspaceFolders::none, WorkspaceFolders::of);
        let global = Arc::new(IdeGlobal::new(path, Arc::new(folders), is_backup));
        self.sources.push(Box::new(Arc::clone(&global)));
        let own = if is_workspace { WorkspaceFolders::only(folder) } else { WorkspaceFolders::none() };
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = own.all().first().and_then(|folder| folder.place.clone());
        let store = WorkspaceStore { id, file: Arc::from(path), place };
        self.sources.push(Box::new(IdeWorkspaces::new(path, vec![store], Some(global), is_backup)));
    }

    /// A folder that the user named: a home, a user-data folder, or anything that holds stores.
    fn add_folder(&mut self, folder: &Path, depth: usize) {
        if let Some(owner) = foreign::owner_of_user_data(folder).or_else(|| foreign::owner(folder)) {
            self.note_foreign(folder, owner);
            return;
        }
        if folder.join("globalStorage").is_dir() || folder.join("workspaceStorage").is_dir() {
            self.add_user_folder(folder);
            return;
        }
        if depth == DEEPEST {
            return;
        }
        for child in self.children(folder) {
            if child.is_dir() && !child.is_symlink() {
                self.add_folder(&child, depth + 1);
            } else if child.file_name().is_some_and(|name| name == "state.vscdb") {
                self.add_state_file(&child, false);
            } else if is_copy_of_state(&child) {
                self.add_state_file(&child, true);
            } else if is_search_index(&child) {
                self.sources.push(Box::new(IdeSearch::new(&child)));
            }
        }
    }

    fn note_foreign(&mut self, path: &Path, owner: &str) {
        let at = Origin::new(Layer::IdeGlobal, path, "");
        let says = format!("{} belongs to {owner}, not to Cursor, and is not read", path.display());
        self.findings.push(Finding::new(FindingKind::Unknown, at, says));
    }

    /// Whether a place is there. One of which not even that can be told is told of.
    fn is_there(&mut self, path: &Path) -> bool {
        match path.try_exists() {
            Ok(is_there) => is_there,
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => false,
            Err(error) => {
                self.findings.push(unreadable(path, &error.to_string()));
                false
            }
        }
    }

    /// What a folder holds, in order of name. A folder that is there and cannot be read is told of.
    fn children(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                if error.kind() != std::io::ErrorKind::NotFound {
                    self.findings.push(unreadable(folder, &error.to_string()));
                }
                return Vec::new();
            }
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }
}

fn is_search_index(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "conversation-search.db")
}

/// Whether a file is a backup or a copy of `state.vscdb`: `.backup`, `.corrupted.<time>`, `state 2.vscdb`.
fn is_copy_of_state(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_companion = ["-wal", "-shm", "-journal"].iter().any(|ending| name.ends_with(ending));
    let is_state = name.starts_with("state") && name.contains(".vscdb") && !name.ends_with(".json");
    name != "state.vscdb" && is_state && !is_companion && companion(path, "").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let is_copy = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            is_copy_of_state(&path)
        };
        for name in
            ["state.vscdb.backup", "state 2.vscdb", "state.vscdb.corrupted.1700000000000", "state copy.vscdb"]
        {
            assert!(is_copy(name), "{name}");
        }
        for name in [
            "state.vscdb",
            "state.vscdb-wal",
            "state.vscdb.backup-shm",
            "state.vscdb.options.json",
            "other.db",
        ] {
            assert!(!is_copy(name), "{name}");
        }
    }
}
