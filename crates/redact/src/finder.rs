//! Finds secrets in one text: one pass over it for words that give them away, and a closer look at each.
//!
//! Knows nothing of what was found elsewhere: it may be used by many threads at once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use crate::disguise::View;
use crate::joined::{Joined, joined_lines};
use crate::options::{self, CompiledRule, RedactOptions, RuleError};
use crate::personal::{self, Home};
use crate::{assignment, disguise, places, private_key, rules};

/// Finds secrets.
#[derive(Debug)]
pub(crate) struct Finder {
    words: Words,
    home: Option<Home>,
    rules: Vec<CompiledRule>,
    allowed: Vec<Regex>,
}

/// A text is decoded this often at most.
const MOST_LAYERS: usize = 3;

/// What was looked at already, so that nothing is looked at twice.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Where the last name ended, and the last value that was very long.
    pub(crate) name_end: usize,
    /// Where the rows of the last table stand.
    pub(crate) rows: Range<usize>,
    /// Where the last header of cookies ended.
    pub(crate) cookies_end: usize,
    /// Where the last command of each number ended.
    pub(crate) commands: BTreeMap<usize, usize>,
    /// Where the last JSON Web Key ended.
    pub(crate) web_key_end: usize,
    /// Where the last manifest ended.
    pub(crate) manifest_end: usize,
    /// Where the last key block or web token ended.
    pub(crate) block_end: usize,
    /// True if lines were joined: then a name and what stands near it may be of two.
    pub(crate) is_joined: bool,
    /// Where the last token stands.
    token: Range<usize>,
    /// Where the line ends near whose names values were looked for, and how often that was in vain.
    pub(crate) near: (usize, usize),
}

impl Finder {
    pub(crate) fn new(options: &RedactOptions) -> Result<Self, RuleError> {
        let rules = options.rules.iter().map(CompiledRule::new).collect::<Result<Vec<_>, _>>()?;
        let allowed =
            options.allow.iter().map(|pattern| options::allowed(pattern)).collect::<Result<_, _>>()?;
        let home = options.home.as_ref().and_then(Home::new);
        let fixed = rules::words()
            .chain(private_key::words())
            .chain(private_key::web_token_words())
            .chain(assignment::words())
            .chain(places::words());
        let chosen = personal::email_words(options.emails)
            .chain(home.iter().flat_map(Home::words))
            .chain(rules.iter().enumerate().flat_map(|(number, rule)| rule.words(number)));
        let words = Words::new(fixed.chain(chosen));
        Ok(Self { words, home, rules, allowed })
    }

    /// The secrets in `text`, which is the value of the field `name` where it has one. No two overlap.
    pub(crate) fn find(&self, name: Option<&str>, text: &str) -> Vec<Find> {
        let mut finds = self.found(text);
        finds.extend(self.decoded(text, MOST_LAYERS));
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

    /// The secrets in `text` once it is decoded. What a tool printed may be JSON in JSON, so that it has several `layers`.
    fn decoded(&self, text: &str, layers: usize) -> Vec<Find> {
        let Some(view) = View::decoded(text) else { return Vec::new() };
        let mut finds = self.found(&view.text);
        if layers > 1 && view.text.contains('\\') {
            finds.extend(self.decoded(&view.text, layers - 1));
        }
        finds.into_iter().filter_map(|find| view.outside(find)).collect()
    }

    /// What stands in `text`: plainly, broken by line ends, in base64.
    fn found(&self, text: &str) -> Vec<Find> {
        let mut finds = self.plain(text);
        for joined in joined_lines(text) {
            self.find_joined(&joined, &mut finds);
        }
        finds.extend(self.encoded(text));
        finds
    }

    /// What stands in `text` without any disguise.
    fn plain(&self, text: &str) -> Vec<Find> {
        self.plain_after(text, Seen::default())
    }

    fn plain_after(&self, text: &str, mut seen: Seen) -> Vec<Find> {
        let mut finds = Vec::new();
        for (start, end, triggers) in self.words.hits(text) {
            for trigger in triggers {
                self.look(*trigger, text, start, end, &mut seen, &mut finds);
            }
        }
        finds.extend(places::bot_tokens(text));
        finds.extend(places::password_files(text));
        finds.extend(private_key::pieces(text));
        finds
    }

    /// What a line end broke.
    fn find_joined(&self, joined: &Joined, finds: &mut Vec<Find>) {
        let view = &joined.view;
        let seen = Seen { is_joined: true, ..Seen::default() };
        let found = self.plain_after(&view.text, seen).into_iter().chain(self.encoded(&view.text));
        finds.sort_by_key(|find| find.range.start);
        let alone = finds.len();
        for find in found {
            let outside = view.outside(find.clone()).filter(|_| joined.crosses(&find.range));
            finds.extend(outside.filter(|outside| joined.is_broken(&find, &outside.range, &finds[..alone])));
        }
    }

    /// What stands in base64: all of it goes, under the name of the first secret in it.
    fn encoded(&self, text: &str) -> Vec<Find> {
        let encoded = disguise::encoded_texts(text).into_iter().filter_map(|(range, decoded)| {
            let first = settled(self.plain(&decoded)).into_iter().next()?;
            Some(Find { range, is_encoded: true, ..first })
        });
        encoded.collect()
    }

    /// Takes a closer look at the word between `start` and `end`.
    #[inline(never)]
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
            // Inside of another one.
            Trigger::Token(_) if seen.token.start < start && start < seen.token.end => {}
            Trigger::Token(number) => {
                let token = rules::token_at(number, text, start);
                finds.extend(token.as_ref().and_then(|token| places::behind_aws_key(text, token)));
                seen.token = token.as_ref().map_or(seen.token.clone(), |token| token.range.clone());
                finds.extend(token);
            }
            Trigger::PrivateLines => finds.extend(private_key::private_lines_at(text, end)),
            Trigger::SecondArgument => finds.extend(places::second_argument(text, end)),
            Trigger::WebKey => places::web_key(text, start, end, seen, finds),
            Trigger::Manifest => places::secrets_of_manifest(text, start, end, seen, finds),
            Trigger::KeyBlock if start >= seen.block_end => {
                if let Some(find) = private_key::block_at(text, start) {
                    seen.block_end = find.range.end;
                    finds.push(find);
                }
            }
            Trigger::KeyTail if start >= seen.block_end => {
                if let Some(find) = private_key::tail_at(text, start) {
                    seen.block_end = find.range.end;
                    finds.push(find);
                }
            }
            Trigger::EncodedKeyBlock if start >= seen.block_end => {
                if let Some(find) = private_key::encoded_block_at(text, start) {
                    seen.block_end = find.range.end;
                    finds.push(find);
                }
            }
            Trigger::JsonWebToken if start >= seen.block_end => {
                let (end, find) = private_key::web_token_at(text, start);
                seen.block_end = end;
                finds.extend(find);
            }
            Trigger::Assignment => finds.extend(assignment::at(text, start, end, seen)),
            Trigger::Url => finds.extend(places::url_password_at(text, start, end)),
            Trigger::Header => finds.extend(places::header_at(text, start, end)),
            Trigger::Command(number) => places::command_at(number, text, start, end, seen, finds),
            Trigger::Cookie if start >= seen.cookies_end => {
                seen.cookies_end = places::cookies_at(text, end, finds);
            }
            // Inside of what was looked at already.
            Trigger::KeyBlock
            | Trigger::KeyTail
            | Trigger::EncodedKeyBlock
            | Trigger::JsonWebToken
            | Trigger::Cookie => {}
            Trigger::Webhook => finds.extend(places::webhook(text, end)),
            Trigger::SignedAddress => finds.extend(places::signature(text, start, end)),
            Trigger::SlashPassword => finds.extend(places::behind_slash(text, end)),
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
pub(crate) fn placeholders(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('‹') {
        let start = at + found;
        at = start + '‹'.len_utf8();
        let Some(length) = text[at..].find('›') else { break };
        if is_placeholder(&text[at..at + length]) {
            at += length + '›'.len_utf8();
            spans.push((start, at));
        }
    }
    spans
}

/// Whether this is what stands in a placeholder: the kind and eight digits.
fn is_placeholder(text: &str) -> bool {
    let is_kind = |kind: &str| {
        kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_hash = |hash: &str| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    text == "user" || text.split_once('·').is_some_and(|(kind, hash)| is_kind(kind) && is_hash(hash))
}

/// What to look for where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trigger {
    /// A token of our table.
    Token(usize),
    /// A private key between its two lines.
    KeyBlock,
    /// The last line of one.
    KeyTail,
    /// One in base64.
    EncodedKeyBlock,
    /// One in a file of `PuTTY`.
    PrivateLines,
    /// A call that takes a name and a password.
    SecondArgument,
    /// A JSON Web Key.
    WebKey,
    /// A manifest of a cluster whose values are secrets.
    Manifest,
    /// A URL, spelled plainly or with percent signs.
    Url,
    /// A JSON web token.
    JsonWebToken,
    /// A header that carries a secret.
    Header,
    /// A name that sounds secret.
    Assignment,
    /// A command that may be given a password.
    Command(usize),
    /// A header of cookies.
    Cookie,
    /// An address that anybody who knows it can write to.
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
pub(crate) struct Words {
    search: AhoCorasick,
    triggers: Vec<Vec<Trigger>>,
}

impl Words {
    /// A search for these words, in capitals or not.
    pub(crate) fn new(words: impl IntoIterator<Item = (String, Trigger)>) -> Self {
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
    pub(crate) fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, &'a [Trigger])> {
        self.search
            .find_overlapping_iter(text)
            .map(|hit| (hit.start(), hit.end(), &*self.triggers[hit.pattern().as_usize()]))
    }
}

/// The kind of a secret; the placeholder is named by it.
pub(crate) type Kind = Cow<'static, str>;

/// How sure a find is. Where two overlap, the surer one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surety {
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
pub(crate) struct Find {
    /// Where it stands.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    /// The secret without its disguise: by this it is known again.
    pub(crate) secret: String,
    pub(crate) surety: Surety,
    /// Whether it stands there in base64.
    pub(crate) is_encoded: bool,
    /// Whether a longer one could be as good.
    pub(crate) is_open: bool,
}

impl Find {
    pub(crate) fn new(
        range: Range<usize>,
        kind: impl Into<Kind>,
        secret: impl Into<String>,
        surety: Surety,
    ) -> Self {
        Self { range, kind: kind.into(), secret: secret.into(), surety, is_encoded: false, is_open: false }
    }
}

/// Those of `finds` that count: no two overlap, and they stand in order.
pub(crate) fn settled(mut finds: Vec<Find>) -> Vec<Find> {
    if finds.len() < 2 {
        return finds;
    }
    // What looks like a token in the middle of a longer value is a part of it.
    for [whole, part] in [[Surety::Named, Surety::Placed], [Surety::Placed, Surety::Certain]] {
        let parts = finds.iter().filter(|find| find.surety >= part);
        let mut parts: Vec<(usize, usize)> = parts.map(|find| (find.range.start, find.range.end)).collect();
        parts.sort_unstable();
        for value in finds.iter_mut().filter(|find| find.surety == whole) {
            let inside = parts.get(parts.partition_point(|(start, _)| *start <= value.range.start));
            if inside.is_some_and(|(_, end)| *end <= value.range.end) {
                value.surety = Surety::Certain;
            }
        }
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
