//! The one file that a user names, such as by `-o`: it appears only when it is complete.
//!
//! The path is the user's own, so links above the file are followed. A link in the place of the file is not: it may be
//! another user's, and what it leads to would be lost. A pipe or a device that the user made or root did is written to, and never
//! replaced by a file.

use std::fs::{File, Permissions};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cap_fs_ext::{FileTypeExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{File as AmbientFile, FileType, Metadata, OpenOptions};

use crate::in_the_way::{check_file, check_trusted};
use crate::own_folder::OwnFolder;
use crate::unfinished::{Unfinished, remove_abandoned};

/// Bytes that are collected before they are written.
const COLLECTED: usize = 256 * 1024;

/// How long a pipe may wait for a reader.
const PATIENCE: Duration = Duration::from_secs(2);

/// The system's error code for a pipe without a reader.
const NO_READER: i32 = 6;

/// A file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    place: PathBuf,
    may_overwrite: bool,
    written: Written,
}

/// Where the bytes go until the file is complete.
#[derive(Debug)]
enum Written {
    Beside(BufWriter<Unfinished>),
    /// A device or a pipe, such as `/dev/null`.
    Device(BufWriter<File>),
}

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It exists, and may not be overwritten.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// It is a folder.
    #[error("{} is a folder", .0.display())]
    IsFolder(PathBuf),
    /// Its folder does not exist.
    #[error("cannot write {}: there is no folder {}", .0.display(), .1.display())]
    NoFolder(PathBuf, PathBuf),
    /// The system refuses, or something else lies in its place.
    #[error("cannot write {}", .0.display())]
    CannotWrite(PathBuf, #[source] io::Error),
}

impl OutputFile {
    /// Starts a file that will be at `place`.
    pub fn create(place: &Path, may_overwrite: bool) -> Result<Self, OutputError> {
        let cannot_write = |error| OutputError::CannotWrite(place.to_owned(), error);
        let written = if is_device(place, may_overwrite)? {
            let device = open_device(place).map_err(cannot_write)?;
            Written::Device(BufWriter::with_capacity(COLLECTED, device))
        } else {
            let above =
                place.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !above.is_dir() {
                return Err(OutputError::NoFolder(place.to_owned(), above.to_owned()));
            }
            let unfinished = begin(above, place).map_err(cannot_write)?;
            Written::Beside(BufWriter::with_capacity(COLLECTED, unfinished))
        };
        Ok(Self { place: place.to_owned(), may_overwrite, written })
    }

    /// Checks whether a file at `place` could be written.
    pub fn check(place: &Path, may_overwrite: bool) -> Result<(), OutputError> {
        // Opening a pipe and closing it again would end its reader.
        if is_device(place, may_overwrite)? { Ok(()) } else { Self::create(place, may_overwrite).map(drop) }
    }

    /// Gives the file, until it is in its place, the permissions of another one.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        match &self.written {
            Written::Beside(file) => file.get_ref().file()?.set_permissions(permissions),
            Written::Device(_) => Ok(()),
        }
    }

    /// Puts the complete file in its place, and says where that is. Without this it vanishes.
    pub fn keep(self) -> Result<PathBuf, OutputError> {
        let Self { place, may_overwrite, written } = self;
        let kept = match written {
            Written::Device(mut device) => device.flush(),
            Written::Beside(file) => file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| if may_overwrite { file.replace().map(drop) } else { file.keep() }),
        };
        match kept {
            Ok(()) => Ok(place),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(OutputError::Exists(place)),
            Err(error) => Err(OutputError::CannotWrite(place, error)),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.written {
            Written::Beside(file) => file.write(bytes),
            Written::Device(device) => device.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.written {
            Written::Beside(file) => file.flush(),
            Written::Device(device) => device.flush(),
        }
    }
}

/// Begins the file beside its place. What a killed program left of the same file goes away.
fn begin(above: &Path, place: &Path) -> io::Result<Unfinished> {
    let folder = OwnFolder::open(above)?;
    let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mark = format!("{:016x}-", BuildHasherDefault::<DefaultHasher>::default().hash_one(name));
    remove_abandoned(&folder.dir, &mark);
    Unfinished::begin(folder.dir.try_clone()?, name, &mark, place.to_owned())
}

/// True if `place` is a device or a pipe; false if a file may be put there, and an error if it may not.
fn is_device(place: &Path, may_overwrite: bool) -> Result<bool, OutputError> {
    let Ok(about) = place.symlink_metadata().map(Metadata::from_just_metadata) else { return Ok(false) };
    let leads_to = place.metadata().map(|about| Metadata::from_just_metadata(about).file_type());
    let is = |what: fn(&FileType) -> bool| leads_to.as_ref().is_ok_and(what);
    let cannot_write = |error| OutputError::CannotWrite(place.to_owned(), error);
    if is(FileType::is_dir) {
        return Err(OutputError::IsFolder(place.to_owned()));
    }
    if is(FileType::is_fifo) || is(FileType::is_char_device) || is(FileType::is_block_device) {
        // What another user put there would be given everything.
        return check_trusted(&about, place).map(|()| true).map_err(cannot_write);
    }
    if about.is_file() && !may_overwrite {
        return Err(OutputError::Exists(place.to_owned()));
    }
    check_file(&about, place).map(|()| false).map_err(cannot_write)
}

/// Opens a device or a pipe. A pipe may get a reader a little later.
fn open_device(place: &Path) -> io::Result<File> {
    let open = |waits: bool| {
        let mut options = OpenOptions::new();
        AmbientFile::open_ambient_with(place, options.write(true).nonblock(!waits), ambient_authority())
    };
    let begun = Instant::now();
    while let Err(error) = open(false) {
        if error.raw_os_error() != Some(NO_READER) {
            return Err(error);
        }
        if begun.elapsed() > PATIENCE {
            return Err(io::Error::other("it is a pipe that no program reads"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Now there is a reader, and writing may wait for it.
    open(true).map(AmbientFile::into_std)
}
