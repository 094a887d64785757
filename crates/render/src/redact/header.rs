//! Headers that carry a secret: `Authorization: Bearer …`, `Basic …`, and the like.

use super::base64_text;
use super::find::{Find, Surety};
use super::likely;
use super::token::run;
use super::token_table::Letters;
use super::trigger::Trigger;

/// The schemes after which a secret stands.
const SCHEMES: &[(&str, &str)] = &[("bearer", "bearer-token"), ("basic", "basic-auth")];

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let after = [" ", "%20", "\\u0020"];
    let words = SCHEMES.iter().flat_map(move |(scheme, _)| after.map(|space| format!("{scheme}{space}")));
    words.map(|word| (word, Trigger::Header))
}

/// The secret after the scheme between `start` and `end`.
pub(super) fn at(text: &str, start: usize, end: usize) -> Option<Find> {
    let scheme = &text[start..end];
    let (name, kind) = SCHEMES
        .iter()
        .find(|(name, _)| scheme.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))?;
    let rest = text.get(end..)?;
    let letters = |byte: u8| Letters::Base64.has(byte) || matches!(byte, b'.' | b'~');
    let length = rest.bytes().take_while(|byte| letters(*byte)).count();
    let secret = rest[..length].trim_end_matches('.');
    let is_one = match *name {
        "basic" => is_credential(&secret[..run(secret, Letters::Base64)]),
        _ => secret.len() >= 16 && likely::is_random(secret) && !likely::is_uuid(secret),
    };
    is_one.then(|| Find::new(end..end + secret.len(), *kind, secret, Surety::Placed))
}

/// Whether this is a name and a password in base64.
fn is_credential(text: &str) -> bool {
    let decoded = base64_text::decoded(text);
    let is_text = decoded.iter().all(|byte| (b' '..=b'~').contains(byte));
    text.len() >= 8 && is_text && decoded.iter().skip(1).any(|byte| *byte == b':')
}
