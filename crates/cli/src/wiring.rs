//! Where to look, and who looks there: what the user asked and the surroundings say, handed to the sources.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use backscroll_cursor_store::FileCache;
use backscroll_history::{History, Index, Keep};
use backscroll_index::note_files;
use jiff::Timestamp;

use crate::args::GlobalArgs;
use crate::environment::Environment;
use crate::error::{CommandError, Exit};

pub use backscroll_cursor_store::{Found, Surroundings, Where, find, find_with};

/// Who looks for sources.
pub(crate) type Finder<'a> = &'a dyn Fn(&Where, &Arc<FileCache>) -> Found;

/// Where the user wants us to look.
pub(crate) fn places(global: &GlobalArgs, environment: &Environment) -> Result<Where, CommandError> {
    let named = global.stores.iter().chain(&global.home).chain(&global.user_data_dirs);
    for place in named {
        if let Err(error) = std::fs::metadata(place) {
            return Err(CommandError::new(Exit::Unreadable, CannotRead(place.clone(), error)));
        }
    }
    let mut user_data_dirs = global.user_data_dirs.clone();
    user_data_dirs.extend(environment.portable.clone());
    Ok(Where {
        home: global.home.clone(),
        stores: global.stores.clone(),
        environment: Surroundings {
            home: environment.home.clone(),
            xdg_config_home: environment.xdg_config_home.clone(),
            appdata: environment.appdata.clone(),
            cursor_config_dir: environment.cursor_config_dir.clone(),
            cursor_data_dir: environment.cursor_data_dir.clone(),
            user_data_dirs,
            windows_users: environment.windows_users.clone(),
            temp: environment.temp.clone(),
        },
    })
}

#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", .0.display())]
struct CannotRead(PathBuf, #[source] std::io::Error);

/// How long a command waits for another process that is just writing the index, before it does without.
const PATIENCE: Duration = Duration::from_millis(500);

/// The history of these places. What was found out about them is kept in the folder of the index, if there is one, so that the
/// next command need not look again at what did not change. `before` is an earlier history of the same places.
pub(crate) fn history(
    places: &Where,
    index: Option<&Path>,
    find: Finder<'_>,
    now: Timestamp,
    before: Option<&History>,
) -> History {
    let known = index.and_then(|folder| Index::open(folder).ok().flatten()?.noted_files().ok());
    let files = Arc::new(FileCache::new(known.unwrap_or_default(), SystemTime::from(now)));
    let found = find(places, &files);
    let keep = Keep { folder: index, before, patience: PATIENCE };
    let history = History::open(found.sources, found.findings, keep);
    if let (Some(folder), Some(known)) = (index, files.to_store()) {
        // Only to save the work next time.
        let _ = note_files(folder, &known);
    }
    history
}

/// The places in which was looked, for people.
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
