//! What a secret gives itself away by: one search for all the words, and what to do at each.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// What to look for where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trigger {
    /// A token of our table.
    Token(usize),
    /// A rule of the crate of rules.
    Published(usize),
    /// A private key between its two lines.
    KeyBlock,
    /// The same, in base64.
    EncodedKeyBlock,
    /// A URL, spelled plainly or with percent signs.
    Url,
    /// A JSON web token.
    JsonWebToken,
    /// A bot's token: a number, a colon, letters.
    BotToken,
    /// A header that carries a secret.
    Header,
    /// A name that sounds secret.
    Assignment,
    /// A command that may be given a password.
    Command(usize),
    /// A header of cookies.
    Cookie,
    /// An address to which whoever knows it may write.
    Webhook,
    /// An address that is signed.
    SignedAddress,
    /// The connection string of a database that writes the password behind a slash.
    SlashPassword,
    /// An e-mail address.
    Email,
    /// The user's name, or the home folder.
    Home,
    /// The folder of all homes.
    AnyHome,
    /// A rule of the user's own.
    User(usize),
}

/// The search for all words.
#[derive(Debug)]
pub(super) struct Words {
    search: AhoCorasick,
    triggers: Vec<Vec<Trigger>>,
}

impl Words {
    /// A search for these words, in capitals or not.
    pub(super) fn new(words: impl IntoIterator<Item = (String, Trigger)>) -> Self {
        let mut all: BTreeMap<String, Vec<Trigger>> = BTreeMap::new();
        for (word, trigger) in words {
            all.entry(word.to_ascii_lowercase()).or_default().push(trigger);
        }
        all.remove("");
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(all.keys())
            .expect("some hundred short words fit into a search");
        Self { search, triggers: all.into_values().collect() }
    }

    /// Every word in `text`, overlapping ones too: where it stands and what it hints at.
    pub(super) fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, &'a [Trigger])> {
        self.search
            .find_overlapping_iter(text)
            .map(|hit| (hit.start(), hit.end(), &*self.triggers[hit.pattern().as_usize()]))
    }
}
