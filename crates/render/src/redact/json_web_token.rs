//! JSON web tokens: three or five pieces of base64 between dots, the first of which is JSON.

use super::base64_text;
use super::encodings::begins_fresh;
use super::find::{Find, Surety};
use super::token::run;
use super::token_table::Letters;
use super::trigger::Trigger;

/// How every header begins: `{"` in base64.
const BEGINS: &str = "eyJ";

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    [(BEGINS.to_owned(), Trigger::JsonWebToken)].into_iter()
}

/// The token at `start`.
pub(super) fn at(text: &str, start: usize) -> Option<Find> {
    let rest = text.get(start..)?;
    if !rest.starts_with(BEGINS) || !begins_fresh(text, start) {
        return None;
    }
    let length = run(rest, Letters::Dotted);
    let mut pieces = rest[..length].split('.');
    let header = pieces.next()?;
    let payload = pieces.next()?;
    let signature = pieces.next()?;
    let decoded = base64_text::decoded(header);
    let is_header = decoded.first() == Some(&b'{') && contains(&decoded, b"\"alg\"");
    let is_one = is_header && payload.len() + signature.len() >= 30 && !signature.is_empty();
    let end = start + length;
    is_one.then(|| Find::new(start..end, "jwt", &text[start..end], Surety::Certain))
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
