//! The play: what is shown in which order and when, and what each touched file held at every step.
//!
//! Pure: a conversation goes in, a [`Play`] comes out, and the player in the page only walks through it.

mod file_text;
mod files;
mod play;

pub use file_text::{Row, Splice, Trouble};
pub use files::{Change, How, PlayedFile};
pub use play::{Chapter, Known, Play, Step, StepKind, play};
