//! Agent transcripts: all of a `projects` folder, or just those that were named.
//!
//! A listing reads the beginning of each file. The same id in several projects or dialects is listed once and told
//! once for each file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use backscroll_cursor_format::transcript::{decode, link_subagents};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, Changes, Conversation, ConversationId, Finding, FindingKind, Flag, Holding, Layer, Mark,
    Source, SourceError, Summary, Surface, Workspace,
};

use crate::folder_listing::{beginning, changed_at, folders};
use crate::in_parallel;
use crate::known_paths::KnownPaths;
use crate::plans::Plans;
use crate::project_folder::ProjectFolder;
use crate::spilled_output;
use crate::transcript_files::{TranscriptFile, below, below_projects, closed_below_projects};
use crate::transcript_holdings;

/// Agent transcripts.
#[derive(Debug)]
pub struct Transcripts {
    place: PathBuf,
    files: Files,
    pub(crate) known: Arc<KnownPaths>,
    pub(crate) plans: Plans,
    named: Workspaces,
    walked: Workspaces,
    /// What was found, looked for once.
    found: OnceLock<Vec<TranscriptFile>>,
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
pub(crate) const LONGEST: u64 = 256 * 1024 * 1024;

impl Transcripts {
    /// Every transcript of every project.
    pub fn of_projects(projects: &Path, known: Arc<KnownPaths>) -> Self {
        Self::of(projects, Files::Projects, known)
    }

    /// Every transcript of one `agent-transcripts` folder.
    pub fn of_folder(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self::of(folder, Files::Folder, known)
    }

    /// These transcripts, found somewhere below `place`.
    pub(crate) fn named(place: &Path, files: Vec<TranscriptFile>, known: Arc<KnownPaths>) -> Self {
        Self::of(place, Files::Named(files), known)
    }

    fn of(place: &Path, files: Files, known: Arc<KnownPaths>) -> Self {
        let plans = Plans::beside(place);
        Self {
            place: place.to_owned(),
            files,
            known,
            plans,
            named: Mutex::default(),
            walked: Mutex::default(),
            found: OnceLock::new(),
        }
    }

    fn found(&self) -> &[TranscriptFile] {
        self.found.get_or_init(|| self.look())
    }

    /// What is there now.
    pub(crate) fn look(&self) -> Vec<TranscriptFile> {
        match &self.files {
            Files::Projects => below_projects(&self.place),
            Files::Folder => below(&self.place),
            Files::Named(files) => files.clone(),
        }
    }

    /// The folder that a project stands for, whatever its transcripts say.
    pub(crate) fn workspace(&self, file: &TranscriptFile) -> Option<Workspace> {
        let project = file.project.as_ref()?;
        self.named_folder(project).or_else(|| self.walked_folder(project))
    }

    fn named_folder(&self, project: &ProjectFolder) -> Option<Workspace> {
        once(&self.named, project, || project.named(&self.known))
    }

    fn walked_folder(&self, project: &ProjectFolder) -> Option<Workspace> {
        once(&self.walked, project, || project.walked())
    }

    fn summary(&self, file: &TranscriptFile) -> (Summary, Option<Finding>) {
        let mut summary = Summary::new(file.id.clone(), Surface::Transcript, file.origin());
        summary.updated_at = changed_at(&file.path);
        summary.parent.clone_from(&file.parent);
        if file.parent.is_some() {
            summary.flags.insert(Flag::Subagent);
        }
        let (head, text) = match file.head_with_text() {
            Ok(head) => head,
            Err(error) => {
                summary.workspace = self.workspace(file);
                let says = format!("{} cannot be read: {error}", file.path.display());
                return (summary, Some(Finding::new(FindingKind::Unreadable, file.origin(), says)));
            }
        };
        summary.title = head.title;
        summary.created_at = head.at;
        let named = head.workspace_path.as_deref().and_then(place);
        let named = named.map(|place| place.into_workspace(Attribution::Message));
        // What the transcript itself names comes before a walk through today's folders.
        summary.workspace = named.or_else(|| {
            let project = file.project.as_ref()?;
            self.named_folder(project)
                .or_else(|| project.named_in(&text))
                .or_else(|| self.walked_folder(project))
        });
        (summary, None)
    }

    fn load_file(&self, file: &TranscriptFile, all: &[TranscriptFile]) -> Conversation {
        let (summary, trouble) = self.summary(file);
        let mut conversation = Conversation::of(summary);
        conversation.findings.extend(trouble);
        let Ok((bytes, is_all)) = beginning(&file.path, LONGEST) else { return conversation };
        let told = decode(file.dialect, &bytes, &file.origin()).report_to(&mut conversation.findings);
        if !is_all {
            let says = format!("the transcript is longer than {LONGEST} bytes and is cut off");
            conversation.findings.push(Finding::new(FindingKind::TooLarge, file.origin(), says));
        }
        conversation.messages = told.messages;
        conversation.coverage = told.coverage;
        if conversation.messages.is_empty() {
            conversation.summary.flags.insert(Flag::Empty);
        }
        Self::link(file, all, &mut conversation);
        if let Some(project) = &file.project {
            conversation.facts.held_in = project.worked_in(&conversation.messages);
            spilled_output::attach(&mut conversation, &spilled_output::of(project));
        }
        self.plans.attach(&mut conversation);
        backscroll_cursor_format::ide::fill_times(&mut conversation);
        conversation
    }

    /// Names the subagents that lie beside `file`, and the calls that started them.
    fn link(file: &TranscriptFile, all: &[TranscriptFile], conversation: &mut Conversation) {
        let is_child = |other: &&TranscriptFile| {
            other.parent.as_ref() == Some(&file.id) && other.project == file.project
        };
        let mut children = Vec::new();
        for child in all.iter().filter(is_child) {
            let Ok((bytes, _)) = beginning(&child.path, LONGEST) else { continue };
            children.push((child.id.clone(), decode(child.dialect, &bytes, &child.origin()).value.messages));
        }
        let told = children.iter().map(|(id, messages)| (id, messages.as_slice()));
        link_subagents(&mut conversation.messages, told);
        conversation.children = children.into_iter().map(|(id, _)| id).collect();
        conversation.children.dedup();
        conversation.summary.children.clone_from(&conversation.children);
    }

    /// One summary for each conversation in these files.
    fn united(&self, found: &[TranscriptFile]) -> (BTreeMap<ConversationId, Summary>, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut told: BTreeMap<ConversationId, Vec<Summary>> = BTreeMap::new();
        for (summary, trouble) in in_parallel::each(found, |file| self.summary(file)) {
            findings.extend(trouble);
            told.entry(summary.id.clone()).or_default().push(summary);
        }
        let mut all: BTreeMap<ConversationId, Summary> =
            told.into_iter().filter_map(|(id, files)| Some((id, unite(files)?))).collect();
        let children: Vec<(ConversationId, ConversationId)> =
            all.values().filter_map(|summary| Some((summary.parent.clone()?, summary.id.clone()))).collect();
        for (parent, child) in children {
            if let Some(parent) = all.get_mut(&parent) {
                parent.children.push(child);
            }
        }
        (all, findings)
    }

    /// Output that spilled in projects without any transcript, and so belongs to none.
    fn unnamed_output(&self, found: &[TranscriptFile]) -> Option<Finding> {
        let Files::Projects = self.files else { return None };
        let told: HashSet<&ProjectFolder> = found.iter().filter_map(|file| file.project.as_ref()).collect();
        let projects = folders(&self.place).into_iter().map(|path| ProjectFolder::at(&path));
        let spilled: usize = projects
            .filter(|project| !told.contains(project))
            .map(|project| spilled_output::of(&project).len())
            .sum();
        let at = backscroll_model::Origin::new(Layer::TranscriptText, self.place.as_path(), "agent-tools");
        let says = format!("{spilled} files of spilled output lie in projects that have no transcript");
        (spilled > 0).then(|| Finding::new(FindingKind::Unreached, at, says))
    }
}

impl Source for Transcripts {
    fn place(&self) -> PathBuf {
        self.place.clone()
    }

    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.found().iter().map(|file| (file.dialect.layer(), file.path.clone())).collect()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        Ok(transcript_holdings::of(self.found()))
    }

    fn kind(&self) -> &'static str {
        match self.files {
            Files::Projects => "transcripts-projects",
            Files::Folder => "transcripts-folder",
            Files::Named(_) => "transcripts-named",
        }
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }

    fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, SourceError> {
        // Those that an asked one started are told with it, as far as they name it.
        let is_child = |file: &&TranscriptFile| file.parent.as_ref().is_some_and(|id| ids.contains(id));
        let children: HashSet<&ConversationId> =
            self.found().iter().filter(is_child).map(|file| &file.id).collect();
        let is_needed = |file: &&TranscriptFile| ids.contains(&file.id) || children.contains(&file.id);
        let found: Vec<TranscriptFile> = self.found().iter().filter(is_needed).cloned().collect();
        let (mut all, _) = self.united(&found);
        all.retain(|id, _| ids.contains(id));
        Ok(all.into_values().collect())
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let found = self.found();
        let (all, troubles) = self.united(found);
        let mut findings: Vec<Finding> = self.unnamed_output(found).into_iter().chain(troubles).collect();
        if let Files::Projects = self.files {
            findings.extend(closed_below_projects(&self.place));
        }
        Ok((all.into_values().collect(), findings))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        let found = self.found();
        let own = found.iter().filter(|file| file.id == *id);
        Ok(own.map(|file| self.load_file(file, found)).collect())
    }

    fn ids(&self, beginning: &str) -> Result<Vec<ConversationId>, SourceError> {
        let mut ids: Vec<ConversationId> = self.found().iter().map(|file| file.id.clone()).collect();
        ids.retain(|id| id.as_str().starts_with(beginning));
        ids.sort();
        ids.dedup();
        Ok(ids)
    }
}

/// What is known of a project, found out once.
fn once(
    known: &Workspaces,
    project: &ProjectFolder,
    find: impl FnOnce() -> Option<Workspace>,
) -> Option<Workspace> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(project.clone()).or_insert_with(find).clone()
}

/// One conversation in several files. Its workspace is that of the strongest route and then of the newest file, as it is
/// when the files are loaded one by one.
fn unite(files: Vec<Summary>) -> Option<Summary> {
    let placed = files.iter().filter_map(|file| Some((file.workspace.clone()?, file.recency())));
    let workspace = placed.min_by_key(|(workspace, at)| (workspace.by, Reverse(*at)));
    let mut files = files.into_iter();
    let mut known = files.next()?;
    for other in files {
        known.title = known.title.take().or(other.title);
        known.created_at = [known.created_at, other.created_at].into_iter().flatten().min();
        known.updated_at = known.updated_at.max(other.updated_at);
        known.parent = known.parent.take().or(other.parent);
        known.flags.extend(other.flags);
        known.origins.extend(other.origins);
    }
    known.workspace = workspace.map(|(workspace, _)| workspace);
    Some(known)
}
