//! Tokens that begin in a way nothing else does.

use super::encodings::begins_fresh;
use super::find::{Find, Surety};
use super::likely;
use super::token_table::{Letters, TOKENS};
use super::trigger::Trigger;

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
