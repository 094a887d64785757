//! Where to look, and who looks there: what the user asked and the surroundings say, handed to the sources. The only file of
//! the command line that knows the room of the stores.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use backscroll_cursor_store::{ContentsKept, FileCache, file_stamp, is_copy_of_state, names_stamp};
use backscroll_history::Cleaner;
use backscroll_history::live::{Discovered, Discovery, Library, Searched};
use backscroll_model::{Contents, error_chain};
use jiff::Timestamp;

use crate::args::GlobalArgs;
use crate::environment::{self, Environment};
use crate::error::{CommandError, Exit, Result};
use crate::fresh_index;

pub use backscroll_cursor_store::{FoundStores, Surroundings, Where, find, find_with};
pub(crate) use backscroll_cursor_store::{
    HookLedger, announce_waits, chats_folder, contents, drift, plain_file, raw_value,
};

pub(crate) type Finder<'a> = &'a dyn Fn(&Where, &Arc<FileCache>) -> FoundStores;

/// Our folder for data: as named, else the system's.
pub(crate) fn data_folder(global: &GlobalArgs, environment: &Environment) -> Option<PathBuf> {
    named_data(global, environment).or_else(|| environment.data.clone())
}

pub(crate) fn named_data(global: &GlobalArgs, environment: &Environment) -> Option<PathBuf> {
    let named = global.data.as_ref().or(environment.named_data.as_ref());
    named.map(|data| environment.current_folder.join(data))
}

/// Where the user wants us to look.
pub(crate) fn places(global: &GlobalArgs, environment: &Environment) -> Result<Where> {
    let named = global.stores.iter().chain(&global.home).chain(&global.user_data_dirs);
    for place in named {
        if let Err(error) = std::fs::metadata(place) {
            return Err(CommandError::new(Exit::Unreadable, CannotRead(place.clone(), error)));
        }
    }
    // A store is known again in the index by its path, whatever folder a command runs in.
    let absolute = |named: &PathBuf| {
        let joined = environment.current_folder.join(named);
        std::path::absolute(&joined).unwrap_or(joined)
    };
    let mut surroundings = environment.surroundings.clone();
    surroundings.user_data_dirs.splice(0..0, global.user_data_dirs.iter().map(absolute));
    // What we keep is about the current user's conversations: it is read with another home only if it is named.
    let is_of_user = global.home.is_none() && global.stores.is_empty();
    let own = environment.data.clone().filter(|_| is_of_user);
    Ok(Where {
        home: global.home.as_ref().map(absolute),
        stores: global.stores.iter().map(absolute).collect(),
        data: named_data(global, environment).or(own),
        environment: surroundings,
    })
}

#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", .0.display())]
struct CannotRead(PathBuf, #[source] std::io::Error);

/// The places that the user wants, searched by `find`.
pub(crate) struct PlacesHere<F> {
    pub(crate) places: Where,
    pub(crate) find: F,
    contents: ContentsKept,
}

impl<F: Fn(&Where, &Arc<FileCache>) -> FoundStores> PlacesHere<F> {
    pub(crate) fn new(places: &Where, find: F) -> Self {
        Self { places: places.clone(), find, contents: ContentsKept::default() }
    }
}

impl<F: Fn(&Where, &Arc<FileCache>) -> FoundStores> Discovery for PlacesHere<F> {
    fn find(&self, noted: String, now: Timestamp) -> Discovered {
        let files = Arc::new(FileCache::new(noted, SystemTime::from(now)));
        let FoundStores { sources, findings } = (self.find)(&self.places, &files);
        let finish = move || {
            files.end_search();
            Searched {
                unreadable_files: files.findings(),
                noted: files.to_store(),
                folders: files.searched_folders(),
            }
        };
        Discovered { sources, findings, finish: Box::new(finish) }
    }

    fn folder_stamp(&self, folder: &Path) -> u64 {
        file_stamp(folder)
    }

    fn names_stamp(&self, folder: &Path) -> u64 {
        names_stamp(folder)
    }

    fn contents(&self, file: &Path) -> Result<Contents, String> {
        self.contents.get(file).map(|counted| (*counted).clone()).map_err(|error| error_chain(&error))
    }
}

/// The live history of these places, with its index in this folder, or below it where a cleaner takes out secrets.
pub(crate) fn library(places: &Where, index: Option<PathBuf>, cleaner: Option<Arc<Cleaner>>) -> Library {
    let index = index.map(|folder| fresh_index::folder_for(&folder, cleaner.as_deref()));
    Library::new(Box::new(PlacesHere::new(places, find_with)), index, environment::clock()).cleaned(cleaner)
}

/// Backups and copies of the editor's own database `main` that lie beside it.
pub(crate) fn copies_beside(main: &Path) -> Vec<PathBuf> {
    let beside = main.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
    let mut copies: Vec<PathBuf> = beside.filter_map(|entry| Some(entry.ok()?.path())).collect();
    copies.retain(|path| is_copy_of_state(path));
    copies.sort();
    copies
}

pub(crate) fn looked_in(places: &Where) -> String {
    let around = &places.environment;
    let asked: Vec<&Path> = if places.stores.is_empty() {
        let homes = places.home.as_ref().or(around.home.as_ref()).into_iter();
        let others = [
            &around.xdg_config_home,
            &around.appdata,
            &around.cursor_config_dir,
            &around.cursor_data_dir,
            &around.windows_users,
        ];
        let others = others.into_iter().flatten().filter(|_| places.home.is_none());
        homes.chain(others).chain(&around.user_data_dirs).map(PathBuf::as_path).collect()
    } else {
        places.stores.iter().map(PathBuf::as_path).collect()
    };
    if asked.is_empty() {
        return "nowhere, because no home is known".to_owned();
    }
    let shown: Vec<String> = asked.iter().map(|place| place.display().to_string()).collect();
    shown.join(", ")
}
