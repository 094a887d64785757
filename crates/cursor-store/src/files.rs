//! What folders and small files hold, and whether anybody wrote to them, without opening what did not change.
//!
//! A home may have thousands of folders. Their names are remembered between runs ([`FileCache`]) and believed as long as
//! the folder's own time is the old one; the same goes for the few words that are needed of a small file. A *stamp* is a
//! number made of size, times and identity of a file. While all places are searched, a folder is looked at once. Where a file was written to just now, two writes may fall into
//! one tick of the clock: then nothing is remembered, and the stamp of a database also has the counters in its header
//! and log.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, FileType, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use backscroll_model::{Finding, FindingKind, locked};
use jiff::Timestamp;

use crate::file_state::{JOURNAL_MAGIC, companion};
use crate::fingerprint;
use crate::plain_file::{self, is_absent};
use crate::project_folder::WORKSPACE_TRUSTED;
use crate::recognise::is_name_of_copy;
use crate::work;
use crate::workspace_folders::unreadable;

/// The stamp of what is not there.
pub(crate) const ABSENT: u64 = 0;

/// A file that was written to this recently may be written to again without a change of its time. Some file systems
/// count in steps of two seconds.
const RECENT: Duration = Duration::from_secs(3);

/// Folders and small files, remembered between runs.
#[derive(Debug)]
pub struct FileCache {
    /// When this look began.
    now: SystemTime,
    /// What an earlier run remembered, a line for each folder and file.
    stored: String,
    /// Where the lines are, by what is remembered and the path.
    lines: HashMap<String, HashMap<String, Line>>,
    /// What was read in this run.
    read: Mutex<HashMap<(&'static str, PathBuf), Remembered>>,
    /// What lies in place of a file or a folder that we would read, and why it cannot be read.
    odd: Mutex<BTreeMap<PathBuf, String>>,
    /// The folders that were searched in this run, as they first were; absent ones too. By the text of the path: a `Path` is hashed
    /// by its components, which takes much longer.
    searched: Mutex<HashMap<OsString, SearchedFolder>>,
    /// While all places are searched, each folder is looked at once.
    is_searching: AtomicBool,
}

/// A folder that was searched.
#[derive(Debug)]
struct SearchedFolder {
    stamp: u64,
    /// What it holds, as long as the search lasts.
    children: Option<Arc<[Child]>>,
}

/// One line of what an earlier run remembered.
#[derive(Debug, Clone)]
struct Line {
    stamp: u64,
    content: Range<usize>,
}

#[derive(Debug, Clone)]
struct Remembered {
    stamp: u64,
    content: Arc<str>,
    /// Whether it may be believed in another run.
    is_settled: bool,
}

/// The names of a folder are remembered under this word.
const NAMES: &str = "names";

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
    kind: ChildKind,
}

/// What the folder itself says that a child is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChildKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl ChildKind {
    fn from_file_type(kind: FileType) -> Self {
        if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Other
        }
    }

    /// As it is remembered, between two slashes.
    fn letter(self) -> &'static str {
        match self {
            Self::File => ".",
            Self::Folder => " ",
            Self::Link => "@",
            Self::Other => "!",
        }
    }

    fn from_letter(letter: &str) -> Self {
        let known = [Self::Folder, Self::Link, Self::Other].into_iter().find(|kind| kind.letter() == letter);
        known.unwrap_or(Self::File)
    }
}

impl Child {
    fn new(path: PathBuf, kind: ChildKind) -> Self {
        let is_folder = kind == ChildKind::Folder || (kind == ChildKind::Link && path.is_dir());
        Self { path, is_folder, kind }
    }

    /// Why it cannot be read, if it lies where we would read a file or a folder and is none, is a link that leads in a circle, or is
    /// not what SQLite keeps beside a database.
    fn oddness(&self) -> Option<io::Error> {
        if self.kind == ChildKind::File {
            return odd_companion(&self.path);
        }
        let is_file = is_read(&name_of(&self.path));
        if self.kind == ChildKind::Folder && !is_file {
            return None;
        }
        let is_place = is_file || is_place_of_folder(&self.path);
        if self.kind == ChildKind::Other && !is_place {
            return None;
        }
        // Elsewhere a link may well lead nowhere: the editor's locks are such links.
        let about = if is_place { plain_file::metadata(&self.path) } else { fs::metadata(&self.path) };
        let check = |about: Metadata| {
            let is_file = is_file || about.is_file();
            if is_file { plain_file::check_file(&about) } else { plain_file::check_folder(&about) }
        };
        about.and_then(check).err().filter(|error| !is_absent(error))
    }
}

/// SQLite's shared memory has 32 kB for each 4096 pages of a log. This is enough for a log of 30 GB.
const MOST_SHARED_MEMORY: u64 = 64 * 1024 * 1024;

/// Why a file beside a database is not what its name says: shared memory that is too large, or a journal that begins like none.
fn odd_companion(path: &Path) -> Option<io::Error> {
    let name = path.file_name()?.as_encoded_bytes();
    let why = if name.ends_with(b"-shm") {
        fs::metadata(path).ok().filter(|data| data.len() > MOST_SHARED_MEMORY)?;
        "it is too large for the shared memory of a database"
    } else if name.ends_with(b"-journal") {
        // That of a finished transaction is empty or begins with zeros.
        let (first, _) = plain_file::beginning(path, JOURNAL_MAGIC.len() as u64).ok()?;
        let is_journal = first == JOURNAL_MAGIC || first.iter().all(|byte| *byte == 0);
        (!is_journal).then_some("it is no journal of a database")?
    } else {
        return None;
    };
    Some(io::Error::other(why))
}

/// Whether a file of this name is one that we read.
fn is_read(name: &str) -> bool {
    const ENDINGS: [&str; 11] = [
        ".vscdb", ".db", "-wal", "-shm", "-journal", ".json", ".jsonl", ".ndjson", ".txt", ".plan.md", ".log",
    ];
    is_name_of_copy(name) || name == WORKSPACE_TRUSTED || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Folders that we read, and those of them whose children are folders that we read, whatever they are called.
const FOLDERS: [&str; 6] = ["ai-tracking", "globalStorage", "plans", "agent-tools", "agents", "subagents"];
const HOLDERS: [&str; 7] = [
    "acp-sessions",
    "agent-transcripts",
    "chats",
    "profiles",
    "projects",
    "sdk-agent-store",
    "workspaceStorage",
];

/// Whether a folder that we read lies at such a path.
fn is_place_of_folder(path: &Path) -> bool {
    let mut names = path.ancestors().map(name_of);
    let mut next = || names.next().unwrap_or_default();
    let (own, parent, above) = (next(), next(), next());
    let is_holder = |name: &String| HOLDERS.contains(&name.as_str());
    FOLDERS.contains(&own.as_str()) || is_holder(&own) || is_holder(&parent) || above == "chats"
}

impl FileCache {
    /// A cache that remembers what [`to_store`](FileCache::to_store) gave in an earlier run.
    pub fn new(stored: String, now: SystemTime) -> Self {
        let mut lines: HashMap<String, HashMap<String, Line>> = HashMap::new();
        let mut end = 0;
        for line in stored.split_inclusive('\n') {
            end += line.len();
            let line = line.trim_end_matches('\n');
            let mut fields = line.splitn(4, '\t');
            let mut next = || fields.next();
            if let (Some(what), Some(path), Some(stamp), Some(content)) = (next(), next(), next(), next())
                && let Ok(stamp) = u64::from_str_radix(stamp, 16)
            {
                let start = end - 1 - content.len();
                let line = Line { stamp, content: start..start + content.len() };
                lines.entry(what.to_owned()).or_default().insert(path.to_owned(), line);
            }
        }
        Self {
            now,
            stored,
            lines,
            read: Mutex::default(),
            odd: Mutex::default(),
            searched: Mutex::default(),
            is_searching: AtomicBool::new(true),
        }
    }

    /// Ends the search of all places: from now on a folder is looked at whenever somebody asks.
    pub fn end_search(&self) {
        self.is_searching.store(false, Ordering::Relaxed);
        locked(&self.searched).values_mut().for_each(|searched| searched.children = None);
    }

    /// What another run may remember; `None` if it is what this one began with.
    pub fn to_store(&self) -> Option<String> {
        let read = locked(&self.read);
        let new: HashMap<(&str, &str), &Remembered> = read
            .iter()
            .filter(|(_, one)| one.is_settled)
            .filter_map(|((what, path), one)| Some(((*what, written_path(path)?), one)))
            .collect();
        if new.is_empty() {
            return None;
        }
        let mut text = String::with_capacity(self.stored.len());
        let mut line = |what: &str, path: &str, stamp: u64, content: &str| {
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{what}\t{path}\t{stamp:x}\t{content}");
        };
        for (what, lines) in &self.lines {
            for (path, old) in
                lines.iter().filter(|(path, _)| !new.contains_key(&(what.as_str(), path.as_str())))
            {
                line(what, path, old.stamp, &self.stored[old.content.clone()]);
            }
        }
        for ((what, path), one) in new {
            line(what, path, one.stamp, &one.content);
        }
        Some(text)
    }

    /// Every folder that was searched for stores, with its stamp from before.
    pub fn searched_folders(&self) -> Vec<(PathBuf, u64)> {
        locked(&self.searched).iter().map(|(folder, searched)| (folder.into(), searched.stamp)).collect()
    }

    /// What a folder holds, in order of name.
    pub(crate) fn read_folder(&self, folder: &Path) -> io::Result<Arc<[Child]>> {
        let known =
            locked(&self.searched).get(folder.as_os_str()).and_then(|searched| searched.children.clone());
        if let Some(children) = known {
            return Ok(children);
        }
        let metadata = plain_file::metadata(folder);
        let stamp = metadata.as_ref().map_or(ABSENT, stamp_of);
        locked(&self.searched).entry(folder.into()).or_insert(SearchedFolder { stamp, children: None });
        let metadata = metadata.and_then(|about| plain_file::check_folder(&about).map(|()| about));
        let metadata = metadata.inspect_err(|error| self.note_odd(folder, error))?;
        let children: Arc<[Child]> = self.look_at_folder(folder, &metadata)?.into();
        if self.is_searching.load(Ordering::Relaxed)
            && let Some(searched) = locked(&self.searched).get_mut(folder.as_os_str())
        {
            searched.children = Some(Arc::clone(&children));
        }
        Ok(children)
    }

    fn look_at_folder(&self, folder: &Path, metadata: &Metadata) -> io::Result<Vec<Child>> {
        let names = self.remembered(folder, NAMES, metadata, || {
            work::opened();
            let mut names: Vec<(Option<String>, PathBuf, FileType)> = Vec::new();
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                names.push((entry.file_name().into_string().ok(), entry.path(), entry.file_type()?));
            }
            names.sort_by(|a, b| a.1.cmp(&b.1));
            Ok(written(&names).ok_or_else(|| children_of(names)))
        })?;
        let children = names.map_or_else(|children| children, |names| read_names(folder, &names));
        for child in &children {
            if let Some(error) = child.oddness() {
                self.note_odd(&child.path, &error);
            }
        }
        Ok(children)
    }

    /// One finding for each place where a file or a folder should be that could not be read, as far as anybody looked so far.
    pub fn findings(&self) -> Vec<Finding> {
        locked(&self.odd).iter().map(|(path, why)| unreadable(path, why)).collect()
    }

    /// What a folder holds, in order of name; nothing if it is absent or cannot be read.
    pub(crate) fn children(&self, folder: &Path) -> Arc<[Child]> {
        self.read_folder(folder).unwrap_or_default()
    }

    /// The same. A folder that is there and cannot be read is a finding, unless it is one of [`findings`](Self::findings) already.
    pub(crate) fn children_reported(&self, folder: &Path, findings: &mut Vec<Finding>) -> Arc<[Child]> {
        let children = self.read_folder(folder);
        if !locked(&self.odd).contains_key(folder) {
            findings.extend(closed(folder, &children));
        }
        children.unwrap_or_default()
    }

    /// The place called `name` in a folder. `None` if the names of the folder do not have it, so that it need not be looked at.
    pub(crate) fn child(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        let is_there = match self.read_folder(folder) {
            Ok(children) => {
                children.binary_search_by_key(&Some(OsStr::new(name)), |child| child.path.file_name()).is_ok()
            }
            // A folder may be closed to readers while what is inside is open.
            Err(error) => !is_absent(&error),
        };
        is_there.then(|| folder.join(name))
    }

    /// The folders in a folder, in order of name.
    pub(crate) fn folders(&self, folder: &Path) -> Vec<PathBuf> {
        let children = self.children(folder);
        children.iter().filter(|child| child.is_folder).map(|child| child.path.clone()).collect()
    }

    /// The files in a folder, in order of name.
    pub(crate) fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let children = self.children(folder);
        children.iter().filter(|child| !child.is_folder).map(|child| child.path.clone()).collect()
    }

    /// The few words that `find` makes of a small file; what a file that did not change gave before is remembered under the
    /// word `what`.
    pub(crate) fn words_of(
        &self,
        file: &Path,
        what: &'static str,
        find: impl FnOnce(&[u8]) -> String,
    ) -> io::Result<String> {
        let words = plain_file::metadata(file).and_then(|metadata| {
            self.words_with(file, what, &metadata, || {
                let (bytes, _) = plain_file::beginning(file, MOST_WORDS)?;
                Ok(find(&bytes))
            })
        });
        words.inspect_err(|error| self.note_odd(file, error))
    }

    /// Notes that something is there and cannot be read.
    fn note_odd(&self, path: &Path, error: &io::Error) {
        if is_absent(error) {
            return;
        }
        locked(&self.odd).insert(path.to_owned(), error.to_string());
    }

    /// The same for words that are found in another way, such as by asking a database.
    pub(crate) fn words_with(
        &self,
        file: &Path,
        what: &'static str,
        metadata: &Metadata,
        find: impl FnOnce() -> io::Result<String>,
    ) -> io::Result<String> {
        let words = self.remembered(file, what, metadata, || {
            let words = find()?;
            let is_line = !words.contains(['\n', '\t']);
            Ok(if is_line { Ok(words) } else { Err(words) })
        })?;
        Ok(words.map_or_else(|words| words, |words| words.as_ref().to_owned()))
    }

    /// What is remembered of `path` under `what`, or what `find` finds; what cannot be written down is its error.
    fn remembered<E>(
        &self,
        path: &Path,
        what: &'static str,
        metadata: &Metadata,
        find: impl FnOnce() -> io::Result<Result<String, E>>,
    ) -> io::Result<Result<Arc<str>, E>> {
        let stamp = stamp_of(metadata);
        let line = path.to_str().and_then(|path| self.lines.get(what)?.get(path));
        if let Some(line) = line.filter(|line| line.stamp == stamp) {
            return Ok(Ok(self.stored[line.content.clone()].into()));
        }
        let key = (what, path.to_owned());
        if let Some(known) =
            locked(&self.read).get(&key).filter(|known| known.stamp == stamp && known.is_settled)
        {
            return Ok(Ok(Arc::clone(&known.content)));
        }
        let content: Arc<str> = match find()? {
            Ok(found) => found.into(),
            Err(other) => return Ok(Err(other)),
        };
        let is_settled = self.is_settled(metadata);
        locked(&self.read).insert(key, Remembered { stamp, content: Arc::clone(&content), is_settled });
        Ok(Ok(content))
    }

    /// Whether a file's time is old enough to be believed.
    fn is_settled(&self, metadata: &Metadata) -> bool {
        metadata.modified().is_ok_and(|at| at.checked_add(RECENT).is_some_and(|at| at < self.now))
    }

    /// The stamp of a database with its log.
    pub(crate) fn database_stamp(&self, path: &Path) -> u64 {
        self.stamp_with_log(path, true)
    }

    /// The stamps of these files and of a database in one folder. What the names in the folder do not have is not looked at.
    pub(crate) fn stamp_in(&self, folder: &Path, database: &str, files: &[&str]) -> u64 {
        let stamp = |name: &&str| self.child(folder, name).map_or(ABSENT, |file| file_stamp(&file));
        let files: Vec<u64> = files.iter().map(stamp).collect();
        let has_log = self.child(folder, &format!("{database}-wal")).is_some();
        let database = self.child(folder, database);
        let database = database.map_or(ABSENT, |database| self.stamp_with_log(&database, has_log));
        fingerprint::of(&(files, database))
    }

    /// The stamp of a database where the names in its folder say whether there may be a log.
    pub(crate) fn stamp_with_log(&self, path: &Path, has_log: bool) -> u64 {
        // The log lies beside the file itself, not beside a link to it.
        let Ok(mut metadata) = fs::symlink_metadata(path) else { return ABSENT };
        let mut real = None;
        if metadata.is_symlink() {
            let Ok(found) = fs::canonicalize(path) else { return ABSENT };
            let Ok(of_file) = fs::metadata(&found) else { return ABSENT };
            (metadata, real) = (of_file, Some(found));
        }
        let path = real.as_deref().unwrap_or(path);
        let log = companion(path, "-wal");
        let log_metadata = if has_log || real.is_some() { fs::metadata(&log).ok() } else { None };
        // Without the time at which it was put in its place: SQLite gives it to the owner of the database whenever
        // the system's administrator opens it, which counts as such.
        let written = log_metadata.as_ref().map(|metadata| (metadata.len(), metadata.modified().ok()));
        let stamp = (stamp_of(&metadata), written);
        if self.is_settled(&metadata) && log_metadata.is_none_or(|log| self.is_settled(&log)) {
            return fingerprint::of(&stamp);
        }
        fingerprint::of(&(stamp, change_counter(path), log_tail(&log)))
    }
}

impl Default for FileCache {
    /// A cache that remembers nothing, and believes no time.
    fn default() -> Self {
        let cache = Self::new(String::new(), SystemTime::UNIX_EPOCH);
        cache.end_search();
        cache
    }
}

/// At most this much of a small file is read for a few words.
const MOST_WORDS: u64 = 1024 * 1024;

/// A path as it is written down; none for what is not text.
fn written_path(path: &Path) -> Option<&str> {
    path.to_str().filter(|path| !path.contains(['\n', '\t']))
}

/// The names of a folder in one line, each with what it is. `None` if one of them is no text.
fn written(names: &[(Option<String>, PathBuf, FileType)]) -> Option<String> {
    let mut line = String::new();
    for (name, _, kind) in names {
        let name = name.as_ref().filter(|name| !name.contains(['\n', '\t']))?;
        line.extend([name, "/", ChildKind::from_file_type(*kind).letter(), "/"]);
    }
    Some(line)
}

fn read_names(folder: &Path, line: &str) -> Vec<Child> {
    let mut children = Vec::new();
    let mut parts = line.split('/');
    while let (Some(name), Some(letter)) = (parts.next(), parts.next()) {
        children.push(Child::new(folder.join(name), ChildKind::from_letter(letter)));
    }
    children
}

fn children_of(names: Vec<(Option<String>, PathBuf, FileType)>) -> Vec<Child> {
    names.into_iter().map(|(_, path, kind)| Child::new(path, ChildKind::from_file_type(kind))).collect()
}

/// The stamp of a file: which one it is, how long, and when it was last written or put in its place.
pub fn file_stamp(path: &Path) -> u64 {
    fs::metadata(path).map_or(ABSENT, |metadata| stamp_of(&metadata))
}

/// A number that changes when a name comes into a folder or goes out of it. What SQLite puts beside a database does not count: such
/// files come and go with every transaction.
pub fn names_stamp(folder: &Path) -> u64 {
    let is_companion = |name: &str| ["-wal", "-shm", "-journal"].iter().any(|ending| name.ends_with(ending));
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    names.retain(|name| !is_companion(&name.to_string_lossy()));
    names.sort();
    fingerprint::of(&names)
}

fn stamp_of(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let identity = metadata.created().ok();
    fingerprint::of(&(metadata.len(), metadata.modified().ok(), identity))
}

/// Which file lies at `path`, where the system says.
pub(crate) fn identity(path: &Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map_or(ABSENT, |metadata| fingerprint::of(&(metadata.dev(), metadata.ino())))
    }
    #[cfg(not(unix))]
    {
        fs::metadata(path).map_or(ABSENT, |metadata| fingerprint::of(&metadata.created().ok()))
    }
}

/// How often a database was changed, as its header counts.
fn change_counter(path: &Path) -> Option<[u8; 4]> {
    let mut header = [0; 28];
    plain_file::open(path).ok()?.read_exact(&mut header).ok()?;
    header.last_chunk().copied()
}

const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The salt of a log's header, the number of frames that carry it, and the last one's checksum.
pub(crate) fn log_tail(log: &Path) -> Option<([u8; 8], u64, [u8; 8])> {
    let mut file = plain_file::open(log).ok()?;
    let mut header = [0_u8; LOG_HEADER];
    file.read_exact(&mut header).ok()?;
    let page = u64::from(u32::from_be_bytes(*header[8..].first_chunk()?));
    let salt: [u8; 8] = *header[16..].first_chunk()?;
    let frames = file.metadata().ok()?.len().saturating_sub(LOG_HEADER as u64) / (page + FRAME_HEADER as u64);
    let mut frame = |number: u64| -> io::Result<([u8; 8], [u8; 8])> {
        let mut bytes = [0_u8; FRAME_HEADER];
        file.seek(SeekFrom::Start(LOG_HEADER as u64 + number * (page + FRAME_HEADER as u64)))?;
        file.read_exact(&mut bytes)?;
        let [salt, sum] = [8, 16].map(|at| bytes[at..].first_chunk().copied().unwrap_or_default());
        Ok((salt, sum))
    };
    let (mut known, mut beyond) = (0, frames);
    while known < beyond {
        let middle = known + (beyond - known) / 2;
        if frame(middle).ok()?.0 == salt { known = middle + 1 } else { beyond = middle }
    }
    let sum = known.checked_sub(1).and_then(|last| frame(last).ok()).map_or([0; 8], |(_, sum)| sum);
    Some((salt, known, sum))
}

/// Whether a place is there. One of which not even that can be found out is a finding, as is a link that leads nowhere.
pub(crate) fn is_there(path: &Path, findings: &mut Vec<Finding>) -> bool {
    found(path, &plain_file::metadata(path).map(|_| ()), findings)
}

/// Whether a folder is there. Anything else in its place is a finding.
pub(crate) fn is_folder_there(path: &Path, findings: &mut Vec<Finding>) -> bool {
    let looked = plain_file::metadata(path).and_then(|about| plain_file::check_folder(&about));
    found(path, &looked, findings)
}

fn found(path: &Path, looked: &io::Result<()>, findings: &mut Vec<Finding>) -> bool {
    let error = looked.as_ref().err().filter(|error| !is_absent(error));
    findings.extend(error.map(|error| unreadable(path, &error.to_string())));
    looked.is_ok()
}

/// Whether anything is there, be it a link that leads nowhere.
pub(crate) fn is_anything(path: &Path) -> bool {
    !fs::symlink_metadata(path).is_err_and(|error| is_absent(&error))
}

/// A finding for each log or journal in a folder whose database is not there.
pub(crate) fn without_database(children: &[Child]) -> Vec<Finding> {
    let has = |path: &Path| children.iter().any(|child| child.path == path);
    let database = |child: &Child| {
        let name = name_of(&child.path);
        let name = name.strip_suffix("-wal").or_else(|| name.strip_suffix("-journal"))?;
        (!child.is_folder && DATABASES.contains(&name)).then(|| child.path.with_file_name(name))
    };
    let alone = children.iter().filter_map(|child| Some((child, database(child)?)));
    let alone = alone.filter(|(child, database)| {
        !has(database) && fs::metadata(&child.path).is_ok_and(|metadata| metadata.len() > 0)
    });
    let finding = |(child, database): (&Child, PathBuf)| {
        let says = format!("the database is missing, although {} is there", name_of(&child.path));
        Finding { kind: FindingKind::Damaged, ..unreadable(&database, &says) }
    };
    alone.map(finding).collect()
}

/// The databases that Cursor keeps conversations in.
const DATABASES: [&str; 5] =
    ["state.vscdb", "conversation-search.db", "store.db", "index.db", "ai-code-tracking.db"];

/// A finding for a folder that is there and cannot be read.
pub(crate) fn closed(path: &Path, read: &io::Result<Arc<[Child]>>) -> Option<Finding> {
    let error = read.as_ref().err()?;
    (!is_absent(error)).then(|| unreadable(path, &error.to_string()))
}

/// The last part of a path, as text.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// When a file was last changed, to the millisecond, as all stored times are.
pub(crate) fn changed_at(path: &Path) -> Option<Timestamp> {
    let changed = Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok()?;
    Timestamp::from_millisecond(changed.as_millisecond()).ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
mod tests {
    use super::*;

    fn later(seconds: u64) -> SystemTime {
        // The clock is given everywhere else; here it is compared with that of the file system.
        #[expect(clippy::disallowed_methods, reason = "files of this test are written now")]
        let now = SystemTime::now();
        now + Duration::from_secs(seconds)
    }

    #[test]
    fn names_are_remembered_until_the_folder_changes() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a folder")).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let cache = FileCache::new(String::new(), later(10));
        let first = cache.read_folder(folder.path()).unwrap();
        assert_eq!(first.iter().map(|child| child.is_folder).collect::<Vec<_>>(), [true, false]);
        let stored = cache.to_store().expect("something is new");
        let again = FileCache::new(stored, later(10));
        let before = work::done();
        assert_eq!(again.read_folder(folder.path()).unwrap(), first);
        assert_eq!(work::done().opened, before.opened, "nothing is opened");
        assert_eq!(again.to_store(), None);
        fs::write(folder.path().join("other"), "").unwrap();
        let third = FileCache::new(again.stored.clone(), later(20));
        assert_eq!(third.read_folder(folder.path()).unwrap().len(), 3);
        assert!(third.to_store().is_some());
    }

    #[test]
    fn what_was_written_just_now_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FileCache::new(String::new(), later(0));
        cache.read_folder(folder.path()).unwrap();
        assert_eq!(cache.to_store(), None);
    }

    #[test]
    fn words_of_a_file_are_found_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "one two").unwrap();
        let cache = FileCache::new(String::new(), later(10));
        let first =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).split(' ').next().unwrap_or_default().to_owned();
        assert_eq!(cache.words_of(&file, "first", first).unwrap(), "one");
        let again = FileCache::new(cache.to_store().unwrap(), later(10));
        assert_eq!(again.words_of(&file, "first", |_| unreachable!("it did not change")).unwrap(), "one");
        fs::write(&file, "three two").unwrap();
        assert_eq!(again.words_of(&file, "first", first).unwrap(), "three");
        let lines = |_: &[u8]| "two\nlines".to_owned();
        assert_eq!(
            again.words_of(&file, "lines", lines).unwrap(),
            "two\nlines",
            "what is no line is not remembered"
        );
    }

    #[test]
    fn a_damaged_memory_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        for stored in ["\n\n", "names", "names\tx\t", "\t\t\t\n\t", "names /\tffff\ta/./b"] {
            let cache = FileCache::new(stored.to_owned(), later(10));
            assert_eq!(cache.read_folder(folder.path()).unwrap().len(), 1);
        }
    }
}
