//! Tests of the room `history`, in one binary.

mod precedence;
mod query;
