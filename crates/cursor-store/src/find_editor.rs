//! Sources of the editor: `User` folders with their global database, workspaces and search index.

use std::path::Path;
use std::sync::Arc;

use crate::cursor_home::CursorHomes;
use crate::find::Found;
use crate::folder_listing;
use crate::ide_global::IdeGlobal;
use crate::ide_search::IdeSearch;
use crate::ide_workspace::WorkspaceStore;
use crate::ide_workspaces::IdeWorkspaces;
use crate::spotted::Spotted;
use crate::state_copies::is_copy_of_state;
use crate::workspace_folders::{WorkspaceFolders, unreadable};

/// Adds everything of the editor; gives the workspaces that it knows.
pub(crate) fn add(found: &mut Found, spotted: &Spotted) -> Vec<Arc<WorkspaceFolders>> {
    let mut editors = Vec::new();
    let homes = CursorHomes::at(&spotted.cursor_homes);
    for user in &spotted.user_folders {
        editors.push(add_user_folder(found, user, &homes));
    }
    for file in &spotted.state_files {
        add_state_file(found, file, is_copy_of_state(file));
    }
    if let Some(file) = &spotted.named_state_file {
        add_state_file(found, file, false);
    }
    for file in &spotted.search_files {
        found.sources.push(Box::new(IdeSearch::new(file)));
    }
    editors
}

/// Everything in one `User` folder.
fn add_user_folder(found: &mut Found, user: &Path, homes: &CursorHomes) -> Arc<WorkspaceFolders> {
    let folders = Arc::new(WorkspaceFolders::of(user));
    let global_folder = user.join("globalStorage");
    let main = add_global(found, &global_folder, &folders, homes);
    for profile in children(found, &user.join("profiles")) {
        add_global(found, &profile.join("globalStorage"), &folders, homes);
    }
    let search = global_folder.join("conversation-search.db");
    if folder_listing::is_there(&search, &mut found.findings) {
        found.sources.push(Box::new(IdeSearch::new(&search)));
    }
    add_workspaces(found, &user.join("workspaceStorage"), &folders, main);
    folders
}

/// The main database of a `globalStorage` folder and its backups.
fn add_global(
    found: &mut Found,
    folder: &Path,
    folders: &Arc<WorkspaceFolders>,
    homes: &CursorHomes,
) -> Option<Arc<IdeGlobal>> {
    let main = folder.join("state.vscdb");
    let is_there = folder_listing::is_there(&main, &mut found.findings);
    let there = is_there.then(|| Arc::new(IdeGlobal::new(&main, Arc::clone(folders), false).beside(homes)));
    if let Some(there) = &there {
        found.sources.push(Box::new(Arc::clone(there)));
    }
    for copy in children(found, folder).into_iter().filter(|path| is_copy_of_state(path)) {
        found.sources.push(Box::new(IdeGlobal::new(&copy, Arc::clone(folders), true)));
    }
    there
}

fn add_workspaces(
    found: &mut Found,
    storage: &Path,
    folders: &WorkspaceFolders,
    global: Option<Arc<IdeGlobal>>,
) {
    found.findings.extend(folders.findings().iter().cloned());
    let stores = IdeWorkspaces::stores(folders);
    let mut copies = Vec::new();
    for folder in folders.all() {
        let paths = children(found, &folder.path).into_iter().filter(|path| is_copy_of_state(path));
        copies.extend(paths.map(|path| WorkspaceStore {
            id: folder.id.clone(),
            file: Arc::from(path),
            place: folder.place.clone(),
        }));
    }
    if !stores.is_empty() {
        found.sources.push(Box::new(IdeWorkspaces::new(storage, stores, global.clone(), false)));
    }
    if !copies.is_empty() {
        found.sources.push(Box::new(IdeWorkspaces::new(storage, copies, global, true)));
    }
}

/// One `state.vscdb`, wherever it lies: it may be a global one, a workspace's, or hold the keys of both.
fn add_state_file(found: &mut Found, path: &Path, is_backup: bool) {
    let folder = path.parent().unwrap_or(Path::new("."));
    let is_workspace =
        folder.parent().and_then(Path::file_name).is_some_and(|name| name == "workspaceStorage");
    let user = folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "globalStorage"));
    let folders = user.map_or_else(WorkspaceFolders::none, WorkspaceFolders::of);
    let global = Arc::new(IdeGlobal::new(path, Arc::new(folders), is_backup));
    found.sources.push(Box::new(Arc::clone(&global)));
    let own = if is_workspace { WorkspaceFolders::only(folder) } else { WorkspaceFolders::none() };
    let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let place = own.all().first().and_then(|folder| folder.place.clone());
    let store = WorkspaceStore { id, file: Arc::from(path), place };
    found.sources.push(Box::new(IdeWorkspaces::new(path, vec![store], Some(global), is_backup)));
}

/// What a folder holds. A folder that is there and cannot be read is told of.
fn children(found: &mut Found, folder: &Path) -> Vec<std::path::PathBuf> {
    if let Err(error) = std::fs::read_dir(folder) {
        let is_absent =
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory);
        if !is_absent {
            found.findings.push(unreadable(folder, &error.to_string()));
        }
        return Vec::new();
    }
    folder_listing::children(folder)
}
