//! Taking the wrappers off a user's words never fails, and never adds words.
#![no_main]

use backscroll_cursor_format::user_text::unwrap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let unwrapped = unwrap(text);
    assert!(unwrapped.text.len() <= text.len());
});
