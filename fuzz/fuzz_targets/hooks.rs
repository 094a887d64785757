//! Any bytes as a hook's payload, and as a ledger. Whatever comes in becomes one line that is read again, without a word of it unless
//! words were asked for.
#![no_main]

use backscroll_cursor_format::hooks::{LONGEST_LINE, ledger, ledger_line};
use backscroll_fuzz::origin;
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let read = ledger(bytes, &origin());
    for id in read.value.conversations() {
        assert!(read.value.fragment(&id, &origin()).is_some(), "what is listed can be loaded");
    }
    for with_content in [false, true] {
        let line = ledger_line(bytes, Timestamp::UNIX_EPOCH, with_content);
        assert!(line.ends_with('\n') && line.len() <= LONGEST_LINE + 1);
        assert_eq!(line.matches('\n').count(), 1, "one event is one line");
        let twice = [line.as_bytes(), line.as_bytes()].concat();
        let read = ledger(&twice, &origin());
        assert!(read.value.events.len() <= 1, "what is said twice counts once");
        assert!(read.value.events.len() + read.findings.len() <= 1 + usize::from(line.contains("\"lost\"")));
    }
});
