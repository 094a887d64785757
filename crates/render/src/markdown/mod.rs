//! A conversation as a Markdown document that reads well on GitHub, in Obsidian, and as plain text.
//!
//! - Facts stand in YAML front matter. Each prompt of the user is a heading of the second level with its first words, so
//!   that any outline is a table of contents; answers stand below it, at the third.
//! - Words of the user are quoted, those of the assistant stand as they are. Both stay Markdown, but cannot get out of
//!   their place: headings go down by three levels, HTML is shown instead of obeyed, reference links become inline ones,
//!   what is not closed is closed (`prose.rs`). A parser reads the same words in the document as in the message.
//! - Thinking and tools are folded in `<details>`; what they hold stands in fences longer than any run of ticks inside.
//! - Control characters are shown by their pictures, colour codes are left out: a document is no terminal.

mod blocks;
mod conversation;
mod message;
mod prose;

pub use conversation::{conversation, index};
