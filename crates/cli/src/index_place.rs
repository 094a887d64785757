//! Where the search index of the places that are looked at is kept: each selection of places has its own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::args::GlobalArgs;
use crate::environment::Environment;
use crate::wiring::Where;

/// The index's folder; `None` if this system has no place for it and none was named.
pub(crate) fn folder(global: &GlobalArgs, places: &Where, environment: &Environment) -> Option<PathBuf> {
    let named = global.index.as_ref().map(|folder| environment.current_folder.join(folder));
    let beneath = named.or_else(|| environment.cache.as_ref().map(|cache| cache.join("index")))?;
    Some(beneath.join(name(places, &environment.current_folder)))
}

/// A name for what is looked at: the same in every run, another for other places.
fn name(places: &Where, here: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    let full = |path: &PathBuf| here.join(path);
    let around = &places.environment;
    if places.stores.is_empty() {
        places.home.as_ref().map(full).hash(&mut hasher);
        around.user_data_dirs.iter().map(full).collect::<Vec<_>>().hash(&mut hasher);
        if places.home.is_none() {
            let around = [
                &around.home,
                &around.xdg_config_home,
                &around.appdata,
                &around.cursor_config_dir,
                &around.windows_users,
            ];
            around.map(|place| place.as_ref().map(full)).hash(&mut hasher);
        }
    } else {
        places.stores.iter().map(full).collect::<Vec<_>>().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
