//! Folders of the user behind slugs and hashes: a folder of `projects/` is named by a slug, one of `chats/` by a hash. What
//! they stand for is known by evidence only: some place names the folder in full.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::agent::session_file;
use backscroll_cursor_format::slug;
use backscroll_cursor_format::slug::{folder_in, unslug};
use backscroll_cursor_format::transcript::absolute_paths;
use backscroll_cursor_format::uri::{FolderUri, place};
use backscroll_model::{Attribution, Layer, Message, Origin, Workspace, push_new};

use crate::files::{FileCache, name_of};
use crate::sdk_rows;
use crate::workspace_folders::WorkspaceFolders;

/// The file in which the command line agent says whose folder a project is.
pub(crate) const WORKSPACE_TRUSTED: &str = ".workspace-trusted";

/// One `projects/<slug>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProjectFolder {
    pub(crate) path: PathBuf,
}

impl ProjectFolder {
    /// The project that a file below it belongs to: the folder that holds `agent-transcripts` or `sdk-agent-store`.
    pub(crate) fn around(file: &Path) -> Option<Self> {
        let is_inner = |name: &str| {
            matches!(name, "agent-transcripts" | "sdk-agent-store" | "agent-notes" | "swarm-agents")
        };
        let inner = file.ancestors().find(|folder| is_inner(&name_of(folder)))?;
        Some(Self { path: inner.parent()?.to_owned() })
    }

    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Its slug, if it stands for a folder at all: numbers and `empty-window` stand for windows without one.
    fn slug(&self) -> Option<String> {
        let name = name_of(&self.path);
        let is_window = name == "empty-window" || name.bytes().all(|byte| byte.is_ascii_digit());
        (!is_window && name != "projects").then_some(name)
    }

    /// The folder with its slug that the beginning of a transcript names.
    pub(crate) fn named_in(&self, text: &str) -> Option<Workspace> {
        folder_in(&self.slug()?, text).map(by_slug)
    }

    /// The folder with its slug in which tools worked.
    pub(crate) fn worked_in(&self, messages: &[Message]) -> Option<Workspace> {
        let paths = absolute_paths(messages);
        slug::folder_of(&self.slug()?, paths.iter().map(String::as_str)).map(by_slug)
    }

    /// The folder it stands for, as somebody names it in full.
    pub(crate) fn named(&self, known: &KnownPaths) -> Option<Workspace> {
        if let Some(trusted) = self.trusted(&known.files).or_else(|| self.logged(&known.files)) {
            return Some(place(&trusted)?.into_workspace(Attribution::StoreFolder));
        }
        let slug = self.slug()?;
        if let Some(path) = self.sdk_workspace(&slug, &known.files) {
            return Some(place(&path)?.into_workspace(Attribution::Slug));
        }
        Some(known.by_slug(&slug)?.clone().into_workspace(Attribution::Slug))
    }

    /// The path in `.workspace-trusted`.
    fn trusted(&self, files: &FileCache) -> Option<String> {
        let words = files.words_of(&files.child(&self.path, WORKSPACE_TRUSTED)?, "workspace", |bytes| {
            let json: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
            let path = json.as_ref().and_then(|json| json.get("workspacePath")?.as_str());
            path.unwrap_or_default().to_owned()
        });
        words.ok().filter(|path| !path.is_empty())
    }

    /// The path that agents of the SDK name, if it has this slug and no other one that they name has: two folders may have
    /// the same.
    fn sdk_workspace(&self, slug: &str, files: &FileCache) -> Option<String> {
        let agents = self.sdk_agents(files).into_iter();
        let mut alike = agents.filter_map(|(_, path)| path).filter(|path| slug::matches(slug, path));
        let first = alike.next()?;
        alike.all(|other| other == first).then_some(first)
    }

    /// The agents of the SDK in this project, each with the folder that it names.
    fn sdk_agents(&self, files: &FileCache) -> Vec<(String, Option<String>)> {
        let Some(folder) = files.child(&self.path, "sdk-agent-store") else { return Vec::new() };
        files.folders(&folder).iter().flat_map(|store| sdk_rows::named_workspaces(store, files)).collect()
    }

    /// The folder in the log of the worker that looks through it: `… workspacePath=/home/u/app`.
    fn logged(&self, files: &FileCache) -> Option<String> {
        let slug = self.slug();
        let words = files.words_of(&files.child(&self.path, "worker.log")?, "workspace", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let mut named =
                text.lines().filter_map(|line| line.split_once("workspacePath=")).map(|named| named.1);
            named.find_map(|rest| logged_path(rest, slug.as_deref())).unwrap_or_default()
        });
        words.ok().filter(|path| !path.is_empty())
    }

    /// Every folder that is named in full inside of it.
    fn names(&self, files: &FileCache) -> Vec<String> {
        let mut named: Vec<String> = Vec::new();
        for path in self.sdk_agents(files).into_iter().filter_map(|(_, path)| path) {
            push_new(&mut named, path);
        }
        named.extend(self.trusted(files).or_else(|| self.logged(files)));
        named
    }

    /// The only folder of this machine that has this slug.
    pub(crate) fn walked(&self) -> Option<Workspace> {
        let slug = self.slug()?;
        let root = if cfg!(windows) { format!("{}:\\", slug.chars().next()?) } else { "/".to_owned() };
        // These folders are not Cursor's, and change all the time: nothing of them is remembered.
        let files = FileCache::default();
        let below =
            |folder: &str| files.folders(Path::new(folder)).iter().map(|path| name_of(path)).collect();
        let mut found = unslug(&slug, &root, &below);
        found.pop().filter(|_| found.is_empty()).map(by_slug)
    }
}

/// The path at the beginning of `rest`, which may go on with other words: the longest one that has the slug, where there is one.
fn logged_path(rest: &str, slug: Option<&str>) -> Option<String> {
    let rest = rest.trim().trim_start_matches(['"', '\'']);
    let ends = rest.char_indices().filter(|(_, c)| c.is_whitespace() || matches!(c, ',' | '"' | '\''));
    let ends: Vec<usize> = ends.map(|(at, _)| at).chain([rest.len()]).collect();
    let path = match slug {
        Some(slug) => ends.iter().rev().map(|end| &rest[..*end]).find(|path| slug::matches(slug, path)),
        None => ends.first().map(|end| &rest[..*end]),
    };
    path.filter(|path| place(path).is_some() && !path.is_empty()).map(str::to_owned)
}

fn by_slug(path: String) -> Workspace {
    Workspace { path, uri: None, remote: None, by: Attribution::Slug }
}

/// An agent of the SDK, as an index names it.
#[derive(Debug)]
pub(crate) struct SdkAgent {
    pub(crate) id: String,
    /// The folder that it works in.
    pub(crate) workspace: Option<String>,
}

/// Folders named by the editor's workspaces, by the command line agent's sessions, and inside of `projects`. Read when first
/// asked for.
#[derive(Debug, Default)]
pub struct KnownPaths {
    pub(crate) files: Arc<FileCache>,
    editors: Vec<Arc<WorkspaceFolders>>,
    chats: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    sdk_stores: Vec<PathBuf>,
    agents: OnceLock<HashMap<String, SdkAgent>>,
    places: OnceLock<Vec<FolderUri>>,
    by_hash: OnceLock<HashMap<String, usize>>,
    by_real_hash: OnceLock<HashMap<String, usize>>,
    by_slug: OnceLock<HashMap<String, Vec<usize>>>,
}

impl KnownPaths {
    /// What these workspaces, the sessions below these `chats` folders, and these `projects` folders name.
    pub fn new(
        editors: Vec<Arc<WorkspaceFolders>>,
        chats: Vec<PathBuf>,
        projects: Vec<PathBuf>,
        files: Arc<FileCache>,
    ) -> Self {
        Self { files, editors, chats, projects, ..Self::default() }
    }

    /// With the SDK stores in these folders, which lie in no project.
    pub(crate) fn with_sdk_stores(mut self, stores: &[PathBuf]) -> Self {
        self.sdk_stores = stores.to_vec();
        self
    }

    /// The agent of the SDK whose transcript has this name, without its ending.
    pub(crate) fn agent_called(&self, name: &str) -> Option<&SdkAgent> {
        let agents = self.agents.get_or_init(|| {
            let projects = self.projects.iter().flat_map(|projects| self.files.folders(projects));
            let in_projects =
                projects.flat_map(|project| ProjectFolder::at(&project).sdk_agents(&self.files));
            let stores = self.sdk_stores.iter();
            let alone = stores.flat_map(|store| sdk_rows::named_workspaces(store, &self.files));
            let named = in_projects.chain(alone).map(|(id, workspace)| SdkAgent { id, workspace });
            named.map(|agent| (slug::transcript_name(&agent.id), agent)).collect()
        });
        agents.get(name)
    }

    /// The folder whose sessions lie in the folder `hash` of `chats`, as somebody spells it.
    pub(crate) fn by_spelled_hash(&self, hash: &str) -> Option<&FolderUri> {
        let by_hash = self.by_hash.get_or_init(|| {
            let mut all = HashMap::new();
            for (at, place) in self.places().iter().enumerate() {
                for hash in slug::hashed_folders(place.path.trim_end_matches('/')) {
                    all.entry(hash).or_insert(at);
                }
            }
            all
        });
        by_hash.get(hash).map(|at| &self.places()[*at])
    }

    /// The same; the agent may also have seen the folder behind a link.
    pub(crate) fn by_hash(&self, hash: &str) -> Option<&FolderUri> {
        let behind_links = || {
            let by_real_hash = self.by_real_hash.get_or_init(|| {
                let mut all = HashMap::new();
                for (at, place) in self.places().iter().enumerate() {
                    if let Ok(real) = fs::canonicalize(place.path.trim_end_matches('/')) {
                        for hash in slug::hashed_folders(&real.to_string_lossy()) {
                            all.entry(hash).or_insert(at);
                        }
                    }
                }
                all
            });
            by_real_hash.get(hash).map(|at| &self.places()[*at])
        };
        self.by_spelled_hash(hash).or_else(behind_links)
    }

    /// The one folder with this slug; `None` if there is none, or if there are several.
    pub(crate) fn by_slug(&self, wanted: &str) -> Option<&FolderUri> {
        let by_slug = self.by_slug.get_or_init(|| {
            let mut all: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, place) in self.places().iter().enumerate() {
                all.entry(slug::slug(&place.path).to_ascii_lowercase()).or_default().push(at);
            }
            all
        });
        let alike = by_slug.get(&wanted.to_ascii_lowercase())?.iter().map(|at| &self.places()[*at]);
        let mut alike = alike.filter(|place| slug::matches(wanted, &place.path));
        let first = alike.next()?;
        alike.all(|other| other.path == first.path).then_some(first)
    }

    fn places(&self) -> &[FolderUri] {
        self.places.get_or_init(|| {
            let files = &*self.files;
            let hashes = self.chats.iter().flat_map(|chats| files.folders(chats));
            let sessions = hashes.filter_map(|hash| session_place(&hash, files));
            let editors = self.editors.iter().flat_map(|editor| editor.all());
            let projects = self.projects.iter().flat_map(|projects| files.folders(projects));
            let named = projects.flat_map(|project| ProjectFolder::at(&project).names(files));
            let editors = editors.filter_map(|folder| folder.place.clone());
            sessions.chain(editors).chain(named.filter_map(|path| place(&path))).collect()
        })
    }
}

/// The folder that the sessions below one `chats/<hash>` were held in: the first that names it speaks for all.
fn session_place(hash: &Path, files: &FileCache) -> Option<FolderUri> {
    files.folders(hash).iter().find_map(|session| {
        let file = session.join("meta.json");
        let cwd = files.words_of(&file, "cwd", |bytes| {
            let at = Origin::new(Layer::CliStore, file.as_path(), "");
            session_file(bytes, &at).value.and_then(|session| session.cwd).unwrap_or_default()
        });
        place(&cwd.ok().filter(|cwd| !cwd.is_empty())?)
    })
}
