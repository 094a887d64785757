//! Secrets with a form of their own: tokens that begin in a way nothing else does, the published rules, JSON web tokens,
//! private keys.

use std::sync::{LazyLock, OnceLock};

use nosecrets_rules::Rule;
use regex::Regex;

use super::finder::{Find, Seen, Surety, Trigger};
use super::likely;
use super::options::around;
use super::vault::begins_fresh;

/// What stands between the number of a bot and its token.
const BOT: &str = ":AA";

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let tokens = TOKENS.iter().enumerate();
    tokens
        .map(|(number, token)| (token.begins.to_owned(), Trigger::Token(number)))
        .chain([(BOT.to_owned(), Trigger::BotToken)])
}

/// The token of our table at `start`.
pub(super) fn at(number: usize, text: &str, start: usize) -> Option<Find> {
    let token = TOKENS.get(number)?;
    let rest = text.get(start..)?.strip_prefix(token.begins)?;
    let length = run(rest, token.letters);
    let body = &rest[..length];
    let is_one = length >= token.at_least && begins_fresh(text, start) && likely::is_random(body);
    let end = start + token.begins.len() + length;
    is_one.then(|| Find::new(start..end, token.kind, &text[start..end], Surety::Certain))
}

/// A bot's token: eight to ten digits, a colon, 35 letters.
pub(super) fn bot_token(text: &str, colon: usize) -> Option<Find> {
    let rest = text.get(colon..)?.strip_prefix(':')?.get(..)?;
    let length = run(rest, Letters::Url);
    let digits = text[..colon].bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_one = rest.starts_with("AA")
        && length == 35
        && (8..=10).contains(&digits)
        && likely::is_random(rest.get(..length)?);
    let range = colon - digits..colon + 1 + length;
    is_one.then(|| Find::new(range.clone(), "telegram-token", &text[range], Surety::Certain))
}

/// How many bytes at the beginning of `text` are such letters. What ends a sentence is none of them.
pub(super) fn run(text: &str, letters: Letters) -> usize {
    let length = text.bytes().take_while(|byte| letters.has(*byte)).count();
    text[..length].trim_end_matches('.').len()
}

/// What a token is made of after its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// `0-9a-f`.
    Hex,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, `_`, `-`.
    Base64,
}

impl Letters {
    pub(super) fn has(self, byte: u8) -> bool {
        let is_plain = byte.is_ascii_alphanumeric();
        match self {
            Self::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Self::Plain => is_plain,
            Self::Url => is_plain || matches!(byte, b'_' | b'-'),
            Self::Dotted => is_plain || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => is_plain || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
        }
    }
}

/// One kind of token.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: &'static str,
    pub(super) begins: &'static str,
    pub(super) letters: Letters,
    /// How many letters follow at least.
    pub(super) at_least: usize,
}

const fn token(kind: &'static str, begins: &'static str, letters: Letters, at_least: usize) -> Token {
    Token { kind, begins, letters, at_least }
}

/// The tokens we know.
const TOKENS: &[Token] = &[
    token("anthropic-key", "sk-ant-", Letters::Url, 24),
    token("openai-key", "sk-proj-", Letters::Url, 24),
    token("openai-key", "sk-svcacct-", Letters::Url, 24),
    token("openai-key", "sk-admin-", Letters::Url, 24),
    token("openai-key", "sk-", Letters::Plain, 32),
    token("openrouter-key", "sk-or-v1-", Letters::Hex, 40),
    token("cursor-key", "crsr_", Letters::Hex, 40),
    token("cursor-key", "key_", Letters::Hex, 60),
    token("xai-key", "xai-", Letters::Plain, 40),
    token("groq-key", "gsk_", Letters::Plain, 40),
    token("perplexity-key", "pplx-", Letters::Plain, 40),
    token("replicate-token", "r8_", Letters::Plain, 36),
    token("nvidia-key", "nvapi-", Letters::Url, 40),
    token("langsmith-key", "lsv2_pt_", Letters::Url, 32),
    token("langsmith-key", "lsv2_sk_", Letters::Url, 32),
    token("tavily-key", "tvly-", Letters::Url, 24),
    token("huggingface-token", "hf_", Letters::Plain, 30),
    token("github-token", "ghp_", Letters::Plain, 36),
    token("github-token", "gho_", Letters::Plain, 36),
    token("github-token", "ghu_", Letters::Plain, 36),
    token("github-token", "ghs_", Letters::Plain, 36),
    token("github-token", "ghr_", Letters::Plain, 36),
    token("github-token", "github_pat_", Letters::Url, 36),
    token("gitlab-token", "glpat-", Letters::Dotted, 20),
    token("gitlab-token", "gldt-", Letters::Url, 20),
    token("gitlab-token", "glrt-", Letters::Url, 20),
    token("gitlab-token", "glptt-", Letters::Url, 40),
    token("gitlab-token", "glcbt-", Letters::Url, 20),
    token("gitlab-token", "glsoat-", Letters::Url, 20),
    token("npm-token", "npm_", Letters::Plain, 36),
    token("pypi-token", "pypi-AgE", Letters::Url, 50),
    token("rubygems-key", "rubygems_", Letters::Hex, 48),
    token("docker-token", "dckr_pat_", Letters::Url, 24),
    token("docker-token", "dckr_oat_", Letters::Url, 24),
    token("slack-token", "xoxb-", Letters::Url, 24),
    token("slack-token", "xoxp-", Letters::Url, 24),
    token("slack-token", "xoxa-", Letters::Url, 24),
    token("slack-token", "xoxr-", Letters::Url, 24),
    token("slack-token", "xoxs-", Letters::Url, 24),
    token("slack-token", "xoxc-", Letters::Url, 24),
    token("slack-token", "xoxd-", Letters::Url, 24),
    token("slack-token", "xoxe.", Letters::Dotted, 24),
    token("slack-token", "xapp-", Letters::Url, 24),
    token("stripe-key", "sk_live_", Letters::Plain, 20),
    token("stripe-key", "rk_live_", Letters::Plain, 20),
    token("stripe-key", "sk_test_", Letters::Plain, 20),
    token("stripe-key", "rk_test_", Letters::Plain, 20),
    token("stripe-key", "whsec_", Letters::Base64, 24),
    token("shopify-token", "shpat_", Letters::Hex, 32),
    token("shopify-token", "shpss_", Letters::Hex, 32),
    token("shopify-token", "shpca_", Letters::Hex, 32),
    token("shopify-token", "shppa_", Letters::Hex, 32),
    token("google-token", "ya29.", Letters::Dotted, 30),
    token("google-secret", "GOCSPX-", Letters::Url, 24),
    token("digitalocean-token", "dop_v1_", Letters::Hex, 60),
    token("digitalocean-token", "doo_v1_", Letters::Hex, 60),
    token("digitalocean-token", "dor_v1_", Letters::Hex, 60),
    token("databricks-token", "dapi", Letters::Hex, 32),
    token("vault-token", "hvs.", Letters::Url, 24),
    token("vault-token", "hvb.", Letters::Url, 24),
    token("terraform-token", "atlasv1.", Letters::Url, 40),
    token("linear-key", "lin_api_", Letters::Plain, 32),
    token("notion-token", "ntn_", Letters::Plain, 40),
    token("figma-token", "figd_", Letters::Url, 36),
    token("postman-key", "PMAK-", Letters::Url, 40),
    token("grafana-token", "glsa_", Letters::Url, 36),
    token("grafana-token", "glc_eyJ", Letters::Base64, 32),
    token("supabase-key", "sbp_", Letters::Hex, 40),
    token("supabase-key", "sb_secret_", Letters::Url, 24),
    token("sentry-token", "sntrys_", Letters::Base64, 40),
    token("sentry-token", "sntryu_", Letters::Hex, 40),
    token("newrelic-key", "NRAK-", Letters::Plain, 24),
    token("planetscale-token", "pscale_tkn_", Letters::Dotted, 30),
    token("planetscale-token", "pscale_pw_", Letters::Dotted, 30),
    token("doppler-token", "dp.pt.", Letters::Plain, 40),
    token("age-key", "AGE-SECRET-KEY-1", Letters::Plain, 50),
    token("atlassian-token", "ATATT3", Letters::Base64, 60),
];

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
pub(super) fn published_rules() -> &'static [PublishedRule] {
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
pub(super) fn published_words(rules: &'static [PublishedRule]) -> impl Iterator<Item = (String, Trigger)> {
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
pub(super) fn published_at(
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

/// How every header begins: `{"` in base64.
const WEB_TOKEN: &str = "eyJ";

pub(super) fn web_token_words() -> impl Iterator<Item = (String, Trigger)> {
    [(WEB_TOKEN.to_owned(), Trigger::JsonWebToken)].into_iter()
}

/// The token at `start`.
pub(super) fn web_token_at(text: &str, start: usize) -> Option<Find> {
    let rest = text.get(start..)?;
    if !rest.starts_with(WEB_TOKEN) || !begins_fresh(text, start) {
        return None;
    }
    let length = run(rest, Letters::Dotted);
    let mut pieces = rest[..length].split('.');
    let header = pieces.next()?;
    let payload = pieces.next()?;
    let signature = pieces.next()?;
    let decoded = base64_decoded(header);
    let is_header = decoded.first() == Some(&b'{') && names_field(&decoded, b"\"alg\"");
    let is_one = is_header && payload.len() + signature.len() >= 30 && !signature.is_empty();
    let end = start + length;
    is_one.then(|| Find::new(start..end, "jwt", &text[start..end], Surety::Certain))
}

fn names_field(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

const KEY_BEGIN: &str = "-----BEGIN";
/// The same in base64.
const KEY_ENCODED: &str = "LS0tLS1CRUdJTi";
const KEY_KIND: &str = "private-key";

/// A block is no longer than this.
const LONGEST_KEY: usize = 32 * 1024;
/// A key has at least so many letters of base64.
const SHORTEST_KEY: usize = 48;

pub(super) fn key_words() -> impl Iterator<Item = (String, Trigger)> {
    [(KEY_BEGIN, Trigger::KeyBlock), (KEY_ENCODED, Trigger::EncodedKeyBlock)]
        .into_iter()
        .map(|(word, what)| (word.to_owned(), what))
}

/// The block that begins at `start`, whole or cut off.
pub(super) fn key_block_at(text: &str, start: usize) -> Option<Find> {
    let rest = clipped(text.get(start..)?);
    let label = rest.strip_prefix(KEY_BEGIN)?;
    let label_end = label.find("-----").filter(|length| *length <= 60)?;
    let spoken = label[..label_end].replace("%20", " ").replace('+', " ");
    if !spoken.contains("PRIVATE KEY") {
        return None;
    }
    let body_start = KEY_BEGIN.len() + label_end + "-----".len();
    let body = &rest[body_start..];
    let mark = text[..start]
        .chars()
        .next_back()
        .filter(|c| matches!(c, '+' | '-'))
        .filter(|_| is_line_start(text, start - 1));
    let (body, end) = match body.find("-----END") {
        Some(length) => (&body[..length], body_start + length + end_line(&body[length..])),
        None => (cut_off(body), body_start + cut_off(body).len()),
    };
    let lines = lines(body, mark);
    let letters: usize = lines.iter().map(String::len).sum();
    let is_key = letters >= SHORTEST_KEY && letters * 10 >= body.len() * 5;
    is_key
        .then(|| Find::new(start..start + end, KEY_KIND, format!("{}\n", lines.join("\n")), Surety::Certain))
}

/// The block in base64 that begins at `start`.
pub(super) fn encoded_key_block_at(text: &str, start: usize) -> Option<Find> {
    let rest = clipped(text.get(start..)?);
    if !rest.starts_with(KEY_ENCODED) {
        return None;
    }
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    let length = rest.bytes().take_while(|byte| is_letter(*byte)).count();
    let decoded = String::from_utf8_lossy(&base64_decoded(&rest[..length])).into_owned();
    let label = decoded.get(..60.min(decoded.len())).unwrap_or_default();
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    // The same key has the same placeholder, in base64 or not.
    let secret = key_block_at(&decoded, 0).map_or_else(|| rest[..length].to_owned(), |find| find.secret);
    Some(Find::new(start..start + length, KEY_KIND, secret, Surety::Certain))
}

fn clipped(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_KEY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n') || text[..at].ends_with("\\n")
}

/// How long the last line of a block is.
fn end_line(from: &str) -> usize {
    let label = "-----END".len();
    from[label..]
        .find("-----")
        .filter(|length| *length <= 60)
        .map_or(label, |length| label + length + "-----".len())
}

/// The lines of a key whose end is missing.
fn cut_off(body: &str) -> &str {
    let is_of_key = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '+' | '/' | '=' | '\n' | '\r' | ' ' | '\\' | '|' | '>' | '-' | ':' | ',')
    };
    let end = body.find(|c: char| !is_of_key(c)).unwrap_or(body.len());
    // Words after an empty line are not the key's.
    let mut kept = 0;
    for line in body[..end].split_inclusive('\n') {
        let letters = line.trim().trim_start_matches(['+', '-', ' ', '>']);
        let is_words = letters.contains(' ') && !letters.contains(':');
        if is_words && !letters.contains("\\n") {
            break;
        }
        kept += line.len();
    }
    &body[..kept]
}

/// The lines of base64 in a body, without what stands before them: a diff's mark, a line's number, quotes.
fn lines(body: &str, mark: Option<char>) -> Vec<String> {
    let plain = body
        .replace("\\r", "")
        .replace("\\n", "\n")
        .replace("%0A", "\n")
        .replace("%2B", "+")
        .replace("%2F", "/")
        .replace("%3D", "=");
    let of_key = plain.lines().map(|line| {
        let line = line.trim_end();
        let line = mark.and_then(|mark| line.strip_prefix(mark)).unwrap_or(line).trim();
        let line = line
            .split_once('|')
            .filter(|(number, _)| number.trim().bytes().all(|b| b.is_ascii_digit()))
            .map_or(line, |(_, rest)| rest);
        line.trim_matches(['"', '\'', ',', ' ', '>', '\\']).to_owned()
    });
    let is_base64 = |line: &String| {
        !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    of_key.filter(is_base64).collect()
}

/// The bytes that `text` stands for, up to the first character that is not base64. Spaces and line ends are jumped over.
pub(super) fn base64_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let Some(value) = base64_value(byte) else { break };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap_or_default());
        }
    }
    bytes
}

fn base64_value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
