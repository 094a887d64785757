//! Any bytes as a protobuf root, with blobs cut from the same bytes, so that references lead somewhere.
#![no_main]

use backscroll_cursor_format::agent::{Place, conversation, reachable, references, root, skeleton};
use backscroll_fuzz::{Cut, origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let cut = Cut::of(bytes);
    let place = Place { blobs: &cut, root: origin(), prefix: "" };
    root(cut.first(), &origin());
    references(cut.first());
    conversation(cut.first(), &place);
    skeleton(cut.first(), &place);
    reachable(cut.first(), &place);
});
