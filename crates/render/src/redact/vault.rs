//! The secrets that were found so far, each with its placeholder, so that they are known again wherever they stand.
//!
//! Nothing of this leaves the process.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::finder::{Find, Kind, Surety};
use super::likely;
use super::redactor::Report;

/// Lines of a key this long are known again by themselves.
const TELLING_LINE: usize = 40;

/// The secrets found so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Vault {
    /// The secret and the number of its entry.
    numbers: HashMap<String, usize>,
    entries: Vec<Entry>,
    /// How many of each kind.
    of_kind: BTreeMap<Kind, u64>,
    /// What is looked for in all text, and the entry that it belongs to.
    disguises: Vec<(String, usize)>,
    /// Finds the disguises; `None` when there are new ones.
    search: Option<AhoCorasick>,
    /// Numbers the placeholders, if others are to have the same.
    pub(super) shared: Option<Arc<SharedNumbers>>,
    pub(super) report: Report,
}

#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    secret: String,
    placeholder: String,
}

impl Vault {
    /// One that knows nothing yet, numbered like this one.
    pub(super) fn fresh(&self) -> Self {
        Self { shared: self.shared.clone(), ..Self::default() }
    }

    /// Keeps a secret, and tells its placeholder.
    pub(super) fn keep(&mut self, kind: &Kind, secret: &str) -> &str {
        let number = match self.numbers.get(secret) {
            Some(number) => *number,
            None => self.new_entry(kind, secret),
        };
        &self.entries[number].placeholder
    }

    fn new_entry(&mut self, kind: &Kind, secret: &str) -> usize {
        let count = self.of_kind.entry(kind.clone()).or_default();
        *count += 1;
        let placeholder = match (&**kind, &self.shared) {
            // As every shell writes it: paths stay paths.
            ("home", _) => "~".to_owned(),
            ("user", _) => "‹user›".to_owned(),
            (_, Some(shared)) => shared.placeholder(kind, secret),
            (_, None) => format!("‹{kind}-{count}›"),
        };
        let number = self.entries.len();
        self.entries.push(Entry { kind: kind.clone(), secret: secret.to_owned(), placeholder });
        self.numbers.insert(secret.to_owned(), number);
        self.report.count_secret(kind);
        // What is personal is found by its own form wherever it stands; an address keeps its host.
        let is_personal = matches!(&**kind, "home" | "user" | "email");
        if !is_personal && likely::is_distinctive(secret) {
            self.learn(secret, number);
        }
        number
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

    /// Counts one place where a secret of this kind stood.
    pub(super) fn count_place(&mut self, secret: &str, kind: &Kind) {
        let kind = self.numbers.get(secret).map_or(kind, |number| &self.entries[*number].kind);
        self.report.count_place(kind);
    }

    /// Makes ready to look for everything known.
    pub(super) fn prepare(&mut self) {
        if self.search.is_none() && !self.disguises.is_empty() {
            let patterns = self.disguises.iter().map(|(text, _)| text);
            self.search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        }
    }

    /// Whether nothing is known that could be looked for.
    pub(super) fn is_empty(&self) -> bool {
        self.disguises.is_empty()
    }

    /// Every known secret in `text`.
    pub(super) fn find(&self, text: &str) -> Vec<Find> {
        let Some(search) = &self.search else { return Vec::new() };
        let finds = search.find_iter(text).map(|hit| {
            let entry = &self.entries[self.disguises[hit.pattern().as_usize()].1];
            Find::new(hit.range(), entry.kind.clone(), entry.secret.clone(), Surety::Certain)
        });
        finds.collect()
    }
}

/// The bytes that HMAC works on.
const BLOCK: usize = 64;

/// So many bytes of a mark tell secrets apart.
const TELLING: usize = 16;

/// The number of one secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// The secret's mark, from which nobody learns the secret.
    pub mark: String,
    /// What kind of secret it was where it was met first.
    pub kind: String,
    /// Its number among those of its kind.
    pub number: u64,
}

/// The numbers of secrets, shared by several redactors: documents that are written apart, today or next week, agree on them.
///
/// What is kept of a secret is a mark made with a key (HMAC with SHA-256). The marks without the key do not help to try out
/// guesses, not even of a short password; so the marks may lie beside the documents, and the key must not.
pub struct SharedNumbers {
    key: [u8; 32],
    numbers: Mutex<Numbers>,
}

#[derive(Default)]
struct Numbers {
    /// The kind and the number by mark.
    known: BTreeMap<String, (String, u64)>,
    /// The highest number of each kind.
    highest: BTreeMap<String, u64>,
    new: Vec<Numbered>,
}

impl SharedNumbers {
    /// Numbers that go on from those that are known, with marks made by `key`.
    pub fn new(key: [u8; 32], known: impl IntoIterator<Item = Numbered>) -> Self {
        let mut numbers = Numbers::default();
        for Numbered { mark, kind, number } in known {
            let highest = numbers.highest.entry(kind.clone()).or_default();
            *highest = number.max(*highest);
            numbers.known.insert(mark, (kind, number));
        }
        Self { key, numbers: Mutex::new(numbers) }
    }

    /// The numbers that were given since this was last asked.
    pub fn take_new(&self) -> Vec<Numbered> {
        std::mem::take(&mut self.numbers.lock().unwrap_or_else(PoisonError::into_inner).new)
    }

    /// The placeholder of a secret.
    pub(super) fn placeholder(&self, kind: &str, secret: &str) -> String {
        let mark = self.mark(secret);
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kind, number)) = numbers.known.get(&mark) {
            return format!("‹{kind}-{number}›");
        }
        let highest = numbers.highest.entry(kind.to_owned()).or_default();
        *highest = highest.saturating_add(1);
        let number = *highest;
        numbers.known.insert(mark.clone(), (kind.to_owned(), number));
        numbers.new.push(Numbered { mark, kind: kind.to_owned(), number });
        format!("‹{kind}-{number}›")
    }

    fn mark(&self, secret: &str) -> String {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(self.key).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let inner = Sha256::new().chain_update(padded(0x36)).chain_update(secret).finalize();
        let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
        outer.iter().take(TELLING).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }
}

impl fmt::Debug for SharedNumbers {
    /// Tells nothing: the key is a secret too.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SharedNumbers")
    }
}

/// What percent signs stand for, or `None` where there are none or they make no text.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    match percent_decode_str(text).decode_utf8() {
        Ok(Cow::Owned(decoded)) => Some(decoded),
        Ok(Cow::Borrowed(_)) | Err(_) => None,
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

/// The value of a hexadecimal digit.
pub(super) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Whether a word may begin at `at`: nothing that belongs to it stands before, escapes and colours aside.
pub(super) fn begins_fresh(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', high, low] if hex(*high).is_some() && hex(*low).is_some() => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].into_iter().all(|digit| hex(*digit).is_some()) => true,
        [.., last] => (!last.is_ascii_alphanumeric() && *last != b'_') || likely::ends_in_colour(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_hmac() {
        // Test case 2 of RFC 4231: its key is padded with zeros, as ours would be.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let mark = SharedNumbers::new(key, []).mark("what do ya want for nothing?");
        assert_eq!(mark, "5bdcc146bf60754e6a042426089575c7");
    }

    #[test]
    fn a_secret_keeps_its_number_and_its_first_kind() {
        let numbers = SharedNumbers::new([7; 32], []);
        assert_eq!(numbers.placeholder("password", "one"), "‹password-1›");
        assert_eq!(numbers.placeholder("password", "two"), "‹password-2›");
        assert_eq!(numbers.placeholder("token", "one"), "‹password-1›");
        let known = numbers.take_new();
        assert_eq!(known.len(), 2);
        assert!(numbers.take_new().is_empty());
        let later = SharedNumbers::new([7; 32], known.clone());
        assert_eq!(later.placeholder("password", "three"), "‹password-3›");
        assert_eq!(later.placeholder("password", "two"), "‹password-2›");
        let turned = SharedNumbers::new([7; 32], known.iter().rev().cloned());
        assert_eq!(
            turned.placeholder("password", "three"),
            "‹password-3›",
            "in whatever order they are known"
        );
        // With another key nothing is known again, but no number is given twice.
        assert_eq!(SharedNumbers::new([8; 32], known).placeholder("password", "two"), "‹password-3›");
    }
}
