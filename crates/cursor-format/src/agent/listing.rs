//! The stored messages of a conversation in order: what was summed up, then the prompt, then what is pending.

use std::collections::HashSet;

use backscroll_model::{Coverage, Decoded, Origin};

use super::archive::{Archive, archives};
use super::assemble::{Listed, Name};
use super::conversation::words;
use super::graph::Graph;
use super::message::{Speaker, StoredMessage, message};
use super::message_part::Piece;
use super::opened::{self, Opened, Stored};
use super::root::{Reference, Root, root};
use crate::BlobId;

/// Everything that the root lists as messages.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) messages: Vec<Listed>,
    pub(super) pending: Vec<Listed>,
    pub(super) coverage: Coverage,
}

impl Listing {
    /// Lists every stored message; those of the prompt are `opened` already.
    pub(super) fn read(root: &Root, opened: impl Iterator<Item = Opened>, graph: &mut Graph<'_>) -> Self {
        let archives = archives(&root.archives, graph);
        let is_summary: HashSet<BlobId> =
            archives.iter().filter_map(|archive| archive.summary_message.as_ref()?.id()).collect();
        let mut listing = Self::default();
        let mut prompt = Vec::new();
        listing.take(&root.messages, opened, graph, &mut prompt);
        for listed in &mut prompt {
            listed.is_summary = listed.id.is_some_and(|id| is_summary.contains(&id));
        }
        let summary = words(root.summary.as_ref(), "the summary", graph);
        if archives.is_empty() && summary.is_none() {
            listing.messages = prompt;
        } else {
            listing.with_archives(prompt, &archives, summary, graph);
        }
        listing.add_unfinished(root, graph);
        listing
    }

    /// Puts what was summed up, and its summaries, behind what leads the prompt.
    fn with_archives(
        &mut self,
        mut prompt: Vec<Listed>,
        archives: &[Archive],
        summed_up: Option<String>,
        graph: &mut Graph<'_>,
    ) {
        let is_lead = |one: &&Listed| one.is_gap || one.stored.speaker == Speaker::System;
        let lead = prompt.iter().take_while(is_lead).count();
        let mut rest = prompt.split_off(lead);
        let mut known: HashSet<BlobId> = prompt.iter().filter_map(|one| one.id).collect();
        self.messages = prompt;
        for archive in archives {
            self.archived(archive, &mut known, &rest, graph);
        }
        if let Some(text) = summed_up {
            let is_told = archives.iter().any(|archive| archive.summary.as_ref() == Some(&text));
            if !is_told {
                self.messages.push(summary(text, graph.root().with_key("summary")));
            }
        }
        if !archives.is_empty() {
            rest.retain(|one| one.is_summary || !one.id.is_some_and(|id| known.contains(&id)));
        }
        self.messages.append(&mut rest);
    }

    /// Adds what is not stored as a blob yet.
    fn add_unfinished(&mut self, root: &Root, graph: &mut Graph<'_>) {
        if let Some(tail) = &root.tail {
            let at = graph.root().clone();
            self.messages.extend(listing_entry(
                Name::Other("tail".to_owned()),
                tail,
                at,
                graph,
                &mut self.coverage,
            ));
        }
        for (number, text) in root.pending.iter().enumerate() {
            let name = Name::Other(format!("pending-{}", number + 1));
            let at = graph.root().clone();
            let one = listing_entry(name, text.as_bytes(), at, graph, &mut self.coverage);
            self.pending.extend(one);
        }
    }

    /// Reads the messages referred to.
    fn follow(&mut self, references: &[Reference], graph: &mut Graph<'_>, into: &mut Vec<Listed>) {
        let opened = opened::fetch(references, graph).open();
        self.take(references, opened, graph, into);
    }

    /// Lists the messages referred to; a blob that is itself a list of messages is entered.
    fn take(
        &mut self,
        references: &[Reference],
        opened: impl Iterator<Item = Opened>,
        graph: &mut Graph<'_>,
        into: &mut Vec<Listed>,
    ) {
        into.reserve(references.len());
        for (number, (reference, opened)) in references.iter().zip(opened).enumerate() {
            let Some((at, what)) = admit(reference, opened, graph) else {
                self.coverage.listed += 1;
                self.coverage.missing += 1;
                into.extend(reference.id().map(|id| Listed::gap(id, graph.root().with_key(id.to_string()))));
                continue;
            };
            let inline = || Name::Other(format!("inline-{}", number + 1));
            let name = reference.id().map_or_else(inline, Name::Blob);
            let bytes = match what {
                Stored::Message(decoded) => {
                    into.extend(entered(name, decoded, at, graph, &mut self.coverage));
                    continue;
                }
                Stored::Other(bytes) => bytes,
            };
            let nested = root(&bytes, &at).value;
            if nested.messages.is_empty() && nested.tail.is_none() {
                into.extend(listing_entry(name, &bytes, at, graph, &mut self.coverage));
            } else if graph.enter(reference.id()) {
                self.follow(&nested.messages, graph, into);
                if let Some(tail) = nested.tail {
                    into.extend(listing_entry(name, &tail, at, graph, &mut self.coverage));
                }
                graph.leave();
            }
        }
    }

    fn archived(
        &mut self,
        archive: &Archive,
        known: &mut HashSet<BlobId>,
        rest: &[Listed],
        graph: &mut Graph<'_>,
    ) {
        let fresh: Vec<Reference> = archive
            .messages
            .iter()
            .filter(|reference| !reference.id().is_some_and(|id| known.contains(&id)))
            .cloned()
            .collect();
        let mut read = Vec::new();
        self.follow(&fresh, graph, &mut read);
        known.extend(read.iter().filter_map(|one| one.id));
        self.messages.append(&mut read);
        let entered = archive.summary_message.as_ref().and_then(Reference::id);
        let is_in_prompt = entered.is_some_and(|id| rest.iter().any(|one| one.id == Some(id)));
        if let (false, Some(text)) = (is_in_prompt, &archive.summary) {
            self.messages.push(summary(text.clone(), graph.root().with_key("summary")));
        }
    }
}

fn summary(text: String, origin: Origin) -> Listed {
    let stored = StoredMessage {
        speaker: Speaker::System,
        pieces: vec![Piece::Text(text)],
        request_id: None,
        model: None,
    };
    Listed { is_summary: true, ..Listed::stored(Name::Other("summary".to_owned()), origin, stored) }
}

/// What was found under `reference`, and where; tells of whatever is odd about it.
fn admit(reference: &Reference, opened: Opened, graph: &mut Graph<'_>) -> Option<(Origin, Stored)> {
    const WHAT: &str = "a message";
    let id = reference.id();
    match (opened, id) {
        (Opened::There { at, is_genuine, what }, _) => {
            if let (false, Some(id)) = (is_genuine, id) {
                graph.report_mismatch(id, WHAT);
            }
            return Some((at, what));
        }
        (Opened::Missing, Some(id)) => graph.report_missing(id, WHAT),
        (Opened::Unreadable(error), Some(id)) => graph.report_unreadable(id, WHAT, &error),
        // What stands in the root itself is there.
        (Opened::Missing | Opened::Unreadable(_), None) => {}
    }
    None
}

/// Reads one stored message and enters it into the account.
fn listing_entry(
    name: Name,
    bytes: &[u8],
    origin: Origin,
    graph: &mut Graph<'_>,
    coverage: &mut Coverage,
) -> Option<Listed> {
    let decoded = message(bytes, &origin);
    entered(name, decoded, origin, graph, coverage)
}

/// Enters one stored message into the account.
fn entered(
    name: Name,
    decoded: Decoded<Option<StoredMessage>>,
    origin: Origin,
    graph: &mut Graph<'_>,
    coverage: &mut Coverage,
) -> Option<Listed> {
    coverage.listed += 1;
    for finding in decoded.findings {
        graph.report(finding.kind, finding.at, finding.says);
    }
    let Some(stored) = decoded.value else {
        coverage.undecodable += 1;
        return None;
    };
    if stored.pieces.is_empty() {
        coverage.empty += 1;
    } else {
        coverage.read += 1;
    }
    Some(Listed::stored(name, origin, stored))
}
