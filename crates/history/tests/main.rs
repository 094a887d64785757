//! Tests of the room `history`, in one binary.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

mod precedence;
mod query;
