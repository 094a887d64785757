//! Finds secrets in one text: one pass over it for words that give them away, and a closer look where one stands.
//!
//! Knows nothing of what was found elsewhere: it may be used by many threads at once.

use regex::Regex;

use super::find::{Find, settled};
use super::home::Home;
use super::options::{RedactOptions, RuleError};
use super::published_rules::{self, PublishedRule};
use super::trigger::{Trigger, Words};
use super::user_rule::Rule;
use super::{
    assignment, command_line, cookie, email, header, json_web_token, key_block, token, url_password,
    user_rule, web_address,
};

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
        let published = published_rules::all();
        let rules = options.rules.iter().map(Rule::new).collect::<Result<Vec<_>, _>>()?;
        let allowed =
            options.allow.iter().map(|pattern| user_rule::allowed(pattern)).collect::<Result<_, _>>()?;
        let home = options.home.as_ref().and_then(Home::new);
        let fixed = token::words()
            .chain(published_rules::words(published))
            .chain(key_block::words())
            .chain(url_password::words())
            .chain(json_web_token::words())
            .chain(header::words())
            .chain(assignment::words())
            .chain(command_line::words())
            .chain(cookie::words())
            .chain(web_address::words());
        let chosen = email::words(options.emails)
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
                published_rules::at(self.published, number, text, start, seen, finds);
            }
            Trigger::KeyBlock if start >= seen.block_end => {
                if let Some(find) = key_block::at(text, start) {
                    seen.block_end = find.range.end;
                    finds.push(find);
                }
            }
            Trigger::KeyBlock => {}
            Trigger::EncodedKeyBlock => finds.extend(key_block::encoded_at(text, start)),
            Trigger::Url => finds.extend(url_password::at(text, start, end)),
            Trigger::JsonWebToken => finds.extend(json_web_token::at(text, start)),
            Trigger::Header => finds.extend(header::at(text, start, end)),
            Trigger::Assignment => finds.extend(assignment::at(text, start, end, seen)),
            Trigger::Command(number) => command_line::at(number, text, start, end, finds),
            Trigger::Cookie => cookie::at(text, end, finds),
            Trigger::Webhook => finds.extend(web_address::webhook(text, end)),
            Trigger::SignedAddress => finds.extend(web_address::signature(text, start, end)),
            Trigger::SlashPassword => finds.extend(url_password::behind_slash(text, end)),
            Trigger::Email => finds.extend(email::at(text, start)),
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
