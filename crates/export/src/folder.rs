//! A folder of exported conversations: one file each, written whole, never over a file of the user.
//!
//! The manifest says which file belongs to which conversation, and has a hash of what was written: one line of JSON for each
//! file, added before the file is moved to its place, so that an interrupted export knows its own files. A file with other
//! content than the manifest says belongs to the user.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use backscroll_model::{Flag, Summary, hex};
use backscroll_own_files::OwnFolder;
use backscroll_render::text::escape_controls;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::pictures::Picture;
use crate::pipeline::FolderOptions;

/// How many existing files an error names.
const NAMED: usize = 5;

pub(crate) const ASSETS: &str = "assets";

pub(crate) struct Folder {
    root: OwnFolder,
    /// The hash of the places that are exported.
    places: String,
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
        let opened = OwnFolder::make(root).and_then(|root| Ok((Manifest::read(&root)?, root)));
        let (manifest, root) = opened.map_err(|error| FolderError::CannotOpen(root.to_owned(), error))?;
        if may_update {
            root.remove_abandoned();
        }
        let (places, files) = (hash(places.as_bytes()), Files::default());
        Ok(Self { root, places, manifest, may_update, may_overwrite, files })
    }

    /// Refuses, before anything is written, if one of these files exists and is not ours, or if something else is in the way of
    /// one or of an earlier file.
    pub(crate) fn check<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<(), FolderError> {
        let cannot_open = |error| FolderError::CannotOpen(self.root.place().to_owned(), error);
        let has = |path: &str| self.root.has(path).map_err(cannot_open);
        let is_ours = |path: &str| self.manifest.entries.contains_key(path);
        let mut names = Vec::new();
        for path in paths {
            if has(path)? && !self.may_overwrite && !(self.may_update && is_ours(path)) {
                names.push(path.to_owned());
            }
        }
        if self.may_update {
            self.manifest.entries.keys().try_for_each(|path| has(path).map(drop))?;
        }
        let Some(first) = names.first() else { return Ok(()) };
        let is_ours = is_ours(first);
        Err(FolderError::Exists { names, root: self.root.place().to_owned(), is_ours })
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
        let there = self.root.read(path, LARGEST)?;
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
        let mut file = self.root.begin(path)?;
        file.write_all(bytes)?;
        // An export that is interrupted after this line finds its own file, or the one before it.
        self.manifest.note(&self.root, path, entry)?;
        file.replace()?;
        self.files.written += 1;
        Ok(())
    }

    /// Puts a picture into its folder. Its name is made from its content, so it need not be written twice.
    pub(crate) fn put_picture(&mut self, picture: &Picture) -> io::Result<()> {
        let path = format!("{ASSETS}/{}", picture.file_name());
        let written = self
            .root
            .has(&path)
            .and_then(|is_there| if is_there { Ok(()) } else { self.root.write(&path, &picture.bytes) });
        written.map_err(|error| about(&path, &error))
    }

    /// Removes files of these conversations that have another name now.
    pub(crate) fn remove_replaced(&mut self, current: &[(String, Summary)]) -> io::Result<()> {
        let current: BTreeMap<&str, &str> =
            current.iter().map(|(path, summary)| (summary.id.as_str(), path.as_str())).collect();
        let old = self.manifest.conversations().filter(|(path, summary)| {
            let new = current.get(summary.id.as_str());
            new.is_some_and(|new| new != path && self.root.has(new).unwrap_or_default())
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
        for name in pictures.iter().filter(|name| is_below(name)) {
            // Its name is made from its content, so it says whether the picture is ours.
            let is_ours = |bytes| Picture::new(bytes).is_some_and(|picture| picture.file_name() == *name);
            let path = format!("{ASSETS}/{name}");
            if self.root.read(&path, LARGEST)?.is_some_and(is_ours) {
                self.root.remove(&path)?;
            }
        }
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
        let Some(bytes) = self.root.read(path, LARGEST)? else { return Ok(None) };
        if !entry.wrote(&bytes) {
            self.files.kept.push(path.to_owned());
            return Ok(None);
        }
        self.root.remove(path)?;
        Ok(Some(entry))
    }

    /// The conversations that are in the folder, with their paths; those of earlier exports too.
    pub(crate) fn conversations(&self) -> Vec<(String, Summary)> {
        let entries =
            self.manifest.conversations().filter(|(path, _)| self.root.has(path).unwrap_or_default());
        entries.map(|(path, summary)| (path.to_owned(), summary.clone())).collect()
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.manifest.write(&self.root)
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

/// The error, and which file it is about.
fn about(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
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
    /// The manifest in the folder as this export wrote it, to append to.
    written: Option<File>,
}

impl Entry {
    fn wrote(&self, bytes: &[u8]) -> bool {
        let hash = hash(bytes);
        self.hash == hash || self.before.as_ref() == Some(&hash)
    }
}

impl Manifest {
    /// The manifest of `folder`; an empty one if it has none.
    fn read(folder: &OwnFolder) -> io::Result<Self> {
        let bytes = folder.read(MANIFEST, LARGEST)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let parse = if text.starts_with(FIRST_LINE_BEFORE) { parsed_before } else { parsed };
        let mut manifest = Self::default();
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

    /// Notes that a file is about to be written. The first time all of the manifest is written anew: so nothing is ever added to
    /// a file that others put there.
    fn note(&mut self, folder: &OwnFolder, path: &str, entry: Entry) -> io::Result<()> {
        if self.written.is_none() {
            self.write(folder)?;
        }
        let line = written([Line::file(path, &entry)].into_iter())?;
        if let Some(file) = &mut self.written {
            file.write_all(&line)?;
        }
        self.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Writes the manifest anew. A file that may still have its earlier content is there with both.
    fn write(&mut self, folder: &OwnFolder) -> io::Result<()> {
        let schema = Line::Schema(SCHEMA.to_owned());
        let files = self.entries.iter().flat_map(|(path, entry)| {
            let before = entry.before.clone().map(|hash| Entry { hash, ..entry.clone() });
            before.into_iter().chain([entry.clone()]).map(|entry| Line::file(path, &entry))
        });
        let mut file = folder.begin(MANIFEST)?;
        file.write_all(&written([schema].into_iter().chain(files))?)?;
        self.written = Some(file.replace()?);
        Ok(())
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
