//! A file that appears only when it is complete: written beside its place, then moved there.
//!
//! Until then its name says that it is unfinished, and it is locked: so what a killed program left differs from what another
//! one is just writing.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::NamedTempFile;

use crate::error::{CommandError, Exit, is_full_disk};
use crate::export_folder::hash;

/// A file in the making.
pub(crate) struct OutputFile {
    place: PathBuf,
    may_overwrite: bool,
    temporary: Temporary,
}

/// Where the bytes go until the file is complete.
enum Temporary {
    Beside(BufWriter<NamedTempFile>),
    /// A device or a pipe, such as `/dev/null`, is written to. It must never be replaced by a file.
    Device(BufWriter<fs::File>),
}

#[derive(Debug, thiserror::Error)]
enum OutputError {
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    #[error("{} is a folder", .0.display())]
    IsFolder(PathBuf),
    #[error("cannot write {}: there is no folder {}", .0.display(), .1.display())]
    NoFolder(PathBuf, PathBuf),
    #[error("cannot write {}", .0.display())]
    CannotWrite(PathBuf, #[source] io::Error),
}

impl OutputFile {
    /// Begins a file that will stand at `place`.
    pub(crate) fn create(place: &Path, may_overwrite: bool) -> Result<Self, CommandError> {
        if place.is_dir() {
            let error = CommandError::new(Exit::Refused, OutputError::IsFolder(place.to_owned()));
            return Err(error.hinted("name a file in it"));
        }
        if place.metadata().is_ok_and(|about| !about.is_file()) {
            let device = OpenOptions::new().write(true).open(place);
            let device = device.map_err(|error| cannot_write(place, error))?;
            let temporary = Temporary::Device(BufWriter::with_capacity(256 * 1024, device));
            return Ok(Self { place: place.to_owned(), may_overwrite, temporary });
        }
        if !may_overwrite && place.symlink_metadata().is_ok() {
            return Err(exists(place));
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let error = OutputError::NoFolder(place.to_owned(), folder.to_owned());
            return Err(CommandError::new(Exit::Refused, error).hinted("make the folder first"));
        }
        let temporary = begin_unfinished(folder, place.file_name().unwrap_or_default());
        let temporary = temporary.map_err(|error| cannot_write(place, error))?;
        Ok(Self {
            place: place.to_owned(),
            may_overwrite,
            temporary: Temporary::Beside(BufWriter::with_capacity(256 * 1024, temporary)),
        })
    }

    /// Puts the complete file in its place, and says where that is. Without this it vanishes.
    pub(crate) fn keep(self) -> Result<PathBuf, CommandError> {
        let Self { place, may_overwrite, temporary } = self;
        let temporary = match temporary {
            Temporary::Beside(temporary) => temporary,
            Temporary::Device(mut device) => {
                return device.flush().map(|()| place.clone()).map_err(|error| cannot_write(&place, error));
            }
        };
        let temporary = temporary.into_inner().map_err(|error| cannot_write(&place, error.into_error()))?;
        let kept =
            if may_overwrite { temporary.persist(&place) } else { temporary.persist_noclobber(&place) };
        match kept {
            Ok(_) => Ok(place),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&place)),
            Err(error) => Err(cannot_write(&place, error.error)),
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

fn exists(place: &Path) -> CommandError {
    CommandError::new(Exit::Refused, OutputError::Exists(place.to_owned()))
        .hinted("overwrite it with --force")
}

fn cannot_write(place: &Path, error: io::Error) -> CommandError {
    let is_full = is_full_disk(&error);
    let refused = CommandError::new(Exit::Refused, OutputError::CannotWrite(place.to_owned(), error));
    if is_full { refused.hinted("make room and try again") } else { refused }
}

/// How the name of a file begins that is not complete yet.
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
    // Where a disk knows no locks, nobody takes the file for abandoned.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes files of `folder` whose name has this beginning and that nobody writes. What cannot be removed does no harm.
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
        let mut file = OutputFile::create(&pipe, true).unwrap_or_else(|_| panic!("it can be opened"));
        file.write_all(b"all of it").expect("written");
        assert!(file.keep().is_ok());
        assert_eq!(reader.join().expect("it was read"), "all of it");
        assert!(fs::symlink_metadata(&pipe).expect("it is there").file_type().is_fifo());
    }
}
