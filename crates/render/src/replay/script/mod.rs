//! The play: what is shown in which order and when, and what each touched file held at every step.
//!
//! Pure: a conversation goes in, a [`Play`] comes out, and the player in the page only walks through it.

mod caption;
mod chapters;
mod differences;
mod file_change;
mod file_text;
mod files;
mod hunks;
mod kept;
mod moments;
mod paths;
mod play;
mod shelf;
mod steps;
mod witness;

pub use differences::{Row, Splice};
pub use file_text::Trouble;
pub use files::{Change, How, PlayedFile};
pub use play::{Chapter, Known, Play, Step, StepKind, play};
