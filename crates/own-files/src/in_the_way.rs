//! What may lie where a file or a folder of ours is to be, and the sentence that says so.

use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::FileTypeExt as _;
use cap_std::fs::Metadata;

/// Something else lies in the place of a file or folder of ours.
#[derive(Debug, thiserror::Error)]
#[error("{} {is}", place.display())]
struct InTheWay {
    place: PathBuf,
    is: String,
}

/// True if this error says that something else lies in the place of a file or folder of ours.
pub fn is_in_the_way(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<InTheWay>)
}

fn in_the_way(place: &Path, is: String) -> io::Error {
    io::Error::other(InTheWay { place: place.to_owned(), is })
}

/// An error unless this is an ordinary file.
pub(crate) fn check_file(about: &Metadata, place: &Path) -> io::Result<()> {
    check_kind(about.is_file(), "file", about, place)
}

/// An error unless this is a folder. A file is harmless, so it only makes a folder unusable.
pub(crate) fn check_folder(about: &Metadata, place: &Path) -> io::Result<()> {
    let checked = check_kind(about.is_dir(), "folder", about, place);
    if !about.is_file() {
        return checked;
    }
    checked.map_err(|error| io::Error::new(io::ErrorKind::NotADirectory, error.to_string()))
}

fn check_kind(is_right: bool, wanted: &str, about: &Metadata, place: &Path) -> io::Result<()> {
    let is = || format!("is not a {wanted} but {}: remove it, or name another place", kind(about));
    if is_right { Ok(()) } else { Err(in_the_way(place, is())) }
}

fn kind(about: &Metadata) -> &'static str {
    let kind = about.file_type();
    match () {
        () if kind.is_symlink() => "a link",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_block_device() || kind.is_char_device() => "a device",
        () if kind.is_dir() => "a folder",
        () if kind.is_file() => "a file",
        () => "something else",
    }
}

/// An error if this belongs to another user.
pub(crate) fn check_own(about: &Metadata, place: &Path) -> io::Result<()> {
    check_owner(is_own(about), place)
}

/// An error if this belongs to another user than root, who may do everything anyway.
pub(crate) fn check_trusted(about: &Metadata, place: &Path) -> io::Result<()> {
    check_owner(is_own(about) || is_of_root(about), place)
}

fn check_owner(is_right: bool, place: &Path) -> io::Result<()> {
    let is = || "belongs to another user: name a place of your own".to_owned();
    if is_right { Ok(()) } else { Err(in_the_way(place, is())) }
}

/// An error if this file has another name, which may be that of the user's own file.
pub(crate) fn check_single(about: &Metadata, place: &Path) -> io::Result<()> {
    let is = || "is also another file (a hard link): remove it, or name another place".to_owned();
    if cap_fs_ext::MetadataExt::nlink(about) == 1 { Ok(()) } else { Err(in_the_way(place, is())) }
}

/// True if this belongs to the user of this process.
#[cfg(unix)]
pub(crate) fn is_own(about: &Metadata) -> bool {
    cap_std::fs::MetadataExt::uid(about) == rustix::process::geteuid().as_raw()
}

/// Other systems have no single owner; there, rights are inherited from the folder of the user.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn is_of_root(about: &Metadata) -> bool {
    cap_std::fs::MetadataExt::uid(about) == 0
}

#[cfg(not(unix))]
fn is_of_root(_: &Metadata) -> bool {
    true
}
