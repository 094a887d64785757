//! Whatever a tool is called, it gets a name, and always the same.
#![no_main]

use backscroll_cursor_format::tool_names::canonical;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, Option<u64>)| {
    let (raw, handler) = input;
    let name = canonical(raw, handler);
    assert!(raw.is_empty() || !name.is_empty(), "a named tool keeps a name");
    assert_eq!(canonical(raw, handler), name);
});
