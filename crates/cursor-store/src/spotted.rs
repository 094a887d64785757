//! Everything that lies in a place, sorted by what it is. Nothing is made of it here.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use backscroll_model::{Finding, FindingKind, Layer, Origin, is_chats_folder};

use crate::files::{FileCache, is_folder_there, is_there, name_of};
use crate::locations::{Locations, TEMPORARY_PROJECTS};
use crate::recognise::{Kind, is_copy_of_state, is_database, owner, owner_of_user_data, recognise};
use crate::sdk_rows::index_of;
use crate::transcripts::TranscriptFile;
use crate::workspace_folders::unreadable;

/// Everything that was spotted in one place.
#[derive(Debug, Default)]
pub(crate) struct Spotted {
    /// The editor's `User` folders.
    pub(crate) user_folders: Vec<PathBuf>,
    /// Single `state.vscdb` files, or what was named and is nothing that we know.
    pub(crate) state_files: Vec<PathBuf>,
    /// A `state.vscdb`, or a backup of one, that the user named.
    pub(crate) named_state_file: Option<PathBuf>,
    /// `conversation-search.db` files that lie alone.
    pub(crate) search_files: Vec<PathBuf>,
    /// Cursor homes: `.cursor` and its like.
    pub(crate) cursor_homes: Vec<PathBuf>,
    pub(crate) chats: Vec<PathBuf>,
    pub(crate) acp_sessions: Vec<PathBuf>,
    pub(crate) projects: Vec<PathBuf>,
    /// Single `agent-transcripts` folders.
    pub(crate) transcript_folders: Vec<PathBuf>,
    pub(crate) transcripts: Vec<TranscriptFile>,
    pub(crate) cli_stores: Vec<PathBuf>,
    /// Folders that hold the index of an SDK store, or an index of another name.
    pub(crate) sdk_stores: Vec<PathBuf>,
    pub(crate) tracking: Vec<PathBuf>,
    pub(crate) findings: Vec<Finding>,
}

/// Folders given as a store are searched this deep.
const DEEPEST: usize = 12;
/// Files of any name are taken for transcripts this deep: below, only where transcripts lie.
const DEEPEST_UNNAMED: usize = 1;

/// What is read of a `User` folder, and of a Cursor home, as their layout has it.
const USER_FOLDERS: [&str; 3] = ["globalStorage", "workspaceStorage", "profiles"];
const HOME_FOLDERS: [&str; 4] = ["chats", "acp-sessions", "projects", "ai-tracking"];
/// Folders that are never opened: very many files, none of which is Cursor's; and the bridge of the desktop program, which keeps
/// a token.
const NEVER_OPENED: [&str; 4] = ["extensions", "node_modules", ".git", "desktop-bridge"];

impl Spotted {
    /// What lies in the known places.
    pub(crate) fn at(locations: &Locations) -> Self {
        let mut spotted = Self::default();
        for data in &locations.user_data {
            let user = data.join("User");
            let mut is_folder = |folder| is_folder_there(folder, &mut spotted.findings);
            if is_folder(data) && is_folder(&user) {
                spotted.user_folders.push(user);
            }
        }
        let mut seen = HashSet::new();
        for home in &locations.cursor_homes {
            if !is_folder_there(home, &mut spotted.findings) {
                continue;
            }
            // One of them may be a link to another.
            if seen.insert(fs::canonicalize(home).unwrap_or_else(|_| home.clone())) {
                spotted.add_cursor_home(home);
            }
        }
        let temporary = locations.temporary.iter().flat_map(|folder| temporary_projects(folder));
        for projects in locations.projects.iter().cloned().chain(temporary) {
            let is_new = seen.insert(fs::canonicalize(&projects).unwrap_or_else(|_| projects.clone()));
            let is_known = spotted
                .projects
                .iter()
                .any(|known| fs::canonicalize(known).ok() == fs::canonicalize(&projects).ok());
            if is_new && !is_known && is_folder_there(&projects, &mut spotted.findings) {
                spotted.projects.push(projects);
            }
        }
        spotted
    }

    /// The SDK stores of JSON lines in the folders of a home: a program that uses the SDK chooses where they lie.
    pub(crate) fn add_lines_below(&mut self, home: &Path) {
        // A home may have thousands of folders, and every command looks here: only its own children are asked.
        let children = fs::read_dir(home).into_iter().flatten().flatten();
        let stores =
            children.map(|child| child.path()).filter(|folder| folder.join("agents.ndjson").is_file());
        self.sdk_stores.extend(stores);
        self.sdk_stores.sort();
    }

    /// What a file or folder that the user named is, or holds.
    pub(crate) fn in_store(path: &Path, files: &FileCache) -> Self {
        let mut spotted = Self::default();
        if path.is_dir() {
            spotted.add_folder(path, 0, files);
        } else if let Some(owner) = owner(path) {
            spotted.note_foreign(path, owner);
        } else if !spotted.add_file(path, true) {
            spotted.state_files.push(path.to_owned());
        }
        // A user who names a backup wants to see what is in it, deleted elsewhere or not.
        if spotted.state_files == [path.to_owned()] {
            spotted.named_state_file = spotted.state_files.pop();
        }
        spotted
    }

    fn add_cursor_home(&mut self, home: &Path) {
        self.cursor_homes.push(home.to_owned());
        let mut add = |name: &str, into: fn(&mut Self) -> &mut Vec<PathBuf>| {
            let path = home.join(name);
            if is_folder_there(&path, &mut self.findings) {
                if let Err(error) = fs::read_dir(&path) {
                    self.findings.push(unreadable(&path, &error.to_string()));
                }
                into(self).push(path);
            }
        };
        add("chats", |spotted| &mut spotted.chats);
        add("acp-sessions", |spotted| &mut spotted.acp_sessions);
        add("projects", |spotted| &mut spotted.projects);
        let tracking = home.join("ai-tracking");
        let database = tracking.join("ai-code-tracking.db");
        if is_folder_there(&tracking, &mut self.findings) && is_there(&database, &mut self.findings) {
            self.tracking.push(database);
        }
    }

    /// A folder that the user named: a home, a user-data folder, or anything that holds stores.
    fn add_folder(&mut self, folder: &Path, depth: usize, files: &FileCache) {
        if let Some(owner) = owner_of_user_data(folder).or_else(|| owner(folder)) {
            self.note_foreign(folder, owner);
            return;
        }
        let holds = |name: &str| folder.join(name).is_dir();
        match name_of(folder).as_str() {
            _ if holds("globalStorage") || holds("workspaceStorage") => {
                self.user_folders.push(folder.to_owned());
                return self.add_children(folder, &USER_FOLDERS, depth, files);
            }
            ".cursor" | "cursor" if HOME_FOLDERS.iter().any(|name| holds(name)) => {
                self.add_cursor_home(folder);
                return self.add_children(folder, &HOME_FOLDERS, depth, files);
            }
            "chats" if files.folders(folder).iter().any(|hash| is_chats_folder(&name_of(hash))) => {
                return self.chats.push(folder.to_owned());
            }
            "acp-sessions" => return self.acp_sessions.push(folder.to_owned()),
            "projects" if files.folders(folder).iter().any(|project| is_project(project)) => {
                return self.projects.push(folder.to_owned());
            }
            name if name.starts_with(TEMPORARY_PROJECTS) => return self.projects.push(folder.to_owned()),
            "agent-transcripts" => return self.transcript_folders.push(folder.to_owned()),
            _ => {}
        }
        self.add_children(folder, &[], depth, files);
    }

    /// Everything in a folder but what has one of these names.
    fn add_children(&mut self, folder: &Path, but: &[&str], depth: usize, files: &FileCache) {
        if depth == DEEPEST {
            return;
        }
        for child in files.children_reported(folder, &mut self.findings).iter() {
            let (name, is_folder, child) = (name_of(&child.path), child.is_folder, &child.path);
            if but.contains(&name.as_str()) || NEVER_OPENED.contains(&name.as_str()) {
                continue;
            }
            if is_folder && !child.is_symlink() {
                self.add_folder(child, depth + 1, files);
            } else {
                self.add_file(child, depth < DEEPEST_UNNAMED && but.is_empty());
            }
        }
    }

    /// Adds a file by what it is; returns whether it is anything. A database may have any name; texts only where
    /// `is_named`.
    fn add_file(&mut self, path: &Path, is_named: bool) -> bool {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_copy = is_copy_of_state(path);
        let has_ending = matches!(ending.as_str(), "db" | "vscdb" | "ndjson");
        if ["-wal", "-shm", "-journal"].iter().any(|tail| ending.ends_with(tail))
            || !(is_named || is_copy || has_ending || is_database(path))
        {
            return false;
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        match recognise(path) {
            Kind::State => self.state_files.push(path.to_owned()),
            Kind::Search => self.search_files.push(path.to_owned()),
            Kind::CliStore => self.cli_stores.push(path.to_owned()),
            Kind::Tracking => self.tracking.push(path.to_owned()),
            Kind::SdkIndex | Kind::SdkLines => {
                let has_name = index_of(&folder).is_some();
                let store = if has_name { folder } else { path.to_owned() };
                if !self.sdk_stores.contains(&store) {
                    self.sdk_stores.push(store);
                }
            }
            Kind::Transcript(dialect) => self.transcripts.push(TranscriptFile::in_dialect(path, dialect)),
            Kind::Other if is_copy => self.state_files.push(path.to_owned()),
            Kind::Other => return false,
        }
        true
    }

    fn note_foreign(&mut self, path: &Path, owner: &str) {
        let at = Origin::new(Layer::IdeGlobal, path, "");
        let says = format!("{} belongs to {owner}, not to Cursor, and is not read", path.display());
        self.findings.push(Finding::new(FindingKind::Unknown, at, says));
    }
}

/// The folders for transcripts among temporary files.
fn temporary_projects(folder: &Path) -> Vec<PathBuf> {
    let children = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = children.filter(|child| child.file_name().to_string_lossy().starts_with(TEMPORARY_PROJECTS));
    let mut found: Vec<PathBuf> = named.map(|child| child.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Whether a folder of `projects` holds anything of ours.
fn is_project(folder: &Path) -> bool {
    ["agent-transcripts", "sdk-agent-store"].iter().any(|name| folder.join(name).is_dir())
}
