//! Tests of the room `render`, in one binary.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(clippy::disallowed_methods, reason = "what is rendered is made up here")]
#![expect(clippy::format_collect, reason = "a test may build its texts the short way")]

mod every_oddity;
mod every_part;
mod handoff;
mod hits;
mod html;
mod html_hostile;
mod html_parsed;
mod json;
mod list;
mod live_view;
mod markdown;
mod markdown_parsed;
mod replay_files;
mod replay_kept;
mod replay_play;
mod sanitise;
mod tables_and_text;
mod terminal;
mod tokens;
