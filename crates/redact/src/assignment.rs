//! Values whose name gives them away: `API_KEY=…`, `"token": "…"`, `password = '…'`, `--token …`, `Password=…;`.

use std::borrow::Cow;
use std::ops::Range;

use crate::alphabet::Alphabet;
use crate::beside::value_beside;
use crate::column;
use crate::disguise::{colour_length, hex, percent_decoded};
use crate::finder::{Find, Seen, Surety, Trigger, placeholders};
use crate::likely;
use crate::near::{self, near};
use crate::options::around;
use crate::rules;
use crate::secret_name::{base_words, is_variable, kind_of};

/// Names are no longer than this.
const LONGEST_NAME: usize = 80;

/// Values longer than this are no secrets of this kind, but blobs.
const LONGEST_VALUE: usize = 16 * 1024;

/// Values longer than this hold no other names.
const LONG_VALUE: usize = 1024;

pub(crate) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let words = [
        "passw",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "key",
        "credential",
        "auth",
        "pass",
        "pw",
        "_pat",
        "api_hash",
        "app_certificate",
        "psk",
        "requirepass",
        "kennwort",
        "schlüssel",
        "zugangsdaten",
        "anmeldedaten",
        "_salt",
        "devopspat",
        "devops pat",
    ];
    words.into_iter().map(|word| (word.to_owned(), Trigger::Assignment))
}

/// The secrets behind or below the name that holds the word between `start` and `end`.
pub(crate) fn at(text: &str, start: usize, end: usize, seen: &mut Seen) -> Vec<Find> {
    if start < seen.name_end {
        return Vec::new();
    }
    let (name_start, name_end) = name_around(text, start, end);
    seen.name_end = name_end;
    let Some((kind, name)) = named(text, name_start, name_end) else { return Vec::new() };
    let cells = column::below(text, &(name_start..name_end), &mut seen.rows);
    let mut values: Vec<Value> =
        cells.into_iter().map(|range| Value { range, written: Written::Quoted }).collect();
    if values.is_empty() {
        let beside = assigned_after(text, start, name_start, name_end)
            .or_else(|| value_beside(text, name_end - name.len(), name_end).filter(|_| !is_pass(name)));
        values.extend(beside);
    }
    // What looks like a name in the middle of a very long value is not looked at again and again.
    let long = values.iter().filter(|value| value.range.len() > LONG_VALUE).map(|value| value.range.end);
    seen.name_end = long.fold(seen.name_end, usize::max);
    let found: Vec<Find> =
        values.into_iter().filter_map(|value| judged(text, name_start, kind, name, value)).collect();
    if !found.is_empty() || seen.is_joined || is_looked_at(name_end, seen) {
        return found;
    }
    near(text, &(name_start..name_end), kind).into_iter().collect()
}

/// Maximum number of names close together near which values are looked for.
const MOST_NAMES: usize = 8;

/// Whether values were looked for near many names just before this one.
fn is_looked_at(name_end: usize, seen: &mut Seen) -> bool {
    let (end, times) = seen.near;
    let times = if name_end < end { times + 1 } else { 0 };
    seen.near = (name_end + near::FAR, times);
    times > MOST_NAMES
}

/// The name and what kind of secret it speaks of, if it does.
fn named(text: &str, start: usize, end: usize) -> Option<(&'static str, &str)> {
    let name = &text[start..end];
    // `-Dapi_key=…` of Java.
    let name = name.strip_prefix("-D").unwrap_or(name).trim_start_matches('-');
    kind_of(name).map(|kind| (kind, name)).or_else(|| {
        let longer = with_word_before(text, start, end)?;
        Some((kind_of(longer)?, longer))
    })
}

/// The value, if it is a secret. The name begins at `name_start`.
fn judged(text: &str, name_start: usize, kind: &'static str, name: &str, value: Value) -> Option<Find> {
    let written = match value.written {
        Written::Bare if is_parameter(text, name_start) => Written::Connection,
        Written::Bare | Written::Quoted if is_pass(name) => Written::Loose,
        Written::Quoted if is_variable(name) && kind != "password" => Written::Variable,
        Written::Bare if is_variable(name) && ends_setting(text, &value.range) => Written::Variable,
        written => written,
    };
    let range = if is_authorization(name) { scheme_skipped(text, value.range) } else { value.range };
    let found = text.get(range.clone())?;
    match rules::named_token(name, found) {
        Some(kind) => Some(Find::new(range, kind, found, Surety::Placed)),
        None => secret(kind, name, text, &Value { range, written }),
    }
}

/// `pass`, `passValue`: many things are called so.
fn is_pass(name: &str) -> bool {
    base_words(name) == ["pass"]
}

/// Whether the value stands right behind its sign, or at the end of a line: otherwise it may begin a sentence.
fn ends_setting(text: &str, value: &Range<usize>) -> bool {
    let behind = text[value.end..].trim_start_matches([' ', '\t', '"', '\'']);
    text[..value.start].ends_with(['=', '-'])
        || behind.is_empty()
        || behind.starts_with(['\n', '\r', '\\', '#', '`'])
}

/// The name around the word between `start` and `end`.
fn name_around(text: &str, start: usize, end: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'_' | b'-');
    let name_end = end + bytes[end..].iter().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    let mut name_start =
        start - bytes[..start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    // In `\nTOKEN=…` the `n` belongs to the escape, and in `%3Ftoken%3D…` the `3F`.
    match bytes[..name_start].last() {
        Some(b'\\') if name_start < start => name_start += 1,
        Some(b'%')
            if name_start + 2 <= start
                && bytes[name_start..name_start + 2].iter().all(|byte| hex(*byte).is_some()) =>
        {
            // What was encoded twice begins with `%25`.
            let is_twice = bytes[name_start..start].starts_with(b"25") && name_start + 4 <= start;
            name_start += if is_twice { 4 } else { 2 };
        }
        _ => {}
    }
    (name_start, name_end)
}

/// The name with the word before it: people write `API key`.
fn with_word_before(text: &str, name_start: usize, name_end: usize) -> Option<&str> {
    let before = text[..name_start].strip_suffix(' ')?;
    let length = before.bytes().rev().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    (length > 0).then(|| &text[before.len() - length..name_end])
}

/// Whether the name is that of a parameter in an address, behind which nothing but its value stands.
fn is_parameter(text: &str, name_start: usize) -> bool {
    ["?", "&", "%3F", "%3f", "%26"].iter().any(|sign| text[..name_start].ends_with(sign))
}

fn is_authorization(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("authorization")
}

/// In `Authorization: ApiKey …` the secret stands behind the name of the scheme.
fn scheme_skipped(text: &str, value: Range<usize>) -> Range<usize> {
    let is_scheme =
        |word: &str| word.len() <= 16 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    match text[value.clone()].split_once(' ') {
        Some((scheme, secret)) if is_scheme(scheme) => value.end - secret.len()..value.end,
        None if is_scheme(&text[value.clone()]) && text[value.end..].starts_with(' ') => {
            let behind = bare(text, value.end + 1, false);
            behind.map_or(value, |behind| behind.range)
        }
        _ => value,
    }
}

/// The whole text, where it is the value of a field whose name sounds secret.
pub(crate) fn of_field(name: &str, text: &str) -> Option<Find> {
    if let Some(kind) = rules::named_token(name, text) {
        return Some(Find::new(0..text.len(), kind, text, Surety::Placed));
    }
    let kind = kind_of(name)?;
    let range = if is_authorization(name) { scheme_skipped(text, 0..text.len()) } else { 0..text.len() };
    secret(kind, name, text, &Value { range, written: Written::Quoted })
}

fn secret(kind: &'static str, name: &str, text: &str, value: &Value) -> Option<Find> {
    let raw = match value.written {
        Written::Block => joined(text.get(value.range.clone())?),
        _ => text.get(value.range.clone())?.into(),
    };
    // A password may hold a percent sign; what it stands for in an address must not hold a space.
    let decoded = percent_decoded(&raw).filter(|decoded| !decoded.contains(char::is_whitespace));
    let decoded = decoded.filter(|_| value.written == Written::Connection || !likely::is_telling(&raw));
    let secret = decoded.unwrap_or_else(|| raw.into_owned());
    let is_dense = likely::is_dense(&secret) && !secret.contains("://");
    let stays = match kind {
        "password" => {
            let is_named = value.written != Written::Connection && is_member(&secret);
            let is_variable = value.written == Written::Bare && is_name(&secret) && secret.contains("passw");
            !is_dense
                && (is_variable
                    || is_code(&secret)
                    || (is_named && !has_digit(&secret) && likely::is_all_words(&secret)))
        }
        _ if repeats(name, &secret) => true,
        _ if likely::is_uuid(&secret) => value.written != Written::Connection && !opens_doors(kind, name),
        _ => !is_dense && stays(&secret),
    };
    let is_telling = is_dense || (likely::is_telling(&secret) && !likely::is_uuid(&secret));
    let is_secret = (6..=LONGEST_VALUE).contains(&secret.len())
        && !stays
        && match (kind, value.written) {
            _ if is_telling => true,
            ("password", Written::Connection) => !likely::is_example(&secret),
            ("password", Written::Variable) => !is_setting(&secret) && !likely::is_example(&secret),
            ("password", _) if likely::is_passphrase(&secret) => true,
            ("password", Written::Quoted | Written::Block) => secret.len() >= 6 && likely::is_chosen(&secret),
            // Behind an option stands a password, or a word for one.
            ("password", Written::Option) => {
                !likely::is_one_word(&secret) && !is_setting(&secret) && !likely::is_example(&secret)
            }
            ("password", Written::Bare) => {
                secret.len() >= 8 && likely::is_chosen(&secret) && !likely::is_all_words(&secret)
            }
            ("password", Written::Loose) => {
                let is_numbered = has_digit(&secret) && secret.len() >= 8 && likely::is_chosen(&secret);
                is_numbered && !likely::is_all_words(&secret) && !likely::is_words(&secret)
            }
            (_, Written::Quoted) if likely::is_mixed_letters(&secret) => true,
            (_, Written::Variable) => {
                // `io.example/settings` is a name, not a key.
                let is_dotted = secret.contains(['.', '/']) && likely::is_spoken(&secret);
                secret.len() >= 12 && likely::is_random(&secret) && !is_dotted
            }
            _ => {
                let is_word = value.written == Written::Loose && likely::is_small(&secret);
                (secret.len() >= 16 && likely::is_generated(&secret) && !is_word)
                    || (secret.len() >= 12 && value.written != Written::Loose && likely::is_strange(&secret))
            }
        };
    is_secret.then(|| Find::new(value.range.clone(), kind, secret, Surety::Named))
}

/// Whether a UUID of this name is more than a number: `codecov_token` says what it is for, `token` does not.
fn opens_doors(kind: &str, name: &str) -> bool {
    kind != "token" || is_variable(name) || base_words(name).len() > 1
}

/// `GetCredentials: SpGetCredentialsFn`: whether the value is a name that says once more what it is.
fn repeats(name: &str, value: &str) -> bool {
    let has = |word: &String| word.len() >= 3 && value.to_ascii_lowercase().contains(word.as_str());
    is_name(value) && !has_digit(value) && base_words(name).last().is_some_and(has)
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// What a path, an address, a hash or the name of a place for secrets begins with.
const BEGINNINGS: &str = "./ ../ ~/ arn: op:// vault: secret: projects/ data: ssh- http: https: sha1- sha256- sha384- sha512- \
    sha256: sha512:";

/// Whether a password is not written down here, but put in by a program: a variable, a template, a call.
pub(crate) fn is_code(value: &str) -> bool {
    // What opens, and what closes it.
    const INSIDE: &[(&str, &str)] =
        &[("${", "}"), ("{{", "}}"), ("$(", ")"), ("#{", "}"), ("<%", "%>"), ("://", "")];
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':'))
    };
    // `$DB_PASSWORD`, `{password}`, `<password>`, `%PASSWORD%`, `@password`.
    let inner = value.trim_start_matches(['$', '{', '<', '[', '%', '@', '(', '*', '&', ':']);
    let inner = inner.trim_end_matches(['}', '>', ']', '%', ')', '*']);
    let is_put_in =
        inner.len() < value.len() && is_name(inner) && !has_digit(inner) && !likely::is_gibberish(inner);
    let is_call = value.ends_with(')') && value.split_once('(').is_some_and(|(name, _)| is_name(name));
    let is_format = value.starts_with('%') && value.len() <= 4;
    let is_variable = value.strip_prefix('$').is_some_and(|name| {
        let is_spelled = is_variable(name) || !has_digit(name) || likely::is_all_words(name);
        is_name(name) && is_spelled && !name.starts_with(|c: char| c.is_ascii_digit())
    });
    // `...rest`, `first...`, `sk-...1f9c`: somebody left out the most of it.
    let is_omission = value
        .rsplit_once("...")
        .is_some_and(|(before, after)| before.is_empty() || (before.len() <= 8 && after.len() <= 4));
    let is_inside = |(open, close): &(&str, &str)| {
        value.split_once(open).is_some_and(|(_, behind)| behind.contains(close))
    };
    (value.contains(char::is_whitespace) && !is_spaced(value) && !likely::is_passphrase(value))
        || !placeholders(value).is_empty()
        || is_omission
        || is_put_in
        || is_call
        || is_format
        || is_variable
        || is_path_of_names(value)
        || INSIDE.iter().any(is_inside)
        || BEGINNINGS.split(' ').any(|begin| value.starts_with(begin))
}

/// `module::Type`, `self->password`, `key => value`: names, and what stands between them in programs.
fn is_path_of_names(value: &str) -> bool {
    ["::", "->", "=>"].iter().any(|between| {
        let is_of_program = |piece: &str| {
            let name = piece.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let is_spelled = !has_digit(name.trim_end_matches(|c: char| c.is_ascii_digit()));
            name.is_empty()
                || (is_name(name) && is_spelled && !(name.len() >= 6 && likely::is_gibberish(name)))
        };
        value.contains(between) && value.split(between).all(is_of_program)
    })
}

/// Whether this is a password with spaces: of four groups of letters, as mail services make them, or none of its pieces a word.
fn is_spaced(value: &str) -> bool {
    let pieces: Vec<&str> = value.split(' ').collect();
    let is_group = |piece: &&str| piece.len() == 4 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_of_words = |piece: &&str| piece.is_empty() || !likely::is_strange(piece);
    (pieces.len() == 4 && pieces.iter().all(is_group) && likely::is_gibberish(&value.replace(' ', "")))
        || (pieces.len() <= 3
            && !pieces.iter().all(is_of_words)
            && likely::is_strange(&value.replace(' ', "")))
}

/// Whether the value is plainly something else: code, a path, an address, a hash that says so.
pub(crate) fn stays(value: &str) -> bool {
    // `$TOKEN`, `@token`, `#token`, `%TOKEN%`.
    const SIGNS: [char; 6] = ['$', '@', '#', '%', '{', '['];
    value.contains(char::is_whitespace)
        || value.contains(['<', '>', '{', '(', '`', '"', '\\'])
        || !placeholders(value).is_empty()
        || (value.contains('|') && !likely::is_strange(value))
        || value.contains("://")
        || is_path_of_names(value)
        || value.contains("...")
        || BEGINNINGS.split(' ').any(|begin| value.starts_with(begin))
        || (value.starts_with(SIGNS) && !likely::is_strange(value))
        || value.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
}

/// Whether the value of a variable is a setting, not a secret.
fn is_setting(value: &str) -> bool {
    let is_path =
        value.contains('/') && value.split('/').all(|name| name.is_empty() || likely::is_spoken(name));
    let is_number = value.len() < 8 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    value.starts_with('/') || is_path || is_number
}

/// A value behind a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) range: Range<usize>,
    pub(crate) written: Written,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// In quotes.
    Quoted,
    /// In lines of its own, which make one value.
    Block,
    /// Without.
    Bare,
    /// As a variable of the environment.
    Variable,
    /// Among the settings of a connection string.
    Connection,
    /// Behind an option of a command.
    Option,
    /// In a place where many other things stand as well: an argument, a cell of a table, a sentence.
    Loose,
}

/// A value is no longer than this.
const LONGEST_ASSIGNED: usize = 16 * 1024;

/// The value that follows the name from `name_start` to `name_end`, which holds `in_name`.
fn assigned_after(text: &str, in_name: usize, name_start: usize, name_end: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let (mut at, sign) = sign(bytes, name_end, is_option(bytes, in_name))?;
    if sign == Sign::Colon {
        at = tag_skipped(text, type_skipped(text, at));
    }
    let is_tight = sign == Sign::Equals && bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
    at += closing_marks(&bytes[at..]);
    at += bytes.get(at..)?.iter().take(WIDEST_GAP).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    at += colour_length(&bytes[at..]);
    at += line_end_skipped(&bytes[at..]);
    if let Some(block) = block(text, at).or_else(|| in_entities(text, at)) {
        return Some(block);
    }
    if sign == Sign::Colon
        && let Some(value) = in_next_line(text, at)
    {
        return Some(value);
    }
    // `b"…"`, `r'…'`, `@"…"`: the quote alone counts.
    if let [b'b' | b'r' | b'f' | b'u' | b'@' | b'$', b'"' | b'\'', ..] = &bytes[at..] {
        at += 1;
    }
    if sign == Sign::Otherwise && !matches!(bytes.get(at), Some(b'"' | b'\'' | b'`')) {
        return None;
    }
    // `api_key = [[…]]` of Lua.
    if let Some(rest) = text[at..].strip_prefix("[[") {
        let length = rest.find("]]").filter(|length| *length <= LONGEST_ASSIGNED)?;
        return Some(Value { range: at + 2..at + 2 + length, written: Written::Quoted });
    }
    // A quote may stand behind backslashes, if all of this is inside a string.
    let slashes = bytes.get(at..)?.iter().take(8).take_while(|byte| **byte == b'\\').count();
    match bytes.get(at + slashes)? {
        quote @ (b'"' | b'\'' | b'`') => quoted(text, at + slashes + 1, *quote, slashes),
        // `[NAME]: value` is code.
        _ if slashes > 0 || bytes.get(name_end) == Some(&b']') => None,
        _ if sign == Sign::Colon
            && !matches!(bytes[..at].last(), Some(b' ' | b'\t' | b'>'))
            && !is_header(&text[name_start..name_end]) =>
        {
            None
        }
        _ if sign == Sign::Space => {
            bare(text, at, is_tight).map(|value| Value { written: Written::Option, ..value })
        }
        _ => whole_line(text, name_start, at, sign).or_else(|| bare(text, at, is_tight)),
    }
}

/// The value that fills the rest of its line, in a file where names stand at the beginnings of lines: `.env`, YAML.
fn whole_line(text: &str, name_start: usize, at: usize, sign: Sign) -> Option<Value> {
    let before = &text[around(text, name_start, LONGEST_NAME, 0)];
    let line = before.rfind('\n').map_or(0, |found| found + 1);
    let before = before[line..].trim_start_matches(['+', '-', ' ', '\t']);
    let rest = &text[around(text, at, 0, LONGEST_ASSIGNED)];
    let value = rest.split(['\n', '\r']).next()?.trim_end();
    let name = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_setting = matches!(before, "export " | "ENV " | "set ") || name.is_empty();
    if is_setting && sign != Sign::Space && likely::is_passphrase(value) {
        return Some(Value { range: at..at + value.len(), written: Written::Bare });
    }
    let is_one = is_setting
        && sign != Sign::Space
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\'))
        && !value.ends_with([',', ';', ')', '(', '{', '}', '[', ']', '|', '>'])
        && value.contains([',', ';', '&', '(', ')', '[', ']', '{', '}', '|', '<', '>'])
        && !is_code(value)
        && has_digit(value)
        && !value.contains("%2")
        && !(value.contains('=') && value.contains('&'));
    is_one.then(|| Value { range: at..at + value.len(), written: Written::Bare })
}

/// `X-Api-Key`: the name of a header, behind which the value may follow at once.
fn is_header(name: &str) -> bool {
    name.get(..2).is_some_and(|begin| begin.eq_ignore_ascii_case("x-"))
}

/// At most this many spaces are between a sign and a value, as in aligned columns.
const WIDEST_GAP: usize = 40;

/// How long what closes a name behind its sign is: `**Password:** …`, `<b>Password:</b> …`.
fn closing_marks(bytes: &[u8]) -> usize {
    let stars = bytes.iter().take(2).take_while(|byte| **byte == b'*').count();
    let tag = bytes.iter().take(12).position(|byte| *byte == b'>').filter(|_| bytes.starts_with(b"</"));
    tag.map_or(stars, |end| end + 1)
}

/// How a line end is written.
const LINE_ENDS: &[&str] = &["\n", "\r\n", "\\n", "\\r\\n"];

/// The value in a block: `"""` and `'''` of TOML and Python, `|` and `>-` of YAML.
fn block(text: &str, at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    let quotes = ["\"\"\"", "'''", "\\\"\\\"\\\""].iter().find(|quotes| rest.starts_with(**quotes));
    let is_of_yaml = |byte: &u8| matches!(byte, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9');
    let yaml = rest.starts_with(['|', '>']).then(|| rest.bytes().take(4).take_while(is_of_yaml).count());
    let behind = rest[quotes.map(|quotes| quotes.len()).or(yaml)?..].trim_start_matches([' ', '\t']);
    let behind = behind.strip_prefix('\\').filter(|line| line.starts_with(['\n', '\r'])).unwrap_or(behind);
    let value = match LINE_ENDS.iter().find_map(|end| behind.strip_prefix(end)) {
        Some(line) => without_margin(line),
        None if yaml.is_some() => return None,
        None => behind,
    };
    let near = value[around(value, 0, 0, LONGEST_ASSIGNED)].split_inclusive('\n').next().unwrap_or_default();
    let end = LINE_ENDS.iter().chain(quotes).filter_map(|end| near.find(end)).min().unwrap_or(near.len());
    let line = value.get(..end)?.trim_end().trim_end_matches('\\');
    let (begin, mut length) = (text.len() - value.len(), line.len());
    if line.bytes().all(is_of_token) {
        let margin = (value.len() < behind.len()).then(|| margin(behind));
        while let Some(more) = next_line_of_token(&value[length..], margin, quotes.copied()) {
            length += more;
        }
    }
    (!line.is_empty()).then(|| Value { range: begin..begin + length, written: Written::Block })
}

fn is_of_token(byte: u8) -> bool {
    Alphabet::AnyBase64.has(byte) || matches!(byte, b'.' | b'~')
}

/// How long the line end at the beginning of `text` and the line behind it are, if the line goes on with a token and holds
/// nothing else.
fn next_line_of_token(text: &str, margin_before: Option<usize>, quotes: Option<&str>) -> Option<usize> {
    let line = without_margin(LINE_ENDS.iter().find_map(|end| text.strip_prefix(end))?);
    let letters = line.bytes().take_while(|byte| is_of_token(*byte)).count();
    let behind = &line[letters..];
    let is_end = behind.is_empty() || LINE_ENDS.iter().chain(&quotes).any(|end| behind.starts_with(*end));
    let is_level = margin_before.is_none_or(|before| before == margin(text));
    (letters > 0 && is_end && is_level).then(|| text.len() - line.len() + letters)
}

/// The lines of a block as one.
fn joined(block: &str) -> Cow<'_, str> {
    if !LINE_ENDS.iter().any(|end| block.contains(end)) {
        return block.into();
    }
    block.replace("\\r", "").replace("\\n", "\n").lines().map(without_margin).collect()
}

/// How far in the line behind the line end stands with which `text` begins.
fn margin(text: &str) -> usize {
    let line = LINE_ENDS.iter().find_map(|end| text.strip_prefix(end)).unwrap_or(text);
    line.len() - without_margin(line).len()
}

/// The value that stands alone in the next line: `token:` of YAML, an answer to a question.
fn in_next_line(text: &str, at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    let line = LINE_ENDS.iter().find_map(|end| rest.strip_prefix(end))?;
    let begin = text.len() - line.trim_start_matches([' ', '\t']).len();
    let quote = text.as_bytes().get(begin).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    if let Some(quote) = quote {
        return quoted(text, begin + 1, quote, 0);
    }
    let value = bare(text, begin, false)?;
    let behind = &text[value.range.end..];
    // `value:` names the value once more.
    if behind.starts_with(':') {
        return None;
    }
    let is_alone = behind.is_empty() || LINE_ENDS.iter().any(|end| behind.starts_with(end));
    is_alone.then_some(Value { written: Written::Loose, ..value })
}

/// How quotes are written in HTML.
const QUOTE_ENTITIES: &[&str] = &["&quot;", "&#34;", "&#39;"];

/// The value between quotes of HTML.
fn in_entities(text: &str, at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    let entity = QUOTE_ENTITIES.iter().find(|entity| rest.starts_with(**entity))?;
    let length = rest[entity.len()..].find(entity).filter(|length| *length <= FAR)?;
    let begin = at + entity.len();
    Some(Value { range: begin..begin + length, written: Written::Quoted })
}

/// A line without the mark of a diff, its number and its spaces.
fn without_margin(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t', '+']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = line[digits..].strip_prefix('|').filter(|_| digits > 0);
    numbered.unwrap_or(line).trim_start_matches([' ', '\t'])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    Colon,
    Space,
    /// What stands behind it is taken if there is nothing else.
    Otherwise,
}

/// Whether the name is an option of a command: `--token`.
fn is_option(bytes: &[u8], in_name: usize) -> bool {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-');
    let before: Vec<&u8> = bytes[..in_name].iter().rev().take(40).take_while(belongs).collect();
    before.ends_with(&[&b'-', &b'-'])
}

/// Where the value may begin, and what stands before it.
fn sign(bytes: &[u8], name_end: usize, is_option: bool) -> Option<(usize, Sign)> {
    let mut at = name_end;
    at += colour_length(bytes.get(at..)?);
    let entity = QUOTE_ENTITIES.iter().find(|entity| bytes[at..].starts_with(entity.as_bytes()));
    at += entity.map_or(0, |entity| entity.len());
    // The closing quote of the name, with its backslashes, and a bracket.
    at += bytes
        .get(at..)?
        .iter()
        .take(10)
        .take_while(|byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']' | b')' | b'*'))
        .count();
    let spaces = bytes.get(at..)?.iter().take(24).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match bytes.get(at + spaces..)? {
        [b'=', b'=', ..] | [b'=', b'~', b' ' | b'/', ..] | [b':', b':', ..] => None,
        // `process.env.API_KEY || '…'`, `?? '…'`, `os.getenv("API_KEY") or '…'`; `${API_KEY:-…}`.
        [b'|', b'|', ..] | [b'?', b'?', ..] => Some((at + spaces + 2, Sign::Otherwise)),
        [b'o', b'r', b' ', ..] if spaces > 0 => Some((at + spaces + 3, Sign::Otherwise)),
        [b':', b'-', ..] if spaces == 0 => Some((at + 2, Sign::Equals)),
        [b'-', b'>', b' ', ..] if spaces > 0 && at == name_end => Some((at + spaces + 2, Sign::Colon)),
        [b'=', b'>', ..] | [b':' | b'?', b'=', ..] => Some((at + spaces + 2, Sign::Equals)),
        // `Unseal Key 1: …`.
        [b'0'..=b'9', b':', ..] if spaces > 0 => Some((at + spaces + 2, Sign::Colon)),
        // `AWS Secret Access Key [None]: …`.
        rest @ [b'[', ..] if spaces > 0 => {
            let end = rest.iter().take(24).position(|byte| *byte == b']')?;
            rest[end + 1..].starts_with(b":").then_some((at + spaces + end + 2, Sign::Colon))
        }
        [b'=', ..] => Some((at + spaces + 1, Sign::Equals)),
        [b':', ..] => Some((at + spaces + 1, Sign::Colon)),
        // Encoded, once or twice; and the wide signs of Chinese and Japanese, and an arrow, in three bytes.
        [b'%', b'2', b'5', b'3', b'D' | b'd', ..] => Some((at + spaces + 5, Sign::Equals)),
        [b'%', b'3', b'D' | b'd', ..] | [0xef, 0xbc, 0x9a | 0x9d, ..] | [0xe2, 0x86, 0x92, ..] => {
            Some((at + spaces + 3, Sign::Equals))
        }
        _ if is_option && spaces > 0 => Some((at, Sign::Space)),
        _ => None,
    }
}

/// In `token: string = "…"` the value stands behind the type.
fn type_skipped(text: &str, at: usize) -> usize {
    let is_type = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, ' ' | '&' | '\'' | '<' | '>' | '|' | '?' | '_' | '.')
    };
    let rest = &text[at..];
    let length =
        rest.char_indices().take(40).take_while(|(_, c)| is_type(*c)).map(|(at, c)| at + c.len_utf8()).last();
    let length = length.unwrap_or(0);
    let behind = rest[length..].strip_prefix('=').filter(|rest| !rest.starts_with('='));
    let is_quote = behind.is_some_and(|rest| rest.trim_start_matches(' ').starts_with(['"', '\'', '`']));
    if is_quote { at + length + 1 } else { at }
}

/// In YAML a tag or an anchor may stand before the value: `!!str`, `&password`.
fn tag_skipped(text: &str, at: usize) -> usize {
    let near = &text[around(text, at, 0, LONGEST_NAME)];
    let rest = near.trim_start_matches(' ');
    let word = rest.split([' ', '\n']).next().unwrap_or_default();
    let is_tag = word.starts_with(['!', '&']) && rest[word.len()..].starts_with(' ');
    if is_tag { at + near.len() - rest.len() + word.len() } else { at }
}

/// In a shell a line may go on behind a backslash.
fn line_end_skipped(bytes: &[u8]) -> usize {
    let rest = bytes.strip_prefix(b"\\\n").or_else(|| bytes.strip_prefix(b"\\\r\n"));
    let spaces = |rest: &[u8]| rest.iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    rest.map_or(0, |rest| bytes.len() - rest.len() + spaces(rest))
}

/// The value up to the quote that closes it: one behind as many backslashes as the one that opened it.
pub(crate) fn quoted(text: &str, begin: usize, quote: u8, slashes: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let mut at = begin;
    loop {
        let window = bytes.get(at..)?;
        let found =
            at + window.iter().take(LONGEST_ASSIGNED).position(|byte| *byte == quote || *byte == b'\n')?;
        if bytes[found] != quote {
            return None;
        }
        let before = bytes[begin..found].iter().rev().take_while(|byte| **byte == b'\\').count();
        if before <= slashes || (slashes == 0 && before % 2 == 0) {
            return Some(Value { range: begin..found - before.min(slashes), written: Written::Quoted });
        }
        at = found + 1;
    }
}

pub(crate) fn bare(text: &str, begin: usize, is_tight: bool) -> Option<Value> {
    let rest = text.get(begin..)?;
    let bytes = rest.as_bytes();
    let ends = |at: usize, byte: u8| {
        byte.is_ascii_whitespace()
            || byte.is_ascii_control()
            || (byte == b'&' && is_parameter_sign(&bytes[at + 1..]))
            || b"\"'`,;<>()[]{}|\\".contains(&byte)
            || (byte == b'%' && is_encoded_end(&bytes[at..]))
    };
    let end = bytes
        .iter()
        .enumerate()
        .take(LONGEST_ASSIGNED)
        .position(|(at, byte)| ends(at, *byte))
        .unwrap_or(bytes.len().min(LONGEST_ASSIGNED));
    let value = rest.get(..end)?;
    let next = bytes.get(end);
    // What is called, indexed or built is code, and what is itself given a value is a type.
    let is_type = rest[end..].trim_start_matches(' ').starts_with('=');
    if next == Some(&b'(') && bytes.get(end + 1).is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
        // `Buffer.from("…")`: what is made of a secret.
        return quoted(text, begin + end + 2, bytes[end + 1], 0)
            .map(|value| Value { written: Written::Loose, ..value });
    }
    let is_tag = rest[end..].starts_with("</") || rest[end..].starts_with("<br");
    if value.is_empty() || is_type || (matches!(next, Some(b'(' | b'[' | b'{' | b'<')) && !is_tag) {
        return None;
    }
    let connects = is_tight && connects(text, begin);
    let is_connection = connects || (is_tight && next == Some(&b';'));
    let is_literal = connects || (is_connection && has_digit(value));
    if is_member(value) && !likely::is_gibberish(value) && !is_literal {
        return None;
    }
    let value = value.trim_end_matches(['.', ':']);
    // Behind the value of a variable no such sign stands, but behind a type or a constant of a program.
    let is_code = !is_tight && matches!(next, Some(b';' | b',' | b')' | b'|'));
    let is_chance = value.len() >= 16
        && (likely::is_unspelled(value) || (has_digit(value) && likely::is_gibberish(value)));
    if is_code && next == Some(&b';') && is_name(value) && !is_chance {
        return None;
    }
    let written = match (is_connection, is_code) {
        (true, _) => Written::Connection,
        (false, true) => Written::Loose,
        (false, false) => Written::Bare,
    };
    Some(Value { range: begin..begin + value.len(), written })
}

/// Whether this is code that names a thing inside another: `module.Type`, `self.tokens`.
fn is_member(value: &str) -> bool {
    let is_piece = |piece: &str| {
        is_name(piece) && (piece.len() <= 4 || !has_digit(piece) || likely::is_all_words(piece))
    };
    let is_chance = |piece: &str| piece.len() >= 8 && likely::is_gibberish(piece);
    value.contains('.') && value.split('.').all(|piece| is_piece(piece) && !is_chance(piece))
}

/// Whether this may be the name of something in a program.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether an ampersand with this behind it ends a value: another parameter follows, another command, or nothing.
fn is_parameter_sign(behind: &[u8]) -> bool {
    let name =
        behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte)).count();
    name == 0
        || matches!(behind.get(name), Some(b'='))
        || behind.starts_with(b"amp;")
        || behind.starts_with(b"quot;")
}

/// A space, a quote, a line end or an ampersand, spelled with a percent sign.
fn is_encoded_end(bytes: &[u8]) -> bool {
    let code = bytes.strip_prefix(b"%25").or_else(|| bytes.strip_prefix(b"%")).unwrap_or_default();
    let code = code.get(..2).unwrap_or_default().to_ascii_uppercase();
    [b"20", b"22", b"26", b"0A", b"0D", b"3B"].iter().any(|end| code == **end)
}

/// Whether the line names a server and a user besides.
fn connects(text: &str, at: usize) -> bool {
    let before = &text[around(text, at, 400, 0)];
    let start = before.rfind(['\n', '"', '\'']).map_or(0, |found| found + 1);
    let before = before[start..].to_ascii_lowercase();
    ["server=", "data source=", "host=", "user id=", "uid="].iter().any(|word| before.contains(word))
        && before.contains(';')
}

/// How far behind its name a value may begin.
pub(crate) const FAR: usize = 300;
