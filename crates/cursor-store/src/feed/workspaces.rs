//! The change feed of workspaces' databases: a database is one piece.

use backscroll_model::{Changes, FragmentKind, Mark};

use super::ledger::{self, Piece, Told};
use super::{fingerprint, stamp};
use crate::ide_workspaces::{IdeWorkspaces, WorkspaceStore};
use crate::read_only_db::{ReadError, ReadOnlyDb};

impl IdeWorkspaces {
    /// What changed since `since`.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let pieces = self.all_stores().iter().map(|store| {
            let stamp = fingerprint::of(&(stamp::database(&store.file), fingerprint::of_all(&store.place)));
            Piece { name: store.file.to_string_lossy().into_owned(), stamp, what: (store, stamp) }
        });
        let pieces: Vec<Piece<(&WorkspaceStore, u64)>> = pieces.collect();
        ledger::changes(since, &pieces, |(store, stamp)| {
            ledger::settled(ReadOnlyDb::ask(&store.file, |db| fingerprints(db, store, *stamp)))
        })
    }
}

/// A fingerprint of what a database has of each conversation. Which prompts are left depends on everything in it.
fn fingerprints(db: &ReadOnlyDb, store: &WorkspaceStore, stamp: u64) -> Result<Told, ReadError> {
    let mut prints = Told::new();
    for fragment in store.read(db)?.value {
        let print = match fragment.kind {
            FragmentKind::Prompts => stamp,
            FragmentKind::Account | FragmentKind::Evidence => fingerprint::of_all(&fragment),
        };
        let known = prints.entry(fragment.summary.id).or_insert_with(|| fingerprint::of_all(&store.place));
        *known = known.wrapping_add(print);
    }
    Ok(prints)
}
