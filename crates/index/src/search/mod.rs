//! From a question to the messages that answer it, ranked and grouped by conversation.
//!
//! 1. [`plan`] takes the tree apart: words become [`terms`] with all their forms, facts become SQL.
//! 2. [`candidates`] asks the tables for full answers. When a word is in very many messages, only the newest are ranked.
//! 3. [`ladder`] weighs them, and looks for what has less of the question where that is too few.
//! 4. [`Matcher`] and [`snippet`] find the words again in the text of a message, which the index does not store.

mod answer;
mod candidates;
mod exact;
mod expression;
mod facets;
mod files;
mod ladder;
mod matcher;
mod plan;
mod related;
mod terms;

pub use answer::{Answer, Group, Note, Request, Total};
pub use candidates::RANKED;
pub use exact::{Exact, ExactError, Scanned};
pub use facets::{Facet, Facets};
pub(crate) use files::is_file;
pub use files::{FileTouch, TouchedBy};
pub use matcher::{DRAFT, Matcher, RECORD, snippet, snippet_of_conversation};
pub use related::{Reason, Related, closeness};
