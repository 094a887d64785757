//! Where Cursor keeps things, for one user, on every kind of system. Pure: nothing here touches a disk.

use std::path::{Path, PathBuf};

/// What the environment says, as the command line read it.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `APPDATA`.
    pub appdata: Option<PathBuf>,
    /// `CURSOR_CONFIG_DIR`.
    pub cursor_config_dir: Option<PathBuf>,
    /// `CURSOR_DATA_DIR`.
    pub cursor_data_dir: Option<PathBuf>,
    /// Folders given as `--user-data-dir`, and that of a portable installation.
    pub user_data_dirs: Vec<PathBuf>,
    /// The folder of Windows users, seen from WSL.
    pub windows_users: Option<PathBuf>,
    /// Where temporary files go.
    pub temp: PathBuf,
}

/// Folders to look into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Locations {
    /// The editor's user-data folders: each holds `User/`.
    pub(crate) user_data: Vec<PathBuf>,
    /// The command line agent's folders, shared with the editor: `~/.cursor`.
    pub(crate) cursor_homes: Vec<PathBuf>,
    /// Folders of projects that lie elsewhere: of each only the transcripts are there.
    pub(crate) projects: Vec<PathBuf>,
    /// Folders in which transcripts lie that could be written nowhere else.
    pub(crate) temporary: Vec<PathBuf>,
}

/// How folders begin that hold projects in the folder for temporary files.
pub(crate) const TEMPORARY_PROJECTS: &str = "cursor-transcripts-";

/// The folders under which a build's data lies; VS Code's rule is the product's name.
const BUILDS: [&str; 2] = ["Cursor", "Cursor Nightly"];

impl Locations {
    /// Everything below one home, in every system's layout.
    pub(crate) fn below_home(home: &Path) -> Self {
        let mut locations = Self::default();
        for parent in [".config", "Library/Application Support", "AppData/Roaming"] {
            locations.add_builds(&home.join(parent));
        }
        locations.cursor_homes.push(home.join(".cursor"));
        locations.cursor_homes.push(home.join(".config/cursor"));
        locations
    }

    /// The current user's places, with the overrides that Cursor honours.
    pub(crate) fn of_current_user(surroundings: &Surroundings) -> Self {
        let mut locations = surroundings.home.as_deref().map(Self::below_home).unwrap_or_default();
        if let Some(config) = &surroundings.xdg_config_home {
            locations.add_builds(config);
            locations.cursor_homes.push(config.join("cursor"));
        }
        if let Some(appdata) = &surroundings.appdata {
            locations.add_builds(appdata);
        }
        locations.cursor_homes.extend(surroundings.cursor_config_dir.clone());
        locations.projects.extend(surroundings.cursor_data_dir.as_ref().map(|data| data.join("projects")));
        locations
            .temporary
            .extend(Some(surroundings.temp.clone()).filter(|temp| !temp.as_os_str().is_empty()));
        locations.user_data.extend(surroundings.user_data_dirs.iter().cloned());
        locations.distinct()
    }

    /// With these user-data folders too.
    pub(crate) fn with_user_data(mut self, folders: &[PathBuf]) -> Self {
        self.user_data.extend(folders.iter().cloned());
        self.distinct()
    }

    /// With everything that another home adds.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.user_data.extend(other.user_data);
        self.cursor_homes.extend(other.cursor_homes);
        self.projects.extend(other.projects);
        self.temporary.extend(other.temporary);
        self.distinct()
    }

    fn add_builds(&mut self, parent: &Path) {
        self.user_data.extend(BUILDS.iter().map(|build| parent.join(build)));
    }

    fn distinct(mut self) -> Self {
        for list in [&mut self.user_data, &mut self.cursor_homes, &mut self.projects, &mut self.temporary] {
            let mut seen = std::collections::HashSet::new();
            list.retain(|path| seen.insert(path.clone()));
        }
        self
    }
}

/// Windows users that are nobody.
pub(crate) fn is_no_person(user: &str) -> bool {
    matches!(user, "Default" | "Public" | "All Users" | "Default User" | "desktop.ini" | "WDAGUtilityAccount")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_add_places_and_nothing_is_looked_at_twice() {
        let surroundings = Surroundings {
            home: Some("/h".into()),
            xdg_config_home: Some("/h/.config".into()),
            cursor_config_dir: Some("/elsewhere".into()),
            user_data_dirs: vec!["/portable/user-data".into()],
            ..Surroundings::default()
        };
        let locations = Locations::of_current_user(&surroundings);
        let count = |path: &str| locations.user_data.iter().filter(|p| **p == Path::new(path)).count();
        assert_eq!(count("/h/.config/Cursor"), 1);
        assert_eq!(count("/h/Library/Application Support/Cursor"), 1);
        assert_eq!(count("/h/AppData/Roaming/Cursor Nightly"), 1);
        assert_eq!(count("/portable/user-data"), 1);
        assert!(locations.cursor_homes.contains(&PathBuf::from("/elsewhere")));
        assert_eq!(
            locations.cursor_homes.iter().filter(|p| **p == Path::new("/h/.config/cursor")).count(),
            1
        );
    }
}
