//! Following references between blobs: each is fetched and checked against its name; a missing one is a finding.
//! Must not decode messages.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{Decoded, Finding, FindingKind, Origin};

use super::root::Reference;
use super::wire::{Value, fields};
use crate::limits::MOST_BLOB_BYTES;
use crate::{BlobId, Blobs, hex};

/// Where a graph of blobs lies.
#[derive(Clone)]
pub struct GraphLocation<'a> {
    /// The store that has the blobs.
    pub blobs: &'a dyn Blobs,
    /// Where the root was read.
    pub root: Origin,
    /// What stands before a blob's id in its key: `agentKv:blob:` in the editor, nothing in a `store.db`.
    pub prefix: &'a str,
}

impl std::fmt::Debug for GraphLocation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphLocation")
            .field("root", &self.root)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A walk through a graph, with everything noticed on the way.
pub(super) struct Graph<'a> {
    place: GraphLocation<'a>,
    pub(super) findings: Vec<Finding>,
    reported: HashSet<(FindingKind, String)>,
    /// What is being followed just now, outermost first; `None` for what no blob of its own holds.
    following: Vec<Option<BlobId>>,
    /// How many blobs were followed from inside of another.
    nested: usize,
    /// How often each blob was fetched.
    fetched: HashMap<BlobId, usize>,
    /// The bytes of blobs that were fetched more than [`OFTEN`].
    repeated: usize,
    /// Bytes of all blobs that were fetched.
    bytes: usize,
}

/// References may lead this far down through blobs of the same kind.
const DEEPEST: usize = 16;

/// This many blobs are followed from inside of another. Depth alone does not bound a walk: blobs that name each other
/// twenty times over sixteen levels would keep us busy for ever.
const MOST_NESTED: usize = 1_000;

/// A conversation asks for a blob a few times: as a message, as a step of a turn, as what a call answered.
const OFTEN: usize = 8;

/// This many bytes of blobs that are fetched more often than that. A root of a few megabytes can name one large blob a hundred
/// thousand times, and every time is a message with all its words.
const MOST_REPEATED: usize = 32 << 20;

impl<'a> Graph<'a> {
    pub(super) fn new(place: GraphLocation<'a>) -> Self {
        Self {
            place,
            findings: Vec::new(),
            reported: HashSet::new(),
            following: Vec::new(),
            nested: 0,
            fetched: HashMap::new(),
            repeated: 0,
            bytes: 0,
        }
    }

    /// Where the root was read.
    pub(super) fn root(&self) -> &Origin {
        &self.place.root
    }

    /// Where the blob `id` is.
    pub(super) fn origin(&self, id: BlobId) -> Origin {
        origin(&self.place.root, self.place.prefix, id)
    }

    /// Where the blob `id` is; the root's own place for what no blob of its own holds.
    pub(super) fn origin_of(&self, id: Option<BlobId>) -> Origin {
        id.map_or_else(|| self.place.root.clone(), |id| self.origin(id))
    }

    /// Reports something, once for each spot.
    pub(super) fn report(&mut self, kind: FindingKind, at: Origin, says: impl Into<String>) {
        if self.reported.insert((kind, at.key.clone())) {
            self.findings.push(Finding::new(kind, at, says));
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
        let times = self.fetched.entry(id).or_default();
        *times += 1;
        let times = *times;
        if times > OFTEN && self.repeated >= MOST_REPEATED {
            let says = format!("the blob of {what} is named more often than we read it");
            self.report(FindingKind::TooLarge, self.origin(id), says);
            return None;
        }
        if self.bytes >= MOST_BLOB_BYTES {
            let says = format!("only {} MB of a conversation's blobs are read", MOST_BLOB_BYTES >> 20);
            self.report(FindingKind::TooLarge, self.place.root.clone(), says);
            return None;
        }
        match blobs.blob(&id) {
            Ok(found) => {
                let (bytes, is_genuine) = genuine(id, found?);
                match times {
                    1 => self.bytes += bytes.len(),
                    times if times > OFTEN => self.repeated += bytes.len(),
                    _ => {}
                }
                if !is_genuine {
                    let says = format!("the blob of {what} does not have the hash it is named by");
                    self.report(FindingKind::HashMismatch, self.origin(id), says);
                }
                Some(bytes)
            }
            Err(error) => {
                let says = format!("the blob of {what} cannot be read: {error}");
                self.report(FindingKind::Unreadable, self.origin(id), says);
                None
            }
        }
    }

    /// Reports that a blob is not there, unless it was reported why it is not read.
    fn report_missing(&mut self, id: BlobId, what: &str) {
        let key = self.origin(id).key;
        let is_reported = |kind| self.reported.contains(&(kind, key.clone()));
        if self.bytes < MOST_BLOB_BYTES
            && !is_reported(FindingKind::Unreadable)
            && !is_reported(FindingKind::TooLarge)
        {
            let says = format!("the blob of {what} is not there");
            self.report(FindingKind::DanglingReference, self.origin(id), says);
        }
    }

    /// What `reference` stands for.
    pub(super) fn resolve(&mut self, reference: &Reference, what: &str) -> Option<Cow<'a, [u8]>> {
        match reference {
            Reference::Blob(id) => self.fetch(*id, what),
            Reference::Inline(bytes) => Some(bytes.clone().into()),
        }
    }

    /// Begins to follow the blob `id`, or what no blob holds; `false` if that would go in circles or too deep.
    pub(super) fn enter(&mut self, id: Option<BlobId>) -> bool {
        let at = self.origin_of(id);
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
fn origin(root: &Origin, prefix: &str, id: BlobId) -> Origin {
    let mut key = String::with_capacity(prefix.len() + 64);
    key.push_str(prefix);
    hex::push(id.as_bytes(), &mut key);
    root.with_key(key)
}

/// The bytes that `id` names: as stored, or spelled as hexadecimal text, as older versions did. With `false` those that
/// were stored, though it does not name them.
fn genuine(id: BlobId, bytes: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, bool) {
    if BlobId::of_content(&bytes) == id {
        return (bytes, true);
    }
    match hex::decode(&bytes).filter(|spelled| BlobId::of_content(spelled) == id) {
        Some(spelled) => (spelled.into(), true),
        None => (bytes, false),
    }
}

/// Nested messages deeper than this are not searched for references.
const DEEPEST_REFERENCE: usize = 32;

/// Every value of 32 bytes, at any field number and depth, that may be the id of a blob.
///
/// Whether it is one, only the store knows: a path of 32 letters looks the same.
pub fn references(bytes: &[u8]) -> Vec<BlobId> {
    let mut found = Vec::new();
    collect(bytes, 0, &mut found);
    found
}

/// What turns out to be no message holds no references: what was found in it is taken back.
fn collect(bytes: &[u8], depth: usize, found: &mut Vec<BlobId>) {
    if depth > DEEPEST_REFERENCE || bytes.first() == Some(&b'{') {
        return;
    }
    let before = found.len();
    for field in fields(bytes) {
        match field.map(|field| field.value) {
            Ok(Value::Bytes(bytes)) => match <[u8; 32]>::try_from(bytes) {
                Ok(id) => found.push(id.into()),
                Err(_) => collect(bytes, depth + 1, found),
            },
            Ok(_) => {}
            Err(_) => {
                found.truncate(before);
                return;
            }
        }
    }
}

/// The ids of all stored blobs that the root leads to, its own among them if it is stored as a blob.
pub fn reachable(root: &[u8], place: &GraphLocation<'_>) -> Decoded<BTreeSet<BlobId>> {
    let mut graph = Graph::new(place.clone());
    let mut reached = BTreeSet::new();
    let mut open = references(root);
    open.push(BlobId::of_content(root));
    while let Some(id) = open.pop() {
        if reached.contains(&id) {
            continue;
        }
        if let Some(bytes) = graph.fetch_if_there(id, "something the root leads to") {
            open.extend(references(&bytes));
            reached.insert(id);
        }
    }
    Decoded { value: reached, findings: graph.findings }
}
