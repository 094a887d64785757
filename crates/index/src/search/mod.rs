//! From a question to the messages that answer it, ranked and grouped by conversation.
//!
//! 1. [`plan`] takes the tree apart: words become one full-text expression, facts become SQL.
//! 2. [`candidates`] asks the tables. When a word is in very many messages, only the newest are ranked.
//!    Then it weighs them and groups them by conversation.
//! 3. [`Matcher`] and [`snippet`] find the words again in the text of a message, which the index does not store.

mod answer;
mod candidates;
mod exact;
mod expression;
mod facets;
mod files;
mod matcher;
mod plan;
mod related;

pub use answer::{Answer, Group, Hit, Note, Order, Request, Total};
pub use exact::{Exact, ExactError, Scanned};
pub use facets::{Facet, Facets};
pub use files::{FileTouch, TouchedBy};
pub use matcher::{DRAFT, Matcher, Snippet, snippet, snippet_of_conversation};
pub use related::{Reason, Related};
