//! Any bytes where an index of conversations should stand: heads, a workspace's list, panes, chat tabs, prompts,
//! projects, tracked lines.
#![no_main]

use backscroll_cursor_format::ide::{
    chat_tabs, heads, inline_conversation, membership, pane_ids, prompts, workspace_index,
};
use backscroll_cursor_format::tracking::tracked_lines;
use backscroll_fuzz::origin;
use backscroll_model::Attribution;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    heads(bytes, &origin(), Attribution::Header);
    workspace_index(bytes, &origin());
    inline_conversation(bytes, &"c1".into(), &origin());
    pane_ids(bytes);
    chat_tabs(bytes, &origin(), None, &mut |_| {});
    membership(bytes, bytes);
    prompts("p1".into(), Some(bytes), Some(bytes), &origin());
    tracked_lines(bytes, &origin());
});
