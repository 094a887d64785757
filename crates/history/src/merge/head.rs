//! The head facts of one conversation, out of the fragments of several layers: each from the strongest layer that has it,
//! with the origin that this layer read it at.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use backscroll_model::{
    Attribution, ConversationId, Fact, FactOrigin, Finding, FindingKind, Flag, Fragment, FragmentKind, Layer,
    Summary, Surface, Workspace, push_new,
};

/// How much the layer of a fragment is believed; lower is stronger.
///
/// An agent of the SDK keeps blobs of its own, as the command line does; its index and transcript come first.
pub(super) fn rank(fragment: &Fragment) -> u8 {
    match fragment.layer() {
        Layer::CliStore if fragment.summary.surface == Surface::Sdk => 9,
        Layer::IdeGlobal => 0,
        Layer::IdeHeaders => 1,
        Layer::IdeWorkspace => 2,
        Layer::AgentBlobs => 3,
        Layer::CliStore => 4,
        Layer::SdkIndex => 5,
        Layer::TranscriptJsonl => 6,
        Layer::TranscriptJson => 7,
        Layer::TranscriptText => 8,
        Layer::Archive | Layer::Bundle => 10,
        Layer::IdeSearch => 11,
        Layer::Tracking => 12,
        Layer::Hooks => 13,
    }
}

/// How a fragment ranks as the spine of a conversation. An SDK agent's own blobs hold whole arguments and results, in the order
/// in which the model was given them; events of the index are cut and lack the user's words, so transcripts come before it.
pub(super) fn spine_rank(fragment: &Fragment) -> u8 {
    match rank(fragment) {
        5 => 8,
        rank @ 6..=8 => rank - 1,
        9 => 4,
        rank => rank,
    }
}

/// The merged head facts, and where each was read.
pub(super) struct MergingHead {
    pub(super) summary: Summary,
    pub(super) origins: Vec<FactOrigin>,
}

/// The summary of one conversation for a listing; `None` if nothing but evidence is there.
pub(crate) fn summary(fragments: &[Fragment]) -> Option<Summary> {
    let fragments: Vec<&Fragment> = fragments.iter().collect();
    Some(head(&fragments)?.summary)
}

/// Merges the head facts of `fragments`; `None` if nothing but evidence is there.
pub(super) fn head(fragments: &[&Fragment]) -> Option<MergingHead> {
    let is_account = |fragment: &&&Fragment| fragment.kind != FragmentKind::Evidence;
    let mut accounts: Vec<&Fragment> = fragments.iter().filter(is_account).copied().collect();
    accounts.sort_by_key(|fragment| (fragment.summary.flags.contains(&Flag::Deleted), rank(fragment)));
    let evidence = fragments.iter().filter(|fragment| fragment.kind == FragmentKind::Evidence).copied();
    let evidence: Vec<&Fragment> = evidence.collect();
    let all = || accounts.iter().chain(&evidence).copied();

    let mut summary = accounts.first()?.summary.clone();
    summary.surface = accounts.iter().map(|account| account.summary.surface).min()?;
    summary.messages = accounts.iter().filter_map(|account| account.summary.messages).max();
    summary.flags = flags(&accounts, &evidence);
    summary.models = distinct(all().flat_map(|fragment| &fragment.summary.models));
    summary.children = distinct(all().flat_map(|fragment| &fragment.summary.children));
    let named = all().filter(|fragment| !is_hint(fragment));
    summary.origins = distinct(named.flat_map(|fragment| &fragment.summary.origins));

    let title = title(&accounts, &evidence);
    let workspace = workspace(&accounts).or_else(|| strongest(&evidence));
    let begun = all().find(|fragment| fragment.summary.created_at.is_some());
    let stored = changed(&accounts).or_else(|| changed(&evidence));
    let file = if stored.or(begun).is_none() { changed_file(&accounts) } else { None };
    let changed = stored.or(file);
    let mode = all().find(|fragment| fragment.summary.mode.is_some());
    let models = all().find(|fragment| !fragment.summary.models.is_empty());
    let parent = all().find(|fragment| fragment.summary.parent.is_some());
    summary.title = title.and_then(|from| from.summary.title.clone());
    summary.workspace = workspace.and_then(|from| from.summary.workspace.clone());
    summary.created_at = begun.and_then(|from| from.summary.created_at);
    summary.updated_at = changed.and_then(|from| from.summary.updated_at);
    summary.is_updated_by_file = file.is_some();
    summary.mode = mode.and_then(|from| from.summary.mode.clone());
    summary.parent = parent.and_then(|from| from.summary.parent.clone());
    let is_told_by_others = parent.is_some_and(|from| from.kind == FragmentKind::Evidence);
    if is_told_by_others && !summary.flags.contains(&Flag::BestOfN) {
        summary.flags.insert(Flag::Subagent);
    }
    let origins = [
        (Fact::Title, title),
        (Fact::Workspace, workspace),
        (Fact::Begun, begun),
        (Fact::Changed, changed),
        (Fact::Mode, mode),
        (Fact::Models, models),
        (Fact::Parent, parent),
    ];
    let origins = origins.into_iter().filter_map(|(fact, from)| Some(origin_in(from?, fact)));
    Some(MergingHead { summary, origins: origins.collect() })
}

/// Where `fragment` read `fact`.
pub(super) fn origin_in(fragment: &Fragment, fact: Fact) -> FactOrigin {
    FactOrigin { fact, call: None, origin: fragment.origin_of(fact).clone() }
}

/// Whether a fragment says nothing but where a conversation may belong.
fn is_hint(fragment: &Fragment) -> bool {
    let Summary { title, mode, models, .. } = &fragment.summary;
    fragment.kind == FragmentKind::Evidence
        && title.is_none()
        && mode.is_none()
        && models.is_empty()
        && fragment.facts == backscroll_model::Facts::default()
}

/// The fragment with the name that Cursor shows: since 3.0 that of the list of heads, then the record beside it; before, that
/// of the workspace's head.
fn title<'a>(accounts: &[&'a Fragment], evidence: &[&'a Fragment]) -> Option<&'a Fragment> {
    let named = |fragments: &[&'a Fragment], layer: Option<Layer>| {
        let is_it = |fragment: &&&'a Fragment| {
            fragment.summary.title.is_some() && layer.is_none_or(|layer| fragment.layer() == layer)
        };
        fragments.iter().find(is_it).copied()
    };
    let latest_first: Vec<&Fragment> = accounts.iter().rev().copied().collect();
    let has_heads = accounts.iter().any(|account| account.layer() == Layer::IdeHeaders);
    let beside = || if has_heads { named(accounts, Some(Layer::IdeGlobal)) } else { None };
    named(&latest_first, Some(Layer::IdeHeaders))
        .or_else(beside)
        .or_else(|| named(accounts, Some(Layer::IdeWorkspace)))
        .or_else(|| named(accounts, None))
        .or_else(|| named(evidence, None))
}

/// The fragment with the workspace by the strongest route; among equals, the one that changed last.
fn workspace<'a>(accounts: &[&'a Fragment]) -> Option<&'a Fragment> {
    let route = |fragment: &&&Fragment| {
        let by = fragment.summary.workspace.as_ref().map(|workspace| workspace.by);
        (by.is_none(), by, Reverse(fragment.summary.recency()))
    };
    accounts.iter().min_by_key(route).copied().filter(|fragment| fragment.summary.workspace.is_some())
}

/// The evidence with the strongest route to a workspace; among equals the first.
fn strongest<'a>(evidence: &[&'a Fragment]) -> Option<&'a Fragment> {
    let placed =
        evidence.iter().filter_map(|fragment| Some((fragment.summary.workspace.as_ref()?.by, *fragment)));
    placed.min_by_key(|(by, _): &(Attribution, _)| *by).map(|(_, fragment)| fragment)
}

/// The fragment with the latest change that is stored.
fn changed<'a>(fragments: &[&'a Fragment]) -> Option<&'a Fragment> {
    let stored = fragments.iter().filter(|fragment| !fragment.summary.is_updated_by_file);
    latest(stored)
}

/// The fragment whose file changed last. Copying a file changes its time, so it counts only where nothing stored has one.
fn changed_file<'a>(accounts: &[&'a Fragment]) -> Option<&'a Fragment> {
    latest(accounts.iter().filter(|fragment| fragment.summary.is_updated_by_file))
}

fn latest<'a: 'b, 'b>(fragments: impl Iterator<Item = &'b &'a Fragment>) -> Option<&'a Fragment> {
    let dated = fragments.filter(|fragment| fragment.summary.updated_at.is_some());
    dated.min_by_key(|fragment| Reverse(fragment.summary.updated_at)).copied()
}

/// A conversation is empty if every layer but the indexes says so, deleted if all that have anything of it say so, and lost instead
/// of empty if only lists of workspaces name it.
fn flags(accounts: &[&Fragment], evidence: &[&Fragment]) -> BTreeSet<Flag> {
    let mut flags: BTreeSet<Flag> =
        accounts.iter().flat_map(|fragment| fragment.summary.flags.clone()).collect();
    let has = |fragment: &Fragment, flag: Flag| fragment.summary.flags.contains(&flag);
    let is_body = |fragment: &&&Fragment| fragment.layer() != Layer::IdeHeaders;
    let is_empty = if accounts.iter().any(|account| is_body(&account)) {
        accounts.iter().filter(is_body).all(|fragment| has(fragment, Flag::Empty))
    } else {
        accounts.iter().all(|fragment| has(fragment, Flag::Empty))
    };
    if !is_empty {
        flags.remove(&Flag::Empty);
    }
    let mut bodies =
        accounts.iter().filter(is_body).filter(|fragment| !has(fragment, Flag::Empty)).peekable();
    // The record of one that Cursor deleted is NULL.
    let is_null = |fragment: &&Fragment| fragment.layer() == Layer::IdeGlobal && has(fragment, Flag::Deleted);
    let is_deleted = match bodies.peek() {
        Some(_) => bodies.all(|fragment| has(fragment, Flag::Deleted)),
        None => accounts.iter().all(|fragment| has(fragment, Flag::Deleted)) || evidence.iter().any(is_null),
    };
    if is_deleted {
        flags.insert(Flag::Deleted);
    } else {
        flags.remove(&Flag::Deleted);
    }
    let is_listed_only = accounts.iter().filter(is_body).all(|body| body.layer() == Layer::IdeWorkspace);
    if is_empty && is_listed_only && !is_deleted && !flags.contains(&Flag::Background) {
        if flags.contains(&Flag::Lost) {
            flags.remove(&Flag::Empty);
        }
    } else {
        flags.remove(&Flag::Lost);
    }
    flags
}

/// That only the list of a workspace still names this conversation.
pub(crate) fn lost_record(merged: &Summary) -> Option<Finding> {
    let at = merged.origins.first().filter(|_| merged.flags.contains(&Flag::Lost))?;
    let says = format!("{} is listed here, and its record is gone with its messages", merged.id);
    Some(Finding::new(FindingKind::DanglingReference, at.clone(), says))
}

/// Each of them once, in the order of the first. Ten thousand workspaces may name one conversation.
fn distinct<'a, T: Eq + Hash + Clone + 'a>(items: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(*item)).cloned().collect()
}

pub(super) fn extend_new<T: PartialEq + Clone>(list: &mut Vec<T>, more: &[T]) {
    for item in more {
        push_new(list, item.clone());
    }
}

/// Marks what a backup has as deleted: if a live place has it too, the mark goes. What the search index knows to be
/// in the cloud was never here.
pub(crate) fn mark_deleted(fragment: &mut Fragment) {
    let flags = &mut fragment.summary.flags;
    let is_in_cloud = flags.contains(&Flag::Background);
    if fragment.summary.origins[0].layer != Layer::IdeSearch || !is_in_cloud {
        flags.insert(Flag::Deleted);
    }
}

/// Workspaces that list the same conversation: a folder that was made anew, or opened by another spelling.
pub(crate) fn other_claims(fragments: &[Fragment], merged: &Summary) -> Vec<Finding> {
    let Some(here) = &merged.workspace else { return Vec::new() };
    let mut findings: Vec<Finding> = Vec::new();
    for fragment in fragments.iter().filter(|fragment| fragment.layer() == Layer::IdeWorkspace) {
        let there = fragment.summary.workspace.as_ref().filter(|_| fragment.kind == FragmentKind::Account);
        let is_other = |there: &&Workspace| (&here.path, &here.remote) != (&there.path, &there.remote);
        if let (Attribution::WorkspaceList, Some(there)) = (here.by, there.filter(is_other)) {
            let says = format!("{} is also listed by the workspace {}", merged.id, there.path);
            findings.push(Finding::new(FindingKind::Contradiction, fragment.origin().clone(), says));
        }
    }
    findings
}

/// Gives conversations that others name as theirs their parent, where they do not name it themselves.
pub(crate) fn link_children(summaries: &mut [Summary]) {
    let known: HashSet<ConversationId> = summaries.iter().map(|summary| summary.id.clone()).collect();
    let mut parents: HashMap<ConversationId, ConversationId> = HashMap::new();
    for summary in summaries.iter() {
        for child in &summary.children {
            if known.contains(child) && *child != summary.id {
                parents.entry(child.clone()).or_insert_with(|| summary.id.clone());
            }
        }
    }
    for summary in summaries.iter_mut().filter(|summary| summary.parent.is_none()) {
        if let Some(parent) = parents.get(&summary.id) {
            summary.parent = Some(parent.clone());
            if !summary.flags.contains(&Flag::BestOfN) {
                summary.flags.insert(Flag::Subagent);
            }
        }
    }
}

/// Surfaces are ordered by how much they say about where a conversation was held.
const _: () = assert!((Surface::Ide as u8) < (Surface::Transcript as u8));

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });

    /// Counts how often one is compared with another.
    #[derive(Clone)]
    struct Counting(usize);

    impl Hash for Counting {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    impl PartialEq for Counting {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counting {}

    #[test]
    fn ten_thousand_workspaces_are_compared_a_few_times_each() {
        let named: Vec<Counting> = (0..20_000).map(|number| Counting(number / 2)).collect();
        assert_eq!(distinct(named.iter()).len(), 10_000);
        assert!(COMPARED.get() < 40_000, "{}", COMPARED.get());
    }
}
