//! A folder of `projects/`, named by a slug, and the folder of the user that it stands for: by evidence only.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::slug;
use backscroll_cursor_format::slug_in_text::folder_in;
use backscroll_cursor_format::transcript::absolute_paths;
use backscroll_cursor_format::unslug::{Unslugged, unslug};
use backscroll_cursor_format::uri::place;
use backscroll_model::{Attribution, Message, Workspace};

use crate::folder_listing::{folders, name_of};
use crate::known_paths::KnownPaths;
use crate::sdk_rows;

/// One `projects/<slug>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProjectFolder {
    pub(crate) path: PathBuf,
}

impl ProjectFolder {
    /// The project that a file below it belongs to: the folder that holds `agent-transcripts` or `sdk-agent-store`.
    pub(crate) fn around(file: &Path) -> Option<Self> {
        let is_inner = |name: &str| matches!(name, "agent-transcripts" | "sdk-agent-store");
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
        if let Some(trusted) = self.trusted() {
            return Some(place(&trusted)?.into_workspace(Attribution::StoreFolder));
        }
        let slug = self.slug()?;
        if let Some(path) = self.sdk_workspace(&slug) {
            return Some(place(&path)?.into_workspace(Attribution::Slug));
        }
        Some(known.by_slug(&slug)?.clone().into_workspace(Attribution::Slug))
    }

    /// The path in `.workspace-trusted`.
    fn trusted(&self) -> Option<String> {
        let bytes = fs::read(self.path.join(".workspace-trusted")).ok()?;
        let json: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        Some(json.get("workspacePath")?.as_str()?.to_owned()).filter(|path| !path.is_empty())
    }

    /// The path that agents of the SDK name, if it has this slug.
    fn sdk_workspace(&self, slug: &str) -> Option<String> {
        self.sdk_workspaces().into_iter().find(|path| slug::matches(slug, path))
    }

    fn sdk_workspaces(&self) -> Vec<String> {
        let stores = folders(&self.path.join("sdk-agent-store"));
        stores.iter().flat_map(|store| sdk_rows::workspaces(store)).collect()
    }

    /// Every folder that is named in full inside of it.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut named = self.sdk_workspaces();
        named.extend(self.trusted());
        named
    }

    /// The only folder of this machine that has this slug.
    pub(crate) fn walked(&self) -> Option<Workspace> {
        let slug = self.slug()?;
        let root = if cfg!(windows) { format!("{}:\\", slug.chars().next()?) } else { "/".to_owned() };
        let below = |folder: &str| folders(Path::new(folder)).iter().map(|path| name_of(path)).collect();
        match unslug(&slug, &root, &below) {
            Unslugged::Exists(found) if found.len() == 1 => found.into_iter().next().map(by_slug),
            _ => None,
        }
    }
}

fn by_slug(path: String) -> Workspace {
    Workspace { path, uri: None, remote: None, by: Attribution::Slug }
}
