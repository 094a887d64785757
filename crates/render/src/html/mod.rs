//! Conversations as web pages: one self-contained file, and the same fragments for whoever serves or replays them.
//!
//! Every stored text is escaped, Markdown is sanitised, ids and classes are ours alone. No markup here holds an inline
//! style, script or event handler, so it works under a content security policy that forbids them. Touches nothing but
//! the writer it is given.

mod address;
mod assets;
mod attachment;
mod code;
mod contents;
mod controls;
mod diff;
mod facts;
mod figure;
mod findings;
mod highlighting;
mod image;
mod index_page;
mod language;
mod look;
mod markdown;
mod message;
mod page;
mod part;
mod payload;
mod policy;
mod shell_output;
mod stored;
mod todos;
mod token_class;
mod tool_body;
mod tool_call;

pub use assets::{SCRIPT, STYLE};
pub use contents::contents;
pub use controls::{controls, help};
pub use diff::diff;
pub use facts::facts;
pub use findings::findings;
pub use index_page::{IndexEntry, index_page};
pub use look::{Look, PageLook};
pub use markdown::markdown;
pub use message::{begins_anew, message, orphan};
pub use page::page;
pub use part::part;
pub use policy::{content_policy, hash_source};
pub use tool_call::tool_call;
