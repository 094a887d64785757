//! The language in which one asks: from typed text to a tree, with every node knowing where it stood.
//!
//! ```text
//! parser error            both words, in one message
//! "cannot borrow"         words side by side
//! deserial*               words that begin so
//! a OR (b c) NOT d -e     either, both, without
//! role:user tool:shell,read path:auth.py workspace:app after:2026-01 title:"log in"
//! ```
//!
//! Pure: the time is given, nothing is looked up. What is not whole is text; a field with a value that it does not know is an
//! error that points at its place.

mod ask;
mod commands;
mod dates;
mod error;
mod evaluate;
mod field;
mod given;
mod parser;
mod when;

pub use ask::{Ask, Filter, Has, Node, Order, PartName, Text};
pub(crate) use error::nearest;
pub use error::{QueryError, Trouble};
pub use evaluate::Content;
pub(crate) use evaluate::{contains, hides, is_tool};
pub use field::Field;
pub use parser::parse;
pub use when::{When, WhenError};
