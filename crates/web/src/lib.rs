//! The whole history in a browser, served to this machine alone.
//!
//! One listener on the loopback address, a token that only the user's own browser is given, pages rendered on the
//! server, and the same answers as JSON under `/api/v1`. This room neither prints nor reads the environment: whoever
//! starts it hands over the history, the clock and the token. It is the only room that is asynchronous; the history
//! is not, so every question to it runs on a worker thread.

mod accept;
mod api;
mod assets;
mod conversation;
mod desk;
mod edition;
mod guard;
mod library;
mod link;
mod live;
mod pages;
mod pieces;
mod pipe;
mod problem;
mod routes;
mod search;
mod server;
mod settings;
mod shelf;
mod snippet;
mod statistics;
mod stores;
mod token;
mod workers;

pub use server::{Server, Stop};
pub use settings::{Clock, Settings};
pub use stores::Stores;
pub use token::Token;
