//! A folder of exported conversations: one file each, written whole, never over anything that is the user's.
//!
//! Its list says which file belongs to which conversation, and what was in it: one line of JSON for each file, added before the
//! file is put in its place, so that an export that was interrupted knows what is its own. A file whose content is another than
//! this list says belongs to the user.
//!
//! Names are `workspace/2026-01-19-title-98251e54.md`: safe on every system, and the same each time. Only letters, digits and
//! dashes are left of stored text, so a name cannot lead out of its folder, end in a dot, hide or turn around; it begins with a
//! day, so it is no device of Windows; and it is short.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use backscroll_model::Summary;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{CommandError, Exit};
use crate::export_writer::{Asset, Format};
use crate::output_file::{self, UNFINISHED, remove_abandoned};

/// How many files in the way are named.
const NAMED: usize = 5;

/// The folder for pictures.
pub(crate) const ASSETS: &str = "assets";

/// The folder.
pub(crate) struct Folder {
    root: PathBuf,
    /// The folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    manifest: Manifest,
    may_update: bool,
    may_overwrite: bool,
    /// Files that were written.
    pub(crate) written: usize,
    /// Files that were as they should be.
    pub(crate) unchanged: usize,
    /// Files that the user changed, and that were left alone.
    pub(crate) kept: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum FolderError {
    #[error("{} cannot be a folder of conversations", .0.display())]
    CannotOpen(PathBuf, #[source] io::Error),
    #[error("{} already in {}", .0, .1.display())]
    Exists(String, PathBuf),
}

impl Folder {
    /// Opens `root`, and makes it if it is not there. If nothing is put into it, it goes again.
    pub(crate) fn open(root: &Path, may_update: bool, may_overwrite: bool) -> Result<Self, CommandError> {
        let is_lacking = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = root.ancestors().take_while(is_lacking).map(Path::to_owned).collect();
        fs::create_dir_all(root).map_err(|error| {
            CommandError::new(Exit::Refused, FolderError::CannotOpen(root.to_owned(), error))
        })?;
        let manifest = Manifest::read(root);
        if may_update {
            remove_unfinished(root);
        }
        Ok(Self {
            root: root.to_owned(),
            made,
            manifest,
            may_update,
            may_overwrite,
            written: 0,
            unchanged: 0,
            kept: Vec::new(),
        })
    }

    /// Refuses, before anything is written, if a file that is not ours stands in the way.
    pub(crate) fn check<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<(), CommandError> {
        let is_ours = |path: &str| self.manifest.entries.contains_key(path);
        let is_in_the_way = |path: &&str| {
            let is_there = fs::symlink_metadata(self.root.join(path)).is_ok();
            is_there && !self.may_overwrite && !(self.may_update && is_ours(path))
        };
        let in_the_way: Vec<&str> = paths.filter(is_in_the_way).collect();
        let Some(first) = in_the_way.first() else { return Ok(()) };
        let error = FolderError::Exists(exist(&in_the_way), self.root.clone());
        let error = CommandError::new(Exit::Refused, error);
        let they = if in_the_way.len() == 1 { "it" } else { "them" };
        Err(if is_ours(first) {
            error.hinted(format!("an earlier export wrote {they}: bring {they} up to date with --update"))
        } else {
            error.hinted(format!("overwrite {they} with --force, or name another folder"))
        })
    }

    /// Puts a file at `path`, unless it is there already, or the user changed it.
    pub(crate) fn put(&mut self, path: &str, bytes: &[u8], summary: Option<Summary>) -> io::Result<()> {
        self.try_to_put(path, bytes, summary).map_err(|error| about(path, &error))
    }

    fn try_to_put(&mut self, path: &str, bytes: &[u8], summary: Option<Summary>) -> io::Result<()> {
        let place = self.place(path)?;
        let there = fs::symlink_metadata(&place).is_ok_and(|about| about.is_file()).then(|| fs::read(&place));
        let there = there.transpose()?;
        let entry = Entry::of(bytes, summary);
        if there.as_deref() == Some(bytes) {
            self.unchanged += 1;
            self.manifest.entries.insert(path.to_owned(), entry);
            return Ok(());
        }
        let is_ours = |there: &[u8]| self.manifest.entries.get(path).is_some_and(|known| known.wrote(there));
        if there.as_deref().is_some_and(|there| !is_ours(there)) && !self.may_overwrite {
            self.kept.push(path.to_owned());
            return Ok(());
        }
        // Whoever is interrupted after this line finds its own file, or the one before it.
        self.write(&place, bytes, |folder| folder.manifest.note(&folder.root, path, entry))?;
        self.written += 1;
        Ok(())
    }

    /// Puts a picture into its folder. Its name is made from its content, so it need not be written twice.
    pub(crate) fn put_asset(&mut self, asset: &Asset) -> io::Result<()> {
        let path = format!("{ASSETS}/{}", asset.name);
        let place = self.place(&path)?;
        if place.exists() {
            return Ok(());
        }
        self.write(&place, &asset.bytes, |_| Ok(())).map_err(|error| about(&path, &error))
    }

    /// Removes files of these conversations that have another name now, if nobody changed them.
    pub(crate) fn remove_replaced(&mut self, current: &[(String, Summary)]) -> io::Result<()> {
        let ids: std::collections::BTreeMap<&str, &str> =
            current.iter().map(|(path, summary)| (summary.id.as_str(), path.as_str())).collect();
        let old = self.manifest.entries.iter().filter(|(path, entry)| {
            let new = entry.summary.as_ref().and_then(|summary| ids.get(summary.id.as_str()));
            new.is_some_and(|new| new != path) && self.root.join(new.copied().unwrap_or_default()).exists()
        });
        let old: Vec<(String, Entry)> = old.map(|(path, entry)| (path.clone(), entry.clone())).collect();
        for (path, known) in old {
            let place = self.root.join(&path);
            match fs::read(&place) {
                Ok(bytes) if known.wrote(&bytes) => fs::remove_file(&place)?,
                Ok(_) => self.kept.push(path.clone()),
                Err(_) => {}
            }
            self.manifest.entries.remove(&path);
        }
        Ok(())
    }

    /// The conversations that lie in the folder, with their paths: those of earlier exports too.
    pub(crate) fn conversations(&self) -> Vec<(String, Summary)> {
        let there = self.manifest.entries.iter().filter(|(path, _)| self.root.join(path).is_file());
        there.filter_map(|(path, entry)| Some((path.clone(), entry.summary.clone()?))).collect()
    }

    /// Writes the list of files anew.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.manifest.write(&self.root)
    }

    /// Where `path` lies. The folder of a workspace is made here, and must be one: a link could lead elsewhere.
    fn place(&self, path: &str) -> io::Result<PathBuf> {
        debug_assert!(path != MANIFEST, "no conversation is called like the list");
        if let Some((folder, _)) = path.split_once('/') {
            let folder = self.root.join(folder);
            match fs::symlink_metadata(&folder) {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(io::Error::other(format!("{} is not a folder", folder.display()))),
                Err(_) => fs::create_dir(&folder)?,
            }
        }
        Ok(self.root.join(path))
    }

    fn write(
        &mut self,
        place: &Path,
        bytes: &[u8],
        before: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let beside = place.parent().unwrap_or(&self.root);
        let mut file = output_file::one_of_many(beside)?;
        file.write_all(bytes)?;
        before(self)?;
        file.persist(place).map(drop).map_err(|error| error.error)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The system removes empty folders only.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// `a exists`, `a and b exist`, `a, b, c, d, e and 12 more exist`.
fn exist(names: &[&str]) -> String {
    let (shown, more) = names.split_at(names.len().min(NAMED));
    match (shown, more) {
        ([name], _) => format!("{name} exists"),
        ([names @ .., last], []) => format!("{} and {last} exist", names.join(", ")),
        (names, more) => format!("{} and {} more exist", names.join(", "), more.len()),
    }
}

/// The error, and which file it is about.
fn about(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// Removes what an export left that was killed while it wrote, even before it could note its first file. A link to a folder
/// is not followed.
fn remove_unfinished(root: &Path) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let below = entries(root).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in below.map(|entry| entry.path()).chain([root.to_owned()]) {
        remove_abandoned(&folder, UNFINISHED);
    }
}

/// The file that holds the list.
const MANIFEST: &str = ".backscroll-export";

const SCHEMA: &str = "backscroll.export/2";

/// The first line of a list as earlier versions wrote it, cells between tabs.
const FIRST_LINE_BEFORE: &str = "backscroll-export 1";

/// One line of the list.
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
pub(crate) struct Entry {
    /// The hash of what was written.
    pub(crate) hash: String,
    /// The hash of what it was to replace, if that may not have come to pass.
    #[serde(skip)]
    pub(crate) before: Option<String>,
    /// The conversation; `None` for the page that lists them.
    pub(crate) summary: Option<Summary>,
}

/// The files of an export by their paths below its folder.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) entries: BTreeMap<String, Entry>,
    /// Whether the list in the folder is one of an earlier version.
    is_before: bool,
}

impl Entry {
    /// A file that holds `bytes`.
    pub(crate) fn of(bytes: &[u8], summary: Option<Summary>) -> Self {
        Self { hash: hash(bytes), before: None, summary: summary.map(without_places) }
    }

    /// Whether we wrote `bytes`.
    pub(crate) fn wrote(&self, bytes: &[u8]) -> bool {
        let hash = hash(bytes);
        self.hash == hash || self.before.as_ref() == Some(&hash)
    }
}

impl Manifest {
    /// What is known of the files in `folder`.
    pub(crate) fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
        let is_before = text.starts_with(FIRST_LINE_BEFORE);
        let parse = if is_before { parsed_before } else { parsed };
        let mut manifest = Self { is_before, ..Self::default() };
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
        manifest
    }

    /// Notes that a file is about to be written.
    pub(crate) fn note(&mut self, folder: &Path, path: &str, entry: Entry) -> io::Result<()> {
        let place = folder.join(MANIFEST);
        if self.is_before {
            self.write(folder)?;
            self.is_before = false;
        }
        let schema = (!place.exists()).then(|| Line::Schema(SCHEMA.to_owned()));
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lines = written(schema.into_iter().chain([Line::file(path, &entry)]))?;
        options.open(place)?.write_all(&lines)?;
        self.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Writes the list anew, each file once.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let schema = Line::Schema(SCHEMA.to_owned());
        let files = self.entries.iter().map(|(path, entry)| Line::file(path, entry));
        let mut file = output_file::one_of_many(folder)?;
        file.write_all(&written([schema].into_iter().chain(files))?)?;
        file.persist(folder.join(MANIFEST)).map(drop).map_err(|error| error.error)
    }
}

fn written(lines: impl Iterator<Item = Line>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, &line)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// The summary without what only this machine knows: the list may be given away with the folder.
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

/// A line of an earlier version. What it says of the conversation is left: the export that reads it knows better.
fn parsed_before(line: &str) -> Option<Line> {
    let cells: Vec<&str> = line.split('\t').collect();
    match cells[..] {
        ["placeholder", ..] => None,
        [hash, path, ..] => {
            let entry = Entry { hash: hash.to_owned(), before: None, summary: None };
            Some(Line::file(path, &entry))
        }
        _ => None,
    }
}

/// Whether `path` names a file below the folder, on every system.
fn is_below(path: &str) -> bool {
    !path.contains(['\\', ':']) && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// How many characters of a title stand in a name.
const LONGEST: usize = 60;

/// And how many bytes: some file systems allow few.
const MOST_BYTES: usize = 120;

/// How much of an id tells conversations apart.
const SHORT_ID: usize = 8;

/// The path of each conversation's file below the folder, with slashes, in the order of `summaries`.
pub(crate) fn paths(summaries: &[Summary], format: Format) -> Vec<String> {
    let folders = folders(summaries);
    let short = |summary: &Summary| {
        // What all ids of one place begin with tells none of them apart.
        let id = summary.id.as_str();
        let id = id.strip_prefix("agent-").unwrap_or(id);
        let id = id.chars().filter(char::is_ascii_alphanumeric).take(SHORT_ID).collect::<String>();
        if id.len() < SHORT_ID { hash(summary.id.as_str().as_bytes())[..SHORT_ID].to_owned() } else { id }
    };
    let stem = |summary: &Summary, id: &str| {
        let day = summary.created_at.or(summary.updated_at).map(|at| at.strftime("%Y-%m-%d").to_string());
        let title = slug(summary.title.as_deref().unwrap_or_default());
        let title = if title.is_empty() { "untitled".to_owned() } else { title };
        let folder = folders.get(&place(summary)).map_or("no-workspace", String::as_str);
        format!("{folder}/{}-{title}-{}", day.as_deref().unwrap_or("undated"), id.to_ascii_lowercase())
    };
    let stems: Vec<String> = summaries.iter().map(|summary| stem(summary, &short(summary))).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for stem in &stems {
        *seen.entry(stem.to_lowercase()).or_default() += 1;
    }
    let named = summaries.iter().zip(stems).map(|(summary, plain)| {
        let is_alone = seen.get(&plain.to_lowercase()) == Some(&1);
        // Two that would share a name are told apart by their whole ids.
        let whole = || stem(summary, &hash(summary.id.as_str().as_bytes())[..2 * SHORT_ID]);
        format!("{}.{}", if is_alone { plain } else { whole() }, format.name())
    });
    named.collect()
}

type Place = Option<(String, Option<String>)>;

fn place(summary: &Summary) -> Place {
    summary.workspace.as_ref().map(|workspace| (workspace.path.clone(), workspace.remote.clone()))
}

/// A folder for each workspace, named by the last part of its path; those of one name are told apart by their paths.
fn folders(summaries: &[Summary]) -> BTreeMap<Place, String> {
    let mut names: BTreeMap<Place, String> = BTreeMap::new();
    for summary in summaries {
        let place = place(summary);
        let name = place.as_ref().map_or_else(|| "no-workspace".to_owned(), |(path, _)| folder(path));
        names.entry(place).or_insert(name);
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.values() {
        *seen.entry(name.to_lowercase()).or_default() += 1;
    }
    for (place, name) in &mut names {
        if let Some((path, remote)) = place.as_ref().filter(|_| seen.get(&name.to_lowercase()) != Some(&1)) {
            let whole = format!("{path}\0{}", remote.as_deref().unwrap_or_default());
            *name = format!("{name}-{}", &hash(whole.as_bytes())[..6]);
        }
    }
    names
}

fn folder(path: &str) -> String {
    /// What Windows takes for a device, and what means something to us.
    const TAKEN: &[&str] = &["con", "prn", "aux", "nul", "assets", "readme", "index"];
    let last = path.split(['/', '\\']).rfind(|name| !name.is_empty()).unwrap_or_default();
    let name = slug(last);
    let is_port = name.len() == 4 && (name.starts_with("com") || name.starts_with("lpt"));
    if name.is_empty() || is_port || TAKEN.contains(&name.as_str()) {
        format!("workspace-{name}")
    } else {
        name
    }
}

/// The letters and digits of `text` in small, a dash for each stretch of anything else.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    // `don't` is one word.
    let letters = text.chars().filter(|c| !matches!(c, '\'' | '’'));
    for c in letters.flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if slug.chars().count() >= LONGEST || slug.len() + c.len_utf8() > MOST_BYTES {
                break;
            }
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

/// What tells bytes apart from any others.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Attribution, ConversationId, Layer, Origin, Surface, Workspace};

    use super::*;

    fn summary(id: &str, title: &str, workspace: Option<&str>) -> Summary {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("/x"), "k");
        Summary {
            title: Some(title.to_owned()),
            created_at: Some("2026-01-19T22:45:46Z".parse().expect("a time")),
            workspace: workspace.map(|path| Workspace {
                path: path.to_owned(),
                uri: None,
                remote: None,
                by: Attribution::Header,
            }),
            ..Summary::new(ConversationId::new(id), Surface::Ide, origin)
        }
    }

    #[test]
    fn names_are_safe_on_every_system() {
        let table = [
            (
                "98251e54-0000",
                "Fix the login!",
                Some("/home/a/My App"),
                "my-app/2026-01-19-fix-the-login-98251e54.md",
            ),
            (
                "98251e54-0000",
                "../../etc/passwd\0\u{202e}",
                Some("c:\\work\\CON"),
                "workspace-con/2026-01-19-etc-passwd-98251e54.md",
            ),
            ("98251e54-0000", "Don't stop", None, "no-workspace/2026-01-19-dont-stop-98251e54.md"),
            ("agent-71d46bec-b641", "x", None, "no-workspace/2026-01-19-x-71d46bec.md"),
            ("98251e54-0000", "...", None, "no-workspace/2026-01-19-untitled-98251e54.md"),
            ("98251e54-0000", "日本 é", Some("/"), "workspace-/2026-01-19-日本-é-98251e54.md"),
            ("a\nb", "x", Some("/x/com1"), "workspace-com1/2026-01-19-x-2d0e1b8c.md"),
        ];
        for (id, title, workspace, expected) in table {
            let path = paths(&[summary(id, title, workspace)], Format::Md).remove(0);
            if id.len() > 3 {
                assert_eq!(path, expected);
            } else {
                assert!(
                    path.starts_with("workspace-com1/2026-01-19-x-") && path.len() == expected.len(),
                    "{path}"
                );
            }
        }
        let long = paths(&[summary("98251e54-0000", &"語".repeat(500), None)], Format::Html).remove(0);
        assert!(long.len() < 200, "{long}");
    }

    #[test]
    fn no_two_share_a_name_or_a_folder() {
        let same = [
            summary("98251e54-0001", "x", Some("/a/app")),
            summary("98251e54-0002", "X", Some("/a/app")),
            summary("98251e54-0001", "x", Some("/b/app")),
        ];
        let named = paths(&same, Format::Md);
        assert_ne!(named[0].to_lowercase(), named[1].to_lowercase());
        assert_ne!(named[0].split('/').next(), named[2].split('/').next());
        assert_eq!(named, paths(&same, Format::Md));
    }
}
