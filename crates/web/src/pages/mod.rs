//! Pages, each in its file: what it asks, and how it looks.

mod help;
mod home;
mod layout;
mod models_over_time;
mod problem;
mod search;
mod stats;
mod store_contents;
mod stores;
mod streamed;
mod workspace;
mod workspaces;

pub(crate) use help::help;
pub(crate) use home::home;
pub(crate) use layout::{Frame, page};
pub(crate) use problem::{problem, problem_as_json};
pub(crate) use search::search;
pub(crate) use stats::stats;
pub(crate) use store_contents::store_contents;
pub(crate) use stores::stores;
pub(crate) use streamed::{Pieces, streamed, when_made};
pub(crate) use workspace::{editor_address, workspace};
pub(crate) use workspaces::workspaces;
