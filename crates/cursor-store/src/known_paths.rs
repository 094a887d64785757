//! Every folder that some place names in full, so that hashes and slugs can be matched against them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::agent::session_file;
use backscroll_cursor_format::slug;
use backscroll_cursor_format::uri::{Place, place};
use backscroll_model::{Layer, Origin};

use crate::folder_listing::folders;
use crate::project_folder::ProjectFolder;
use crate::workspace_folders::WorkspaceFolders;

/// Folders named by the editor's workspaces, by the command line agent's sessions, and inside of `projects`. Read when first
/// asked for.
#[derive(Debug, Default)]
pub struct KnownPaths {
    editors: Vec<Arc<WorkspaceFolders>>,
    chats: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    places: OnceLock<Vec<Place>>,
    by_hash: OnceLock<HashMap<String, usize>>,
    by_slug: OnceLock<HashMap<String, Vec<usize>>>,
}

impl KnownPaths {
    /// What these workspaces, the sessions below these `chats` folders, and these `projects` folders name.
    pub fn of(editors: Vec<Arc<WorkspaceFolders>>, chats: Vec<PathBuf>, projects: Vec<PathBuf>) -> Self {
        Self { editors, chats, projects, ..Self::default() }
    }

    /// The folder whose sessions lie in the folder `hash` of `chats`.
    pub(crate) fn by_hash(&self, hash: &str) -> Option<&Place> {
        let by_hash = self.by_hash.get_or_init(|| {
            let mut all = HashMap::new();
            for (at, place) in self.places().iter().enumerate() {
                let path = place.path.trim_end_matches('/');
                all.entry(slug::chats_folder(path)).or_insert(at);
                // The agent may have seen the folder behind a link.
                if let Ok(real) = fs::canonicalize(path) {
                    all.entry(slug::chats_folder(&real.to_string_lossy())).or_insert(at);
                }
            }
            all
        });
        by_hash.get(hash).map(|at| &self.places()[*at])
    }

    /// The one folder with this slug; `None` if there is none, or if there are several.
    pub(crate) fn by_slug(&self, wanted: &str) -> Option<&Place> {
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

    fn places(&self) -> &[Place] {
        self.places.get_or_init(|| {
            let sessions =
                self.chats.iter().flat_map(|chats| folders(chats)).filter_map(|hash| session_place(&hash));
            let editors = self.editors.iter().flat_map(|editor| editor.all());
            let projects = self.projects.iter().flat_map(|projects| folders(projects));
            let named = projects.flat_map(|project| ProjectFolder::at(&project).names());
            let editors = editors.filter_map(|folder| folder.place.clone());
            sessions.chain(editors).chain(named.filter_map(|path| place(&path))).collect()
        })
    }
}

/// The folder that the sessions below one `chats/<hash>` were held in: the first that names it speaks for all.
fn session_place(hash: &Path) -> Option<Place> {
    folders(hash).iter().find_map(|session| {
        let file = session.join("meta.json");
        let bytes = fs::read(&file).ok()?;
        let at = Origin::new(Layer::CliStore, file, "");
        place(&session_file(&bytes, &at).value?.cwd?)
    })
}
