//! Values that stand near their name, whatever stands between them: behind it in a call, a tag, a sentence, or before it.

use std::ops::Range;

use crate::assignment::{is_code, stays};
use crate::finder::{Find, Surety};
use crate::likely;
use crate::options::around;

/// Maximum distance between a name and a value.
pub(crate) const FAR: usize = 120;

/// Length below which letters in the middle of base64 may read like a name.
const SHORT_NAME: usize = 5;

/// Maximum length of a name.
const LONGEST_NAME: usize = 40;

/// Maximum distance of a value before its name.
const FAR_BEFORE: usize = 60;

/// What opens a string, and what closes it.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('›', '‹'),
];

/// Words that stand between a name and its value in a sentence or a form.
const LINKS: &[&str] = &[
    "is", "was", "to", "for", "of", "on", "now", "be", "should", "changed", "reset", "equals", "ist", "war",
    "lautet", "heißt", "für", "auf", "in", "von", "value", "0", "7", "default", "are", "sind", "the", "new",
    "code", "as",
];

/// Those of them that link a value right behind them, after any other words.
const LAST_LINKS: &[&str] = &["is", "was", "to", "ist", "lautet", "war", "auf", "equals"];

/// The secret near the name of this kind.
pub(crate) fn near(text: &str, name: &Range<usize>, kind: &'static str) -> Option<Find> {
    let Range { start, end } = *name;
    let is_glued = |c: char| matches!(c, '+' | '/');
    if name.len() > LONGEST_NAME
        || (name.len() < SHORT_NAME && text[..start].ends_with(is_glued))
        || (text[end..].starts_with(is_glued) && text[end + 1..].starts_with(|c: char| !c.is_whitespace()))
    {
        return None;
    }
    // Many things are called `pass`.
    let small = text[name.clone()].to_ascii_lowercase();
    let is_vague = (small == "pass" || small.ends_with("-pass")) && !is_command(text, name);
    let behind = line_of(&text[around(text, end, 0, FAR)]);
    // The quote behind a name in quotes opens no string.
    let line = text[around(text, start, FAR, 0)].rsplit('\n').next().unwrap_or_default();
    let open = ['"', '\'', '`'].into_iter().filter(|quote| line.matches(*quote).count() % 2 == 1);
    let skipped = open.filter_map(|quote| behind.find(quote)).min().map_or(0, |at| at + 1);
    let (end, behind) = (end + skipped, &behind[skipped..]);
    let find = |range: Range<usize>| Find::new(range.clone(), kind, &text[range], Surety::Named);
    let (mut is_linked, mut is_said) = (true, kind == "password" || is_command(text, name));
    for word in words(behind) {
        let value = &behind[word.range.clone()];
        // Behind `for mira:` and `mira /` stands the value.
        let is_behind_sign = behind[..word.range.start].trim_end().ends_with([':', '/', '>']);
        let is_sure = word.is_quoted || (is_said && (is_linked || is_behind_sign));
        if is_sure && (word.is_quoted || !is_vague) && is_secret(value) {
            return Some(find(end + word.range.start..end + word.range.end));
        }
        if word.ends_line {
            break;
        }
        is_said |= LAST_LINKS.contains(&value);
        let small = value.to_lowercase();
        let is_link = value.bytes().all(|byte| byte.is_ascii_punctuation()) || LINKS.contains(&&*small);
        is_linked = LAST_LINKS.contains(&&*small) || (is_linked && is_link);
    }
    let begin = around(text, start, FAR_BEFORE, 0).start;
    let before = text[begin..start].rsplit('\n').next().unwrap_or_default();
    let begin = start - before.len();
    if is_vague {
        return None;
    }
    let last = words(before).filter(|word| is_secret(&before[word.range.clone()])).last()?;
    let between =
        before[last.range.end..].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let between: Vec<&str> = between.collect();
    let is_close =
        (last.is_quoted || !between.is_empty()) && between.iter().all(|word| BEFORE.contains(word));
    is_close.then(|| find(begin + last.range.start..begin + last.range.end))
}

/// Whether this is the command `PASS` or `AUTH` of a protocol, at the beginning of its line.
fn is_command(text: &str, name: &Range<usize>) -> bool {
    let before = text[around(text, name.start, 8, 0)].rsplit('\n').next().unwrap_or_default();
    let before = before.trim_end_matches(' ');
    matches!(&text[name.clone()], "PASS" | "AUTH") && (before.is_empty() || before.ends_with(['>', ':']))
}

/// The text up to its first line end that stands behind more than signs.
fn line_of(text: &str) -> &str {
    let begin = text.find(|c: char| c.is_alphanumeric()).unwrap_or(text.len());
    let signs = &text[..begin];
    let is_open = signs.split('\n').next().is_some_and(|line| line.contains([':', '"', '\'', '>', ')', ']']));
    let is_near = is_open
        && (signs.matches('\n').count() <= 1 || signs.starts_with('"'))
        && !signs.contains([',', '}', ';', '#', '/', '*']);
    let begin = if is_near { begin } else { 0 };
    text[begin..].find('\n').map_or(text, |line| &text[..begin + line])
}

/// Words that stand between a value and the name behind it.
const BEFORE: &[&str] = &["is", "the", "as", "my", "type", "name", "id", "for", "ist", "das", "als"];

/// Whether this can be nothing but a secret.
fn is_secret(value: &str) -> bool {
    if value.contains('\\') {
        return false;
    }
    if likely::is_dense(value) && !value.contains("://") {
        return true;
    }
    let is_pair =
        value.split_once('=').is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_it = !is_pair
        && (likely::is_telling(value) || likely::is_mixed_letters(value))
        && !value.contains(char::is_whitespace)
        && !likely::is_uuid(value);
    // `spans[0]`, `owner/repository@v4`.
    let is_of_code =
        value.contains(['[', ']']) || value.split_once('@').is_some_and(|(name, _)| name.contains('/'));
    let is_word = !is_of_code && value.starts_with(|c: char| c.is_alphanumeric()) && !value.contains("::");
    is_it && is_word && !is_code(value) && !stays(value) && !is_address(value)
}

/// Whether this is an e-mail address, a name with a number behind a sign, a version or a date.
fn is_address(value: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte))
    };
    let halves = |sign| {
        value.split_once(sign).is_some_and(|(name, rest): (&str, &str)| is_name(name) && is_name(rest))
    };
    let is_number = value
        .trim_start_matches('v')
        .split(['.', '-', ':', '+', '_'])
        .next()
        .is_some_and(|first| !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()));
    (halves('@')
        && value
            .rsplit('.')
            .next()
            .is_some_and(|top| top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_lowercase())))
        || is_number && !likely::is_gibberish(value)
}

struct Word {
    range: Range<usize>,
    is_quoted: bool,
    /// True if a line ends behind it.
    ends_line: bool,
}

/// The strings and words of a text, without what stands around them.
fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let c = rest.chars().next()?;
            let begin = at + c.len_utf8();
            if let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == c)
                && let Some(length) = text[begin..].find(*close)
                && !text[begin..begin + length].contains(['\n', ' '])
            {
                at = begin + length + close.len_utf8();
                let ends_line = length > 0 && text[at..].starts_with('\n');
                return Some(Word { range: begin..begin + length, is_quoted: true, ends_line });
            }
            let is_between = |c: char| c.is_whitespace() || "\"'`“”„«»‹›<>(){}[],;|\\".contains(c);
            if is_between(c) {
                at = begin;
                continue;
            }
            let length = rest.find(is_between).unwrap_or(rest.len());
            let begin = at;
            at += length;
            let word = rest[..length].trim_end_matches(['.', ':', '!', '?']);
            // Names of a program stand beside signs.
            let is_element = text[..begin].ends_with('>') && rest[length..].starts_with("</");
            let is_apart = is_element
                || text[..begin].chars().next_back().is_some_and(|c| c.is_whitespace() || c == '(')
                    && rest[length..]
                        .trim_start_matches([',', ')'])
                        .chars()
                        .next()
                        .is_none_or(char::is_whitespace);
            let is_assigned = rest[length..].starts_with(" = ");
            let is_constant = word.contains('_') && !word.bytes().any(|byte| byte.is_ascii_lowercase());
            let word = if is_apart && !is_assigned && !is_constant { word } else { "" };
            let ends_line = rest[..length].contains(char::is_alphanumeric)
                && rest[length..].trim_start_matches([' ', '"', '\'', '>']).starts_with('\n');
            return Some(Word { range: begin..begin + word.len(), is_quoted: is_element, ends_line });
        }
    })
}
