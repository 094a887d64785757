//! Summaries of one conversation, from several places, made one.

use std::collections::{HashMap, HashSet};

use backscroll_model::{ConversationId, Flag, Layer, Summary, Surface, Workspace};

/// How a telling ranks as the spine of a conversation; lower is stronger.
///
/// An agent of the SDK keeps blobs of its own, as the command line does; its index and transcript come first.
pub(super) fn rank(summary: &Summary) -> u8 {
    match layer(summary) {
        Layer::CliStore if summary.surface == Surface::Sdk => 8,
        Layer::IdeGlobal => 0,
        Layer::IdeWorkspace => 1,
        Layer::AgentBlobs => 2,
        Layer::CliStore => 3,
        Layer::SdkIndex => 4,
        Layer::TranscriptJsonl => 5,
        Layer::TranscriptJson => 6,
        Layer::TranscriptText => 7,
        Layer::Archive | Layer::Bundle => 9,
        Layer::IdeHeaders => 10,
        Layer::IdeSearch => 11,
        Layer::Tracking => 12,
    }
}

/// The layer that a summary was first read in.
pub(super) fn layer(summary: &Summary) -> Layer {
    summary.origins.first().map_or(Layer::Tracking, |origin| origin.layer)
}

/// One summary out of all; `None` if there are none.
pub(crate) fn summaries(mut told: Vec<Summary>) -> Option<Summary> {
    told.sort_by_key(|summary| (summary.flags.contains(&Flag::Deleted), rank(summary)));
    let title = title(&told);
    let workspace = workspace(&told);
    let flags = flags(&told);
    let updated_at = updated_at(&told);
    let mut told = told.into_iter();
    let mut whole = told.next()?;
    for other in told {
        whole.surface = whole.surface.min(other.surface);
        whole.created_at = whole.created_at.or(other.created_at);
        whole.mode = whole.mode.take().or(other.mode);
        whole.messages = whole.messages.max(other.messages);
        whole.parent = whole.parent.take().or(other.parent);
        extend_new(&mut whole.models, other.models);
        extend_new(&mut whole.children, other.children);
        extend_new(&mut whole.origins, other.origins);
    }
    whole.title = title;
    whole.workspace = workspace;
    whole.flags = flags;
    whole.updated_at = updated_at;
    Some(whole)
}

/// The latest change that any place tells. A transcript, and the store of an SDK agent, tell but their file's time, which
/// copying changes: it counts only where nothing else tells a time.
fn updated_at(told: &[Summary]) -> Option<jiff::Timestamp> {
    let is_stored = |summary: &&Summary| match layer(summary) {
        Layer::TranscriptJsonl | Layer::TranscriptJson | Layer::TranscriptText => false,
        Layer::CliStore => summary.surface != Surface::Sdk,
        _ => true,
    };
    let stored = told.iter().filter(is_stored).filter_map(|summary| summary.updated_at).max();
    stored.or_else(|| told.iter().filter_map(|summary| summary.updated_at).max())
}

fn extend_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// The name that Cursor shows: since 3.0 that of the list of heads, before that of the workspace's head.
fn title(told: &[Summary]) -> Option<String> {
    let of = |wanted: &dyn Fn(&Summary) -> bool| {
        told.iter().filter(|summary| wanted(summary)).find_map(|summary| summary.title.clone())
    };
    let has_head = |summary: &Summary| summary.origins.iter().any(|origin| origin.layer == Layer::IdeHeaders);
    of(&has_head).or_else(|| of(&|summary| layer(summary) == Layer::IdeWorkspace)).or_else(|| of(&|_| true))
}

/// The workspace by the strongest route; among equals, as the newest teller has it.
fn workspace(told: &[Summary]) -> Option<Workspace> {
    let known = told.iter().filter_map(|summary| Some((summary.workspace.clone()?, summary.recency())));
    known.min_by_key(|(workspace, at)| (workspace.by, std::cmp::Reverse(*at))).map(|(workspace, _)| workspace)
}

/// A conversation is empty if everybody says so, and deleted if all who have anything of it say so.
fn flags(told: &[Summary]) -> std::collections::BTreeSet<Flag> {
    let mut flags: std::collections::BTreeSet<Flag> =
        told.iter().flat_map(|summary| summary.flags.clone()).collect();
    let has = |summary: &Summary, flag: Flag| summary.flags.contains(&flag);
    if !told.iter().all(|summary| has(summary, Flag::Empty)) {
        flags.remove(&Flag::Empty);
    }
    let mut bodies = told.iter().filter(|summary| !has(summary, Flag::Empty)).peekable();
    let is_deleted = match bodies.peek() {
        Some(_) => bodies.all(|summary| has(summary, Flag::Deleted)),
        None => told.iter().all(|summary| has(summary, Flag::Deleted)),
    };
    if !is_deleted {
        flags.remove(&Flag::Deleted);
    }
    flags
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
