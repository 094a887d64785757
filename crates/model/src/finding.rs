//! Findings: what a store holds that is damaged, odd, missing or not understood.

use serde::{Deserialize, Serialize};

use crate::Origin;

named! {
    /// What sort of thing was found.
    pub enum FindingKind {
        /// A place exists and could not be read.
        Unreadable = "unreadable",
        /// A value could not be decoded.
        Undecodable = "undecodable",
        /// A value was decoded in part: something in it was damaged or cut off.
        Damaged = "damaged",
        /// A listed message has no row, or a NULL one.
        MissingMessage = "missing-message",
        /// A stored message that its conversation does not list.
        OrphanMessage = "orphan-message",
        /// The list of messages is lost; the order was rebuilt from the rows.
        ListLost = "list-lost",
        /// Rows with a NULL key or value.
        NullRow = "null-row",
        /// A kind, type or field that this version does not know.
        Unknown = "unknown",
        /// Something refers to a row, blob or file that is not there.
        DanglingReference = "dangling-reference",
        /// A content-addressed value does not have the hash it is named by.
        HashMismatch = "hash-mismatch",
        /// References form a circle.
        Cycle = "cycle",
        /// Two layers say different things.
        Contradiction = "contradiction",
        /// Only one of several layers has this message.
        OneSided = "one-sided",
        /// A fact was inferred from weaker evidence.
        Inferred = "inferred",
        /// A value is larger than we are willing to load.
        TooLarge = "too-large",
        /// The last record was still being written.
        Incomplete = "incomplete",
        /// More than we know Cursor to store: newer than this version, and kept as it is.
        Drift = "drift",
        /// Stored, and nothing leads to it any more.
        Unreached = "unreached",
    }
}

impl FindingKind {
    /// Whether something is stored and could not be read, so that there may be more than what was read.
    pub fn is_loss(self) -> bool {
        matches!(self, Self::Unreadable | Self::Damaged | Self::TooLarge)
    }
}

/// Something in a store that the reader should know about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// What sort of thing.
    pub kind: FindingKind,
    /// Where it was found.
    pub at: Origin,
    /// What it is, in a sentence for people.
    pub says: String,
}

impl Finding {
    /// A finding of `kind` at `at`.
    pub fn new(kind: FindingKind, at: Origin, says: impl Into<String>) -> Self {
        Self { kind, at, says: says.into() }
    }
}

/// A decoded value, and everything on the way that was not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<T> {
    /// What was understood.
    pub value: T,
    /// What was not.
    pub findings: Vec<Finding>,
}

impl<T> Decoded<T> {
    /// A value without any trouble.
    pub fn clean(value: T) -> Self {
        Self { value, findings: Vec::new() }
    }

    /// The same findings around another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Decoded<U> {
        Decoded { value: change(self.value), findings: self.findings }
    }

    /// Hands the findings over to `findings` and gives the value.
    pub fn report_to(self, findings: &mut Vec<Finding>) -> T {
        findings.extend(self.findings);
        self.value
    }
}
