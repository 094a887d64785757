//! The rules of the crate `nosecrets-rules`: each is compiled when one of its words is first met.
//!
//! Rules for names that sound secret, for URLs and for key blocks are left to our own finders, which know disguises.

use std::sync::{LazyLock, OnceLock};

use nosecrets_rules::Rule;
use regex::Regex;

use super::encodings::begins_fresh;
use super::find::{Find, Surety};
use super::finder::Seen;
use super::likely;
use super::trigger::Trigger;
use super::user_rule::around;

/// Rules that our own finders replace.
const REPLACED: &[&str] = &[
    "generic-api-key",
    "generic-secret",
    "password-assignment",
    "basic-auth",
    "private-key",
    "postgres-connection-uri",
    "mysql-connection-uri",
    "mongodb-connection-uri",
    "redis-connection-uri",
    "mssql-connection-uri",
];

/// What we call the kinds: one name for all tokens of one house.
const NAMES: &[(&str, &str)] = &[
    ("aws-access-key", "aws-key"),
    ("aws-secret-key", "aws-secret"),
    ("gcp-api-key", "google-key"),
    ("azure-storage-key", "azure-key"),
    ("github-pat", "github-token"),
    ("github-fine-grained-pat", "github-token"),
    ("github-oauth", "github-token"),
    ("github-app", "github-token"),
    ("gitlab-pat", "gitlab-token"),
    ("stripe-secret-key", "stripe-key"),
    ("stripe-restricted-key", "stripe-key"),
    ("stripe-webhook-secret", "stripe-key"),
    ("sendgrid-api-key", "sendgrid-key"),
    ("twilio-api-key", "twilio-key"),
    ("twilio-auth-token", "twilio-token"),
    ("mailchimp-api-key", "mailchimp-key"),
    ("mailgun-api-key", "mailgun-key"),
    ("heroku-api-key", "heroku-key"),
    ("heroku-api-key-v2", "heroku-key"),
    ("netlify-access-token", "netlify-token"),
    ("flyio-access-token", "flyio-token"),
    ("render-api-key", "render-key"),
    ("jdbc-password-param", "connection-password"),
];

/// Words that stand near, where those of the rule stand everywhere.
const RARER_WORDS: &[(&str, &[&str])] = &[
    ("aws-secret-key", &["aws"]),
    (
        "azure-storage-key",
        &[
            "accountkey",
            "account_key",
            "account-key",
            "account key",
            "storagekey",
            "storage_key",
            "storage-key",
            "storage key",
        ],
    ),
    ("supabase-anon-key", &["supabase"]),
    ("supabase-service-role-key", &["supabase"]),
    ("paypal-client-secret", &["paypal"]),
    ("jdbc-password-param", &["jdbc:"]),
    ("cloudflare-origin-ca-key", &["v1.0-"]),
    ("mailgun-api-key", &["key-"]),
    ("mailchimp-api-key", &["-us"]),
    ("render-api-key", &["render_", "render-", "rendertoken", "renderapi"]),
];

/// How far before and after its word a secret may stand.
const BEFORE: usize = 80;
const AFTER: usize = 400;

/// A rule, compiled when it is first needed.
#[derive(Debug)]
pub(super) struct PublishedRule {
    kind: &'static str,
    rule: &'static Rule,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    pattern: Regex,
    stays: Vec<Regex>,
}

/// All rules that we use.
pub(super) fn all() -> &'static [PublishedRule] {
    static LOADED: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        nosecrets_rules::load_builtin_rules().expect("the crate's own rules are well-formed")
    });
    static RULES: LazyLock<Vec<PublishedRule>> = LazyLock::new(|| {
        let used = LOADED.iter().filter(|rule| !REPLACED.contains(&rule.id.as_str()));
        used.map(|rule| PublishedRule { kind: named(&rule.id), rule, compiled: OnceLock::new() }).collect()
    });
    &RULES
}

fn named(id: &'static str) -> &'static str {
    NAMES.iter().find(|(theirs, _)| *theirs == id).map_or(id, |(_, ours)| ours)
}

/// The words that hint at the rules.
pub(super) fn words(rules: &'static [PublishedRule]) -> impl Iterator<Item = (String, Trigger)> {
    rules.iter().enumerate().flat_map(|(number, PublishedRule { rule, .. })| {
        let rarer = RARER_WORDS.iter().find(|(id, _)| *id == rule.id);
        let words: Vec<String> = match (rarer, prefixes(rule)) {
            (Some((_, words)), _) => words.iter().map(|word| (*word).to_owned()).collect(),
            (None, []) => rule.keywords.clone(),
            (None, prefixes) => prefixes.to_vec(),
        };
        words.into_iter().map(move |word| (word, Trigger::Published(number)))
    })
}

fn prefixes(rule: &Rule) -> &[String] {
    rule.validate.as_ref().map_or(&[], |validate| &validate.prefix)
}

/// What the rule finds around its word at `start`.
pub(super) fn at(
    rules: &'static [PublishedRule],
    number: usize,
    text: &str,
    start: usize,
    seen: &mut Seen,
    finds: &mut Vec<Find>,
) {
    let Some(published) = rules.get(number) else { return };
    let prefixes = prefixes(published.rule);
    let begins =
        prefixes.is_empty() || prefixes.iter().any(|prefix| text[start..].starts_with(prefix.as_str()));
    if !begins || (!prefixes.is_empty() && !begins_fresh(text, start)) {
        return;
    }
    seen.published.resize(rules.len(), 0);
    if prefixes.is_empty() && start < seen.published[number] {
        return;
    }
    let window = around(text, start, if prefixes.is_empty() { BEFORE } else { 0 }, AFTER);
    seen.published[number] = window.end.saturating_sub(AFTER / 2);
    // Many patterns want to see what follows the secret.
    let ended = if window.end == text.len() {
        format!("{}\n", &text[window.clone()])
    } else {
        text[window.clone()].to_owned()
    };
    let Some(Compiled { pattern, stays }) = published.compiled() else { return };
    for found in pattern.captures_iter(&ended) {
        let Some(secret) = found.get(published.rule.capture).or_else(|| found.get(0)) else { continue };
        let value = secret.as_str().trim_end();
        let is_short = prefixes.is_empty() || secret.start() == 0;
        if is_short && published.is_valid(value) && !stays.iter().any(|pattern| pattern.is_match(value)) {
            let begin = window.start + secret.start();
            let surety = if prefixes.is_empty() { Surety::Placed } else { Surety::Certain };
            finds.push(Find::new(begin..begin + value.len(), published.kind, value, surety));
        }
    }
}

impl PublishedRule {
    fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let allowed = self.rule.allow.as_ref().map(|allow| allow.patterns.as_slice()).unwrap_or_default();
            let stays =
                allowed.iter().filter_map(|pattern| Regex::new(&format!("(?i){pattern}")).ok()).collect();
            Some(Compiled { pattern: Regex::new(&self.rule.pattern).ok()?, stays })
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    fn is_valid(&self, value: &str) -> bool {
        let fits = self.rule.validate.as_ref().is_none_or(|validate| {
            validate.length.is_none_or(|length| value.len() == length)
                && validate.min_length.is_none_or(|least| value.len() >= least)
                && validate.max_length.is_none_or(|most| value.len() <= most)
        });
        let is_password = self.kind == "connection-password";
        fits && if is_password { !likely::is_placeholder(value) } else { likely::is_random(value) }
    }
}
