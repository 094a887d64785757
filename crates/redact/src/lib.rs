//! Secrets that stay home: what is taken out of a conversation before it leaves the machine.
//!
//! A [`Redactor`] looks for keys, tokens, passwords and the like, and puts a placeholder such as `‹aws-key·3f9a1c07›` in the
//! place of each: the same for the same secret, wherever it stands and however it is disguised. It tells how many of
//! which kind there were, never what they were.
//!
//! [`rules()`] is the table of known tokens; everything else is found by what stands around it.

mod alphabet;
mod assignment;
mod beside;
mod column;
mod disguise;
mod finder;
mod joined;
mod known;
mod likely;
mod near;
mod options;
mod personal;
mod places;
mod private_key;
mod redactor;
mod rules;
mod secret_name;
mod tokens;
pub mod trial;

pub use known::PlaceholderKey;
pub use options::{HomeNames, RedactOptions, RuleError, UserRule};
pub use redactor::{Count, Redactor, Report, Scanned, Sighting, TextLocation};
pub use rules::{Rule, rules};
