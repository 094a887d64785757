//! Finding every store: below a home, in the current user's places, or just where the user points; and one source for each
//! place that holds any.
//!
//! First everything is spotted ([`Spotted`]), then the sources are made: a session may be held in a folder that only
//! the editor names in full.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{Finding, Source};

use crate::cli_stores::CliStores;
use crate::files::{FileCache, closed, is_there, name_of, without_database};
use crate::home_files::HomeFiles;
use crate::hook_ledger::HookLedger;
use crate::ide_global::IdeGlobal;
use crate::ide_search::IdeSearch;
use crate::ide_workspaces::{IdeWorkspaces, WorkspaceStore};
use crate::in_parallel;
use crate::locations::{Locations, Surroundings, is_no_person};
use crate::project_folder::KnownPaths;
use crate::prompt_history::PromptHistory;
use crate::recognise::is_copy_of_state;
use crate::sdk_stores::SdkStores;
use crate::spotted::Spotted;
use crate::tracking::Tracking;
use crate::transcripts::Transcripts;
use crate::workspace_folders::{WorkspaceFolders, unreadable, workspace_folder};

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Where {
    /// Treat this folder as the user's home, in every system's layout.
    pub home: Option<PathBuf>,
    /// Read just these files and folders.
    pub stores: Vec<PathBuf>,
    /// Our own folder for data, if it belongs to what is looked at.
    pub data: Option<PathBuf>,
    /// What the environment says, for the current user's places.
    pub environment: Surroundings,
}

/// What was found.
#[derive(Default)]
pub struct FoundStores {
    /// One source per place.
    pub sources: Vec<Box<dyn Source>>,
    /// Places that exist and cannot be read, and places that are not Cursor's.
    pub findings: Vec<Finding>,
}

impl std::fmt::Debug for FoundStores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found")
            .field("sources", &self.sources.len())
            .field("findings", &self.findings)
            .finish()
    }
}

/// Looks for every store that is asked for.
pub fn find(asked: &Where) -> FoundStores {
    find_with(asked, &Arc::default())
}

/// The same. Folders that `files` remembers are not read again.
pub fn find_with(asked: &Where, files: &Arc<FileCache>) -> FoundStores {
    let mut found = FoundStores::default();
    if asked.stores.is_empty() {
        let locations = locations(asked, &mut found.findings);
        let mut spotted = Spotted::at(&locations);
        if let Some(home) = &asked.home {
            spotted.add_lines_below(home);
        }
        found.add(spotted, asked.home.as_deref().unwrap_or(Path::new("")), files);
    }
    for store in &asked.stores {
        found.add(Spotted::in_store(store, files), store, files);
    }
    let ledger = asked.data.as_ref().map(|data| HookLedger::folder_in(data));
    if let Some(ledger) = ledger.and_then(|folder| HookLedger::in_folder(&folder, Arc::clone(files))) {
        found.sources.push(Box::new(ledger));
    }
    found
}

impl FoundStores {
    /// Makes sources of everything that was spotted at or below `place`.
    fn add(&mut self, mut spotted: Spotted, place: &Path, files: &Arc<FileCache>) {
        self.findings.append(&mut spotted.findings);
        let editors = add_editors(self, &spotted, files);
        add_agents(self, spotted, editors, place, files);
    }
}

/// The places of one home, or of the current user.
fn locations(asked: &Where, findings: &mut Vec<Finding>) -> Locations {
    if let Some(home) = &asked.home {
        return Locations::below_home(home).with_user_data(&asked.environment.user_data_dirs);
    }
    let own = Locations::of_current_user(&asked.environment);
    let windows = asked.environment.windows_users.as_deref();
    let windows = windows.map(|users| windows_homes(users, findings)).unwrap_or_default();
    windows.iter().fold(own, |all, home| all.and(Locations::below_home(home)))
}

/// The homes of Windows users, seen from WSL.
fn windows_homes(users: &Path, findings: &mut Vec<Finding>) -> Vec<PathBuf> {
    match fs::read_dir(users) {
        Ok(entries) => {
            let names = entries.flatten().filter(|entry| !is_no_person(&entry.file_name().to_string_lossy()));
            names.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
        }
        Err(error) => {
            if error.kind() != std::io::ErrorKind::NotFound {
                findings.push(unreadable(users, &error.to_string()));
            }
            Vec::new()
        }
    }
}

/// Adds everything of the editor; gives the workspaces that it knows.
fn add_editors(
    found: &mut FoundStores,
    spotted: &Spotted,
    files: &Arc<FileCache>,
) -> Vec<Arc<WorkspaceFolders>> {
    let mut editors = Vec::new();
    for user in &spotted.user_folders {
        editors.push(add_user_folder(found, user, files));
    }
    for file in &spotted.state_files {
        add_state_file(found, file, is_copy_of_state(file), files);
    }
    if let Some(file) = &spotted.named_state_file {
        add_state_file(found, file, false, files);
    }
    for file in &spotted.search_files {
        found.sources.push(Box::new(IdeSearch::new(file, Arc::clone(files))));
    }
    editors
}

/// Everything in one `User` folder.
fn add_user_folder(found: &mut FoundStores, user: &Path, files: &Arc<FileCache>) -> Arc<WorkspaceFolders> {
    let folders = Arc::new(WorkspaceFolders::in_user_folder(user, Arc::clone(files)));
    let global_folder = user.join("globalStorage");
    let mut has_global = add_global(found, &global_folder, &folders, files);
    for profile in files.children_reported(&user.join("profiles"), &mut found.findings).iter() {
        has_global |= add_global(found, &profile.path.join("globalStorage"), &folders, files);
    }
    let search = global_folder.join("conversation-search.db");
    if is_there(&search, &mut found.findings) {
        found.sources.push(Box::new(IdeSearch::new(&search, Arc::clone(files))));
    }
    let missing_global = (!has_global).then(|| Arc::from(global_folder.join("state.vscdb")));
    add_workspaces(found, &user.join("workspaceStorage"), &folders, missing_global.as_ref(), files);
    folders
}

/// The main database of a `globalStorage` folder and its backups; gives whether there is any of them.
fn add_global(
    found: &mut FoundStores,
    folder: &Path,
    folders: &Arc<WorkspaceFolders>,
    files: &Arc<FileCache>,
) -> bool {
    let global = |file: &Path, is_backup| {
        Box::new(IdeGlobal::new(file, Arc::clone(folders), is_backup, Arc::clone(files)))
    };
    let main = folder.join("state.vscdb");
    let mut has_any = is_there(&main, &mut found.findings);
    if has_any {
        found.sources.push(global(&main, false));
    }
    let children = files.children_reported(folder, &mut found.findings);
    found.findings.extend(without_database(&children));
    for copy in children.iter().filter(|child| is_copy_of_state(&child.path)) {
        found.sources.push(global(&copy.path, true));
        has_any = true;
    }
    has_any
}

fn add_workspaces(
    found: &mut FoundStores,
    storage: &Path,
    folders: &WorkspaceFolders,
    missing_global: Option<&Arc<Path>>,
    files: &Arc<FileCache>,
) {
    found.findings.extend(folders.findings().iter().cloned());
    let (mut stores, mut copies) = (Vec::new(), Vec::new());
    let listed = in_parallel::each(folders.all(), |folder| files.read_folder(&folder.path));
    for (folder, children) in folders.all().iter().zip(listed) {
        found.findings.extend(closed(&folder.path, &children));
        let children = children.unwrap_or_default();
        found.findings.extend(without_database(&children));
        let has_log = children.iter().any(|child| name_of(&child.path).ends_with("-wal"));
        for child in children.iter() {
            let list = match name_of(&child.path).as_str() {
                "state.vscdb" => &mut stores,
                name if name.starts_with("state") && is_copy_of_state(&child.path) => &mut copies,
                _ => continue,
            };
            let (id, place) = (folder.id.clone(), folder.place.clone());
            list.push(WorkspaceStore {
                id,
                file: Arc::from(child.path.as_path()),
                place,
                has_log,
                is_global: false,
                is_alone: false,
                missing_global: missing_global.cloned(),
            });
        }
    }
    for (stores, is_backup) in [(stores, false), (copies, true)] {
        if !stores.is_empty() {
            found.sources.push(Box::new(IdeWorkspaces::new(storage, stores, is_backup, Arc::clone(files))));
        }
    }
}

/// One `state.vscdb`, wherever it lies: below `workspaceStorage` it is a workspace's; else it may be a global one, a workspace's, or
/// hold the keys of both.
fn add_state_file(found: &mut FoundStores, path: &Path, is_backup: bool, files: &Arc<FileCache>) {
    let folder = path.parent().unwrap_or(Path::new("."));
    let is_workspace =
        folder.parent().and_then(Path::file_name).is_some_and(|name| name == "workspaceStorage");
    let mut store = WorkspaceStore {
        id: name_of(folder),
        file: Arc::from(path),
        place: None,
        has_log: true,
        is_global: !is_workspace,
        is_alone: true,
        missing_global: None,
    };
    if is_workspace {
        store.place = workspace_folder(folder.to_owned(), files).report_to(&mut found.findings).place;
    } else {
        let user = folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "globalStorage"));
        let folders = user.map_or_else(WorkspaceFolders::none, |user| {
            WorkspaceFolders::in_user_folder(user, Arc::clone(files))
        });
        let global = IdeGlobal::new(path, Arc::new(folders), is_backup, Arc::clone(files));
        found.sources.push(Box::new(global));
    }
    found.sources.push(Box::new(IdeWorkspaces::new(path, vec![store], is_backup, Arc::clone(files))));
}

/// Adds everything of agents. `editors` name folders in full; what lies alone is reported as lying at `place`.
fn add_agents(
    found: &mut FoundStores,
    spotted: Spotted,
    editors: Vec<Arc<WorkspaceFolders>>,
    place: &Path,
    files: &Arc<FileCache>,
) {
    let (chats, projects) = (spotted.chats.clone(), spotted.projects.clone());
    let known = KnownPaths::new(editors, chats, projects, Arc::clone(files));
    let known = Arc::new(known.with_sdk_stores(&spotted.sdk_stores));
    let known = || Arc::clone(&known);
    let sources = &mut found.sources;
    for folder in &spotted.chats {
        sources.push(Box::new(CliStores::chats(folder, known())));
    }
    for folder in &spotted.acp_sessions {
        sources.push(Box::new(CliStores::acp(folder, known())));
    }
    if !spotted.cli_stores.is_empty() {
        sources.push(Box::new(CliStores::named(place, spotted.cli_stores.clone(), known())));
    }
    for folder in &spotted.projects {
        let sdk = SdkStores::of_projects(folder, known());
        if sdk.has_any() {
            sources.push(Box::new(sdk));
        }
        sources.push(Box::new(Transcripts::of_projects(folder, known())));
    }
    let home_files = home_files(&spotted, files);
    if !spotted.sdk_stores.is_empty() {
        sources.push(Box::new(SdkStores::named(place, spotted.sdk_stores, known())));
    }
    for folder in &spotted.transcript_folders {
        sources.push(Box::new(Transcripts::of_folder(folder, known())));
    }
    if !spotted.transcripts.is_empty() {
        sources.push(Box::new(Transcripts::named(place, spotted.transcripts, known())));
    }
    for file in &spotted.tracking {
        sources.push(Box::new(Tracking::new(file, Arc::clone(files))));
    }
    for home in &spotted.cursor_homes {
        if let Some(history) = PromptHistory::in_home(home) {
            sources.push(Box::new(history));
        }
    }
    if !home_files.is_empty() {
        sources.push(Box::new(home_files));
    }
}

/// Plans and spilled output in the homes and projects of everything that was spotted.
fn home_files(spotted: &Spotted, files: &Arc<FileCache>) -> HomeFiles {
    let mut files = HomeFiles::in_homes(&spotted.cursor_homes, Arc::clone(files));
    let folders = [&spotted.chats, &spotted.acp_sessions, &spotted.projects, &spotted.transcript_folders];
    let stores = [&spotted.cli_stores, &spotted.sdk_stores];
    folders.into_iter().chain(stores).flatten().for_each(|path| files.add_around(path));
    spotted.transcripts.iter().for_each(|file| files.add_around(&file.path));
    files
}
