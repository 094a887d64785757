//! The older tracking of lines, in the editor's own database: which conversation wrote to which files. It tells of nothing
//! that nobody else has, as the later database of its own (`tracking.rs`).

use std::sync::Arc;

use backscroll_cursor_format::tracked_lines;
use backscroll_cursor_format::tracking::{TrackedConversation, group};
use backscroll_model::{
    Conversation, ConversationId, Decoded, Finding, FindingKind, Layer, Origin, Summary, Surface, Workspace,
};

use crate::ide_global::IdeGlobal;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::tracking;

/// What the list tells of each conversation, and what is odd about it.
#[derive(Debug, Default)]
pub(crate) struct TrackedLines {
    told: Vec<TrackedConversation>,
    pub(crate) findings: Vec<Finding>,
}

impl TrackedLines {
    fn read(db: &ReadOnlyDb, at: &Origin) -> Result<Self, ReadError> {
        let Some(items) = db.table("ItemTable")? else { return Ok(Self::default()) };
        let bytes = match items.get(tracked_lines::KEY) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Self::default()),
            Err(error) if error.is_passing() => return Err(error),
            // The list is long and tells little: what else the database has must not be lost with it.
            Err(error) => {
                let says = format!("the tracked lines cannot be read: {error}");
                let finding = Finding::new(FindingKind::Unreadable, at.clone(), says);
                return Ok(Self { told: Vec::new(), findings: vec![finding] });
            }
        };
        let Decoded { value, findings } = tracked_lines::rows(&bytes, at);
        let mut told = group(value);
        told.retain(|one| one.conversation_id.is_some());
        Ok(Self { told, findings })
    }

    /// What it tells, by the ids of conversations.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &TrackedConversation)> {
        self.told.iter().filter_map(|one| Some((one.conversation_id.as_deref()?, one)))
    }

    /// What it tells of one conversation.
    fn of(&self, id: &ConversationId) -> Option<&TrackedConversation> {
        self.each().find(|(known, _)| *known == id.as_str()).map(|(_, one)| one)
    }
}

impl IdeGlobal {
    fn tracked_lines_at(&self) -> Origin {
        Origin::new(Layer::Tracking, Arc::clone(&self.file), tracked_lines::KEY)
    }

    /// The list as it is stored now. A backup's is not asked: the database itself has what came later.
    pub(crate) fn tracked_lines_now(&self, db: &ReadOnlyDb) -> Result<TrackedLines, ReadError> {
        if self.is_backup {
            Ok(TrackedLines::default())
        } else {
            TrackedLines::read(db, &self.tracked_lines_at())
        }
    }

    /// The same, read once.
    pub(crate) fn tracked_lines(&self, db: &ReadOnlyDb) -> Result<&TrackedLines, ReadError> {
        if let Some(known) = self.tracked.get() {
            return Ok(known);
        }
        let read = self.tracked_lines_now(db)?;
        Ok(self.tracked.get_or_init(|| read))
    }

    /// What was tracked of one conversation.
    pub(crate) fn tracked_of(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
    ) -> Result<Option<Conversation>, ReadError> {
        Ok(self.tracked_lines(db)?.of(id).map(|tracked| {
            let summary = Summary::new(id.clone(), Surface::Transcript, self.tracked_lines_at());
            let mut conversation = Conversation::of(summary);
            tracking::take_over(&mut conversation, tracked);
            conversation
        }))
    }

    /// Where conversations worked, by the files that they wrote to.
    pub(crate) fn tracked_folders(
        &self,
        db: &ReadOnlyDb,
    ) -> Result<Vec<(ConversationId, Workspace)>, ReadError> {
        let tracked = self.tracked_lines(db)?.each();
        let placed =
            tracked.filter_map(|(id, one)| Some((ConversationId::new(id), tracking::folder_of(one)?)));
        Ok(placed.collect())
    }
}
