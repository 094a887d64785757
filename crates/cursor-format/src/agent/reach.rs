//! Which blobs can be reached from a root, so that a store can tell which are stale. Must not decode messages.

use std::collections::BTreeSet;

use backscroll_model::Decoded;

use super::graph::{Graph, Place};
use super::wire::{Value, fields};
use crate::BlobId;

/// Nested messages deeper than this are not searched for references.
const DEEPEST: usize = 32;

/// Every value of 32 bytes, at any field number and depth, that may be the id of a blob.
///
/// Whether it is one, only the store can tell: a path of 32 letters looks the same.
pub fn references(bytes: &[u8]) -> Vec<BlobId> {
    let mut found = Vec::new();
    collect(bytes, 0, &mut found);
    found
}

/// What turns out to be no message holds no references: what was found in it is taken back.
fn collect(bytes: &[u8], depth: usize, found: &mut Vec<BlobId>) {
    if depth > DEEPEST || bytes.first() == Some(&b'{') {
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
pub fn reachable(root: &[u8], place: &Place<'_>) -> Decoded<BTreeSet<BlobId>> {
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
