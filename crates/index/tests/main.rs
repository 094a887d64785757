//! The index, seen from outside.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod query;
mod tokens;
