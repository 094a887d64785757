//! Text from a store, made fit for a terminal: nothing in it commands the terminal, and it fits its cells.

mod pointer;
mod sanitise;
mod status_sign;
mod width;
mod wrap;

pub use pointer::pointed;
pub use sanitise::{one_line, sanitise};
pub(crate) use status_sign::status_sign;
pub(crate) use width::fits;
pub use width::{cut, cut_front, width};
pub(crate) use wrap::wrap;
