//! From a question to the messages that answer it, ranked and grouped by conversation.
//!
//! 1. [`plan`] takes the tree apart: words become one full-text expression, facts become SQL.
//! 2. [`candidates`] asks the tables. When a word stands in very many messages, only the newest are ranked.
//! 3. [`rank`] weighs, `grouping` puts together what belongs to one conversation.
//! 4. [`Matcher`] and [`snippet`] find the words again in the text of a message, which the index does not store.

mod answer;
mod candidates;
mod conversation_wide;
mod details;
mod exact;
mod expression;
mod facets;
mod facts;
mod files;
mod grouping;
mod literals;
mod matcher;
mod part_name;
mod plan;
mod rank;
mod related;
mod request;
mod run;
mod snippet;
mod spellings;
mod sql;

pub use answer::{Answer, Group, Hit, Note, Total};
pub use exact::{Exact, ExactError, Scanned};
pub use facets::{Facet, Facets};
pub use files::{FileTouch, TouchedBy};
pub use matcher::Matcher;
pub use related::{Reason, Related};
pub use request::{Order, Request};
pub use snippet::{DRAFT, Snippet, snippet, snippet_of_conversation};
