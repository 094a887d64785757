//! The door: who may come in, and what every answer says to the browser about itself.

mod door;
mod headers;
mod keys;

pub(crate) use door::guard;
pub(crate) use keys::Keys;
