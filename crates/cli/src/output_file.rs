//! A file that appears only when it is complete: written beside its place, then moved there.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{CommandError, is_full_disk};
use crate::exit::Exit;
use crate::unfinished;

/// A file in the making.
pub(crate) struct OutputFile {
    place: PathBuf,
    may_overwrite: bool,
    temporary: BufWriter<NamedTempFile>,
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
        if !may_overwrite && place.symlink_metadata().is_ok() {
            return Err(exists(place));
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let error = OutputError::NoFolder(place.to_owned(), folder.to_owned());
            return Err(CommandError::new(Exit::Refused, error).hinted("make the folder first"));
        }
        let temporary = unfinished::begin(folder, place.file_name().unwrap_or_default());
        let temporary = temporary.map_err(|error| cannot_write(place, error))?;
        Ok(Self {
            place: place.to_owned(),
            may_overwrite,
            temporary: BufWriter::with_capacity(256 * 1024, temporary),
        })
    }

    /// Puts the complete file in its place, and says where that is. Without this it vanishes.
    pub(crate) fn keep(self) -> Result<PathBuf, CommandError> {
        let Self { place, may_overwrite, temporary } = self;
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
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
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
