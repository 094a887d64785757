//! A file that appears only when it is complete: written beside its place, then moved there.
//!
//! Until then its name says that it is unfinished, and it is locked, so that what a killed program left can be told from
//! what a running one writes.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::NamedTempFile;

use crate::folder::hash;

/// A file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    place: PathBuf,
    may_overwrite: bool,
    temporary: Temporary,
}

/// Where the bytes go until the file is complete.
#[derive(Debug)]
enum Temporary {
    Beside(BufWriter<NamedTempFile>),
    /// A device or a pipe, such as `/dev/null`, is written to. It must never be replaced by a file.
    Device(BufWriter<fs::File>),
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
    /// The system refuses.
    #[error("cannot write {}", .0.display())]
    CannotWrite(PathBuf, #[source] io::Error),
}

impl OutputFile {
    /// Starts a file that will be at `place`.
    pub fn create(place: &Path, may_overwrite: bool) -> Result<Self, OutputError> {
        let cannot_write = |error| OutputError::CannotWrite(place.to_owned(), error);
        if place.is_dir() {
            return Err(OutputError::IsFolder(place.to_owned()));
        }
        if place.metadata().is_ok_and(|about| !about.is_file()) {
            let device = OpenOptions::new().write(true).open(place).map_err(cannot_write)?;
            let temporary = Temporary::Device(BufWriter::with_capacity(256 * 1024, device));
            return Ok(Self { place: place.to_owned(), may_overwrite, temporary });
        }
        if !may_overwrite && place.symlink_metadata().is_ok() {
            return Err(OutputError::Exists(place.to_owned()));
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(OutputError::NoFolder(place.to_owned(), folder.to_owned()));
        }
        let temporary = begin_unfinished(folder, place.file_name().unwrap_or_default());
        let temporary = temporary.map_err(cannot_write)?;
        Ok(Self {
            place: place.to_owned(),
            may_overwrite,
            temporary: Temporary::Beside(BufWriter::with_capacity(256 * 1024, temporary)),
        })
    }

    /// Checks whether a file at `place` could be written.
    pub fn check(place: &Path, may_overwrite: bool) -> Result<(), OutputError> {
        // Opening a pipe and closing it again would end its reader.
        let is_device = place.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir());
        if is_device { Ok(()) } else { Self::create(place, may_overwrite).map(drop) }
    }

    /// Puts the complete file in its place, and says where that is. Without this it vanishes.
    pub fn keep(self) -> Result<PathBuf, OutputError> {
        let Self { place, may_overwrite, temporary } = self;
        let kept = match temporary {
            Temporary::Device(mut device) => device.flush(),
            Temporary::Beside(file) => {
                file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
                    let kept =
                        if may_overwrite { file.persist(&place) } else { file.persist_noclobber(&place) };
                    kept.map(drop).map_err(|error| error.error)
                })
            }
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
        match &mut self.temporary {
            Temporary::Beside(file) => file.write(bytes),
            Temporary::Device(device) => device.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.temporary {
            Temporary::Beside(file) => file.flush(),
            Temporary::Device(device) => device.flush(),
        }
    }
}

/// The beginning of the name of a file that is not complete.
pub(crate) const UNFINISHED: &str = ".backscroll-unfinished-";

/// A file in `folder` that will be called `name`. What a killed program left of the same file goes away.
fn begin_unfinished(folder: &Path, name: &OsStr) -> io::Result<NamedTempFile> {
    let beginning = format!("{UNFINISHED}{}-", &hash(name.as_encoded_bytes())[..12]);
    remove_abandoned(folder, &beginning);
    locked(folder, &beginning)
}

/// A file in `folder`, one of many.
pub(crate) fn one_of_many(folder: &Path) -> io::Result<NamedTempFile> {
    locked(folder, UNFINISHED)
}

fn locked(folder: &Path, beginning: &str) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new().prefix(beginning).tempfile_in(folder)?;
    // Where the disk has no locks, the file is never taken for abandoned.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes files of `folder` whose names begin like this and that no program writes. What cannot be removed does no harm.
pub(crate) fn remove_abandoned(folder: &Path, beginning: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(beginning)) {
        let opened = OpenOptions::new().write(true).open(entry.path());
        if opened.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_written_stays_and_what_was_left_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = |name: &str| begin_unfinished(folder.path(), OsStr::new(name)).expect("a file");
        let being_written = begin("a.md");
        let (left, other) = (begin("a.md"), begin("b.md"));
        let (left, other) = (left.into_temp_path(), other.into_temp_path());
        let next = begin("a.md");
        assert!(being_written.path().exists() && next.path().exists());
        assert!(!left.exists(), "nobody writes it any more");
        assert!(other.exists(), "it is of another file");
        remove_abandoned(folder.path(), UNFINISHED);
        assert!(being_written.path().exists() && !other.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_stays_a_pipe() {
        use std::os::unix::fs::FileTypeExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).expect("text")
        });
        let mut file = OutputFile::create(&pipe, true).expect("it can be opened");
        file.write_all(b"all of it").expect("written");
        assert!(file.keep().is_ok());
        assert_eq!(reader.join().expect("it was read"), "all of it");
        assert!(fs::symlink_metadata(&pipe).expect("it is there").file_type().is_fifo());
    }
}
