//! Files of a Cursor home that belong to whichever conversation names them: plans (`plans/*.plan.md`) and the output of
//! tools that was too long for a message (`projects/<project>/agent-tools/<uuid>.txt`).
//!
//! Nothing in them says which conversation that is. Each is a small fragment under the name of its file, and `history`
//! attaches it to the message that names it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::plan_file;
use backscroll_model::{
    Attachment, AttachmentKind, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Finding,
    FindingKind, Fragment, FragmentKind, Inventory, Layer, Mark, Message, Origin, Part, Role, Scope, Source,
    SourceError, SourceId, Store, Summary, Surface,
};

use crate::files::{ABSENT, FileCache, file_stamp, is_anything, name_of};
use crate::plain_file::beginning;

/// The ending of a plan's file.
const PLAN: &str = ".plan.md";

/// Longer files are cut off.
const LONGEST: u64 = 4 * 1024 * 1024;

/// As many zeros in a row are no output: a tool may write a single one behind each name.
const ZEROS: &[u8] = &[0; 16];

/// The files of some Cursor homes.
#[derive(Debug, Default)]
pub struct HomeFiles {
    files: Arc<FileCache>,
    /// Folders of plans.
    plans: BTreeSet<PathBuf>,
    /// Folders whose folders are projects.
    projects: BTreeSet<PathBuf>,
    /// Single projects.
    single: BTreeSet<PathBuf>,
}

impl HomeFiles {
    /// Those of these Cursor homes.
    pub(crate) fn in_homes(homes: &[PathBuf], files: Arc<FileCache>) -> Self {
        let mut files = Self { files, ..Self::default() };
        for home in homes {
            files.add_home(home);
        }
        files
    }

    fn add_home(&mut self, home: &Path) {
        self.plans.extend(Some(home.join("plans")).filter(|folder| is_anything(folder)));
        self.projects.extend(Some(home.join("projects")).filter(|folder| is_anything(folder)));
    }

    /// Adds the home that a store below it lies in, where it can be recognised, and the store's own project.
    pub(crate) fn add_around(&mut self, store: &Path) {
        let is_home = |home: &&Path| {
            let is_named = matches!(name_of(home).as_str(), ".cursor" | "cursor");
            is_named || home.join("chats").is_dir() || home.join("ai-tracking").is_dir()
        };
        if let Some(home) = store.ancestors().take(6).find(is_home) {
            self.add_home(home);
        }
        let is_inside = |name: &str| matches!(name, "agent-transcripts" | "sdk-agent-store");
        let inner = store.ancestors().find(|folder| is_inside(&name_of(folder)));
        self.single.extend(inner.and_then(Path::parent).map(Path::to_owned));
    }

    /// Whether there is no place to look at.
    pub(crate) fn is_empty(&self) -> bool {
        self.plans.is_empty() && self.projects.is_empty() && self.single.is_empty()
    }

    fn found(&self) -> Vec<PathBuf> {
        let files = &*self.files;
        let plans = self.plans.iter().flat_map(|folder| plans_in(folder, files));
        let projects = self.projects.iter().flat_map(|folder| files.folders(folder));
        let projects: BTreeSet<PathBuf> = projects.chain(self.single.iter().cloned()).collect();
        plans.chain(projects.iter().flat_map(|project| output_in(project, files))).collect()
    }

    fn read(file: &Path) -> std::io::Result<Fragment> {
        let (bytes, is_all) = beginning(file, LONGEST)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let at = Origin::new(Layer::TranscriptText, file, "");
        let id = ConversationId::new(name_of(file));
        let mut fragment = Fragment::new(Summary::new(id, Surface::Transcript, at.clone())).as_evidence();
        let path = file.to_string_lossy();
        let (what, attachment) = if path.ends_with(PLAN) {
            let plan = plan_file::read(&text);
            fragment.facts.plans.push(path.clone().into_owned());
            fragment.facts.todos = plan.todos;
            let mut attachment = Attachment::new(AttachmentKind::Plan).at(path).saying(text);
            attachment.title = plan.name;
            ("the plan", attachment)
        } else {
            ("spilled output", Attachment::new(AttachmentKind::Output).at(path).saying(text))
        };
        fragment.findings.extend((!is_all).then(|| too_long(what, at.clone())));
        let mut find = |kind, says| fragment.findings.push(Finding::new(kind, at.clone(), says));
        // Where it is cut off, it may end inside a character.
        if std::str::from_utf8(&bytes).is_err_and(|error| is_all || error.error_len().is_some()) {
            find(FindingKind::Damaged, format!("some bytes of {what} are no UTF-8"));
        }
        if bytes.windows(ZEROS.len()).any(|window| window == ZEROS) {
            find(FindingKind::Damaged, format!("many bytes of {what} are zero"));
        }
        let name = name_of(file);
        let id = plan_file::plan_id(&name).unwrap_or(&name);
        let mut message = Message::new(id, Role::Tool, at);
        message.parts.push(Part::Attachment(Box::new(attachment)));
        fragment.messages.push(message);
        Ok(fragment)
    }
}

fn too_long(what: &str, at: Origin) -> Finding {
    Finding::new(FindingKind::TooLarge, at, format!("{what} is longer than {LONGEST} bytes and is cut off"))
}

fn plans_in(folder: &Path, files: &FileCache) -> Vec<PathBuf> {
    files.files(folder).into_iter().filter(|path| name_of(path).ends_with(PLAN)).collect()
}

/// The spilled output of one project.
pub(crate) fn output_in(project: &Path, files: &FileCache) -> Vec<PathBuf> {
    files.child(project, "agent-tools").map(|folder| files.files(&folder)).unwrap_or_default()
}

impl Inventory for HomeFiles {}

impl Source for HomeFiles {
    fn id(&self) -> SourceId {
        let place = self.plans.iter().chain(&self.projects).chain(&self.single).next().cloned();
        SourceId::new(SourceId::HOME_FILES, place.unwrap_or_default(), Layer::TranscriptText)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let found = self.found();
        // A plan may be one that no conversation names. Output is often long.
        let plans = found.iter().filter(|file| name_of(file).ends_with(PLAN));
        let long = plans.filter(|file| fs::metadata(file).is_ok_and(|data| data.len() > LONGEST));
        let at = |file: &PathBuf| Origin::new(Layer::TranscriptText, file.as_path(), "");
        let findings = long.map(|file| too_long("the plan", at(file))).collect();
        let store = |file: PathBuf| Store { stamp: file_stamp(&file), path: Arc::from(file) };
        Decoded { value: found.into_iter().map(store).collect(), findings }
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        Some(file_stamp(store)).filter(|stamp| *stamp != ABSENT)
    }

    /// One entry, under the name of the file.
    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let id = ConversationId::new(name_of(store));
        let entry = CatalogueEntry::new(id, store, FragmentKind::Evidence);
        Ok(Catalogue::whole(vec![Catalogued { entry, heads: Vec::new(), stamp: file_stamp(store) }]))
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        match Self::read(&entry.store) {
            Ok(fragment) => Ok(vec![fragment]),
            Err(because) => Err(SourceError::new(Layer::TranscriptText, &*entry.store, because)),
        }
    }
}
