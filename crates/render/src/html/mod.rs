//! Conversations as web pages: one self-contained file, and the same fragments for the server and the replay.
//!
//! Every stored text is escaped, Markdown is sanitised, ids and classes are ours alone. No markup here holds an inline
//! style, script or event handler, so it works under a content security policy that forbids them. Touches nothing but
//! the writer it is given.

mod code;
mod facts;
mod markdown;
mod message;
mod page;
mod stored;
mod tool_call;

pub use code::diff;
pub use facts::{facts, findings};
pub use markdown::markdown;
pub use message::{message, orphan, part};
pub use page::{
    IndexEntry, Look, SCRIPT, STYLE, content_policy, contents, controls, hash_source, index_page, page,
};
pub(crate) use page::{beginning, by_workspace, end, help, write};
pub use tool_call::tool_call;
