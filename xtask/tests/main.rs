//! The house rules, kept by tests, so that nobody has to remember them; the chores, and what they write.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

mod documents;
mod generated_home;
mod repository;
mod rooms;
mod sources;
