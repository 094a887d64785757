//! The secrets that were found so far, each with its placeholder, so that they are known again wherever they stand.
//!
//! Nothing of this leaves the process.

use std::collections::HashMap;
use std::fmt;

use aho_corasick::{AhoCorasick, Match, MatchKind};
use backscroll_model::hex;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

use crate::finder::{Find, Kind, Surety};
use crate::likely;
use crate::private_key::TELLING_LINE;
use crate::redactor::Report;

/// The key with which placeholders are made.
///
/// A placeholder holds a piece of a keyed hash (HMAC with SHA-256) of the secret. So the same secret has the same placeholder in
/// all documents made with one key, in whatever order they are written; and without the key nobody can try out
/// guesses on a placeholder, not even of a short password.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaceholderKey([u8; 32]);

impl PlaceholderKey {
    /// The key made of these random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// What stands in the place of a secret.
    fn placeholder(self, kind: &str, secret: &str) -> String {
        match kind {
            // As every shell writes it: paths stay paths.
            "home" => "~".to_owned(),
            "user" => "‹user›".to_owned(),
            _ => {
                format!("‹{kind}·{}›", self.short_hash(secret))
            }
        }
    }

    /// The beginning of the keyed hash, in digits.
    pub(crate) fn short_hash(self, text: &str) -> String {
        hex::encode(&self.hash(text)[..TELLING])
    }

    fn hash(self, secret: &str) -> [u8; 32] {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(self.0).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let inner = Sha256::new().chain_update(padded(0x36)).chain_update(secret).finalize();
        Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
    }
}

impl fmt::Debug for PlaceholderKey {
    /// The key is a secret, too.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PlaceholderKey")
    }
}

/// The bytes that HMAC works on.
const BLOCK: usize = 64;

/// How many bytes of the hash a placeholder shows. Of ten thousand secrets, two share theirs once in a hundred exports.
const TELLING: usize = 4;

/// Length from which on a secret is known in the middle of a word.
const LONG: usize = 16;

/// The secrets found so far.
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    key: PlaceholderKey,
    /// The secret and the number of its entry.
    numbers: HashMap<String, usize>,
    entries: Vec<Entry>,
    /// What is looked for in all text, and the entry that it belongs to.
    disguises: Vec<(String, usize)>,
    /// Finds the disguises; `None` when there are new ones.
    search: Option<AhoCorasick>,
    pub(crate) report: Report,
}

#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    secret: String,
    placeholder: String,
}

impl Known {
    /// Knows nothing yet.
    pub(crate) fn new(key: PlaceholderKey) -> Self {
        Self { key, ..Self::default() }
    }

    /// Knows nothing yet, and makes the same placeholders as this one.
    pub(crate) fn fresh(&self) -> Self {
        Self::new(self.key)
    }

    /// Keeps a secret.
    pub(crate) fn keep(&mut self, kind: &Kind, secret: &str) {
        if self.numbers.contains_key(secret) {
            return;
        }
        let number = self.entries.len();
        let placeholder = self.key.placeholder(kind, secret);
        self.entries.push(Entry { kind: kind.clone(), secret: secret.to_owned(), placeholder });
        self.numbers.insert(secret.to_owned(), number);
        // What is personal is found by its own form wherever it stands; an address keeps its host.
        let is_personal = matches!(&**kind, "home" | "user" | "email");
        if !is_personal && likely::is_known_again(secret) {
            self.learn(secret, number);
        }
    }

    /// What stands in the place of a secret; one more place is counted.
    pub(crate) fn take_out(&mut self, kind: &Kind, secret: &str) -> &str {
        self.keep(kind, secret);
        let entry = &self.entries[self.numbers[secret]];
        self.report.count(&entry.kind, &entry.placeholder);
        &entry.placeholder
    }

    /// Remembers in which disguises a secret may stand elsewhere.
    fn learn(&mut self, secret: &str, number: usize) {
        if secret.contains('\n') {
            let lines = secret.lines().filter(|line| line.len() >= TELLING_LINE);
            self.disguises.extend(lines.map(|line| (line.to_owned(), number)));
        } else {
            self.disguises.extend(disguises(secret).into_iter().map(|text| (text, number)));
        }
        self.search = None;
    }

    /// Makes ready to look for everything known.
    pub(crate) fn prepare(&mut self) {
        if self.search.is_none() && !self.disguises.is_empty() {
            let patterns = self.disguises.iter().map(|(text, _)| text);
            self.search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        }
    }

    /// Whether nothing is known that could be looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.disguises.is_empty()
    }

    /// Every known secret in `text`.
    pub(crate) fn find(&self, text: &str) -> Vec<Find> {
        let Some(search) = &self.search else { return Vec::new() };
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        // A short one is a word of its own.
        let is_whole = |hit: &Match| {
            hit.len() >= LONG
                || !(text[..hit.start()].ends_with(is_of_word) || text[hit.end()..].starts_with(is_of_word))
        };
        let finds = search.find_iter(text).filter(is_whole).map(|hit| {
            let entry = &self.entries[self.disguises[hit.pattern().as_usize()].1];
            Find::new(hit.range(), entry.kind.clone(), entry.secret.clone(), Surety::Certain)
        });
        finds.collect()
    }
}

/// What stands in a URL as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The text itself, and how it stands in a URL and in a JSON string.
fn disguises(secret: &str) -> Vec<String> {
    let mut all = vec![secret.to_owned()];
    let in_url = || utf8_percent_encode(secret, UNRESERVED);
    let lowered =
        |piece: &str| if piece.starts_with('%') { piece.to_ascii_lowercase() } else { piece.to_owned() };
    for other in [
        in_url().to_string(),
        in_url().map(lowered).collect(),
        json_escaped(secret),
        secret.replace('/', "\\/"),
    ] {
        if !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_made_with_hmac() {
        // Test case 2 of RFC 4231: its key is padded with zeros, as ours would be.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let key = PlaceholderKey::new(key);
        assert_eq!(key.placeholder("password", "what do ya want for nothing?"), "‹password·5bdcc146›");
        assert_ne!(
            key.placeholder("password", "one"),
            PlaceholderKey::default().placeholder("password", "one")
        );
    }

    #[test]
    fn a_secret_keeps_its_first_kind() {
        let mut known = Known::default();
        let first = known.take_out(&"password".into(), "one").to_owned();
        assert_eq!(known.take_out(&"token".into(), "one"), first);
    }
}
