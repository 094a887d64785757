//! A folder of exported conversations: one file each, written whole, never over anything that is the user's.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::Summary;
use backscroll_render::redact::{Numbered, SharedNumbers};

use crate::error::CommandError;
use crate::exit::Exit;
use crate::export_assets::Asset;
use crate::export_manifest::{Entry, Manifest, NAME};
use crate::unfinished::{self, UNFINISHED, remove_abandoned};

/// How many files in the way are named.
const NAMED: usize = 5;

/// The folder for pictures.
pub(crate) const ASSETS: &str = "assets";

/// The folder.
pub(crate) struct Folder {
    root: PathBuf,
    /// The folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    manifest: Manifest,
    numbers: Option<Arc<SharedNumbers>>,
    may_update: bool,
    may_overwrite: bool,
    /// Files that were written.
    pub(crate) written: usize,
    /// Files that were as they should be.
    pub(crate) unchanged: usize,
    /// Files that the user changed, and that were left alone.
    pub(crate) kept: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum FolderError {
    #[error("{} cannot be a folder of conversations", .0.display())]
    CannotOpen(PathBuf, #[source] io::Error),
    #[error("{} already in {}", .0, .1.display())]
    Exists(String, PathBuf),
}

impl Folder {
    /// Opens `root`, and makes it if it is not there. If nothing is put into it, it goes again.
    pub(crate) fn open(root: &Path, may_update: bool, may_overwrite: bool) -> Result<Self, CommandError> {
        let is_lacking = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = root.ancestors().take_while(is_lacking).map(Path::to_owned).collect();
        fs::create_dir_all(root).map_err(|error| {
            CommandError::new(Exit::Refused, FolderError::CannotOpen(root.to_owned(), error))
        })?;
        let manifest = Manifest::read(root);
        if may_update {
            remove_unfinished(root);
        }
        Ok(Self {
            root: root.to_owned(),
            made,
            manifest,
            numbers: None,
            may_update,
            may_overwrite,
            written: 0,
            unchanged: 0,
            kept: Vec::new(),
        })
    }

    /// The numbers of placeholders in this folder, known again by `key`.
    pub(crate) fn number_with(&mut self, key: [u8; 32]) -> Arc<SharedNumbers> {
        let numbers = Arc::new(SharedNumbers::new(key, self.manifest.numbers.clone()));
        self.numbers = Some(Arc::clone(&numbers));
        numbers
    }

    /// Refuses, before anything is written, if a file that is not ours stands in the way.
    pub(crate) fn check<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<(), CommandError> {
        let is_ours = |path: &str| self.manifest.entries.contains_key(path);
        let is_in_the_way = |path: &&str| {
            let is_there = fs::symlink_metadata(self.root.join(path)).is_ok();
            is_there && !self.may_overwrite && !(self.may_update && is_ours(path))
        };
        let in_the_way: Vec<&str> = paths.filter(is_in_the_way).collect();
        let Some(first) = in_the_way.first() else { return Ok(()) };
        let error = FolderError::Exists(exist(&in_the_way), self.root.clone());
        let error = CommandError::new(Exit::Refused, error);
        let they = if in_the_way.len() == 1 { "it" } else { "them" };
        Err(if is_ours(first) {
            error.hinted(format!("an earlier export wrote {they}: bring {they} up to date with --update"))
        } else {
            error.hinted(format!("overwrite {they} with --force, or name another folder"))
        })
    }

    /// Puts a file at `path`, unless it is there already, or the user changed it.
    pub(crate) fn put(&mut self, path: &str, bytes: &[u8], summary: Option<Summary>) -> io::Result<()> {
        self.try_to_put(path, bytes, summary).map_err(|error| about(path, &error))
    }

    fn try_to_put(&mut self, path: &str, bytes: &[u8], summary: Option<Summary>) -> io::Result<()> {
        let place = self.place(path)?;
        let there = fs::symlink_metadata(&place).is_ok_and(|about| about.is_file()).then(|| fs::read(&place));
        let there = there.transpose()?;
        let entry = Entry::of(bytes, summary);
        if there.as_deref() == Some(bytes) {
            self.unchanged += 1;
            self.manifest.entries.insert(path.to_owned(), entry);
            return Ok(());
        }
        let is_ours = |there: &[u8]| self.manifest.entries.get(path).is_some_and(|known| known.wrote(there));
        if there.as_deref().is_some_and(|there| !is_ours(there)) && !self.may_overwrite {
            self.kept.push(path.to_owned());
            return Ok(());
        }
        let numbers = self.new_numbers();
        // Whoever is interrupted after this line finds its own file, or the one before it.
        self.write(&place, bytes, |folder| folder.manifest.note(&folder.root, path, entry, numbers))?;
        self.written += 1;
        Ok(())
    }

    /// Puts a picture into its folder. Its name is made from its content, so it need not be written twice.
    pub(crate) fn put_asset(&mut self, asset: &Asset) -> io::Result<()> {
        let path = format!("{ASSETS}/{}", asset.name);
        let place = self.place(&path)?;
        if place.exists() {
            return Ok(());
        }
        self.write(&place, &asset.bytes, |_| Ok(())).map_err(|error| about(&path, &error))
    }

    /// Removes files of these conversations that have another name now, if nobody changed them.
    pub(crate) fn remove_replaced(&mut self, current: &[(String, Summary)]) -> io::Result<()> {
        let ids: std::collections::BTreeMap<&str, &str> =
            current.iter().map(|(path, summary)| (summary.id.as_str(), path.as_str())).collect();
        let old = self.manifest.entries.iter().filter(|(path, entry)| {
            let new = entry.summary.as_ref().and_then(|summary| ids.get(summary.id.as_str()));
            new.is_some_and(|new| new != path) && self.root.join(new.copied().unwrap_or_default()).exists()
        });
        let old: Vec<(String, Entry)> = old.map(|(path, entry)| (path.clone(), entry.clone())).collect();
        for (path, known) in old {
            let place = self.root.join(&path);
            match fs::read(&place) {
                Ok(bytes) if known.wrote(&bytes) => fs::remove_file(&place)?,
                Ok(_) => self.kept.push(path.clone()),
                Err(_) => {}
            }
            self.manifest.entries.remove(&path);
        }
        Ok(())
    }

    /// The conversations that lie in the folder, with their paths: those of earlier exports too.
    pub(crate) fn conversations(&self) -> Vec<(String, Summary)> {
        let there = self.manifest.entries.iter().filter(|(path, _)| self.root.join(path).is_file());
        there.filter_map(|(path, entry)| Some((path.clone(), entry.summary.clone()?))).collect()
    }

    /// Writes the list of files anew.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let numbers = self.new_numbers();
        self.manifest.numbers.extend(numbers);
        self.manifest.write(&self.root)
    }

    fn new_numbers(&self) -> Vec<Numbered> {
        self.numbers.as_ref().map(|numbers| numbers.take_new()).unwrap_or_default()
    }

    /// Where `path` lies. The folder of a workspace is made here, and must be one: a link could lead elsewhere.
    fn place(&self, path: &str) -> io::Result<PathBuf> {
        debug_assert!(path != NAME, "no conversation is called like the list");
        if let Some((folder, _)) = path.split_once('/') {
            let folder = self.root.join(folder);
            match fs::symlink_metadata(&folder) {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(io::Error::other(format!("{} is not a folder", folder.display()))),
                Err(_) => fs::create_dir(&folder)?,
            }
        }
        Ok(self.root.join(path))
    }

    fn write(
        &mut self,
        place: &Path,
        bytes: &[u8],
        before: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let beside = place.parent().unwrap_or(&self.root);
        let mut file = unfinished::one_of_many(beside)?;
        file.write_all(bytes)?;
        before(self)?;
        file.persist(place).map(drop).map_err(|error| error.error)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The system removes empty folders only.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// `a exists`, `a and b exist`, `a, b, c, d, e and 12 more exist`.
fn exist(names: &[&str]) -> String {
    let (shown, more) = names.split_at(names.len().min(NAMED));
    match (shown, more) {
        ([name], _) => format!("{name} exists"),
        ([names @ .., last], []) => format!("{} and {last} exist", names.join(", ")),
        (names, more) => format!("{} and {} more exist", names.join(", "), more.len()),
    }
}

/// The error, and which file it is about.
fn about(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// Removes what an export left that was killed while it wrote, even before it could note its first file. A link to a folder
/// is not followed.
fn remove_unfinished(root: &Path) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let below = entries(root).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in below.map(|entry| entry.path()).chain([root.to_owned()]) {
        remove_abandoned(&folder, UNFINISHED);
    }
}
