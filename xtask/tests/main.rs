//! The house rules, kept by tests, so that nobody has to remember them; and the generator of large homes.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

mod generated_home;
mod repository;
mod rooms;
mod sources;
