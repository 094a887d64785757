//! Any bytes under a `bubbleId:` key: read, or found, never a panic.
#![no_main]

use backscroll_cursor_format::ide::{FirstLine, bubble};
use backscroll_fuzz::origin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut findings = Vec::new();
    let read = bubble("b1", bytes, &origin(), Some(2), &mut findings);
    assert!(read.is_some() || !findings.is_empty(), "what is not read is found");
    let _ = FirstLine::from_bytes(bytes);
});
