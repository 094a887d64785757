//! Any bytes as a transcript, in each dialect.
#![no_main]

use backscroll_cursor_format::slug::folder_in;
use backscroll_cursor_format::transcript::{Dialect, count, decode, head};
use backscroll_fuzz::origin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for dialect in [Dialect::Text, Dialect::Json, Dialect::Jsonl] {
        head(dialect, bytes);
        let told = decode(dialect, bytes, &origin()).value;
        assert_eq!(count(dialect, bytes), told.messages.len() as u64);
    }
    folder_in("home-dev-app", &String::from_utf8_lossy(bytes));
});
