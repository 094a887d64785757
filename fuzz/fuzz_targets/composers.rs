//! Any bytes under a `composerData:` key, with bubble rows and checkpoints cut from the same bytes.
#![no_main]

use backscroll_cursor_format::ide::{assemble, index_entry, kept_files};
use backscroll_fuzz::{Cut, origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let id = "c1".into();
    let cut = Cut::of(bytes);
    let _ = index_entry(&id, cut.first(), &origin());
    let _ = assemble(&id, cut.first(), &cut, &cut, &origin());
    let _ = kept_files(&id, cut.first(), &cut, &origin());
});
