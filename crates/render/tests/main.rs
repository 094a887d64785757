//! Tests of the room `render`, in one binary.

mod every_part;
mod json;
mod list;
mod markdown;
mod markdown_parsed;
mod sanitise;
mod terminal;
