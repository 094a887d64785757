//! The one way to open a file that is not read by SQLite.
//!
//! Anything may lie where Cursor keeps a file: a pipe, which would be waited for without end, a device that never ends, a
//! folder, a link that leads nowhere, a file of many gigabytes. All of these are errors at once, and every read has a limit.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;

use crate::work;

/// The largest small file: what describes a session, a workspace or a list of prompts.
pub(crate) const SMALL: u64 = 16 * 1024 * 1024;

/// The whole of a small file that holds text: settings, a configuration.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_within(path, SMALL)
}

/// The same for one that has at most `most` bytes.
pub fn read_text_within(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Opens the file at `path`, or the one that a link there leads to. Anything but a file is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    work::opened();
    File::open(path)
}

/// The whole of a file that has at most `most` bytes. A larger one is an error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_from(open(path)?, most)
}

/// The same for what is open already, such as standard input. Nothing is read behind the limit.
pub fn read_from(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let (bytes, is_all) = beginning_of(input, most)?;
    if is_all {
        Ok(bytes)
    } else {
        Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most} bytes")))
    }
}

/// At most `most` bytes from the beginning of a file, and whether that is all of it.
pub(crate) fn beginning(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    beginning_of(open(path)?, most)
}

/// At most `most` bytes from the end of a file.
pub(crate) fn end(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    Ok(beginning_of(file, most)?.0)
}

fn beginning_of(input: impl Read, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    input.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    work::read(bytes.len());
    let is_all = bytes.len() as u64 <= most;
    if !is_all {
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    Ok((bytes, is_all))
}

/// The lines of a file, without their ends. No more than `most` bytes are read.
pub(crate) fn lines(path: &Path, most: u64) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
    Ok(BufReader::new(open(path)?.take(most)).split(b'\n'))
}

/// An error that says what lies at `path` if that is no file.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    check_file(&metadata(path)?)
}

/// The same for a place of which this is known.
pub(crate) fn check_file(metadata: &Metadata) -> io::Result<()> {
    match kind_name(metadata.file_type()) {
        None => Ok(()),
        Some(name) => Err(io::Error::other(format!("it is {name}, not a file"))),
    }
}

/// An error that says what this is if it is no folder.
pub(crate) fn check_folder(metadata: &Metadata) -> io::Result<()> {
    let name = kind_name(metadata.file_type()).unwrap_or("a file");
    if metadata.is_dir() { Ok(()) } else { Err(io::Error::other(format!("it is {name}, not a folder"))) }
}

/// What is known of the place that `path` leads to. A link that leads nowhere is not absent, so its error is of another kind.
pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    fs::metadata(path).map_err(|error| {
        let leads_nowhere = is_absent(&error) && path.is_symlink();
        if leads_nowhere { io::Error::other("it is a link to something that is not there") } else { error }
    })
}

/// Whether an error only says that nothing is there.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What this is, if it is no file.
fn kind_name(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_block_device() || kind.is_char_device() {
            return Some("a device");
        }
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    (!kind.is_file()).then_some("something else")
}
