//! The questions one may ask, answered over all sources at once.
//!
//! Every face (command line, browser, terminal UI, agents) asks here, so that the same question always
//! gets the same answer. This room reads only through [`Source`](backscroll_model::Source).

mod history;
mod load;
mod merge;
mod query;
mod search;

pub use backscroll_index::query::{Ask, Filter, Node, QueryError, Trouble, parse};
pub use backscroll_index::search::{
    Answer, DRAFT, Exact, ExactError, Facet, Facets, FileTouch, Note, Order, RECORD, Reason, Related,
    Request, Rung, Scanned, Snippet, Total, TouchedBy,
};
pub use backscroll_index::{
    Became, FileCount, Index, IndexError, Manner, ModelCount, Refreshed, Scope, Statistics, TokenCount,
    ToolCount, WorkspaceCount, refresh,
};
pub use history::{AskError, History, Keep, Listing, source_summaries};
pub use query::{Has, Query, Sort};
pub use search::{Found, FoundConversation, FoundHit, Nearby, SearchError, Showing};
