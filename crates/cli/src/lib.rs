//! Arguments, wiring, words and exit codes. The only room that reads the environment, prints and exits.

mod args;
mod browser;
mod commands;
mod config;
mod counted;
mod environment;
mod error;
mod exit;
mod export_assets;
mod export_folder;
mod export_format;
mod export_into;
mod export_key;
mod export_manifest;
mod export_names;
mod export_pipeline;
mod export_writer;
mod filters;
mod found_view;
mod fresh_index;
mod index_place;
mod outcome;
mod output_file;
mod pager;
mod program;
mod progress;
mod redaction_args;
mod ui;
mod wiring;

pub use args::command;
pub use backscroll_index::query::{When, WhenError};
pub use environment::Environment;
pub use exit::Exit;
pub use program::{main, run};
pub use ui::Streams;
pub use wiring::{Found, Surroundings, Where, find};
