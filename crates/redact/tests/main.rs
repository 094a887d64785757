//! Tests of the room `redact`, in one binary: what goes, what stays, and what must hold for any text.

#![expect(clippy::disallowed_methods, reason = "what is redacted is made up here")]

mod conversations;
mod home;
mod leaks;
mod named;
mod neighbours;
mod options;
mod ordinary;
mod places;
mod properties;
mod secrets;
mod synthetic;
