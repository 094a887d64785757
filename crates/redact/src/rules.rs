//! Finds the tokens of the table (`tokens.rs`): by the longest part of a shape that stands for itself, and then all of it.

use std::sync::LazyLock;

use crate::alphabet::Alphabet;
use crate::disguise::begins_fresh;
use crate::finder::{Find, Surety, Trigger};
use crate::likely;
use crate::options::around;
use crate::tokens::{NAMED_TOKENS, TOKENS};

/// A beginning this long is nothing but that of a token.
const DISTINCTIVE: usize = 8;

/// No token is longer than this.
const LONGEST_TOKEN: usize = 4096;

/// A part of a shape.
#[derive(Debug, Clone)]
enum Piece {
    /// Stands for itself.
    Fixed(String),
    Run {
        alphabet: Alphabet,
        least: usize,
        /// `None` where the length is open.
        most: Option<usize>,
    },
}

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Rule {
    kind: &'static str,
    /// The word that the name must hold; empty for tokens that are known by themselves.
    name: &'static str,
    shape: &'static str,
    pieces: Vec<Piece>,
    /// The number of the longest fixed piece: by it the token is found.
    anchor: usize,
    /// Whether base64 may hold such a token by chance.
    is_plain: bool,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    TOKENS
        .iter()
        .flat_map(|(kind, shapes)| shapes.split(' ').map(|shape| Rule::new(kind, "", shape)))
        .collect()
});

static NAMED_RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rules = |(name, kind, shapes): &(&'static str, &'static str, &'static str)| {
        shapes.split(' ').map(|shape| Rule::new(kind, name, shape)).collect::<Vec<_>>()
    };
    NAMED_TOKENS.iter().flat_map(rules).collect()
});

/// Every row of the table.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(NAMED_RULES.iter())
}

/// The words by which tokens are found.
pub(crate) fn words() -> impl Iterator<Item = (String, Trigger)> {
    RULES.iter().enumerate().filter_map(|(number, rule)| match rule.pieces.get(rule.anchor)? {
        Piece::Fixed(word) => Some((word.clone(), Trigger::Token(number))),
        Piece::Run { .. } => None,
    })
}

/// The token whose fixed part stands at `at`.
pub(crate) fn token_at(number: usize, text: &str, at: usize) -> Option<Find> {
    RULES.get(number)?.at(text, at)
}

/// The kind of the token that is assigned to `name`, if its shape is known.
pub(crate) fn named_token(name: &str, value: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let rule = NAMED_RULES.iter().find(|rule| plain.contains(rule.name) && rule.is_whole(value))?;
    let is_name = likely::is_words(value) && !value.bytes().any(|byte| byte.is_ascii_digit());
    (!likely::is_example(value) && !is_name).then_some(rule.kind)
}

impl Rule {
    fn new(kind: &'static str, name: &'static str, shape: &'static str) -> Self {
        let pieces = parsed(shape);
        let length = |piece: &Piece| if let Piece::Fixed(text) = piece { text.len() } else { 0 };
        let longest = pieces.iter().map(length).max().unwrap_or_default();
        let anchor = pieces.iter().position(|piece| length(piece) == longest).unwrap_or_default();
        let is_of_base64 = |piece: &Piece| match piece {
            Piece::Fixed(text) => text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            Piece::Run { .. } => true,
        };
        let is_plain = pieces.iter().all(is_of_base64);
        Self { kind, name, shape, pieces, anchor, is_plain }
    }

    /// What the placeholder is called.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The word that must stand in the name before it, if any.
    pub fn name(&self) -> Option<&'static str> {
        (!self.name.is_empty()).then_some(self.name)
    }

    /// How the token is written.
    pub fn shape(&self) -> &'static str {
        self.shape
    }

    /// A token of this shape, made by chance: `chance` gives a number below the given one.
    pub fn sample(&self, chance: &mut dyn FnMut(usize) -> usize) -> String {
        let mut token = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Fixed(text) => token.push_str(text),
                Piece::Run { alphabet, least, most } => {
                    let length = least + chance(most.map_or(24, |most| most - least + 1));
                    let letters: Vec<char> =
                        (b'!'..=b'~').filter(|byte| alphabet.has(*byte)).map(char::from).collect();
                    // A sentence and padding end otherwise.
                    let inner: Vec<char> =
                        letters.iter().copied().filter(char::is_ascii_alphanumeric).collect();
                    for at in 0..length {
                        let is_edge = at + 1 == length || at == 0;
                        let from = if is_edge { &inner } else { &letters };
                        let letter = from[chance(from.len())];
                        token.push(if letter == '=' { 'A' } else { letter });
                    }
                }
            }
        }
        token
    }

    /// The token whose anchor stands at `at`.
    fn at(&self, text: &str, at: usize) -> Option<Find> {
        // A token may be a part of a name, such as that of a tool: `mcp_ghp_…`.
        let is_glued = self.first_length() >= 4 && text[..at].ends_with('_');
        if self.anchor == 0 && !is_glued && !begins_fresh(text, at) {
            return None;
        }
        let mut start = at;
        for piece in self.pieces[..self.anchor].iter().rev() {
            start -= match piece {
                Piece::Fixed(fixed) => text[..start].ends_with(fixed.as_str()).then_some(fixed.len())?,
                Piece::Run { alphabet, least, most } => {
                    let letters = text[..start].bytes().rev().take(most.unwrap_or(LONGEST_TOKEN));
                    let run = letters.take_while(|byte| alphabet.has(*byte)).count();
                    (run >= *least).then_some(run)?
                }
            };
        }
        let (end, is_exact) = self.end(text, at)?;
        let token = text.get(start..end)?;
        // The first letters of a long one tell whether it is made by chance.
        let token_start = &token[around(token, 0, 0, TELLING)];
        let body = token_start.get(self.first_length()..)?;
        let is_one = (self.anchor == 0 || begins_fresh(text, start))
            && !(self.is_plain && (is_in_base64(text, start, end)))
            && (is_exact || !is_glued)
            && !likely::is_example(token_start)
            && !likely::is_example(body)
            && (is_exact || self.first_length() >= DISTINCTIVE || !likely::is_all_words(body));
        let is_open = !is_exact
            || matches!(self.pieces.last(), Some(Piece::Run { least, most, .. }) if *most != Some(*least));
        is_one.then(|| Find { is_open, ..Find::new(start..end, self.kind, token, Surety::Certain) })
    }

    fn fixed(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(text.as_str()),
            Piece::Run { .. } => None,
        })
    }

    /// How long what stands for itself at the beginning is.
    fn first_length(&self) -> usize {
        match self.pieces.first() {
            Some(Piece::Fixed(text)) => text.len(),
            _ => 0,
        }
    }

    /// Whether `text` is such a token and nothing else.
    fn is_whole(&self, text: &str) -> bool {
        let mut at = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let Some(length) = self.length(number, piece, text, at) else { return false };
            at += length;
        }
        at == text.len()
    }

    /// Where the token ends whose anchor stands at `at`, and whether its length is that of the shape.
    fn end(&self, text: &str, at: usize) -> Option<(usize, bool)> {
        let mut end = at;
        let mut is_exact = true;
        for (number, piece) in self.pieces.iter().enumerate().skip(self.anchor) {
            end += self.length(number, piece, text, end)?;
            is_exact &= !matches!(piece, Piece::Run { most: None, .. });
        }
        let Some(Piece::Run { alphabet, .. }) = self.pieces.last() else { return Some((end, is_exact)) };
        let rest = &text[end..];
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && is_exact {
            // Longer than it should be: perhaps a new form of a token, if it begins as nothing else does.
            let begins = self.fixed().next().unwrap_or_default();
            let is_known =
                begins.len() >= DISTINCTIVE || begins.contains(|c: char| !c.is_ascii_alphanumeric());
            let more = alphabet.run(&rest[around(rest, 0, 0, LONGEST_TOKEN)]);
            return (is_known && more > 0 && (!self.is_plain || more <= BEFORE))
                .then_some((end + more, false));
        }
        // Padding belongs to what it pads.
        end += rest.bytes().take(2).take_while(|byte| *byte == b'=').count();
        // What ends a sentence does not.
        Some((at + text[at..end].trim_end_matches('.').len(), is_exact))
    }

    /// How long the piece at `at` is.
    fn length(&self, number: usize, piece: &Piece, text: &str, at: usize) -> Option<usize> {
        match piece {
            Piece::Fixed(fixed) => text.get(at..)?.starts_with(fixed.as_str()).then_some(fixed.len()),
            Piece::Run { alphabet, least, most } => {
                let rest = text.get(at..)?;
                let cap = most.unwrap_or(LONGEST_TOKEN);
                let mut run = rest.bytes().take(cap).take_while(|byte| alphabet.has(*byte)).count();
                // What follows may be of the same letters.
                if let Some(Piece::Fixed(next)) = self.pieces.get(number + 1)
                    && !rest[run..].starts_with(next.as_str())
                {
                    run = rest[..run].rfind(next.as_str())?;
                }
                (run >= *least).then_some(run)
            }
        }
    }
}

/// Number of letters that tell whether a token is made by chance.
const TELLING: usize = 256;

/// Maximum length of the name of a folder in capitals.
const LONGEST_CAPITALS: usize = 8;

/// The letters before a token that tell base64 from a path.
const BEFORE: usize = 64;

/// Whether base64 goes on before `start` or behind `end`, and not the folders of a path.
fn is_in_base64(text: &str, start: usize, end: usize) -> bool {
    let before = &text[around(text, start, BEFORE, 0)];
    // Lines of base64 go on in the next.
    let mut lines = text[around(text, start, 4 * BEFORE, 0)].rsplit('\n');
    if lines.next() == Some("")
        && let (Some(one), Some(two)) = (lines.next(), lines.next())
        && one.len() == two.len()
        && one.len() + 4 >= BEFORE
        && Alphabet::Base64.run(one) == one.len()
    {
        return true;
    }
    let run = before.bytes().rev().take_while(|byte| Alphabet::Base64.has(*byte)).count();
    let behind = &text[around(text, end, 0, BEFORE)];
    let rest = behind.bytes().take_while(|byte| Alphabet::Base64.has(*byte)).count();
    let is_folder = |name: &str| {
        let has = |is: fn(&u8) -> bool| name.as_bytes().iter().any(is);
        let is_name = has(u8::is_ascii_lowercase) || name.len() <= LONGEST_CAPITALS;
        !has(u8::is_ascii_uppercase) || (is_name && (likely::is_spoken(name) || likely::is_words(name)))
    };
    let is_base64 = |run: &str| run.contains('+') || !run.split('/').all(is_folder);
    let (before, behind) = (&before[before.len() - run..], &behind[..rest]);
    (before.ends_with(['+', '/']) && is_base64(before))
        || (behind.starts_with(['+', '/']) && is_base64(behind))
}

fn parsed(shape: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut fixed = String::new();
    let mut rest = shape;
    while let Some(letter) = rest.chars().next() {
        let run = rest.strip_prefix('{').and_then(|inside| {
            let (inside, behind) = inside.split_once('}')?;
            Some((run_of(inside)?, behind))
        });
        if let Some((run, behind)) = run {
            if !fixed.is_empty() {
                pieces.push(Piece::Fixed(std::mem::take(&mut fixed)));
            }
            pieces.push(run);
            rest = behind;
        } else {
            fixed.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    if !fixed.is_empty() {
        pieces.push(Piece::Fixed(fixed));
    }
    pieces
}

/// `a36`, `a24-28`, `a20+`.
fn run_of(text: &str) -> Option<Piece> {
    let mut letters = text.chars();
    let alphabet = Alphabet::named(letters.next()?)?;
    let length = letters.as_str();
    let (least, most) = if let Some(least) = length.strip_suffix('+') {
        (least.parse().ok()?, None)
    } else if let Some((least, most)) = length.split_once('-') {
        (least.parse().ok()?, Some(most.parse().ok()?))
    } else {
        (length.parse().ok()?, Some(length.parse().ok()?))
    };
    Some(Piece::Run { alphabet, least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for rule in rules() {
            let written = rule.pieces.iter().filter(|piece| matches!(piece, Piece::Run { .. })).count();
            let braces = rule.shape.matches('{').count() - usize::from(rule.shape.starts_with("{S"));
            assert_eq!(written, braces, "{}", rule.shape);
            let is_found = rule.fixed().next().is_some() || !rule.name.is_empty();
            assert!(is_found, "{} has nothing to be found by", rule.shape);
        }
    }
}
