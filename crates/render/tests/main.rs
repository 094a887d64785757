//! Tests of the room `render`, in one binary.

mod every_part;
mod json;
mod list;
mod replay_files;
mod replay_play;
mod sanitise;
mod terminal;
