//! The index, seen from outside.

mod tokens;
