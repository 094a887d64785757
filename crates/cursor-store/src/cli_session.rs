//! One session of the command line agent: a folder with a `store.db`, a `meta.json`, or both. Agents of the SDK keep
//! stores of the same form.
//!
//! The head is read from the `meta` row and `meta.json`; the messages from the blobs that the latest root leads to. Agents
//! that the session started may have their states in the same store.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::agent::{
    self, AgentConversation, GraphLocation, GraphTimes, Preview, Root, SessionFile, StoreMeta, Subagent,
};
use backscroll_cursor_format::ide::fill_times;
use backscroll_cursor_format::slug::hashed_folders;
use backscroll_cursor_format::transcript::absolute_paths;
use backscroll_cursor_format::uri::place;
use backscroll_cursor_format::user_text::first_title;
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use backscroll_model::{
    AtIs, Attribution, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Fact, Finding,
    FindingKind, Flag, Fragment, FragmentKind, Layer, Message, Moment, Origin, Part, Role, SourceReport,
    Summary, Surface, Workspace, error_chain, push_new,
};

use crate::blob_index::BlobIndex;
use crate::blob_table::{BlobReader, BlobTable};
use crate::file_state::companion;
use crate::files::{changed_at, name_of};
use crate::fingerprint;
use crate::plain_file::{self, SMALL};
use crate::project_folder::KnownPaths;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// One session.
#[derive(Debug, Clone)]
pub(crate) struct CliSession {
    pub(crate) folder: PathBuf,
    pub(crate) store: Arc<Path>,
    /// Its id, where the folder's name is one; else the `meta` row has it.
    pub(crate) id: Option<ConversationId>,
    pub(crate) surface: Surface,
    /// The root that an index names, for a store whose own record names none.
    pub(crate) checkpoint: Option<String>,
}

/// What is known before any message is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct CliHead {
    pub(crate) meta: StoreMeta,
    pub(crate) session: SessionFile,
    pub(crate) preview: Preview,
    pub(crate) times: GraphTimes,
    /// The store is there, and no blob is in it.
    pub(crate) is_empty: bool,
    pub(crate) findings: Vec<Finding>,
}

/// An agent whose state a store keeps.
#[derive(Debug, Clone)]
struct KeptAgent {
    subagent: Subagent,
    /// Which of the other kept ones started it; `None` for the session itself.
    started_by: Option<String>,
    /// The first words it was given.
    title: Option<String>,
}

/// The number of messages that are read for the first words of a session without a name.
const MOST_MESSAGES: usize = 8;
/// The number of messages, from the end, in which the time of the last prompt is looked for.
const MOST_LAST_MESSAGES: usize = 64;
/// Deeper than this, agents that started agents are taken for a mistake.
const DEEPEST: usize = 32;
/// The file of prompts that were typed in a session.
pub(crate) const PROMPT_HISTORY: &str = "prompt_history.json";

impl CliSession {
    /// The session in `folder`, named by it.
    pub(crate) fn in_folder(folder: &Path, surface: Surface) -> Self {
        let id = Some(ConversationId::new(name_of(folder)));
        Self {
            folder: folder.to_owned(),
            store: Arc::from(folder.join("store.db")),
            id,
            surface,
            checkpoint: None,
        }
    }

    /// The session whose database is this file, wherever it lies; named by its own record.
    pub(crate) fn of_store(store: &Path, surface: Surface) -> Self {
        let folder = store.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, store: Arc::from(store), id: None, surface, checkpoint: None }
    }

    pub(crate) fn has_store(&self) -> bool {
        self.store.is_file()
    }

    fn origin(&self, key: &str) -> Origin {
        if self.has_store() {
            return Origin::new(Layer::CliStore, Arc::clone(&self.store), key);
        }
        Origin::new(Layer::CliStore, self.folder.join("meta.json"), key)
    }

    /// Changes whenever anything does that the session is read from.
    pub(crate) fn stamp(&self, known: &KnownPaths) -> u64 {
        let store = name_of(&self.store);
        let files = known.files.stamp_in(&self.folder, &store, &["meta.json", PROMPT_HISTORY]);
        let place = self.hash().and_then(|hash| known.by_spelled_hash(&hash));
        fingerprint::of(&(files, place))
    }

    /// The session, and the agents whose states it keeps.
    pub(crate) fn catalogue(&self, known: &KnownPaths) -> Result<Catalogue, ReadError> {
        let stamp = self.stamp(known);
        let (mut head, kept) = self.head_and_agents()?;
        let findings = std::mem::take(&mut head.findings);
        let own = self.fragment(&head, known);
        let entry = |id: &ConversationId, parent: Option<ConversationId>| CatalogueEntry {
            parent,
            ..CatalogueEntry::new(id.clone(), Arc::clone(&self.store), FragmentKind::Account)
        };
        let mut entries: Vec<Catalogued> = Vec::new();
        for agent in &kept {
            let head = Fragment::new(self.agent_summary(agent, &own.summary));
            let entry = entry(&head.summary.id, head.summary.parent.clone());
            entries.push(Catalogued { entry, heads: vec![head], stamp });
        }
        let entry = entry(&own.summary.id, None);
        entries.insert(0, Catalogued { entry, heads: vec![own], stamp });
        Ok(Catalogue { findings, ..Catalogue::whole(entries) })
    }

    /// What stands before the messages, and the agents whose states the session keeps, in one read. A store that cannot
    /// be read is a finding: `meta.json` still counts.
    fn head_and_agents(&self) -> Result<(CliHead, Vec<KeptAgent>), ReadError> {
        let (head, read) = self.head_and(|db| match self.kept_agents_in(db) {
            Err(error) if error.is_passing() => Err(error),
            // What of the root is damaged is reported with the conversation.
            kept => Ok(kept.unwrap_or_default()),
        });
        match read {
            Err(error) if error.is_passing() => Err(error),
            read => Ok((head, read.unwrap_or_default())),
        }
    }

    /// Reads what stands before the messages.
    pub(crate) fn head(&self) -> CliHead {
        self.head_and(|_| Ok(())).0
    }

    /// What stands before the messages, with what else `read` reads of the store, if there is one.
    fn head_and<T: Default>(
        &self,
        read: impl Fn(&ReadOnlyDb) -> Result<T, ReadError>,
    ) -> (CliHead, Result<T, ReadError>) {
        let mut session_file = CliHead { is_empty: true, ..CliHead::default() };
        self.read_session_file(&mut session_file);
        if !self.has_store() {
            return (session_file, Ok(T::default()));
        }
        let read = ReadOnlyDb::ask(&self.store, |db| {
            let mut head = session_file.clone();
            self.read_meta(db, &mut head)?;
            Ok((head, read(db)?))
        });
        match read {
            Ok((head, more)) => (head, Ok(more)),
            Err(error) => {
                session_file.is_empty = false;
                session_file.findings.push(self.unreadable(&error));
                (session_file, Err(error))
            }
        }
    }

    fn unreadable(&self, error: &ReadError) -> Finding {
        let says = format!("the store cannot be read: {}", error_chain(error));
        Finding::new(FindingKind::Unreadable, self.origin("meta:0"), says)
    }

    fn read_session_file(&self, head: &mut CliHead) {
        let file = self.folder.join("meta.json");
        let at = Origin::new(Layer::CliStore, file.as_path(), "");
        match plain_file::read(&file, SMALL) {
            Ok(bytes) => {
                head.session =
                    agent::session_file(&bytes, &at).report_to(&mut head.findings).unwrap_or_default();
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let says = format!("the session's description cannot be read: {error}");
                head.findings.push(Finding::new(FindingKind::Unreadable, at, says));
            }
        }
    }

    /// Reads the `meta` row, the last time where `meta.json` has none, and the first words where nothing names the session or its folder.
    fn read_meta(&self, db: &ReadOnlyDb, head: &mut CliHead) -> Result<(), ReadError> {
        let at = self.origin("meta:0");
        head.findings.extend(db.damage().findings(Layer::CliStore, &self.store));
        if let Some(value) = BlobTable::meta(db)? {
            head.meta = agent::store_meta(&value, &at).report_to(&mut head.findings).unwrap_or_default();
        }
        head.meta.root_id = head.meta.root_id.take().or_else(|| self.checkpoint.clone());
        // The SDK writes the root's name into its index alone.
        if head.meta.root_id.is_none()
            && self.surface == Surface::Sdk
            && let Some(blobs) = BlobTable::find_in(db)?
        {
            head.meta.root_id = blobs.likeliest_root()?;
        }
        let Some(root) = &head.meta.root_id else {
            head.is_empty = BlobTable::find_in(db)?.map_or(Ok(true), BlobTable::is_empty)?;
            return Ok(());
        };
        head.is_empty = false;
        let is_named = head.session.title.is_some() || head.meta.title.is_some();
        let is_placed = head.session.cwd.is_some() || head.meta.workspace_path.is_some();
        let Some(blobs) = BlobTable::find_in(db)? else { return Ok(()) };
        let place = GraphLocation { blobs: &blobs, root: at, prefix: "" };
        if !(is_named && is_placed) {
            head.preview = agent::preview(root, &place, MOST_MESSAGES);
        }
        if head.session.updated_at.is_none() {
            head.times = agent::times(root, &place, MOST_LAST_MESSAGES);
        }
        Ok(())
    }

    /// The fragment that a head makes. Facts of `meta.json` have that file as their origin.
    pub(crate) fn fragment(&self, head: &CliHead, known: &KnownPaths) -> Fragment {
        let CliHead { meta, session, preview, times, .. } = head;
        let id = self.id.clone().or_else(|| meta.agent_id.as_deref().map(ConversationId::new));
        let id = id.unwrap_or_else(|| ConversationId::new(name_of(&self.folder)));
        let mut summary = Summary::new(id, self.surface, self.origin("meta:0"));
        let titles = [&session.title, &meta.title, &preview.title];
        summary.title = titles.into_iter().flatten().next().cloned();
        summary.workspace = self.workspace(head, known);
        summary.created_at = meta.created_at.or(session.created_at).or(times.started_at);
        summary.updated_at = session.updated_at.or(times.last_at.max(summary.created_at));
        if summary.updated_at.is_none() {
            (summary.updated_at, summary.is_updated_by_file) = (self.changed_at(), true);
        }
        summary.mode.clone_from(&meta.mode);
        summary.models.extend(meta.model.clone().filter(|model| is_model(model)));
        if head.is_empty {
            summary.flags.insert(Flag::Empty);
            summary.messages = Some(0);
        }
        let mut fragment = Fragment::new(summary);
        let at = Origin::new(Layer::CliStore, self.folder.join("meta.json"), "");
        for (fact, is_there) in [
            (Fact::Title, session.title.is_some()),
            (Fact::Workspace, session.cwd.is_some()),
            (Fact::Begun, meta.created_at.is_none() && session.created_at.is_some()),
            (Fact::Changed, session.updated_at.is_some()),
        ] {
            if is_there {
                fragment.note(fact, &at);
            }
        }
        fragment
    }

    /// The folder it was held in, by the strongest evidence.
    fn workspace(&self, head: &CliHead, known: &KnownPaths) -> Option<Workspace> {
        let named = |path: &Option<String>, by| Some(place(path.as_deref()?)?.into_workspace(by));
        named(&head.session.cwd, Attribution::Record)
            .or_else(|| named(&head.meta.workspace_path, Attribution::Record))
            .or_else(|| Some(known.by_hash(&self.hash()?)?.clone().into_workspace(Attribution::StoreFolder)))
            .or_else(|| self.proven(&head.preview.paths))
            .or_else(|| named(&head.preview.working_directory, Attribution::Message))
    }

    /// The name of the folder that stands for the one it was held in: the store of an SDK agent lies two deeper.
    fn hash(&self) -> Option<String> {
        let around = self.folder.parent()?;
        Some(name_of(if self.surface == Surface::Sdk { around.parent()? } else { around }))
    }

    /// The first of these paths, or of the folders above them, whose hash is the name of the folder around the session.
    fn proven(&self, paths: &[String]) -> Option<Workspace> {
        let hash = self.hash()?;
        let above = |path: &str| {
            let ends: Vec<usize> =
                path.match_indices(['/', '\\']).map(|(at, _)| at).filter(|at| *at > 0).collect();
            let folders = ends.into_iter().rev().map(|end| path[..end].to_owned());
            std::iter::once(path.to_owned()).chain(folders).collect::<Vec<_>>()
        };
        let mut tried = HashSet::new();
        let folders = paths.iter().flat_map(|path| above(path)).filter(|folder| tried.insert(folder.clone()));
        let proven = folders.into_iter().find(|folder| hashed_folders(folder).contains(&hash))?;
        Some(place(&proven)?.into_workspace(Attribution::StoreFolder))
    }

    /// When the store was last written, log included.
    fn changed_at(&self) -> Option<jiff::Timestamp> {
        changed_at(&self.store).max(changed_at(&companion(&self.store, "-wal")))
    }

    /// Everything that the session has. What cannot be read is a finding.
    pub(crate) fn load(&self, known: &KnownPaths) -> Fragment {
        let read = if self.has_store() {
            ReadOnlyDb::ask(&self.store, |db| self.load_from(db, known)).map_err(Some)
        } else {
            Err(None)
        };
        read.unwrap_or_else(|error| {
            let head = self.head();
            let mut fragment = self.fragment(&head, known);
            fragment.findings = head.findings;
            let trouble = error.map(|error| self.unreadable(&error));
            let trouble = trouble.filter(|trouble| !fragment.findings.contains(trouble));
            fragment.findings.extend(trouble);
            fragment
        })
    }

    /// The latest root, without anything that it leads to.
    fn root_in(&self, db: &ReadOnlyDb) -> Result<Option<Root>, ReadError> {
        let mut head = CliHead::default();
        self.read_meta(db, &mut head)?;
        let (Some(root), Some(blobs)) = (head.meta.root_id, BlobTable::find_in(db)?) else {
            return Ok(None);
        };
        let Some(id) = BlobId::spelled(root.as_bytes()) else { return Ok(None) };
        let bytes = blobs.blob(&id).map_err(|because| self.read_error(because))?;
        Ok(bytes.map(|bytes| agent::root(&bytes, &self.origin(&root)).value))
    }

    /// How many messages the latest root lists, and how many agents it keeps beside its own conversation. Of a session
    /// that was compacted the root lists only the end: it is read. A store that cannot be read is reported by a listing.
    pub(crate) fn holding(&self) -> SourceReport {
        let root = ReadOnlyDb::ask(&self.store, |db| self.root_in(db));
        let is_compacted = |root: &Root| root.summary.is_some() || !root.archives.is_empty();
        let messages = root.as_ref().ok().map(|root| match root {
            Some(root) if is_compacted(root) => self.load(&KnownPaths::default()).coverage.listed,
            Some(root) => {
                (root.messages.len() + root.pending.len() + usize::from(root.tail.is_some())) as u64
            }
            None => 0,
        });
        let kept = self.kept_agents().map_or(0, |kept| kept.len() as u64);
        let holding = SourceReport::new(Layer::CliStore, &*self.store);
        SourceReport { conversations: 1 + kept, messages, ..holding }
    }

    fn load_from(&self, db: &ReadOnlyDb, known: &KnownPaths) -> Result<Fragment, ReadError> {
        let mut head = CliHead::default();
        self.read_session_file(&mut head);
        self.read_meta(db, &mut head)?;
        let mut fragment = self.fragment(&head, known);
        fragment.findings.append(&mut head.findings);
        let Some(blobs) = BlobTable::find_in(db)? else { return Ok(fragment) };
        let reader = BlobReader::new(blobs);
        let index = BlobIndex::new(&reader)?;
        if let Some(root) = &head.meta.root_id {
            let place = GraphLocation { blobs: &index, root: self.origin(root), prefix: "" };
            let Decoded { value, findings } = agent::conversation_at(root, &place);
            match value {
                Some(value) => add_graph(&mut fragment, Decoded { value, findings }),
                None => fragment.findings.extend(findings),
            }
        }
        let unreached = index.unreached().map_err(|because| self.read_error(because))?;
        self.add_unreached(&reader, unreached, &mut fragment)?;
        fragment.findings.extend(db.too_large(Layer::CliStore, &self.store, |_| true));
        fragment.summary.title = fragment.summary.title.take().or_else(|| first_title(&fragment.messages));
        let held_in = &mut fragment.facts.held_in;
        if held_in.as_ref().is_none_or(|known| known.by > Attribution::AgentLocation) {
            let proven = self.proven(&absolute_paths(&fragment.messages));
            *held_in = proven.or(held_in.take());
        }
        anchor_times(&mut fragment);
        Ok(fragment)
    }

    fn read_error(&self, because: RowsError) -> ReadError {
        crate::ide_global::read_error(&self.store, because)
    }

    /// Abandoned branches: messages that no root reaches are orphans, everything else unreached is counted.
    fn add_unreached(
        &self,
        blobs: &BlobReader<'_>,
        unreached: Vec<(i64, String)>,
        fragment: &mut Fragment,
    ) -> Result<(), ReadError> {
        let mut loose: Vec<(String, Origin, Vec<u8>)> = Vec::new();
        let mut others = 0_u64;
        let room = backscroll_cursor_format::MOST_MESSAGES.saturating_sub(fragment.messages.len());
        for (rowid, id) in unreached {
            let is_wanted = loose.len() < room && blobs.is_json(rowid);
            match if is_wanted { blobs.bytes(rowid)? } else { None } {
                Some(bytes) => loose.push((id.clone(), self.origin(&id), bytes)),
                None => others += 1,
            }
        }
        let borrowed = loose.iter().map(|(id, at, bytes)| (id.as_str(), at.clone(), bytes.as_slice()));
        let orphans = agent::loose_messages(borrowed).report_to(&mut fragment.findings);
        fragment.coverage.orphaned = orphans.len() as u64;
        fragment.orphans = orphans;
        if !fragment.orphans.is_empty() {
            let says = format!("{} messages are stored that the latest root does not reach", loose.len());
            fragment.findings.push(Finding::new(FindingKind::OrphanMessage, self.origin("blobs"), says));
        }
        if others > 0 {
            let says = format!(
                "{others} blobs cannot be reached from the latest root: earlier states, or steps not taken"
            );
            fragment.findings.push(Finding::new(FindingKind::Unreached, self.origin("blobs"), says));
        }
        Ok(())
    }

    /// The prompts that were typed in this session, without answers and times.
    pub(crate) fn typed_prompts(&self, id: &ConversationId) -> Option<Fragment> {
        stored_prompts(&self.folder, id).map(|mut prompts| {
            prompts.kind = FragmentKind::Prompts;
            prompts
        })
    }

    fn kept_agents(&self) -> Result<Vec<KeptAgent>, ReadError> {
        if !self.has_store() {
            return Ok(Vec::new());
        }
        ReadOnlyDb::ask(&self.store, |db| self.kept_agents_in(db))
    }

    fn kept_agents_in(&self, db: &ReadOnlyDb) -> Result<Vec<KeptAgent>, ReadError> {
        let Some(root) = self.root_in(db)? else { return Ok(Vec::new()) };
        let Some(blobs) = BlobTable::find_in(db)? else { return Ok(Vec::new()) };
        let mut kept = Vec::new();
        let add = add_kept(root.subagents, &blobs, &self.origin("blobs"), &mut kept);
        add.map_err(|because| self.read_error(because))?;
        Ok(kept)
    }

    /// What the session keeps of the agent `id`.
    pub(crate) fn load_agent(
        &self,
        id: &ConversationId,
        known: &KnownPaths,
    ) -> Result<Option<Fragment>, ReadError> {
        ReadOnlyDb::ask(&self.store, |db| {
            let mut head = CliHead::default();
            self.read_session_file(&mut head);
            self.read_meta(db, &mut head)?;
            let parent = self.fragment(&head, known).summary;
            let kept = self.kept_agents_in(db)?.into_iter().find(|one| one.subagent.id == id.as_str());
            let (Some(kept), Some(blobs)) = (kept, BlobTable::find_in(db)?) else { return Ok(None) };
            let mut fragment = Fragment::new(self.agent_summary(&kept, &parent));
            add_agent_messages(&kept, &blobs, &mut fragment);
            Ok(Some(fragment))
        })
    }

    fn agent_summary(&self, kept: &KeptAgent, parent: &Summary) -> Summary {
        let subagent = &kept.subagent;
        let origin = self.origin(&format!("subagent:{}", subagent.id));
        let mut summary = Summary::new(ConversationId::new(&subagent.id), self.surface, origin);
        let started_by = kept.started_by.as_deref().map(ConversationId::new);
        summary.parent = Some(started_by.unwrap_or_else(|| parent.id.clone()));
        summary.flags.insert(Flag::Subagent);
        summary.title.clone_from(&kept.title);
        summary.workspace.clone_from(&parent.workspace);
        summary.created_at = subagent.created_at;
        summary.updated_at = subagent.updated_at;
        summary.models.extend(subagent.model.clone());
        summary
    }
}

/// Adds what the state of an agent holds.
fn add_agent_messages(kept: &KeptAgent, blobs: &dyn Blobs, fragment: &mut Fragment) {
    let at = fragment.origin().clone();
    let Some(state) = &kept.subagent.state else {
        let says = "the state of this subagent is not there";
        fragment.findings.push(Finding::new(FindingKind::DanglingReference, at, says));
        return;
    };
    let root = agent::root(state, &at);
    add_graph(fragment, agent::conversation(root, &GraphLocation { blobs, root: at, prefix: "" }));
    fragment.summary.title = fragment.summary.title.take().or_else(|| first_title(&fragment.messages));
    fill_times(fragment);
}

/// Adds those of `all` of which more than the name is kept, each with those that it started in turn.
fn add_kept(
    all: Vec<Subagent>,
    blobs: &dyn Blobs,
    at: &Origin,
    kept: &mut Vec<KeptAgent>,
) -> Result<(), RowsError> {
    let mut open: Vec<(Subagent, Option<String>, usize)> =
        all.into_iter().rev().map(|one| (one, None, 0)).collect();
    let mut seen = HashSet::new();
    while let Some((mut subagent, started_by, depth)) = open.pop() {
        if subagent.state.is_none() && subagent.state_blob.is_none() || !seen.insert(subagent.id.clone()) {
            continue;
        }
        if let (None, Some(blob)) = (&subagent.state, &subagent.state_blob)
            && let Some(bytes) = blobs.blob(blob)?
        {
            subagent.take_state(&bytes);
        }
        let root = subagent.state.as_ref().map(|state| agent::root(state, at).value).unwrap_or_default();
        let place = GraphLocation { blobs, root: at.clone(), prefix: "" };
        let title = agent::preview_of(&root.messages, &place, MOST_MESSAGES).title;
        if depth < DEEPEST {
            let started = root.subagents.into_iter().rev();
            open.extend(started.map(|one| (one, Some(subagent.id.clone()), depth + 1)));
        }
        kept.push(KeptAgent { subagent, started_by, title });
    }
    Ok(())
}

/// Puts what the graph holds into `fragment`.
pub(crate) fn add_graph(fragment: &mut Fragment, graph: Decoded<AgentConversation>) {
    let graph = graph.report_to(&mut fragment.findings);
    let summary = &mut fragment.summary;
    summary.created_at = summary.created_at.or(graph.started_at);
    if summary.updated_at.is_none() || summary.is_updated_by_file {
        let stored = graph.completed_at.or(summary.created_at);
        summary.is_updated_by_file &= stored.is_none();
        summary.updated_at = stored.or(summary.updated_at);
    }
    summary.mode = summary.mode.take().or(graph.mode);
    let last_used = summary.models.first().cloned();
    for model in graph.models {
        push_new(&mut summary.models, model);
    }
    summary.children = graph.children;
    fragment.facts = graph.facts;
    let named = |uri: Option<&String>, by| Some(place(uri?)?.into_workspace(by));
    fragment.facts.held_in = named(graph.workspace_uris.last(), Attribution::AgentLocation)
        .or_else(|| named(graph.working_directory.as_ref(), Attribution::Message));
    fragment.messages = graph.messages;
    fragment.coverage = graph.coverage;
    // The model that the session used last is the last resort for messages that name none.
    let nameless = fragment.messages.iter_mut().filter(|message| message.role == Role::Assistant);
    for message in nameless.filter(|message| message.model.is_none()) {
        message.model.clone_from(&last_used);
    }
}

/// The session began with its first message and was last changed by its last; between, times are spread. Where no time but that
/// of its beginning, or of its file, is known, nothing is spread.
pub(crate) fn anchor_times(fragment: &mut Fragment) {
    let (created, updated) = (fragment.summary.created_at, fragment.summary.updated_at);
    let known = || fragment.messages.iter().filter_map(|message| message.at.at);
    let (first, last) = (known().min(), known().max());
    let begun = created.filter(|at| first.is_none_or(|first| *at <= first));
    let ended =
        updated.filter(|at| last.is_none_or(|last| *at >= last) && begun.is_none_or(|begun| *at > begun));
    let of_conversation = |at| Moment { at: Some(at), is: AtIs::Conversation };
    if let (Some(message), Some(at)) = (fragment.messages.first_mut(), begun)
        && message.at.at.is_none()
    {
        message.at = of_conversation(at);
    }
    if let (Some(message), Some(at)) = (fragment.messages.last_mut(), ended)
        && message.at.at.is_none()
    {
        message.at = of_conversation(at);
    }
    fill_times(fragment);
}

/// The prompts in the `prompt_history.json` of `folder`, as a fragment of `id`; `None` if there is nothing to report.
pub(crate) fn stored_prompts(folder: &Path, id: &ConversationId) -> Option<Fragment> {
    let file = folder.join(PROMPT_HISTORY);
    let at = Origin::new(Layer::CliStore, file.as_path(), "");
    let mut fragment = Fragment::new(Summary::new(id.clone(), Surface::Cli, at.clone()));
    let prompts = match plain_file::read(&file, SMALL) {
        Ok(bytes) => agent::prompt_history(&bytes, &at).report_to(&mut fragment.findings),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            let says = format!("the prompt history cannot be read: {error}");
            fragment.findings.push(Finding::new(FindingKind::Unreadable, at.clone(), says));
            Vec::new()
        }
    };
    for (number, text) in prompts.into_iter().enumerate() {
        let origin = at.with_key(number.to_string());
        let mut message = Message::new(format!("prompt-{number}"), Role::User, origin);
        message.parts.push(Part::Text(text));
        fragment.messages.push(message);
    }
    fragment.count_messages();
    (!fragment.messages.is_empty() || !fragment.findings.is_empty()).then_some(fragment)
}

/// Names that stand for no model.
fn is_model(name: &str) -> bool {
    !matches!(name.to_ascii_lowercase().as_str(), "" | "default" | "auto" | "auto-smart")
}
