//! What every server of this program shares: it listens on the loopback address alone, knows its own `Host` and `Origin`, asks
//! for a token, and bounds its connections.

mod connections;
mod door;

pub use connections::{Stop, listen, run};
pub use door::{Door, Token};
