//! Secrets that stay home: what is taken out of a conversation before it leaves the machine.
//!
//! A [`Redactor`] looks for keys, tokens, passwords and the like, and puts a placeholder such as `‹aws-key-1›` in the
//! place of each: the same for the same secret, wherever it stands and however it is disguised. It tells how many of
//! which kind there were, never what they were.

mod assignment;
mod carrier;
mod finder;
mod likely;
mod options;
mod personal;
mod redactor;
mod secret_name;
mod token;
mod vault;

pub use options::{HomeNames, RedactOptions, RuleError, UserRule};
pub use redactor::{Count, Place, Redactor, Report, Scanned, Sighting};
pub use vault::{Numbered, SharedNumbers};
