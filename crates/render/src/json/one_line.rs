//! JSON without anything that a reader may take for the end of a line.
//!
//! JSON allows U+0085, U+2028 and U+2029 in strings as they are, and many languages split lines at them. Outside of strings
//! they cannot stand, so they are escaped wherever they are met.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Compact JSON that is one line for everybody.
pub(super) struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }
}

fn escaped<W: ?Sized + Write>(out: &mut W, text: &str) -> io::Result<()> {
    // Most text is plain, and that is seen at once.
    if text.is_ascii() {
        return out.write_all(text.as_bytes());
    }
    let mut rest = text;
    while let Some(at) = rest.find(['\u{85}', '\u{2028}', '\u{2029}']) {
        let (before, from) = rest.split_at(at);
        out.write_all(before.as_bytes())?;
        let Some(found) = from.chars().next() else { break };
        write!(out, "\\u{:04x}", u32::from(found))?;
        rest = &from[found.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}
