//! Any bytes as a message, a tool call, a store's record, a state.
#![no_main]

use backscroll_cursor_format::agent::{
    conversation_state, message, prompt_history, session_file, store_meta, tool_call, tool_call_from_base64,
};
use backscroll_fuzz::{Cut, origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let cut = Cut::of(bytes);
    message(cut.first(), &origin());
    tool_call(cut.first(), &origin(), &cut);
    store_meta(bytes, &origin());
    session_file(bytes, &origin());
    prompt_history(bytes, &origin());
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = conversation_state(text);
        tool_call_from_base64(text, &origin(), &cut);
    }
});
