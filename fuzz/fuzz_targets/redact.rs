//! Taking secrets out never fails, whatever the text, and what was taken out once is not taken out again.
#![no_main]

use std::sync::LazyLock;

use backscroll_redact::{HomeNames, RedactOptions, Redactor};
use libfuzzer_sys::fuzz_target;

static RULES: LazyLock<Redactor> = LazyLock::new(|| {
    let home = Some(HomeNames::from_folder("/home/mirak"));
    Redactor::new(&RedactOptions { emails: true, home, ..RedactOptions::default() })
        .expect("no rules of one's own")
});

fuzz_target!(|text: &str| {
    let once = RULES.fresh().text(text).into_owned();
    let twice = RULES.fresh().text(&once).into_owned();
    assert_eq!(once, twice);
});
