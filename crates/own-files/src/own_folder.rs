//! An open folder, and the files and folders in it.
//!
//! Main type: [`OwnFolder`]. A path below it is walked name by name from the open folder, so a link in the place of any part
//! is an error, as is a part that leads out (`..`), and what others rename meanwhile leads nowhere else.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use tempfile::TempDir;

use crate::in_the_way::{check_file, check_folder, check_own, check_single, check_trusted, is_own};
use crate::unfinished::Unfinished;

/// An open folder.
#[derive(Debug)]
pub struct OwnFolder {
    pub(crate) dir: Dir,
    place: PathBuf,
    /// Comes behind `dir`, which is closed first: some systems remove no folder that is open.
    _made: Made,
}

/// Folders that were made, the innermost first. Those that are still empty are removed again.
#[derive(Debug, Default)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    #[expect(clippy::disallowed_methods, reason = "the system removes empty folders only, and no link")]
    fn drop(&mut self) {
        let _ = self.0.iter().try_for_each(std::fs::remove_dir);
    }
}

impl OwnFolder {
    /// Opens a folder that the user named, of any owner. Links at `place` and above are the user's own.
    pub fn open(place: &Path) -> io::Result<Self> {
        Self::over(place, Made::default())
    }

    /// Opens a folder that the user named, of which everything belongs to this user or to root, also a link that leads to it. If it
    /// does not exist, it is made for this user alone, with those above it; if nothing is put into it, these are removed again.
    pub fn make(place: &Path) -> io::Result<Self> {
        // A slash at the end would lead through the link.
        if let Ok(about) = place.components().as_path().symlink_metadata() {
            check_trusted(&Metadata::from_just_metadata(about), place)?;
        }
        let folder = Self::over(place, make_with_parents(place)?)?;
        check_trusted(&folder.dir.dir_metadata()?, place)?;
        Ok(folder)
    }

    /// Opens a folder that is ours alone, and makes it if it does not exist. Others may neither read it nor write to it, so the
    /// user's own path may lead there through links, but `place` itself must not be one.
    pub fn private(place: &Path) -> io::Result<Self> {
        let (above, name) = split(place)?;
        let made = make_with_parents(above)?;
        let above = Dir::open_ambient_dir(above, ambient_authority())?;
        let dir = enter(&above, name, place, true)?.ok_or(io::ErrorKind::NotFound)?;
        let about = dir.dir_metadata()?;
        check_own(&about, place)?;
        #[cfg(unix)]
        if about.permissions().mode() & 0o077 != 0 {
            let bits = about.permissions().mode() & 0o700;
            dir.set_permissions(".", cap_std::fs::Permissions::from_mode(bits))?;
        }
        Ok(Self { dir, place: place.to_owned(), _made: made })
    }

    /// The folder that [`OwnFolder::private`] made; `None` if there is none.
    pub fn find_private(place: &Path) -> io::Result<Option<Self>> {
        let (above, name) = split(place)?;
        let Some(above) = absent(Dir::open_ambient_dir(above, ambient_authority()))? else { return Ok(None) };
        let Some(dir) = enter(&above, name, place, false)? else { return Ok(None) };
        check_own(&dir.dir_metadata()?, place)?;
        Ok(Some(Self { dir, place: place.to_owned(), _made: Made::default() }))
    }

    fn over(place: &Path, made: Made) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(place, ambient_authority())?;
        Ok(Self { dir, place: place.to_owned(), _made: made })
    }

    /// Where it is, as it was named.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The folder that `path` is in, made if it does not exist and `is_made`, and the name in it.
    fn walk<'a>(&self, path: &'a Path, is_made: bool) -> io::Result<Option<(Dir, &'a OsStr)>> {
        let leads_out = || {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} is outside of the folder", path.display()),
            )
        };
        let mut parts = Vec::new();
        for part in path.components() {
            let Component::Normal(name) = part else { return Err(leads_out()) };
            parts.push(name);
        }
        let (name, folders) = parts.split_last().ok_or_else(leads_out)?;
        let (mut dir, mut place) = (self.dir.try_clone()?, self.place.clone());
        for folder in folders {
            place.push(folder);
            let Some(next) = enter(&dir, folder, &place, is_made)? else { return Ok(None) };
            check_trusted(&next.dir_metadata()?, &place)?;
            dir = next;
        }
        Ok(Some((dir, name)))
    }

    /// True if there is an ordinary file at `path`. Anything else there is an error.
    pub fn has(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        let path = path.as_ref();
        let Some((dir, name)) = self.walk(path, false)? else { return Ok(false) };
        let about = look(&dir, name)?;
        about.as_ref().map_or(Ok(()), |about| check_file(about, &self.place.join(path)))?;
        Ok(about.is_some())
    }

    /// The content of the file at `path`; `None` if there is none. A file of more than `most` bytes is an error.
    pub fn read(&self, path: impl AsRef<Path>, most: u64) -> io::Result<Option<Vec<u8>>> {
        let path = path.as_ref();
        let Some((dir, name)) = self.walk(path, false)? else { return Ok(None) };
        let place = self.place.join(path);
        let Some(file) = open_file(&dir, name, &place, OpenOptions::new().read(true))? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            let says = format!("{} is larger than {most} bytes", place.display());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, says));
        }
        Ok(Some(bytes))
    }

    /// Opens the file `name` to read it and to append to it; makes it if it does not exist, readable by this user alone.
    pub fn append(&self, name: &str) -> io::Result<File> {
        let place = self.place.join(name);
        let mut options = OpenOptions::new();
        let file = open_file(&self.dir, name.as_ref(), &place, options.read(true).append(true).create(true))?;
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        check_single(&Metadata::from_file(&file)?, &place)?;
        Ok(file)
    }

    /// Makes the empty file `name`, which must not exist.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.dir.open_with(name, &new_file()).map(cap_std::fs::File::into_std)
    }

    /// Begins a file that is put at `path` when it is complete. The folders above it are made.
    pub fn begin(&self, path: impl AsRef<Path>) -> io::Result<Unfinished> {
        let path = path.as_ref();
        let (dir, name) = self.walk(path, true)?.ok_or(io::ErrorKind::NotFound)?;
        Unfinished::begin(dir, name, "", self.place.join(path))
    }

    /// Writes the file at `path` anew: it has these bytes, or is what it was.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.begin(path)?;
        io::Write::write_all(&mut file, bytes)?;
        file.replace().map(drop)
    }

    /// Removes the file at `path`, if there is one, and the folder that it was in if nothing else is there.
    pub fn remove(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let Some((dir, name)) = self.walk(path, false)? else { return Ok(()) };
        if let Some(about) = look(&dir, name)? {
            check_file(&about, &self.place.join(path))?;
            dir.remove_file(name)?;
        }
        drop(dir);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let _ = self.walk(folder, false)?.map(|(above, name)| above.remove_dir(name));
        }
        Ok(())
    }

    /// Removes what lies in the place of the file `name` and is none: a link, not what it leads to, a pipe, an empty folder.
    pub fn clear(&self, name: &str) -> io::Result<()> {
        let place = self.place.join(name);
        match look(&self.dir, name.as_ref())? {
            Some(about) if about.is_dir() => self.dir.remove_dir(name).map_err(|_| {
                check_file(&about, &place).err().unwrap_or_else(|| io::ErrorKind::IsADirectory.into())
            }),
            Some(about) if !about.is_file() => self.dir.remove_file_or_symlink(name),
            _ => Ok(()),
        }
    }

    /// The names of what is in it, of those that are text.
    pub fn names(&self) -> Vec<String> {
        let entries = self.dir.entries().into_iter().flatten().filter_map(Result::ok);
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// Bytes that its disk has room for; `None` where the system does not say.
    #[cfg(unix)]
    pub fn room(&self) -> Option<u64> {
        let about = rustix::fs::fstatvfs(&self.dir).ok()?;
        Some(about.f_bavail.saturating_mul(about.f_frsize))
    }

    /// Bytes that its disk has room for; `None` where the system does not say.
    #[cfg(not(unix))]
    pub fn room(&self) -> Option<u64> {
        None
    }

    /// True if nothing is in it.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.dir.entries()?.next().is_none())
    }

    /// Removes what killed programs left of files in this folder and in those just below it.
    pub fn remove_abandoned(&self) {
        for name in self.names() {
            let is_folder = matches!(look(&self.dir, name.as_ref()), Ok(Some(about)) if about.is_dir());
            if let Some(below) = is_folder.then(|| self.dir.open_dir_nofollow(&name).ok()).flatten() {
                crate::unfinished::remove_abandoned(&below, "");
            }
        }
        crate::unfinished::remove_abandoned(&self.dir, "");
    }
}

/// Makes a folder for this user alone in `beneath`, with a name that begins so; it goes when it is dropped.
pub fn temporary_folder(beneath: &Path, beginning: &str) -> io::Result<TempDir> {
    let mut maker = tempfile::Builder::new();
    #[cfg(unix)]
    maker.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    maker.prefix(beginning).tempdir_in(beneath)
}

/// A folder and the name of what is in it.
fn split(place: &Path) -> io::Result<(&Path, &OsStr)> {
    let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let above = place.parent().filter(|above| !above.as_os_str().is_empty());
    Ok((above.unwrap_or(Path::new(".")), name))
}

/// Makes a folder that the user named, and those above it that are not there.
#[expect(clippy::disallowed_methods, reason = "links in a path that the user named are the user's own")]
fn make_with_parents(place: &Path) -> io::Result<Made> {
    let is_lacking = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made = Made(place.ancestors().take_while(is_lacking).map(Path::to_owned).collect());
    let mut maker = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
    maker.recursive(true).create(place)?;
    Ok(made)
}

/// Opens the folder `name` in `above`, which is made if it does not exist and `is_made`.
fn enter(above: &Dir, name: &OsStr, place: &Path, is_made: bool) -> io::Result<Option<Dir>> {
    let mut there = look(above, name)?;
    if there.is_none() && is_made {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "there is nothing to set"))]
        let mut maker = DirBuilder::new();
        #[cfg(unix)]
        maker.mode(0o700);
        match above.create_dir_with(name, &maker) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => there = look(above, name)?,
        }
    }
    let Some(about) = there else { return Ok(None) };
    check_folder(&about, place)?;
    absent(above.open_dir_nofollow(name))
}

/// Opens a file that was looked at first, and looks at what was opened: neither is waited for a pipe, nor a link followed.
fn open_file(dir: &Dir, name: &OsStr, place: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    if let Some(about) = look(dir, name)? {
        check_file(&about, place)?;
    }
    private(options).follow(FollowSymlinks::No).nonblock(true);
    let Some(file) = absent(dir.open_with(name, options))? else { return Ok(None) };
    check_file(&file.metadata()?, place)?;
    Ok(Some(file.into_std()))
}

/// Opens an ordinary file of this user, to write to it; `None` if it is something else or of another user.
pub(crate) fn open_own(dir: &Dir, name: &str) -> Option<File> {
    let about = look(dir, name.as_ref()).ok()?.filter(is_own)?;
    check_file(&about, name.as_ref()).ok()?;
    open_file(dir, name.as_ref(), name.as_ref(), OpenOptions::new().write(true)).ok()?
}

/// Options that make a file which must not exist.
pub(crate) fn new_file() -> OpenOptions {
    private(OpenOptions::new().read(true).write(true).create_new(true)).clone()
}

/// Options with which a file that is made is readable by this user alone.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Looks at what lies there, without following a link; `None` if nothing does.
pub(crate) fn look(dir: &Dir, name: &OsStr) -> io::Result<Option<Metadata>> {
    absent(dir.symlink_metadata(name))
}

fn absent<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}
