//! What the user wants taken out, and the rules of their own.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::finder::{Find, Surety, Trigger};
use crate::known::PlaceholderKey;

/// What to take out. Keys, tokens and passwords always go; the rest is chosen here.
#[derive(Debug, Clone, Default)]
pub struct RedactOptions {
    /// E-mail addresses go too.
    pub emails: bool,
    /// The home folder and the user's name go too, in every spelling.
    pub home: Option<HomeNames>,
    /// Rules of the user's own.
    pub rules: Vec<UserRule>,
    /// What a secret looks like that may stay: patterns, each matched against the whole of it.
    pub allow: Vec<String>,
    /// Makes the placeholders. Those of the default key are the same everywhere, and good for tests alone.
    pub key: PlaceholderKey,
}

/// Version of what is taken out. Any change of a rule or a finder makes it one higher: an index of cleaned text is then made anew.
const VERSION: u32 = 1;

impl RedactOptions {
    /// A name for these options, the rules of this version and the placeholders: the same in every run.
    pub fn fingerprint(&self) -> String {
        let Self { emails, home, rules, allow, key } = self;
        let home = home.as_ref().map(|home| (&home.folder, &home.user));
        let rules: Vec<_> = rules.iter().map(|rule| (&rule.name, &rule.pattern, &rule.keywords)).collect();
        key.short_hash(&format!("{VERSION} {emails} {home:?} {rules:?} {allow:?}"))
    }
}

/// Under which names a person's home goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HomeNames {
    /// The home folder, such as `/home/mira` or `C:\Users\mira`.
    pub folder: String,
    /// The user's name on this machine.
    pub user: String,
}

impl HomeNames {
    /// The names that a home folder tells by itself: its last part is the user.
    pub fn from_folder(folder: &str) -> Self {
        let folder = folder.trim_end_matches(['/', '\\']);
        let user = folder.rsplit(['/', '\\']).next().unwrap_or_default();
        Self { folder: folder.to_owned(), user: user.to_owned() }
    }
}

/// A rule of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    /// What the placeholder is called: small letters, digits and dashes.
    pub name: String,
    /// What the secret looks like. Where the pattern has a group, only the first group goes.
    pub pattern: String,
    /// Words of which one must stand near by. Without any, all text is searched.
    #[serde(default)]
    pub keywords: Vec<String>,
}

/// A rule of the user's own that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The name would not make a placeholder.
    #[error("the rule name {0:?} may hold only small letters, digits and dashes")]
    Name(String),
    /// The pattern is not a regular expression.
    #[error("the pattern of rule {name:?} is not a regular expression: {because}")]
    Pattern {
        /// The rule.
        name: String,
        /// Why not.
        because: String,
    },
    /// A pattern of what may stay is not a regular expression.
    #[error("{pattern:?} among what may stay is not a regular expression: {because}")]
    Allow {
        /// The pattern.
        pattern: String,
        /// Why not.
        because: String,
    },
}

/// How far from a keyword a secret may stand.
const NEAR: usize = 512;

/// A pattern larger than this, compiled, is a mistake.
const LARGEST: usize = 4 << 20;

/// A rule of the user's own.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    name: String,
    pattern: Regex,
    keywords: Vec<String>,
}

impl CompiledRule {
    pub(crate) fn new(rule: &UserRule) -> Result<Self, RuleError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if rule.name.is_empty() || !rule.name.chars().all(is_plain) {
            return Err(RuleError::Name(rule.name.clone()));
        }
        let pattern = compiled(&rule.pattern)
            .map_err(|because| RuleError::Pattern { name: rule.name.clone(), because })?;
        let keywords = rule.keywords.iter().filter(|word| !word.is_empty()).cloned().collect();
        Ok(Self { name: rule.name.clone(), pattern, keywords })
    }

    /// The words that hint at it.
    pub(crate) fn words(&self, number: usize) -> impl Iterator<Item = (String, Trigger)> {
        self.keywords.iter().map(move |word| (word.clone(), Trigger::User(number)))
    }

    /// Whether no word hints at it.
    pub(crate) fn looks_everywhere(&self) -> bool {
        self.keywords.is_empty()
    }

    pub(crate) fn find_all(&self, text: &str, finds: &mut Vec<Find>) {
        finds.extend(self.in_range(text, 0..text.len()));
    }

    /// What it finds around the word at `start`.
    pub(crate) fn near(&self, text: &str, start: usize) -> Option<Find> {
        let range = around(text, start, NEAR, NEAR);
        let finds: Vec<Find> = self.in_range(text, range).collect();
        finds.into_iter().min_by_key(|find| find.range.start.abs_diff(start))
    }

    fn in_range<'a>(&'a self, text: &'a str, range: Range<usize>) -> impl Iterator<Item = Find> + 'a {
        let begin = range.start;
        self.pattern.captures_iter(&text[range]).filter_map(move |found| {
            let secret = found.get(1).or_else(|| found.get(0))?;
            let range = begin + secret.start()..begin + secret.end();
            Some(Find::new(range, self.name.clone(), secret.as_str(), Surety::Certain))
        })
    }
}

/// A pattern for what may stay.
pub(crate) fn allowed(pattern: &str) -> Result<Regex, RuleError> {
    compiled(&format!("^(?:{pattern})$"))
        .map_err(|because| RuleError::Allow { pattern: pattern.to_owned(), because })
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    // What the library says takes several lines and draws arrows; its last line says it all.
    let short = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().trim().to_owned();
    RegexBuilder::new(pattern).size_limit(LARGEST).build().map_err(short)
}

/// The text around `at`, with this many bytes before and after, at whole characters.
pub(crate) fn around(text: &str, at: usize, before: usize, after: usize) -> Range<usize> {
    let mut start = at.saturating_sub(before);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = at.saturating_add(after).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
