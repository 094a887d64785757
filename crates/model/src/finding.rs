//! Findings: what a store holds that is damaged, odd, missing or not understood.

use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};

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
        /// Cursor removed or cut a part before it stored the rest.
        CutShort = "cut-short",
        /// More than we know Cursor to store: newer than this version, and kept as it is.
        Drift = "drift",
        /// Stored, and nothing leads to it any more.
        Unreached = "unreached",
        /// A store that others rely on is not there.
        MissingStore = "missing-store",
    }
}

named! {
    /// How much a finding matters to a reader, least first.
    pub enum FindingLevel {
        /// Normal in a sound store: a chat that was deleted, or a message that only one layer has.
        Note = "note",
        /// Something is stored and cannot be read.
        Damage = "damage",
        /// A place cannot be read, or is gone: conversations may be missing.
        Loss = "loss",
    }
}

impl FindingKind {
    /// How much findings of this kind matter to a reader.
    pub fn level(self) -> FindingLevel {
        match self {
            Self::Unreadable | Self::MissingStore => FindingLevel::Loss,
            Self::Damaged | Self::Undecodable | Self::HashMismatch | Self::Cycle | Self::TooLarge => {
                FindingLevel::Damage
            }
            Self::MissingMessage
            | Self::OrphanMessage
            | Self::ListLost
            | Self::NullRow
            | Self::Unknown
            | Self::DanglingReference
            | Self::Contradiction
            | Self::OneSided
            | Self::Inferred
            | Self::Incomplete
            | Self::CutShort
            | Self::Drift
            | Self::Unreached => FindingLevel::Note,
        }
    }
}

/// Something in a store that the reader should know about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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

    /// True if something is stored and was not read, so that there may be more than what was read.
    pub fn is_loss(&self) -> bool {
        self.kind.level() > FindingLevel::Note
    }

    /// True for a loss inside of a conversation; a place that cannot be read as a whole is reported once for all of them.
    pub fn is_loss_within(&self) -> bool {
        self.is_loss() && !(self.kind == FindingKind::Unreadable && self.at.key.is_empty())
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 4)?;
        finding.serialize_field("kind", &self.kind)?;
        finding.serialize_field("level", &self.kind.level())?;
        finding.serialize_field("at", &self.at)?;
        finding.serialize_field("says", &self.says)?;
        finding.end()
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
