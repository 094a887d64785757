//! Tests of the room `history`, in one binary.

mod query;
