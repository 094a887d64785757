//! Findings: what a store holds that is damaged, odd, missing or not understood.

use crate::Origin;

/// What sort of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// A place exists and could not be read.
    Unreadable,
    /// A value could not be decoded.
    Undecodable,
    /// A value was decoded in part: something in it was damaged or cut off.
    Damaged,
    /// A listed message has no row, or a NULL one.
    MissingMessage,
    /// A stored message that its conversation does not list.
    OrphanMessage,
    /// The list of messages is lost; the order was rebuilt from the rows.
    ListLost,
    /// Rows with a NULL key or value.
    NullRow,
    /// A kind, type or field that this version does not know.
    Unknown,
    /// Something refers to a row, blob or file that is not there.
    DanglingReference,
    /// A content-addressed value does not have the hash it is named by.
    HashMismatch,
    /// References form a circle.
    Cycle,
    /// Two layers tell different things.
    Contradiction,
    /// Only one of several layers has this message.
    OneSided,
    /// A fact was inferred from weaker evidence.
    Inferred,
    /// A value is larger than we are willing to load.
    TooLarge,
    /// The last record was still being written.
    Incomplete,
    /// Stored, and nothing leads to it any more.
    Unreached,
}

impl FindingKind {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Undecodable => "undecodable",
            Self::Damaged => "damaged",
            Self::MissingMessage => "missing-message",
            Self::OrphanMessage => "orphan-message",
            Self::ListLost => "list-lost",
            Self::NullRow => "null-row",
            Self::Unknown => "unknown",
            Self::DanglingReference => "dangling-reference",
            Self::HashMismatch => "hash-mismatch",
            Self::Cycle => "cycle",
            Self::Contradiction => "contradiction",
            Self::OneSided => "one-sided",
            Self::Inferred => "inferred",
            Self::TooLarge => "too-large",
            Self::Incomplete => "incomplete",
            Self::Unreached => "unreached",
        }
    }
}

/// Something in a store that the reader should know about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
