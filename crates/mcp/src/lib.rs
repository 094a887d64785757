//! The history as a memory for agents, over the Model Context Protocol: on standard input and output, or over HTTP on this
//! machine's own address.
//!
//! An agent asks in three steps: search, then the outline of a conversation, then its messages. Every answer is small, names the
//! conversation and the messages that it is from, and has no secrets in it unless the user wants them kept. All tools only read.
//! This room neither prints nor reads the environment: the program that starts it hands over the history, the clock and the token.

mod answer;
mod arguments;
mod asking;
mod conversations;
mod http;
mod memory;
mod pages;
mod prompts;
mod read;
mod resources;
mod search;
mod server;
mod stdio;
mod tools;

pub use crate::http::HttpServer;
pub use crate::memory::Memory;
pub use crate::stdio::serve_stdio;
pub use crate::tools::TOOL_NAMES;
