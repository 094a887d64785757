//! Addresses that are secrets themselves: whoever knows a webhook may write to it, whoever has a signed address may fetch.

use super::encodings::percent_decoded;
use super::find::{Find, Surety};
use super::likely;
use super::token_table::Letters;
use super::trigger::Trigger;

/// Where the secret part of a webhook begins.
const WEBHOOKS: &[&str] = &[
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
];

/// Parameters that sign an address.
const SIGNATURES: &[&str] =
    &["sig=", "X-Amz-Signature=", "X-Goog-Signature=", "X-Amz-Security-Token=", "Signature="];

/// Shorter ones are none.
const SHORTEST: usize = 20;

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let webhooks = WEBHOOKS.iter().map(|word| ((*word).to_owned(), Trigger::Webhook));
    webhooks.chain(SIGNATURES.iter().map(|word| ((*word).to_owned(), Trigger::SignedAddress)))
}

/// The secret part of the webhook whose public part ends at `end`.
pub(super) fn webhook(text: &str, end: usize) -> Option<Find> {
    let rest = text.get(end..)?;
    let length =
        rest.bytes().take_while(|byte| Letters::Url.has(*byte) || matches!(byte, b'/' | b'@')).count();
    let path = rest[..length].trim_end_matches('/');
    // What stands before the last slash is a number, which anybody may know.
    let secret = path.rsplit('/').next().unwrap_or_default();
    let is_one = path.len() >= SHORTEST && likely::is_random(secret);
    is_one.then(|| Find::new(end..end + path.len(), "webhook", path, Surety::Placed))
}

/// The signature behind the parameter between `start` and `end`.
pub(super) fn signature(text: &str, start: usize, end: usize) -> Option<Find> {
    let is_parameter =
        ["?", "&", "&amp;", "%3F", "%26", "\\u0026"].iter().any(|sign| text[..start].ends_with(sign));
    let rest = text.get(end..)?;
    let length = rest.bytes().take_while(|byte| Letters::Base64.has(*byte) || *byte == b'%').count();
    // The address may itself be a parameter of another.
    let value = rest[..length].split("%26").next().unwrap_or_default();
    let secret = percent_decoded(value).unwrap_or_else(|| value.to_owned());
    let is_one = is_parameter && secret.len() >= SHORTEST && likely::is_random(&secret);
    is_one.then(|| Find::new(end..end + value.len(), "url-signature", secret, Surety::Placed))
}
