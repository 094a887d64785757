//! Finds secrets in one text: one pass over it for words that give them away, and a closer look at each.
//!
//! Knows nothing of what was found elsewhere: it may be used by many threads at once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use super::options::{self, RedactOptions, Rule, RuleError};
use super::personal::{self, Home};
use super::token::{self, PublishedRule};
use super::{assignment, carrier};

/// Finds secrets.
#[derive(Debug)]
pub(super) struct Finder {
    words: Words,
    published: &'static [PublishedRule],
    home: Option<Home>,
    rules: Vec<Rule>,
    allowed: Vec<Regex>,
}

/// What was looked at already, so that nothing is looked at twice.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How far each published rule has looked.
    pub(super) published: Vec<usize>,
    /// Where the last name ended.
    pub(super) name_end: usize,
    /// Where the last key block ended.
    pub(super) block_end: usize,
}

impl Finder {
    pub(super) fn new(options: &RedactOptions) -> Result<Self, RuleError> {
        let published = token::published_rules();
        let rules = options.rules.iter().map(Rule::new).collect::<Result<Vec<_>, _>>()?;
        let allowed =
            options.allow.iter().map(|pattern| options::allowed(pattern)).collect::<Result<_, _>>()?;
        let home = options.home.as_ref().and_then(Home::new);
        let fixed = token::words()
            .chain(token::published_words(published))
            .chain(token::key_words())
            .chain(carrier::url_words())
            .chain(token::web_token_words())
            .chain(carrier::header_words())
            .chain(assignment::words())
            .chain(carrier::command_words())
            .chain(carrier::cookie_words())
            .chain(carrier::address_words());
        let chosen = personal::email_words(options.emails)
            .chain(home.iter().flat_map(Home::words))
            .chain(rules.iter().enumerate().flat_map(|(number, rule)| rule.words(number)));
        let words = Words::new(fixed.chain(chosen));
        Ok(Self { words, published, home, rules, allowed })
    }

    /// Whether the home folder is to go.
    pub(super) fn knows_home(&self) -> bool {
        self.home.is_some()
    }

    /// The secrets in `text`, which is the value of the field `name` where it has one. No two overlap.
    pub(super) fn find(&self, name: Option<&str>, text: &str) -> Vec<Find> {
        let mut finds = Vec::new();
        let mut seen = Seen::default();
        for (start, end, triggers) in self.words.hits(text) {
            for trigger in triggers {
                self.look(*trigger, text, start, end, &mut seen, &mut finds);
            }
        }
        for rule in self.rules.iter().filter(|rule| rule.looks_everywhere()) {
            rule.find_all(text, &mut finds);
        }
        if let Some(name) = name {
            finds.extend(assignment::of_field(name, text));
        }
        if finds.is_empty() {
            return finds;
        }
        let taken = placeholders(text);
        finds.retain(|find| {
            let is_taken = taken.iter().any(|span| find.range.start < span.1 && span.0 < find.range.end);
            let is_allowed = self.allowed.iter().any(|pattern| pattern.is_match(&find.secret));
            !find.range.is_empty() && !is_taken && !is_allowed
        });
        settled(finds)
    }

    /// Takes a closer look at the word between `start` and `end`.
    fn look(
        &self,
        trigger: Trigger,
        text: &str,
        start: usize,
        end: usize,
        seen: &mut Seen,
        finds: &mut Vec<Find>,
    ) {
        match trigger {
            Trigger::Token(number) => finds.extend(token::at(number, text, start)),
            Trigger::BotToken => finds.extend(token::bot_token(text, start)),
            Trigger::Published(number) => {
                token::published_at(self.published, number, text, start, seen, finds);
            }
            Trigger::KeyBlock if start >= seen.block_end => {
                if let Some(find) = token::key_block_at(text, start) {
                    seen.block_end = find.range.end;
                    finds.push(find);
                }
            }
            Trigger::KeyBlock => {}
            Trigger::EncodedKeyBlock => finds.extend(token::encoded_key_block_at(text, start)),
            Trigger::Url => finds.extend(carrier::url_password_at(text, start, end)),
            Trigger::JsonWebToken => finds.extend(token::web_token_at(text, start)),
            Trigger::Header => finds.extend(carrier::header_at(text, start, end)),
            Trigger::Assignment => finds.extend(assignment::at(text, start, end, seen)),
            Trigger::Command(number) => carrier::command_at(number, text, start, end, finds),
            Trigger::Cookie => carrier::cookies_at(text, end, finds),
            Trigger::Webhook => finds.extend(carrier::webhook(text, end)),
            Trigger::SignedAddress => finds.extend(carrier::signature(text, start, end)),
            Trigger::SlashPassword => finds.extend(carrier::behind_slash(text, end)),
            Trigger::Email => finds.extend(personal::email_at(text, start)),
            Trigger::Home => finds.extend(self.home.as_ref().and_then(|home| home.at(text, start, end))),
            Trigger::AnyHome => finds.extend(Home::of_another(text, start, end)),
            Trigger::User(number) => {
                finds.extend(self.rules.get(number).and_then(|rule| rule.near(text, start)));
            }
        }
    }
}

/// Where placeholders stand already: what was taken out once is not taken out again.
fn placeholders(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('‹') {
        let start = at + found;
        at = start + '‹'.len_utf8();
        let name = text[at..].find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-');
        if let Some(length) = name.filter(|length| *length > 0 && text[at + length..].starts_with('›')) {
            at += length + '›'.len_utf8();
            spans.push((start, at));
        }
    }
    spans
}

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

/// The kind of a secret; the placeholder is named by it.
pub(super) type Kind = Cow<'static, str>;

/// How sure a find is. Where two overlap, the surer one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Surety {
    /// Personal, not secret: an address, a name.
    Personal,
    /// Its name sounds secret, and it looks random.
    Named,
    /// It stands where secrets stand.
    Placed,
    /// Nothing else looks like this.
    Certain,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Find {
    /// Where it stands.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// The secret without its disguise: by this it is known again.
    pub(super) secret: String,
    pub(super) surety: Surety,
}

impl Find {
    pub(super) fn new(
        range: Range<usize>,
        kind: impl Into<Kind>,
        secret: impl Into<String>,
        surety: Surety,
    ) -> Self {
        Self { range, kind: kind.into(), secret: secret.into(), surety }
    }
}

/// Those of `finds` that count: no two overlap, and they stand in order.
pub(super) fn settled(mut finds: Vec<Find>) -> Vec<Find> {
    if finds.len() < 2 {
        return finds;
    }
    finds.sort_by(|a, b| {
        let length = |find: &Find| find.range.len();
        b.surety.cmp(&a.surety).then(length(b).cmp(&length(a))).then(a.range.start.cmp(&b.range.start))
    });
    let mut taken: BTreeMap<usize, Find> = BTreeMap::new();
    for find in finds {
        let before = taken.range(..find.range.end).next_back();
        if before.is_none_or(|(_, before)| before.range.end <= find.range.start) {
            taken.insert(find.range.start, find);
        }
    }
    taken.into_values().collect()
}
