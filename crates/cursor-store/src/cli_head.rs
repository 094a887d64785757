//! What a session of the command line agent tells without its messages: the `meta` row, `meta.json`, its folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::agent::{self, Place, Preview, SessionFile, StoreMeta};
use backscroll_cursor_format::slug::chats_folder;
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, ConversationId, Finding, FindingKind, Flag, Layer, Origin, Summary, Surface, Workspace,
};

use crate::blob_table::BlobTable;
use crate::file_state::companion;
use crate::folder_listing::{changed_at, folders, name_of};
use crate::known_paths::KnownPaths;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// One folder with a `store.db`, a `meta.json`, or both.
#[derive(Debug, Clone)]
pub(crate) struct CliSession {
    pub(crate) folder: PathBuf,
    pub(crate) store: Arc<Path>,
    /// Its id, where the folder's name is one; else the `meta` row tells.
    pub(crate) id: Option<ConversationId>,
    pub(crate) surface: Surface,
    /// The root that somebody else names, for a store whose own record names none.
    pub(crate) checkpoint: Option<String>,
}

/// What is known before any message is read.
#[derive(Debug, Default)]
pub(crate) struct CliHead {
    pub(crate) meta: StoreMeta,
    pub(crate) session: SessionFile,
    pub(crate) preview: Preview,
    /// The store is there, and no blob is in it.
    pub(crate) is_empty: bool,
    pub(crate) findings: Vec<Finding>,
}

/// So many messages are looked at for the first words of a session without a name.
pub(crate) const MOST_MESSAGES: usize = 8;

impl CliSession {
    /// The session in `folder`, if there is anything of it; named by its folder.
    pub(crate) fn named_by(folder: &Path, surface: Surface) -> Option<Self> {
        let store = folder.join("store.db");
        let is_there = store.is_file() || folder.join("meta.json").is_file();
        let id = Some(ConversationId::new(name_of(folder)));
        is_there.then(|| Self {
            folder: folder.to_owned(),
            store: Arc::from(store),
            id,
            surface,
            checkpoint: None,
        })
    }

    /// The session whose database is this file, wherever it lies; named by its own record.
    pub(crate) fn of_store(store: &Path, surface: Surface) -> Self {
        let folder = store.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, store: Arc::from(store), id: None, surface, checkpoint: None }
    }

    /// Whether its folder's name is `id` to the letter, or it has none.
    pub(crate) fn is_spelled(&self, id: &ConversationId) -> bool {
        let is_on_disk = || {
            let parent = self.folder.parent().unwrap_or(Path::new(""));
            folders(parent).iter().any(|folder| name_of(folder) == id.as_str())
        };
        self.id.is_none() || cfg!(target_os = "linux") || is_on_disk()
    }

    pub(crate) fn has_store(&self) -> bool {
        self.store.is_file()
    }

    pub(crate) fn origin(&self, key: &str) -> Origin {
        if self.has_store() {
            return Origin::new(Layer::CliStore, Arc::clone(&self.store), key);
        }
        Origin::new(Layer::CliStore, self.folder.join("meta.json"), key)
    }

    /// Reads what stands before the messages. A store that cannot be read is a finding: `meta.json` still tells.
    pub(crate) fn head(&self) -> CliHead {
        let mut head = CliHead { is_empty: true, ..CliHead::default() };
        self.read_session_file(&mut head);
        if self.has_store() {
            let read = ReadOnlyDb::open(&self.store).and_then(|db| self.read_meta(&db, &mut head));
            if let Err(error) = read {
                head.is_empty = false;
                head.findings.push(self.unreadable(&error));
            }
        }
        head
    }

    pub(crate) fn unreadable(&self, error: &ReadError) -> Finding {
        let says = format!("the store cannot be read: {}", chain(error));
        Finding::new(FindingKind::Unreadable, self.origin("meta:0"), says)
    }

    pub(crate) fn read_session_file(&self, head: &mut CliHead) {
        let file = self.folder.join("meta.json");
        let Ok(bytes) = fs::read(&file) else { return };
        let at = Origin::new(Layer::CliStore, file, "");
        head.session = agent::session_file(&bytes, &at).report_to(&mut head.findings).unwrap_or_default();
    }

    /// Reads the `meta` row, and the first words where nobody named the session or its folder.
    pub(crate) fn read_meta(&self, db: &ReadOnlyDb, head: &mut CliHead) -> Result<(), ReadError> {
        let at = self.origin("meta:0");
        if let Some(value) = BlobTable::meta(db)? {
            head.meta = agent::store_meta(&value, &at).report_to(&mut head.findings).unwrap_or_default();
        }
        head.meta.root_id = head.meta.root_id.take().or_else(|| self.checkpoint.clone());
        let Some(root) = &head.meta.root_id else {
            head.is_empty = BlobTable::of(db)?.map_or(Ok(true), BlobTable::is_empty)?;
            return Ok(());
        };
        head.is_empty = false;
        let is_named = head.session.title.is_some() || head.meta.title.is_some();
        let is_placed = head.session.cwd.is_some() || head.meta.workspace_path.is_some();
        if let (false, Some(blobs)) = (is_named && is_placed, BlobTable::of(db)?) {
            let place = Place { blobs: &blobs, root: at, prefix: "" };
            head.preview = agent::preview(root, &place, MOST_MESSAGES);
        }
        Ok(())
    }

    /// The summary that a head makes.
    pub(crate) fn summary(&self, head: &CliHead, known: &KnownPaths) -> Summary {
        let CliHead { meta, session, preview, .. } = head;
        let id = self.id.clone().or_else(|| meta.agent_id.as_deref().map(ConversationId::new));
        let id = id.unwrap_or_else(|| ConversationId::new(name_of(&self.folder)));
        let mut summary = Summary::new(id, self.surface, self.origin("meta:0"));
        let titles = [&session.title, &meta.title, &preview.title];
        summary.title = titles.into_iter().flatten().next().cloned();
        summary.workspace = self.workspace(head, known);
        summary.created_at = meta.created_at.or(session.created_at);
        summary.updated_at = session.updated_at.or_else(|| self.changed_at());
        summary.mode.clone_from(&meta.mode);
        summary.models.extend(meta.model.clone().filter(|model| is_model(model)));
        if head.is_empty {
            summary.flags.insert(Flag::Empty);
            summary.messages = Some(0);
        }
        summary
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
    pub(crate) fn proven(&self, paths: &[String]) -> Option<Workspace> {
        let hash = self.hash()?;
        let above = |path: &str| {
            let ends: Vec<usize> =
                path.match_indices(['/', '\\']).map(|(at, _)| at).filter(|at| *at > 0).collect();
            let folders = ends.into_iter().rev().map(|end| path[..end].to_owned());
            std::iter::once(path.to_owned()).chain(folders).collect::<Vec<_>>()
        };
        let mut tried = HashSet::new();
        let folders = paths.iter().flat_map(|path| above(path)).filter(|folder| tried.insert(folder.clone()));
        let proven = folders.into_iter().find(|folder| chats_folder(folder) == hash)?;
        Some(place(&proven)?.into_workspace(Attribution::StoreFolder))
    }

    /// When the store was last written, log included.
    fn changed_at(&self) -> Option<jiff::Timestamp> {
        changed_at(&self.store).max(changed_at(&companion(&self.store, "-wal")))
    }
}

/// Names that stand for no model.
fn is_model(name: &str) -> bool {
    !matches!(name.to_ascii_lowercase().as_str(), "" | "default" | "auto" | "auto-smart")
}

/// An error and everything that caused it, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut says = error.to_string();
    let mut because = error.source();
    while let Some(cause) = because {
        says = format!("{says}: {cause}");
        because = cause.source();
    }
    says
}
