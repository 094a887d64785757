//! Our files from outside: what lies in the way, what leads out, and what others change meanwhile.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test writes what is in the way")]

mod in_the_way;
mod output;
mod races;
