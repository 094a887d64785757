//! Any bytes as a protobuf root, with blobs cut from the same bytes, so that references lead somewhere.
#![no_main]

use backscroll_cursor_format::agent::{GraphLocation, conversation, reachable, references, root, skeleton};
use backscroll_fuzz::{Cut, origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let cut = Cut::of(bytes);
    let place = GraphLocation { blobs: &cut, root: origin(), prefix: "" };
    let root = root(cut.first(), &place.root);
    references(cut.first());
    skeleton(&root.value, &place);
    conversation(root, &place);
    reachable(cut.first(), &place);
});
