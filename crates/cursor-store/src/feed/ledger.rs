//! Sources that read many small things: which of them changed, and which conversations each tells of.
//!
//! Each piece has a stamp. A piece whose stamp is the old one is not looked into; of any other it is found out what it
//! tells of each conversation now, and what differs from what was remembered is named. So is what a piece that is
//! gone told of.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_model::{Changes, ConversationId, Mark};
use serde::{Deserialize, Serialize};

use super::{fingerprint, mark_text, stamp};
use crate::in_parallel;
use crate::read_only_db::ReadError;

/// What is watched as one.
#[derive(Debug)]
pub(crate) struct Piece<T> {
    /// What it is called, the same in every run.
    pub(crate) name: String,
    pub(crate) stamp: u64,
    /// What is needed to look into it.
    pub(crate) what: T,
}

/// What a piece tells of: conversations, each with a fingerprint of what is told.
pub(crate) type Told = BTreeMap<ConversationId, u64>;

/// What is remembered of a piece.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Entry {
    stamp: u64,
    told: BTreeMap<String, u64>,
}

/// What a look into a piece tells. One that cannot be read tells of nothing until somebody writes to it; `None` where
/// a writer would not let us read, so that it is looked into again next time.
pub(crate) fn settled(looked: Result<Told, ReadError>) -> Option<Told> {
    match looked {
        Ok(told) => Some(told),
        Err(error) if error.is_passing() => None,
        Err(_) => Some(Told::new()),
    }
}

/// What changed since `since`. The pieces' stamps were taken before anything is read here.
pub(crate) fn changes<T: Sync>(
    since: Option<&Mark>,
    pieces: &[Piece<T>],
    look: impl Fn(&T) -> Option<Told> + Sync,
) -> Changes {
    let whole: Vec<(&str, u64)> = pieces.iter().map(|piece| (piece.name.as_str(), piece.stamp)).collect();
    let whole = fingerprint::of(&whole);
    if since.is_some_and(|mark| mark_text::is_at(mark, whole)) {
        return Changes::Nothing;
    }
    let remembered: Option<BTreeMap<String, Entry>> = mark_text::read(since);
    let is_known = remembered.is_some();
    let mut old = remembered.unwrap_or_default();
    let (same, other): (Vec<&Piece<T>>, Vec<&Piece<T>>) =
        pieces.iter().partition(|piece| old.get(&piece.name).is_some_and(|known| known.stamp == piece.stamp));
    let mut new: BTreeMap<String, Entry> =
        same.iter().filter_map(|piece| old.remove_entry(&piece.name)).collect();
    let looks = in_parallel::each(&other, |piece| look(&piece.what));
    let mut conversations = BTreeSet::new();
    let mut is_all_read = true;
    for (piece, told) in other.iter().zip(looks) {
        let before = old.remove(&piece.name).unwrap_or_default().told;
        let entry = if let Some(told) = told {
            let told = told.into_iter().map(|(id, print)| (id.as_str().to_owned(), print)).collect();
            conversations.extend(differences(&before, &told));
            Entry { stamp: piece.stamp, told }
        } else {
            is_all_read = false;
            conversations.extend(before.keys().map(ConversationId::new));
            Entry { stamp: stamp::ABSENT, told: before }
        };
        new.insert(piece.name.clone(), entry);
    }
    conversations.extend(old.values().flat_map(|gone| gone.told.keys()).map(ConversationId::new));
    let mark = mark_text::write(if is_all_read { whole } else { stamp::ABSENT }, &new);
    if is_known { Changes::These { conversations, mark } } else { Changes::Anything { mark } }
}

/// Conversations of which two memories tell different things.
fn differences<'a>(
    before: &'a BTreeMap<String, u64>,
    after: &'a BTreeMap<String, u64>,
) -> impl Iterator<Item = ConversationId> + 'a {
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    let changed = after.iter().filter(|(id, print)| before.get(*id) != Some(*print)).map(|(id, _)| id);
    gone.chain(changed).map(ConversationId::new)
}
