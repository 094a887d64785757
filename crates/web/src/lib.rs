//! The whole history in a browser, served to this machine alone.
//!
//! One listener on the loopback address, a token that only the user's own browser is given, pages rendered on the
//! server, and the same answers as JSON under `/api/v1`. This room neither prints nor reads the environment: the program that
//! starts it hands over the history, the clock and the token. It is asynchronous; the history is not, so
//! every question to it runs on a worker thread.

mod api;
mod app_state;
mod assets;
mod cache;
mod conversation;
mod events;
mod guard;
mod link;
mod pages;
mod pieces;
mod pipe;
mod problem;
mod routes;
mod search;
mod server;

pub use backscroll_loopback::{Stop, Token};
pub use server::{Server, Settings};
