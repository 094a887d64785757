//! The server, asked over real sockets.

mod api;
mod client;
mod door;
mod live;
mod pages;
mod pictures;
mod running;
