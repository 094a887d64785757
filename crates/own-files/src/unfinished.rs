//! A file that appears only when it is complete: written beside its place, then moved there.
//!
//! Until then its name says that it is unfinished and cannot be guessed, and it is locked, so that what a killed program left
//! can be told from what a running one writes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::in_the_way::check_file;
use crate::own_folder::{look, new_file, open_own};

/// The beginning of the name of a file that is not complete.
const BEGINNING: &str = ".backscroll-unfinished-";

/// A file that is being written. Unless it is kept, it vanishes.
#[derive(Debug)]
pub struct Unfinished {
    dir: Dir,
    /// The name that it has until it is complete, and the one that it gets.
    beside: String,
    name: OsString,
    place: PathBuf,
    /// `None` when it was kept.
    file: Option<File>,
}

impl Unfinished {
    /// Begins a file that will be called `name`. `mark` distinguishes files whose remains are removed.
    pub(crate) fn begin(dir: Dir, name: &OsStr, mark: &str, place: PathBuf) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let beside = format!("{BEGINNING}{mark}{:016x}", u64::from_le_bytes(random));
        let file = dir.open_with(&beside, &new_file())?.into_std();
        // Where the disk has no locks, the file is never taken for abandoned.
        let _ = file.try_lock();
        Ok(Self { dir, beside, name: name.to_owned(), place, file: Some(file) })
    }

    /// The file itself.
    pub fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Puts the complete file in its place, over the file that is there. Anything but a file is an error.
    pub fn replace(mut self) -> io::Result<File> {
        if let Some(about) = look(&self.dir, &self.name)? {
            check_file(&about, &self.place)?;
        }
        self.dir.rename(&self.beside, &self.dir, &self.name)?;
        self.file.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Puts the complete file in its place. If anything is there, that is an error.
    pub fn keep(self) -> io::Result<()> {
        match self.dir.hard_link(&self.beside, &self.dir, &self.name) {
            // The name that it had until now goes with this.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
            linked => return linked,
        }
        // The disk has no second names for files.
        match look(&self.dir, &self.name)? {
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            None => self.replace().map(drop),
        }
    }

    /// Where it will be.
    pub fn place(&self) -> &Path {
        &self.place
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = self.dir.remove_file(&self.beside);
        }
    }
}

/// Removes files of this user that no program writes any more and whose names have this mark. What cannot be removed does no harm.
pub(crate) fn remove_abandoned(dir: &Dir, mark: &str) {
    let beginning = format!("{BEGINNING}{mark}");
    let entries = dir.entries().into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with(&beginning)) {
        if open_own(dir, &name).is_some_and(|file| file.try_lock().is_ok()) {
            let _ = dir.remove_file(&name);
        }
    }
}
