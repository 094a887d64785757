//! Any text where rich text should stand.
#![no_main]

use backscroll_cursor_format::rich_text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    rich_text::read(text);
});
