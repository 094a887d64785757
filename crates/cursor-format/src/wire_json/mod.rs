//! Reading Cursor's JSON leniently: a field of the wrong type never costs the whole value.
//!
//! Wire structs are declared with [`wire!`]: known fields are kept, all others skipped without being built.
//! As in JavaScript, the last of duplicate keys wins. Nothing here knows what the fields mean.

mod collections;
mod fields;
mod object;
mod parse;
mod repair;
mod scalars;

pub(crate) use collections::{Entries, List, elements};
pub(crate) use fields::{Object, quoted};
pub(crate) use object::{Key, read_wire, scalars_give, wire};
pub(crate) use parse::{parse, parse_at_once};
pub(crate) use scalars::{Int, Number, Text, Truth, When, epoch_ms, string, text, time};
