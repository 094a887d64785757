//! Secrets that stay home: what is taken out of a conversation before it leaves the machine.
//!
//! A [`Redactor`] looks for keys, tokens, passwords and the like, and puts a placeholder such as `‹aws-key-1›` in the
//! place of each: the same for the same secret, wherever it stands and however it is disguised. It tells how many of
//! which kind there were, never what they were.

mod assignment;
mod assignment_value;
mod base64_text;
mod beside;
mod colour;
mod command_line;
mod cookie;
mod email;
mod encodings;
mod find;
mod finder;
mod header;
mod home;
mod json_strings;
mod json_web_token;
mod key_block;
mod likely;
mod options;
mod place;
mod published_rules;
mod redactor;
mod report;
mod secret_name;
mod shared_numbers;
mod sighting;
pub(crate) mod slots;
mod token;
mod token_table;
mod trigger;
mod url_password;
mod user_rule;
mod vault;
mod web_address;

pub use options::{HomeNames, RedactOptions, RuleError, UserRule};
pub use place::Place;
pub use redactor::{Redactor, Scanned};
pub use report::{Count, Report};
pub use shared_numbers::{Numbered, SharedNumbers};
pub use sighting::Sighting;
