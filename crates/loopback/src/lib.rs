//! What every server of this program shares: it listens on the loopback address alone, knows its own `Host` and `Origin`, asks
//! for a token, bounds its connections, and does what takes time on a few worker threads.

mod connections;
mod crowd;
mod door;
mod workers;

pub use connections::{Listener, Stop, run};
pub use door::{Door, Token};
pub use workers::Workers;
