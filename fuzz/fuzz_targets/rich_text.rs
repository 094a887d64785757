//! Any text where rich text, a URI or a plan should stand.
#![no_main]

use backscroll_cursor_format::{plan_file, rich_text, uri};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    rich_text::read(text);
    uri::place(text);
    plan_file::read(text);
});
