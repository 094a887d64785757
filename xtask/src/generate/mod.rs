//! Large homes whose sizes are spread as in real ones: most bytes in agent blobs, then bubbles, then checkpoints.

mod conversation;
mod elsewhere;
mod global;
mod home;
mod referenced;

pub(crate) use home::{Plan, generate, run};
