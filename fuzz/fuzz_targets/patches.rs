//! Any text as a patch, and as two files to compare.
#![no_main]

use backscroll_cursor_format::{diff, edit_diff};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str)| {
    let (before, after) = texts;
    edit_diff::from_patch(before);
    let unified = diff::unified("a.rs", before, after);
    assert!(
        unified.is_some() || before == after || before.len() + after.len() > 100_000,
        "a change has a diff"
    );
});
