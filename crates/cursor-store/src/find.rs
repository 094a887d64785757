//! Finding every store: below a home, in the current user's places, or just where the user points.
//!
//! First everything is spotted ([`Spotted`]), then the sources are made: a session may be held in a folder that only
//! the editor names in full.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_model::{Finding, Source};

use crate::find_agents;
use crate::find_editor;
use crate::locations::{Locations, Surroundings, is_no_person};
use crate::spotted::Spotted;

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

/// Looks for every store that is asked for.
pub fn find(asked: &Where) -> Found {
    let mut found = Found::default();
    if asked.stores.is_empty() {
        found.add(Spotted::at(&locations(asked)), Path::new(""));
    }
    for store in &asked.stores {
        found.add(Spotted::in_store(store), store);
    }
    found
}

impl Found {
    /// Makes sources of everything that was spotted at or below `place`.
    fn add(&mut self, mut spotted: Spotted, place: &Path) {
        self.findings.append(&mut spotted.findings);
        let editors = find_editor::add(self, &spotted);
        find_agents::add(self, spotted, editors, place);
    }
}

/// The places of one home, or of the current user.
fn locations(asked: &Where) -> Locations {
    if let Some(home) = &asked.home {
        return Locations::below_home(home).with_user_data(&asked.environment.user_data_dirs);
    }
    let own = Locations::of_current_user(&asked.environment);
    let windows = asked.environment.windows_users.as_deref().map(windows_homes).unwrap_or_default();
    windows.iter().fold(own, |all, home| all.and(Locations::below_home(home)))
}

/// The homes of Windows users, seen from WSL.
fn windows_homes(users: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(users) else { return Vec::new() };
    let names = entries.flatten().filter(|entry| !is_no_person(&entry.file_name().to_string_lossy()));
    names.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
