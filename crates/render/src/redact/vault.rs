//! The secrets that were found so far, each with its placeholder, so that they are known again wherever they stand.
//!
//! Nothing of this leaves the process.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use super::encodings;
use super::find::{Find, Kind, Surety};
use super::likely;
use super::report::Report;
use super::shared_numbers::SharedNumbers;

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
            self.disguises.extend(encodings::disguises(secret).into_iter().map(|text| (text, number)));
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
