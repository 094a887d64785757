//! Following references between blobs: each is fetched, checked against its name, and told of when missing.
//! Must not decode what it fetches.

use std::borrow::Cow;
use std::collections::HashSet;

use backscroll_model::{Finding, FindingKind, Origin};

use super::root::Reference;
use crate::{BlobId, Blobs, RowsError, hex};

/// Where a graph of blobs lies.
#[derive(Clone)]
pub struct Place<'a> {
    /// The store that has the blobs.
    pub blobs: &'a dyn Blobs,
    /// Where the root was read.
    pub root: Origin,
    /// What stands before a blob's id in its key: `agentKv:blob:` in the editor, nothing in a `store.db`.
    pub prefix: &'a str,
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place")
            .field("root", &self.root)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A walk through a graph, with everything noticed on the way.
pub(super) struct Graph<'a> {
    place: Place<'a>,
    pub(super) findings: Vec<Finding>,
    reported: HashSet<(FindingKind, String)>,
    /// What is being followed just now, outermost first; `None` for what no blob of its own holds.
    following: Vec<Option<BlobId>>,
    /// How many blobs were followed from inside of another.
    nested: usize,
}

/// References may lead this far down through blobs of the same kind.
const DEEPEST: usize = 16;

/// So many blobs are followed from inside of another. Depth alone does not bound a walk: blobs that name each other
/// twenty times over sixteen levels would keep us busy for ever.
const MOST_NESTED: usize = 1_000;

impl<'a> Graph<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        Self { place, findings: Vec::new(), reported: HashSet::new(), following: Vec::new(), nested: 0 }
    }

    /// Where the root was read.
    pub(super) fn root(&self) -> &Origin {
        &self.place.root
    }

    /// Where the blob `id` is.
    pub(super) fn origin(&self, id: BlobId) -> Origin {
        origin(&self.place.root, self.place.prefix, id)
    }

    /// Tells of something, once for each spot.
    pub(super) fn report(&mut self, kind: FindingKind, at: Origin, says: impl Into<String>) {
        if self.reported.insert((kind, at.key.clone())) {
            self.findings.push(Finding::new(kind, at, says));
        }
    }

    /// The blobs that are asked.
    pub(super) fn place(&self) -> &Place<'a> {
        &self.place
    }

    /// Another walk through the same graph, whose findings [`Graph::absorb`] takes over.
    pub(super) fn beside(&self) -> Self {
        Self::new(self.place.clone())
    }

    /// Tells of what another walk found, unless that is told already.
    pub(super) fn absorb(&mut self, other: Self) {
        for finding in other.findings {
            self.report(finding.kind, finding.at, finding.says);
        }
    }

    /// The bytes of the blob `id`, which is `what`.
    pub(super) fn fetch(&mut self, id: BlobId, what: &str) -> Option<Cow<'a, [u8]>> {
        let found = self.fetch_if_there(id, what);
        if found.is_none() {
            self.report_missing(id, what);
        }
        found
    }

    /// The bytes of the blob `id`, which may well be missing.
    pub(super) fn fetch_if_there(&mut self, id: BlobId, what: &str) -> Option<Cow<'a, [u8]>> {
        let blobs: &'a dyn Blobs = self.place.blobs;
        match blobs.blob(&id) {
            Ok(found) => {
                let (bytes, is_genuine) = genuine(id, found?);
                if !is_genuine {
                    self.report_mismatch(id, what);
                }
                Some(bytes)
            }
            Err(error) => {
                self.report_unreadable(id, what, &error);
                None
            }
        }
    }

    /// Tells that a blob is not there, unless it is told that it cannot be read.
    pub(super) fn report_missing(&mut self, id: BlobId, what: &str) {
        let at = self.origin(id);
        let told = (FindingKind::Unreadable, at.key);
        if !self.reported.contains(&told) {
            let says = format!("the blob of {what} is not there");
            self.report(FindingKind::DanglingReference, self.origin(id), says);
        }
    }

    /// Tells that a blob has other bytes than its name says.
    pub(super) fn report_mismatch(&mut self, id: BlobId, what: &str) {
        let says = format!("the blob of {what} does not have the hash it is named by");
        self.report(FindingKind::HashMismatch, self.origin(id), says);
    }

    /// Tells that the store could not give a blob.
    pub(super) fn report_unreadable(&mut self, id: BlobId, what: &str, error: &RowsError) {
        let says = format!("the blob of {what} cannot be read: {error}");
        self.report(FindingKind::Unreadable, self.origin(id), says);
    }

    /// What `reference` stands for, and where that is.
    pub(super) fn resolve(&mut self, reference: &Reference, what: &str) -> Option<(Origin, Cow<'a, [u8]>)> {
        match reference {
            Reference::Blob(id) => self.fetch(*id, what).map(|bytes| (self.origin(*id), bytes)),
            Reference::Inline(bytes) => Some((self.place.root.clone(), bytes.clone().into())),
        }
    }

    /// Begins to follow the blob `id`, or what no blob holds; `false` if that would go in circles or too deep.
    pub(super) fn enter(&mut self, id: Option<BlobId>) -> bool {
        let at = id.map_or_else(|| self.place.root.clone(), |id| self.origin(id));
        if id.is_some() && self.following.contains(&id) {
            self.report(FindingKind::Cycle, at, "the blob refers to itself");
            return false;
        }
        if self.following.len() >= DEEPEST {
            let says = "references lead deeper than we follow";
            self.report(FindingKind::TooLarge, at, says);
            return false;
        }
        if !self.following.is_empty() {
            self.nested += 1;
        }
        if self.nested > MOST_NESTED {
            let says = "the blobs refer to each other more often than we follow";
            self.report(FindingKind::TooLarge, self.place.root.clone(), says);
            return false;
        }
        self.following.push(id);
        true
    }

    /// Ends what [`Graph::enter`] began.
    pub(super) fn leave(&mut self) {
        self.following.pop();
    }
}

/// Where the blob `id` is, in the place of `root`.
pub(super) fn origin(root: &Origin, prefix: &str, id: BlobId) -> Origin {
    let mut key = String::with_capacity(prefix.len() + 64);
    key.push_str(prefix);
    hex::push(id.as_bytes(), &mut key);
    root.with_key(key)
}

/// The bytes that `id` names: as stored, or spelled as hexadecimal text, as older versions did. With `false` those that
/// were stored, though it does not name them.
pub(super) fn genuine(id: BlobId, bytes: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, bool) {
    if BlobId::of_content(&bytes) == id {
        return (bytes, true);
    }
    match hex::decode(&bytes).filter(|spelled| BlobId::of_content(spelled) == id) {
        Some(spelled) => (spelled.into(), true),
        None => (bytes, false),
    }
}
