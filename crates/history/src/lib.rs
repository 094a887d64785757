//! The questions one may ask, answered over all sources at once.
//!
//! Every face (command line, browser, terminal UI, agents) asks here, so that the same question always
//! gets the same answer. This room reads only through [`Source`](backscroll_model::Source).

mod cleaner;
mod history;
pub mod live;
mod load;
mod merge;
mod reports;
mod search;

pub use backscroll_index::query::{
    Ask, Content, Field, Filter, Has, Node, Order, PartName, QueryError, Trouble, When, WhenError, parse,
};
pub use backscroll_index::search::{
    Answer, DRAFT, Exact, ExactError, Facet, Facets, FileTouch, Note, RANKED, RECORD, Reason, Related,
    Request, Scanned, Total, TouchedBy, closeness,
};
pub use backscroll_index::{
    Became, FileCount, Index, IndexError, Manner, ModelCount, Refreshed, Statistics, StatisticsScope,
    TokenCount, ToolCount, WorkspaceCount, discard, refresh, status,
};
pub use cleaner::Cleaner;
pub use history::{AskError, History, Keep, Listing, source_summaries};
pub use reports::{MainDatabase, reports, stored_reports};
pub use search::{Found, SearchError, Showing};
