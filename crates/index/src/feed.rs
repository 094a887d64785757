//! What the index asks. It knows no source: the holder of the sources answers.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_model::{Conversation, ConversationId, Finding, Mark, SourceError, Summary};

/// How far each source was read, by a name under which it is known again in another run.
pub type Marks = BTreeMap<String, Mark>;

/// What became of the conversations since they were last looked at.
#[derive(Debug)]
pub struct Changed {
    /// Which of them.
    pub which: Which,
    /// Where each readable source stands now. The marks are taken before anything is read.
    pub marks: Marks,
    /// Sources that changed in any way; what was found in them as a whole may have changed too.
    pub sources: BTreeSet<String>,
    /// Places that could not be asked. Their conversations are left as they were.
    pub unreadable: Vec<SourceError>,
}

/// Which conversations came, changed or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// Just these; none, if nothing changed.
    These(BTreeSet<ConversationId>),
    /// Any may have.
    Any,
}

impl Which {
    /// Whether nothing changed.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::These(ids) if ids.is_empty())
    }
}

/// What listings say about one conversation, before children name their parents.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What an ordinary listing says; `None` if it lies inside of another and only a listing of everything finds it.
    pub listed: Option<Summary>,
    /// What a listing of everything says.
    pub in_all: Summary,
}

/// Many conversations.
#[derive(Debug, Default)]
pub struct Entries {
    /// Each once, in any order.
    pub entries: Vec<Entry>,
    /// What is not as it should be in the sources as a whole, for each source that was listed in full.
    pub findings: BTreeMap<String, Vec<Finding>>,
    /// Places that could not be read at all.
    pub unreadable: Vec<SourceError>,
}

/// Who has the conversations.
pub trait Feed: Sync {
    /// What changed since `marks`, for the price of what changed.
    fn changes(&self, marks: &Marks) -> Changed;

    /// All conversations there are, those inside of others too.
    fn all(&self) -> Entries;

    /// What there is of these conversations. One that is missing is gone.
    fn those(&self, ids: &BTreeSet<ConversationId>) -> Entries;

    /// One conversation with its messages; `None` if there is none by that id.
    fn load(&self, id: &ConversationId) -> Result<Option<Conversation>, SourceError>;

    /// What is not as it should be in these sources as a whole, in the order of a listing; `None` if one cannot be read.
    fn findings(&self, sources: &BTreeSet<String>) -> Option<BTreeMap<String, Vec<Finding>>>;
}
