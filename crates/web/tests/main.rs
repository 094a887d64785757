//! The server, asked over real sockets.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod answers;
mod api;
mod client;
mod door;
mod live;
mod pages;
mod pictures;
mod redacted;
mod running;
mod slices;
