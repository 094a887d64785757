//! The change feed of workspaces' databases: a database is one piece. What is told of prompts depends on the global
//! database too, so they are a piece of their own.

use std::sync::Arc;

use backscroll_cursor_format::ide;
use backscroll_cursor_format::ide::keys;
use backscroll_model::{Changes, ConversationId, Layer, Mark, Origin};

use super::ledger::{self, Piece, Told};
use super::{fingerprint, stamp};
use crate::ide_item_tables as item_table;
use crate::ide_workspace::WorkspaceStore;
use crate::ide_workspaces::IdeWorkspaces;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// What is looked into.
enum What<'a> {
    Store(&'a WorkspaceStore),
    Prompts,
}

impl IdeWorkspaces {
    /// What changed since `since`.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let mut pieces: Vec<Piece<What<'_>>> = Vec::new();
        for store in self.stores_read() {
            let stamp = fingerprint::of(&(stamp::database(&store.file), fingerprint::of_all(&store.place)));
            let name = store.file.to_string_lossy().into_owned();
            pieces.push(Piece { name, stamp, what: What::Store(store) });
        }
        let all: Vec<u64> = pieces.iter().map(|piece| piece.stamp).collect();
        let global = self.global().map(|global| stamp::database(&global.file));
        pieces.push(Piece {
            name: "prompts".to_owned(),
            stamp: fingerprint::of(&(all, global)),
            what: What::Prompts,
        });
        ledger::changes(since, &pieces, |what| match what {
            What::Store(store) => ledger::settled(ReadOnlyDb::ask(&store.file, |db| told_by(db, store))),
            What::Prompts => Some(self.prompts_told()),
        })
    }

    /// The prompts that are told now.
    fn prompts_told(&self) -> Told {
        let told = self.prompts_of_all();
        told.into_iter().map(|summary| (summary.id.clone(), fingerprint::of_all(&summary))).collect()
    }
}

/// What a database tells of each conversation.
fn told_by(db: &ReadOnlyDb, store: &WorkspaceStore) -> Result<Told, ReadError> {
    let place = fingerprint::of_all(&store.place);
    let mut told = Told::new();
    let mut add = |id: &ConversationId, print: u64| {
        let known = told.entry(id.clone()).or_insert(place);
        *known = known.wrapping_add(print);
    };
    let Some(items) = db.table("ItemTable")? else { return Ok(told) };
    let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&store.file), keys::WORKSPACE_COMPOSERS);
    let read = store.read_db(db)?;
    for head in &read.heads {
        add(&head.evidence.summary.id, fingerprint::of_all(head));
    }
    for id in &read.opened {
        add(id, fingerprint::of("opened"));
    }
    let inline = read.heads.iter().filter(|head| head.holds_messages);
    if let Some(bytes) = items.get(keys::WORKSPACE_COMPOSERS)? {
        for head in inline {
            let id = &head.evidence.summary.id;
            add(id, fingerprint::of_all(&ide::inline_conversation(&bytes, id, &at)));
        }
    }
    let (tabs, _) = item_table::chat_tabs(db, &store.file, Layer::IdeWorkspace)?;
    let (prompts, _) = item_table::prompts(db, &store.file, Layer::IdeWorkspace, &store.id)?;
    for whole in tabs.iter().chain(&prompts) {
        add(&whole.summary.id, fingerprint::of_all(whole));
    }
    Ok(told)
}
