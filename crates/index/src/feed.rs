//! What the index asks. It knows no source: the holder of the sources answers.

use backscroll_model::{
    Catalogue, CatalogueEntry, Conversation, ConversationId, Finding, Fragment, Mark, SourceError, Store,
    Summary,
};

use crate::said::SaidById;

/// One source with its stores as they are now. The stamps are taken before anything is read.
#[derive(Debug, Clone)]
pub struct SourceStores {
    /// What names it in every run.
    pub name: String,
    /// Whether its stores are databases of the editor, where prompts are stored apart from conversations.
    pub is_editor: bool,
    /// Whether its entries are files that conversations mention, under the names of the files.
    pub is_mentioned: bool,
    /// Its stores.
    pub stores: Vec<Store>,
}

/// A place where something of a conversation is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// The number of the source, in the order of [`Catalogues::sources`].
    pub source: usize,
    /// How to load it.
    pub entry: CatalogueEntry,
}

/// What became of the heads of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedHead {
    /// What a listing shows of it, before children name their parents.
    pub summary: Summary,
    /// What merging found.
    pub findings: Vec<Finding>,
    /// Whether these are prompts that were stored apart from conversations.
    pub is_prompts: bool,
}

/// A conversation with its messages.
#[derive(Debug)]
pub struct Loaded {
    /// The conversation.
    pub conversation: Conversation,
    /// The names of files that it mentions.
    pub mentions: Vec<String>,
}

/// Who has the stores.
pub trait Catalogues: Sync {
    /// Every source, in the order in which they are believed.
    fn sources(&self) -> &[SourceStores];

    /// What a store has of conversations, or what changed in it since `since`.
    fn catalogue(&self, source: usize, store: &Store, since: Option<&Mark>)
    -> Result<Catalogue, SourceError>;

    /// Merges what several stores have of one conversation, each with the number of its source; `None` if nothing of it
    /// makes a conversation.
    fn merge_heads(&self, heads: Vec<(usize, Fragment)>) -> Option<MergedHead>;
}

/// Who has the conversations.
pub trait Feed: Sync {
    /// Who has the stores that they are in.
    fn catalogues(&self) -> &dyn Catalogues;

    /// One conversation with its messages; `None` if there is none in these places.
    fn load_located(&self, id: &ConversationId, located: &[Located]) -> Result<Option<Loaded>, SourceError>;

    /// What it learned of the user's words while it compared prompts; no longer its own to remember.
    fn take_said(&self) -> SaidById;
}
