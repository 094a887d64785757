//! The account of a conversation's messages: it always adds up.

/// How many messages were promised, and what became of them.
///
/// `listed = read + missing + empty + undecodable`; `orphaned` are stored but not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Messages that the conversation's own list names.
    pub listed: u64,
    /// Of these, read with at least one part.
    pub read: u64,
    /// Of these, without a row, or with a NULL one.
    pub missing: u64,
    /// Stored messages that the list does not name.
    pub orphaned: u64,
    /// Listed, stored, and without any content.
    pub empty: u64,
    /// Listed, stored, and not understood.
    pub undecodable: u64,
}

impl Coverage {
    /// Whether the account adds up.
    pub fn adds_up(&self) -> bool {
        self.listed == self.read + self.missing + self.empty + self.undecodable
    }
}
