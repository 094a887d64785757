//! A folder of exported conversations: one file each, written whole, never over a file of the user.
//!
//! The manifest says which file belongs to which conversation, and has a hash of what was written: one line of JSON for each
//! file, added before the file is moved to its place, so that an interrupted export knows its own files. A file with other
//! content than the manifest says belongs to the user.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use backscroll_model::{Flag, Summary, hex};
use backscroll_render::text::escape_controls;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::output_file::{self, UNFINISHED, remove_abandoned};
use crate::pictures::Picture;
use crate::pipeline::FolderOptions;

/// How many existing files an error names.
const NAMED: usize = 5;

pub(crate) const ASSETS: &str = "assets";

pub(crate) struct Folder {
    root: PathBuf,
    /// The hash of the places that are exported.
    places: String,
    /// The folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    manifest: Manifest,
    may_update: bool,
    may_overwrite: bool,
    pub(crate) files: Files,
}

/// What happened to the files of a folder.
#[derive(Debug, Default)]
pub struct Files {
    /// Written.
    pub written: usize,
    /// Up to date already.
    pub unchanged: usize,
    /// Removed, because their conversations are gone from the history.
    pub removed: usize,
    /// Marked as deleted in the manifest and the index, for the same reason.
    pub marked: usize,
    /// Gone from the history, but not removed, because a store cannot be read or is damaged.
    pub uncertain: usize,
    /// Longer than what can be read now, and left alone for the same reason.
    pub spared: usize,
    /// Changed by the user, and left alone.
    pub kept: Vec<String>,
}

/// A folder cannot be written to.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be opened or made.
    #[error("{} cannot be a folder of conversations", .0.display())]
    CannotOpen(PathBuf, #[source] io::Error),
    /// It has files with the same names.
    #[error("{} already in {}", exist(names), root.display())]
    Exists {
        /// Their names.
        names: Vec<String>,
        /// The folder.
        root: PathBuf,
        /// An earlier export wrote them.
        is_ours: bool,
    },
}

impl Folder {
    /// Opens `root`. If it does not exist, it is made for this user alone; if nothing is put into it, it is removed again.
    pub(crate) fn open(root: &Path, options: &FolderOptions) -> Result<Self, FolderError> {
        let FolderOptions { may_update, may_overwrite, ref places, .. } = *options;
        let is_lacking = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = root.ancestors().take_while(is_lacking).map(Path::to_owned).collect();
        let cannot_open = |error| FolderError::CannotOpen(root.to_owned(), error);
        create_private(root).map_err(cannot_open)?;
        if may_update {
            remove_unfinished(root);
        }
        let (root, manifest) = (root.to_owned(), Manifest::read(root).map_err(cannot_open)?);
        let (places, files) = (hash(places.as_bytes()), Files::default());
        Ok(Self { root, places, made, manifest, may_update, may_overwrite, files })
    }

    /// Refuses, before anything is written, if one of these files exists and is not ours.
    pub(crate) fn check<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<(), FolderError> {
        let is_ours = |path: &str| self.manifest.entries.contains_key(path);
        let is_in_the_way = |path: &&str| {
            let exists = fs::symlink_metadata(self.root.join(path)).is_ok();
            exists && !self.may_overwrite && !(self.may_update && is_ours(path))
        };
        let names: Vec<String> = paths.filter(is_in_the_way).map(str::to_owned).collect();
        let Some(first) = names.first() else { return Ok(()) };
        let is_ours = is_ours(first);
        Err(FolderError::Exists { names, root: self.root.clone(), is_ours })
    }

    /// Puts a file at `path`, unless it is there already, or the user changed it. It replaces a longer one only if it
    /// `may_shrink`.
    pub(crate) fn put(
        &mut self,
        path: &str,
        bytes: &[u8],
        summary: Option<Summary>,
        pictures: &[Picture],
        may_shrink: bool,
    ) -> io::Result<()> {
        pictures.iter().try_for_each(|picture| self.put_picture(picture))?;
        let summary = summary.map(without_places);
        let pictures: BTreeSet<String> = pictures.iter().map(Picture::file_name).collect();
        let places = summary.as_ref().map(|_| self.places.clone());
        let entry = Entry { hash: hash(bytes), before: None, places, summary, pictures };
        self.put_entry(path, bytes, entry, may_shrink).map_err(|error| about(path, &error))
    }

    fn put_entry(&mut self, path: &str, bytes: &[u8], entry: Entry, may_shrink: bool) -> io::Result<()> {
        let place = self.place(path)?;
        let there = content(&place)?;
        if there.as_deref() == Some(bytes) {
            self.files.unchanged += 1;
            self.manifest.entries.insert(path.to_owned(), entry);
            return Ok(());
        }
        let is_ours = |there: &[u8]| self.manifest.entries.get(path).is_some_and(|known| known.wrote(there));
        if there.as_deref().is_some_and(|there| !is_ours(there)) && !self.may_overwrite {
            self.files.kept.push(path.to_owned());
            return Ok(());
        }
        let is_longer = there.is_some_and(|there| there.len() > bytes.len());
        if is_longer && !may_shrink && !self.may_overwrite {
            self.files.spared += 1;
            return Ok(());
        }
        // An export that is interrupted after this line finds its own file, or the one before it.
        self.write(&place, bytes, |folder| folder.manifest.note(&folder.root, path, entry))?;
        self.files.written += 1;
        Ok(())
    }

    /// Puts a picture into its folder. Its name is made from its content, so it need not be written twice.
    pub(crate) fn put_picture(&mut self, picture: &Picture) -> io::Result<()> {
        let path = format!("{ASSETS}/{}", picture.file_name());
        let place = self.place(&path)?;
        if place.exists() {
            return Ok(());
        }
        self.write(&place, &picture.bytes, |_| Ok(())).map_err(|error| about(&path, &error))
    }

    /// Removes files of these conversations that have another name now.
    pub(crate) fn remove_replaced(&mut self, current: &[(String, Summary)]) -> io::Result<()> {
        let current: BTreeMap<&str, &str> =
            current.iter().map(|(path, summary)| (summary.id.as_str(), path.as_str())).collect();
        let old = self.manifest.conversations().filter(|(path, summary)| {
            let new = current.get(summary.id.as_str());
            new.is_some_and(|new| new != path && self.root.join(new).exists())
        });
        let old: Vec<String> = old.map(|(path, _)| path.to_owned()).collect();
        old.iter().try_for_each(|path| self.remove(path).map(drop))
    }

    /// Removes the files of conversations that are not among `known`, or marks them as deleted.
    pub(crate) fn remove_gone(&mut self, known: &BTreeSet<&str>, keeps_deleted: bool) -> io::Result<()> {
        let mut pictures = BTreeSet::new();
        for path in self.gone(known) {
            if !keeps_deleted {
                let Some(entry) = self.remove(&path)? else { continue };
                pictures.extend(entry.pictures);
                self.files.removed += 1;
            } else if let Some(Entry { summary: Some(summary), .. }) = self.manifest.entries.get_mut(&path) {
                self.files.marked += usize::from(summary.flags.insert(Flag::Deleted));
            }
        }
        for entry in self.manifest.entries.values() {
            pictures.retain(|name| !entry.pictures.contains(name));
        }
        let assets = self.root.join(ASSETS);
        for name in pictures.iter().filter(|name| is_below(name)) {
            // Its name is made from its content, so it says whether the picture is ours.
            let is_ours = |bytes| Picture::new(bytes).is_some_and(|picture| picture.file_name() == *name);
            if content(&assets.join(name))?.is_some_and(is_ours) {
                fs::remove_file(assets.join(name))?;
            }
        }
        let _ = fs::remove_dir(assets);
        Ok(())
    }

    /// The files of conversations that are not among `known` and were not exported from other places.
    pub(crate) fn gone(&self, known: &BTreeSet<&str>) -> Vec<String> {
        let is_gone = |entry: &Entry| {
            let is_known = entry.summary.as_ref().is_none_or(|summary| known.contains(summary.id.as_str()));
            !is_known && entry.places.as_ref().is_none_or(|places| *places == self.places)
        };
        let gone = self.manifest.entries.iter().filter(|(_, entry)| is_gone(entry));
        gone.map(|(path, _)| path.clone()).collect()
    }

    /// Removes a file from the manifest, and from the folder unless the user changed it; a folder that becomes empty too.
    fn remove(&mut self, path: &str) -> io::Result<Option<Entry>> {
        let Some(entry) = self.manifest.entries.remove(path) else { return Ok(None) };
        let file = self.root.join(path);
        let Some(bytes) = content(&file)? else { return Ok(None) };
        if !entry.wrote(&bytes) {
            self.files.kept.push(path.to_owned());
            return Ok(None);
        }
        fs::remove_file(&file)?;
        if let Some(folder) = file.parent().filter(|folder| *folder != self.root) {
            // The system removes empty folders only.
            let _ = fs::remove_dir(folder);
        }
        Ok(Some(entry))
    }

    /// The conversations that are in the folder, with their paths; those of earlier exports too.
    pub(crate) fn conversations(&self) -> Vec<(String, Summary)> {
        let entries = self.manifest.conversations().filter(|(path, _)| self.root.join(path).is_file());
        entries.map(|(path, summary)| (path.to_owned(), summary.clone())).collect()
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.manifest.write(&self.root)
    }

    /// Where `path` is. The folder of a workspace is made here, and must be one: a link could lead elsewhere.
    fn place(&self, path: &str) -> io::Result<PathBuf> {
        debug_assert!(path != MANIFEST, "no conversation has the name of the manifest");
        if let Some((folder, _)) = path.split_once('/') {
            let folder = self.root.join(folder);
            match fs::symlink_metadata(&folder) {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(io::Error::other(format!("{} is not a folder", folder.display()))),
                Err(_) => create_private(&folder)?,
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
        let mut file = output_file::one_of_many(beside)?;
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
fn exist(names: &[String]) -> String {
    let (shown, more) = names.split_at(names.len().min(NAMED));
    match (shown, more) {
        ([name], _) => format!("{name} exists"),
        ([names @ .., last], []) => format!("{} and {last} exist", names.join(", ")),
        (names, more) => format!("{} and {} more exist", names.join(", "), more.len()),
    }
}

/// No file of an export is larger.
const LARGEST: u64 = 4 << 30;

/// The content of an ordinary file; `None` for anything else. A link is not followed.
fn content(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(file) {
        Ok(about) if about.is_file() && about.len() > LARGEST => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {LARGEST} bytes")))
        }
        Ok(about) if about.is_file() => fs::read(file).map(Some),
        _ => Ok(None),
    }
}

/// Makes a folder, and those above it, for this user alone.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The error, and which file it is about.
fn about(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// Removes what a killed export left, even one that was killed before its first file. A link to a folder is not followed.
fn remove_unfinished(root: &Path) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let below = entries(root).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in below.map(|entry| entry.path()).chain([root.to_owned()]) {
        remove_abandoned(&folder, UNFINISHED);
    }
}

const MANIFEST: &str = ".backscroll-export";

const SCHEMA: &str = "backscroll.export/2";

/// The first line of a manifest of earlier versions, cells between tabs.
const FIRST_LINE_BEFORE: &str = "backscroll-export 1";

/// One line of the manifest.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Schema(String),
    File {
        path: String,
        #[serde(flatten)]
        entry: Box<Entry>,
    },
}

impl Line {
    fn file(path: &str, entry: &Entry) -> Self {
        Self::File { path: path.to_owned(), entry: Box::new(entry.clone()) }
    }
}

/// One file of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// The hash of what was written.
    hash: String,
    /// The hash of the content before, if the export may have been interrupted before it was replaced.
    #[serde(skip)]
    before: Option<String>,
    /// The hash of the places that the conversation was exported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    places: Option<String>,
    /// The conversation; `None` for the page that lists them.
    summary: Option<Summary>,
    /// The names of its pictures in [`ASSETS`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pictures: BTreeSet<String>,
}

/// The files of an export by their paths below its folder.
#[derive(Debug, Default)]
struct Manifest {
    entries: BTreeMap<String, Entry>,
    /// Whether the manifest in the folder is one of an earlier version.
    is_before: bool,
}

impl Entry {
    fn wrote(&self, bytes: &[u8]) -> bool {
        let hash = hash(bytes);
        self.hash == hash || self.before.as_ref() == Some(&hash)
    }
}

impl Manifest {
    /// The manifest of `folder`; an empty one if it has none. It must be a file: a pipe would be waited for.
    fn read(folder: &Path) -> io::Result<Self> {
        let place = folder.join(MANIFEST);
        let text = match content(&place)? {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None if fs::symlink_metadata(&place).is_ok() => {
                return Err(io::Error::other(format!("{MANIFEST} is not a file")));
            }
            None => String::new(),
        };
        let is_before = text.starts_with(FIRST_LINE_BEFORE);
        let parse = if is_before { parsed_before } else { parsed };
        let mut manifest = Self { is_before, ..Self::default() };
        // An export that was interrupted may have left half a line.
        for line in text.lines().filter_map(parse) {
            match line {
                Line::File { path, entry } if is_below(&path) => {
                    let before = manifest.entries.remove(&path).map(|before| before.hash);
                    manifest.entries.insert(path, Entry { before, ..*entry });
                }
                Line::Schema(_) | Line::File { .. } => {}
            }
        }
        Ok(manifest)
    }

    fn conversations(&self) -> impl Iterator<Item = (&str, &Summary)> {
        self.entries.iter().filter_map(|(path, entry)| Some((path.as_str(), entry.summary.as_ref()?)))
    }

    /// Notes that a file is about to be written.
    fn note(&mut self, folder: &Path, path: &str, entry: Entry) -> io::Result<()> {
        let place = folder.join(MANIFEST);
        if self.is_before {
            self.write(folder)?;
            self.is_before = false;
        }
        let schema = (!place.exists()).then(|| Line::Schema(SCHEMA.to_owned()));
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lines = written(schema.into_iter().chain([Line::file(path, &entry)]))?;
        options.open(place)?.write_all(&lines)?;
        self.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Writes the manifest anew, each file once.
    fn write(&self, folder: &Path) -> io::Result<()> {
        let schema = Line::Schema(SCHEMA.to_owned());
        let files = self.entries.iter().map(|(path, entry)| Line::file(path, entry));
        let mut file = output_file::one_of_many(folder)?;
        file.write_all(&written([schema].into_iter().chain(files))?)?;
        file.persist(folder.join(MANIFEST)).map(drop).map_err(|error| error.error)
    }
}

fn written(lines: impl Iterator<Item = Line>) -> io::Result<Vec<u8>> {
    let mut text = String::new();
    for line in lines {
        text += &escape_controls(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// The summary without places on this machine: the manifest may be given away with the folder.
fn without_places(mut summary: Summary) -> Summary {
    summary.origins.clear();
    summary.children.clear();
    if let Some(workspace) = &mut summary.workspace {
        workspace.uri = None;
    }
    summary
}

fn parsed(line: &str) -> Option<Line> {
    serde_json::from_str(line).ok()
}

/// A line of an earlier version. What it says about the conversation is left out: the export that reads it knows more.
fn parsed_before(line: &str) -> Option<Line> {
    let cells: Vec<&str> = line.split('\t').collect();
    match cells[..] {
        ["placeholder", ..] => None,
        [hash, path, ..] => {
            let (hash, pictures) = (hash.to_owned(), BTreeSet::new());
            let entry = Entry { hash, before: None, places: None, summary: None, pictures };
            Some(Line::file(path, &entry))
        }
        _ => None,
    }
}

/// Whether `path` names a file below the folder, on every system.
fn is_below(path: &str) -> bool {
    !path.contains(['\\', ':']) && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}
