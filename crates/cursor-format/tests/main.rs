//! Tests of the decoders from the outside: recorded stores, facts from other tools, arbitrary bytes.
#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing where something must be should stop right there"
)]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

mod agent;
mod conformance_table;
mod edits;
mod hooks;
mod ide;
mod plans_and_tracking;
mod recorded;
mod sdk;
mod sdk_assembly;
mod slugs;
mod transcript_json;
mod transcript_properties;
mod transcript_recorded;
mod transcript_text;
mod user_texts;
