//! Arguments, wiring, words and exit codes. The only room that reads the environment, prints and exits.

mod args;
mod commands;
mod config;
mod environment;
mod error;
mod filters;
mod fresh_index;
mod hooks_before;
mod hooks_file;
mod program;
mod service;
mod settings_file;
mod ui;
mod wiring;

pub use args::command;
pub use backscroll_history::{When, WhenError};
pub use environment::Environment;
pub use error::Exit;
pub use program::{main, run};
pub use ui::Streams;
pub use wiring::{FoundStores, Surroundings, Where, find, find_with};
