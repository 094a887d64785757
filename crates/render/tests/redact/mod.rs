//! Tests of redaction: what goes, what stays, and what must hold for any text.

mod conversations;
mod home;
mod options;
mod ordinary;
mod places;
mod properties;
mod secrets;
mod synthetic;
