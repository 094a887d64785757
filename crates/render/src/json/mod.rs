//! JSON as the outer contract spells it, written straight into a writer: `backscroll.summary/1` and
//! `backscroll.conversation/1`. One object, no line break in it.

mod conversation;
mod each;
mod hit;
mod index;
mod message;
mod one_line;
mod part;
mod place;
mod scalar;
mod sighting;
mod source;
mod summary;
mod write;

pub use write::{conversation, finding, hit, index, sighting, source, summary};
