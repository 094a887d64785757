//! Any bytes as a transcript, in each dialect.
#![no_main]

use backscroll_cursor_format::transcript::{Dialect, decode, head};
use backscroll_fuzz::origin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for dialect in [Dialect::Text, Dialect::Json, Dialect::Jsonl] {
        head(dialect, bytes);
        decode(dialect, bytes, &origin());
    }
});
