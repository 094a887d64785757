//! Cookies: whoever has the one of a session is the one who signed in.

use super::assignment::stays;
use super::find::{Find, Surety};
use super::likely;
use super::trigger::Trigger;

/// Cookies of one header are no longer than this.
const LONGEST: usize = 4096;

/// Shorter values open nothing.
const SHORTEST: usize = 16;

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    [("cookie".to_owned(), Trigger::Cookie)].into_iter()
}

/// The values behind the word that ends at `end`, if it is the name of the header or of an option.
pub(super) fn at(text: &str, end: usize, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    let is_between = |byte: &u8| matches!(byte, b':' | b'=' | b' ' | b'"' | b'\'' | b'\\');
    let between = bytes[end..].iter().take(8).take_while(|byte| is_between(byte)).count();
    if !bytes[end..end + between].iter().any(|byte| matches!(byte, b':' | b'=' | b' ')) {
        return;
    }
    let begin = end + between;
    let line = bytes[begin..].iter().take(LONGEST);
    let length = line.take_while(|byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`')).count();
    let Some(cookies) = text.get(begin..begin + length) else { return };
    let mut at = begin;
    for cookie in cookies.split_inclusive(';') {
        let value = cookie.trim_end_matches(';').split_once('=');
        if let Some((name, value)) = value {
            let start = at + name.len() + 1;
            let value = value.trim_end();
            let is_name =
                name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
            if is_name && value.len() >= SHORTEST && likely::is_generated(value) && !stays(value) {
                finds.push(Find::new(start..start + value.len(), "cookie", value, Surety::Named));
            }
        }
        at += cookie.len();
    }
}
