//! Numbers of placeholders that documents agree on which are written apart, today or next week.
//!
//! What is kept of a secret is a mark made with a key (HMAC with SHA-256). Whoever has the marks but not the key cannot try
//! out guesses on them, not even of a short password; so the marks may lie beside the documents, and the key must not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// The bytes that HMAC works on.
const BLOCK: usize = 64;

/// So many bytes of a mark tell secrets apart.
const TELLING: usize = 16;

/// The number of one secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The secret's mark, from which nobody learns the secret.
    pub mark: String,
    /// What kind of secret it was where it was met first.
    pub kind: String,
    /// Its number among those of its kind.
    pub number: u64,
}

/// The numbers of secrets, shared by several redactors.
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
