//! Agent transcripts: all of a `projects` folder, or just those that were named.
//!
//! A listing reads the beginning of each file. Each file is a fragment; the same id in several projects or dialects has
//! several.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backscroll_cursor_format::slug;
use backscroll_cursor_format::transcript::{Dialect, Head, count, decode, head, last_time, link_subagents};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Finding, FindingKind, Flag,
    Fragment, FragmentKind, Inventory, Layer, Mark, Message, Origin, Scope, Source, SourceError, SourceId,
    SourceReport, Spilled, Store, Summary, Surface, ToolCall, Workspace, locked,
};
use memchr::memmem;

use crate::files::{FileCache, changed_at, file_stamp, name_of};
use crate::fingerprint;
use crate::home_files::output_in;
use crate::in_parallel;
use crate::plain_file::{SMALL, beginning, end};
use crate::project_folder::{KnownPaths, ProjectFolder};
use crate::recognise::{Kind, recognise};

/// Agent transcripts.
#[derive(Debug)]
pub struct Transcripts {
    place: PathBuf,
    files: Files,
    pub(crate) known: Arc<KnownPaths>,
    named: Workspaces,
    walked: Workspaces,
}

/// The folders that projects stand for, each found out once.
type Workspaces = Mutex<HashMap<ProjectFolder, Option<Workspace>>>;

/// Where the transcripts are.
#[derive(Debug)]
enum Files {
    /// `<place>/<slug>/agent-transcripts/…`.
    Projects,
    /// `<place>/…`.
    Folder,
    /// These.
    Named(Vec<TranscriptFile>),
}

/// Longer transcripts are cut off.
pub(crate) const LONGEST: u64 = 128 * 1024 * 1024;

impl Transcripts {
    /// Every transcript of every project.
    pub fn of_projects(projects: &Path, known: Arc<KnownPaths>) -> Self {
        Self::new(projects, Files::Projects, known)
    }

    /// Every transcript of one `agent-transcripts` folder.
    pub fn of_folder(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self::new(folder, Files::Folder, known)
    }

    /// These transcripts, found somewhere below `place`.
    pub(crate) fn named(place: &Path, files: Vec<TranscriptFile>, known: Arc<KnownPaths>) -> Self {
        Self::new(place, Files::Named(files), known)
    }

    fn new(place: &Path, files: Files, known: Arc<KnownPaths>) -> Self {
        let (named, walked) = (Mutex::default(), Mutex::default());
        Self { place: place.to_owned(), files, known, named, walked }
    }

    /// What is there now. Folders that cannot be read are findings.
    fn look(&self, findings: &mut Vec<Finding>) -> Vec<TranscriptFile> {
        let found = match &self.files {
            Files::Projects => below_projects(&self.place, &self.known.files, findings),
            Files::Folder => below(&self.place, &self.known.files, findings),
            Files::Named(files) => files.clone(),
        };
        found.into_iter().map(|file| self.with_ids(file)).collect()
    }

    /// With the ids that an index of the SDK knows: in names of files they are written in another way.
    fn with_ids(&self, mut file: TranscriptFile) -> TranscriptFile {
        let known = |id: &ConversationId| {
            let is_written = slug::may_be_transcript_name(id.as_str());
            let agent = if is_written { self.known.agent_called(id.as_str()) } else { None };
            agent.map(|agent| ConversationId::new(&agent.id))
        };
        file.parent = file.parent.map(|parent| known(&parent).unwrap_or(parent));
        file.id = known(&file.id).unwrap_or(file.id);
        file
    }

    /// The transcript at this path.
    fn file(&self, path: &Path) -> Option<TranscriptFile> {
        let file = match &self.files {
            Files::Named(files) => files.iter().find(|file| file.path == path).cloned(),
            Files::Projects | Files::Folder => TranscriptFile::at(path),
        };
        file.map(|file| self.with_ids(file))
    }

    /// The transcripts of the agents that `file` started, as far as they lie beside it.
    fn children(&self, file: &TranscriptFile) -> Vec<TranscriptFile> {
        if let Files::Named(files) = &self.files {
            let is_child = |other: &TranscriptFile| {
                other.parent.as_ref() == Some(&file.id) && other.project == file.project
            };
            return files.iter().map(|file| self.with_ids(file.clone())).filter(is_child).collect();
        }
        let folder = match &file.project {
            Some(project) => project.path.join("agent-transcripts"),
            None => self.place.clone(),
        };
        let beside =
            self.known.files.files(&folder.join(slug::transcript_name(file.id.as_str())).join("subagents"));
        beside.iter().filter_map(|path| TranscriptFile::at(path)).map(|file| self.with_ids(file)).collect()
    }

    fn file_stamp(&self, file: &TranscriptFile) -> u64 {
        let named = || file.project.as_ref().and_then(|project| self.named_folder(project));
        let named = self.parents_folder(file).or_else(named);
        fingerprint::of(&(file_stamp(&file.path), named, &file.id, &file.parent))
    }

    /// The folder that a project stands for, whatever its transcripts say.
    pub(crate) fn workspace(&self, file: &TranscriptFile) -> Option<Workspace> {
        let project = file.project.as_ref()?;
        let named = || self.named_folder(project).or_else(|| self.walked_folder(project));
        self.parents_folder(file).or_else(named)
    }

    /// The folder of the SDK's agent that started it: two folders may have one slug.
    fn parents_folder(&self, file: &TranscriptFile) -> Option<Workspace> {
        let parent = self.known.agent_called(&slug::transcript_name(file.parent.as_ref()?.as_str()))?;
        Some(place(parent.workspace.as_deref()?)?.into_workspace(Attribution::StoreFolder))
    }

    fn named_folder(&self, project: &ProjectFolder) -> Option<Workspace> {
        once(&self.named, project, || project.named(&self.known))
    }

    fn walked_folder(&self, project: &ProjectFolder) -> Option<Workspace> {
        once(&self.walked, project, || project.walked())
    }

    /// What the beginning of a file says, and what is wrong with it.
    fn head(&self, file: &TranscriptFile) -> Decoded<Fragment> {
        let mut summary = Summary::new(file.id.clone(), Surface::Transcript, file.origin());
        (summary.updated_at, summary.is_updated_by_file) = (changed_at(&file.path), true);
        summary.parent.clone_from(&file.parent);
        if file.parent.is_some() {
            summary.flags.insert(Flag::Subagent);
        }
        let (head, text) = match file.head_with_text() {
            Ok(head) => head,
            Err(error) => {
                summary.workspace = self.workspace(file);
                let says = format!("{} cannot be read: {error}", file.path.display());
                let finding = Finding::new(FindingKind::Unreadable, file.origin(), says);
                return Decoded { value: Fragment::new(summary), findings: vec![finding] };
            }
        };
        // Only of a short file the beginning is all.
        if head.title.is_none() && text.len() < FIRST_PIECE && count(file.dialect, text.as_bytes()) == 0 {
            summary.flags.insert(Flag::Empty);
        }
        let findings = too_long(file).into_iter().collect();
        summary.title = head.title;
        summary.created_at = head.at;
        if let Some(at) = file.last_time(&text).or(head.at) {
            (summary.updated_at, summary.is_updated_by_file) = (Some(at), false);
        }
        let named = head.workspace_path.as_deref().and_then(place);
        let named = named.map(|place| place.into_workspace(Attribution::Message));
        // What the transcript itself names comes before a walk through today's folders.
        summary.workspace = named.or_else(|| {
            let project = file.project.as_ref()?;
            self.parents_folder(file)
                .or_else(|| self.named_folder(project))
                .or_else(|| project.named_in(&text))
                .or_else(|| self.walked_folder(project))
        });
        Decoded { value: Fragment::new(summary), findings }
    }

    fn load_file(&self, file: &TranscriptFile) -> Fragment {
        let Decoded { value: mut fragment, findings } = self.head(file);
        fragment.findings = findings;
        let Ok((bytes, _)) = beginning(&file.path, LONGEST) else { return fragment };
        let transcript = decode(file.dialect, &bytes, &file.origin()).report_to(&mut fragment.findings);
        fragment.messages = transcript.messages;
        fragment.coverage = transcript.coverage;
        if fragment.messages.is_empty() {
            fragment.summary.flags.insert(Flag::Empty);
        }
        self.link(file, &mut fragment);
        if let Some(project) = &file.project {
            fragment.facts.held_in = project.worked_in(&fragment.messages);
        }
        backscroll_cursor_format::ide::fill_times(&mut fragment);
        fragment
    }

    /// Names the subagents that lie beside `file`, and the calls that started them.
    fn link(&self, file: &TranscriptFile, fragment: &mut Fragment) {
        let mut children = Vec::new();
        for child in self.children(file) {
            // A subagent is known by its first prompt, which is at the beginning.
            let Ok((bytes, _)) = beginning(&child.path, SMALL) else { continue };
            let messages = decode(child.dialect, &bytes, &child.origin()).value.messages.into_iter();
            let is_prompt = |message: &Message| message.is_by_person() && !message.text().trim().is_empty();
            let prompt: Vec<Message> = messages.filter(is_prompt).take(1).collect();
            children.push((child.id.clone(), prompt));
        }
        let started = children.iter().map(|(id, prompt)| (id, prompt.as_slice()));
        link_subagents(&mut fragment.messages, started);
        fragment.summary.children = children.into_iter().map(|(id, _)| id).collect();
        fragment.summary.children.dedup();
    }

    /// Output that spilled in projects without any transcript, and so belongs to none.
    fn unnamed_output(&self, found: &[TranscriptFile]) -> Option<Finding> {
        let Files::Projects = self.files else { return None };
        let known: HashSet<&ProjectFolder> = found.iter().filter_map(|file| file.project.as_ref()).collect();
        let projects = self.known.files.folders(&self.place).into_iter();
        let others = projects.filter(|project| !known.contains(&ProjectFolder::at(project)));
        let spilled: usize = others.map(|project| output_in(&project, &self.known.files).len()).sum();
        let at = Origin::new(Layer::TranscriptText, self.place.as_path(), "agent-tools");
        let says = format!("{spilled} files of spilled output lie in projects that have no transcript");
        (spilled > 0).then(|| Finding::new(FindingKind::Unreached, at, says))
    }
}

impl Inventory for Transcripts {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let files = self.look(&mut Vec::new()).into_iter();
        files.map(|file| (file.dialect.layer(), file.path)).collect()
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        let mut holdings = holdings_in(&self.look(&mut Vec::new()), &self.known.files);
        if let Files::Projects = self.files {
            let projects = self.known.files.folders(&self.place).into_iter();
            holdings.extend(projects.flat_map(|project| notes_in(&project, &self.known.files)));
        }
        Ok(holdings)
    }
}

impl Source for Transcripts {
    fn id(&self) -> SourceId {
        let kind = match self.files {
            Files::Projects => "transcripts-projects",
            Files::Folder => "transcripts-folder",
            Files::Named(_) => "transcripts-named",
        };
        SourceId::new(kind, &self.place, Layer::TranscriptJsonl)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let mut findings = Vec::new();
        let files = self.look(&mut findings);
        findings.extend(self.unnamed_output(&files));
        let store = |file: &TranscriptFile| Store {
            path: Arc::from(file.path.as_path()),
            stamp: self.file_stamp(file),
        };
        Decoded { value: in_parallel::each(&files, store), findings }
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        let file = self.file(store)?;
        file.path.exists().then(|| self.file_stamp(&file))
    }

    /// The conversation itself, and for the one that started it the fact that it did.
    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let Some(file) = self.file(store) else { return Ok(Catalogue::whole(Vec::new())) };
        let stamp = fingerprint::of(&(file_stamp(&file.path), self.workspace(&file)));
        let Decoded { value: head, findings } = self.head(&file);
        let catalogued = |id: &ConversationId, kind: FragmentKind, head: Fragment| Catalogued {
            entry: CatalogueEntry::new(id.clone(), store, kind),
            heads: vec![head],
            stamp,
        };
        let mut entries = vec![catalogued(&file.id, FragmentKind::Account, head)];
        entries.extend(
            file.parent
                .as_ref()
                .map(|parent| catalogued(parent, FragmentKind::Evidence, file.started_by(parent))),
        );
        Ok(Catalogue { findings, ..Catalogue::whole(entries) })
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let Some(file) = self.file(&entry.store) else { return Ok(Vec::new()) };
        Ok(match entry.kind {
            FragmentKind::Evidence => vec![file.started_by(&entry.id)],
            _ if entry.id != file.id => Vec::new(),
            FragmentKind::Account | FragmentKind::Prompts => vec![self.load_file(&file)],
        })
    }
}

/// That a transcript is cut off, if it is.
fn too_long(file: &TranscriptFile) -> Option<Finding> {
    let length = fs::metadata(&file.path).ok()?.len();
    let says = format!("the transcript is longer than {LONGEST} bytes and is cut off");
    (length > LONGEST).then(|| Finding::new(FindingKind::TooLarge, file.origin(), says))
}

/// What is known of a project, found out once.
fn once(
    known: &Workspaces,
    project: &ProjectFolder,
    find: impl FnOnce() -> Option<Workspace>,
) -> Option<Workspace> {
    let mut known = locked(known);
    known.entry(project.clone()).or_insert_with(find).clone()
}

/// The number of bytes of a transcript that are read first.
pub(crate) const FIRST_PIECE: usize = 64 * 1024;

/// One transcript.
#[derive(Debug, Clone)]
pub(crate) struct TranscriptFile {
    pub(crate) path: PathBuf,
    pub(crate) id: ConversationId,
    pub(crate) dialect: Dialect,
    /// The conversation that started it, by the folder that it lies in.
    pub(crate) parent: Option<ConversationId>,
    pub(crate) project: Option<ProjectFolder>,
}

impl TranscriptFile {
    /// The transcript at `path`, if its ending is that of one.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let dialect = Dialect::of_extension(&path.extension()?.to_string_lossy())?;
        Some(Self::in_dialect(path, dialect))
    }

    /// The transcript at `path`, whatever it is called.
    pub(crate) fn in_dialect(path: &Path, dialect: Dialect) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        let parent = (name_of(folder) == "subagents").then(|| folder.parent().map(name_of)).flatten();
        Self {
            path: path.to_owned(),
            id: ConversationId::new(stem),
            dialect,
            parent: parent.map(ConversationId::new),
            project: ProjectFolder::around(path),
        }
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin::new(self.dialect.layer(), self.path.as_path(), "file")
    }

    /// That `parent` started it.
    fn started_by(&self, parent: &ConversationId) -> Fragment {
        let mut summary = Summary::new(parent.clone(), Surface::Transcript, self.origin());
        summary.children.push(self.id.clone());
        Fragment::new(summary).as_evidence()
    }

    /// What the beginning of the file says, and its first piece. More of it is read only where no prompt is in that.
    pub(crate) fn head_with_text(&self) -> std::io::Result<(Head, String)> {
        const PIECES: [u64; 3] = [FIRST_PIECE as u64, 1024 * 1024, 16 * 1024 * 1024];
        let (mut told, mut text) = (Head::default(), None);
        for most in PIECES {
            let (bytes, is_all) = beginning(&self.path, most)?;
            told = head(self.dialect, &bytes);
            text.get_or_insert_with(|| String::from_utf8_lossy(&bytes).into_owned());
            if is_all || told.title.is_some() {
                break;
            }
        }
        Ok((told, text.unwrap_or_default()))
    }

    /// The time of the last prompt that names one, looked for in the first piece of the file, and in the last of a longer one.
    fn last_time(&self, first_piece: &str) -> Option<jiff::Timestamp> {
        let at_end = || {
            let has_end = first_piece.len() >= FIRST_PIECE && self.dialect != Dialect::Json;
            let bytes = if has_end { end(&self.path, FIRST_PIECE as u64).ok()? } else { return None };
            last_time(self.dialect, &bytes)
        };
        at_end().or_else(|| last_time(self.dialect, first_piece.as_bytes()))
    }
}

/// Every transcript below a `projects` folder, also those that lie in no project. Folders that cannot be read are findings.
pub(crate) fn below_projects(
    projects: &Path,
    files: &FileCache,
    findings: &mut Vec<Finding>,
) -> Vec<TranscriptFile> {
    let children = files.children_reported(projects, findings);
    let of_projects = children.iter().filter(|child| child.is_folder).map(|child| child.path.clone());
    let folders: Vec<PathBuf> = of_projects.chain([projects.to_owned()]).collect();
    let found = in_parallel::each(&folders, |project| {
        let (mut findings, mut found) = (Vec::new(), Vec::new());
        if let Some(folder) = files.child(project, "agent-transcripts") {
            found = below(&folder, files, &mut findings);
        }
        found.extend(noted_transcripts(project, files));
        Decoded { value: found, findings }
    });
    found.into_iter().flat_map(|found| found.report_to(findings)).collect()
}

/// Every transcript below one `agent-transcripts` folder.
pub(crate) fn below(folder: &Path, files: &FileCache, findings: &mut Vec<Finding>) -> Vec<TranscriptFile> {
    let mut read = |folder: &Path| files.children_reported(folder, findings);
    let mut found = Vec::new();
    for child in read(folder).iter() {
        if !child.is_folder {
            found.extend(TranscriptFile::at(&child.path));
            continue;
        }
        let inside = read(&child.path);
        let has_subagents = inside.iter().any(|one| name_of(&one.path) == "subagents");
        let subagents = if has_subagents { read(&child.path.join("subagents")) } else { Arc::default() };
        let inside = inside.iter().chain(subagents.iter()).filter(|one| !one.is_folder);
        found.extend(inside.filter_map(|one| TranscriptFile::at(&one.path)));
    }
    found
}

/// What each of these files holds, and the spilled output beside them.
fn holdings_in(files: &[TranscriptFile], cache: &FileCache) -> Vec<SourceReport> {
    let projects: HashSet<&ProjectFolder> = files.iter().filter_map(|file| file.project.as_ref()).collect();
    let spilled: HashMap<&ProjectFolder, Vec<String>> = projects
        .into_iter()
        .map(|project| (project, output_in(&project.path, cache).iter().map(|file| name_of(file)).collect()))
        .collect();
    let looked = in_parallel::each(files, |file| {
        let mut holding = SourceReport::new(file.dialect.layer(), &*file.path);
        let Ok((bytes, _)) = beginning(&file.path, LONGEST) else { return (holding, HashSet::new()) };
        holding.messages = Some(count(file.dialect, &bytes));
        let beside = file.project.as_ref().and_then(|project| spilled.get(project));
        let is_named = |name: &String| memmem::find(&bytes, name.as_bytes()).is_some();
        let names = if beside.is_some_and(|names| names.iter().any(is_named)) {
            named_in(&decode(file.dialect, &bytes, &file.origin()).value.messages)
        } else {
            HashSet::new()
        };
        (holding, names)
    });
    let mut holdings = Vec::new();
    let mut named: BTreeMap<PathBuf, HashSet<String>> = BTreeMap::new();
    for (file, (holding, names)) in files.iter().zip(looked) {
        holdings.push(holding);
        if let Some(project) = &file.project {
            named.entry(project.path.clone()).or_default().extend(names);
        }
    }
    holdings.extend(named.into_iter().filter_map(|(project, names)| spilled_in(&project, &names, cache)));
    holdings
}

/// Folders of a project in which agents keep notes, for themselves and for each other.
const NOTES: [&str; 2] = ["agent-notes", "swarm-agents"];

/// The files in a folder of notes, and in the folders inside of it.
fn note_files(project: &Path, name: &str, cache: &FileCache) -> Vec<PathBuf> {
    let Some(folder) = cache.child(project, name) else { return Vec::new() };
    let inside = cache.folders(&folder).into_iter().flat_map(|inner| cache.files(&inner));
    cache.files(&folder).into_iter().chain(inside).collect()
}

/// Transcripts among the notes of a project: lines of JSON in which somebody speaks.
fn noted_transcripts(project: &Path, cache: &FileCache) -> Vec<TranscriptFile> {
    let files = NOTES.iter().flat_map(|name| note_files(project, name, cache));
    let lines = files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    let spoken = lines.filter(|file| recognise(file) == Kind::Transcript(Dialect::Jsonl));
    spoken.map(|file| TranscriptFile::in_dialect(&file, Dialect::Jsonl)).collect()
}

/// What the folders of notes of a project hold besides transcripts.
fn notes_in(project: &Path, cache: &FileCache) -> Vec<SourceReport> {
    let transcripts: HashSet<PathBuf> =
        noted_transcripts(project, cache).into_iter().map(|file| file.path).collect();
    let holding = |name: &&str| {
        let files = note_files(project, name, cache);
        let notes = files.iter().filter(|file| !transcripts.contains(*file)).count() as u64;
        let holding = SourceReport::new(Layer::TranscriptText, project.join(name));
        (notes > 0).then_some(SourceReport { notes: Some(notes), ..holding })
    };
    NOTES.iter().filter_map(holding).collect()
}

/// What the `agent-tools` folder of a project holds, if anything, and how much of it goes by none of these names.
fn spilled_in(project: &Path, names: &HashSet<String>, cache: &FileCache) -> Option<SourceReport> {
    let files = output_in(project, cache);
    let unnamed = files.iter().filter(|file| !names.contains(&name_of(file))).count() as u64;
    let spilled = Spilled { files: files.len() as u64, unnamed };
    let holding = SourceReport::new(Layer::TranscriptText, project.join("agent-tools"));
    (spilled.files > 0).then_some(SourceReport { spilled: Some(spilled), ..holding })
}

/// The names of all text files that calls of `messages` mention.
fn named_in(messages: &[Message]) -> HashSet<String> {
    messages.iter().flat_map(Message::tool_calls).flat_map(ToolCall::text_files).map(str::to_owned).collect()
}
