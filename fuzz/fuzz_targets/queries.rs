//! Whatever is typed into the search box is understood, or pointed at; and the tokeniser takes any text.

#![no_main]

use backscroll_index::query::parse;
use backscroll_index::tokens::{Stream, Typed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let query = String::from_utf8_lossy(bytes);
    let now = "2026-03-24T15:30:00Z[UTC]".parse().expect("a time");
    match parse(&query, &now) {
        Ok(ask) => ask.wanted_texts().iter().for_each(|text| assert!(query.get(text.at.clone()).is_some())),
        Err(error) => assert!(query.get(error.at.clone()).is_some()),
    }
    let mut stream = Stream::default();
    stream.add(&query);
    stream.finish();
    Typed::parse(&query);
});
