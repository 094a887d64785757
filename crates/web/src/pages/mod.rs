//! Pages, each in its file: what it asks, and how it looks.

mod home;
mod layout;
mod search;
mod stats;
mod stores;
mod workspace;

pub(crate) use home::home;
pub(crate) use layout::{Frame, Pieces, help, page, problem, problem_as_json, when_made};
pub(crate) use search::search;
pub(crate) use stats::stats;
pub(crate) use stores::{store_contents, stores};
pub(crate) use workspace::{editor_address, workspace, workspaces};
