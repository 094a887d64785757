//! What backups and copies still have of a conversation, and live places no longer do.

use std::collections::HashMap;

use backscroll_model::{Conversation, Finding, FindingKind, Flag, Layer, Message, Summary};

use super::conversation::tellings;
use super::summary::layer;

/// Marks what a backup tells as deleted: if a live place has it too, the mark goes. What the search index knows to be
/// in the cloud was never here.
pub(crate) fn mark_deleted(summary: &mut Summary) {
    let is_in_cloud = layer(summary) == Layer::IdeSearch && summary.flags.contains(&Flag::Background);
    if !is_in_cloud {
        summary.flags.insert(Flag::Deleted);
    }
}

/// Adds to `merged` what only backups have.
pub(crate) fn backups(merged: Option<Conversation>, mut told: Vec<Conversation>) -> Option<Conversation> {
    for telling in &mut told {
        mark_deleted(&mut telling.summary);
        telling.messages.iter_mut().chain(&mut telling.orphans).for_each(|message| message.deleted = true);
    }
    let Some(mut whole) = merged else { return tellings(told) };
    if whole.messages.is_empty() && told.iter().any(|telling| !telling.messages.is_empty()) {
        told.push(whole);
        return tellings(told);
    }
    for telling in told {
        add(&mut whole, telling);
    }
    Some(whole)
}

fn add(whole: &mut Conversation, telling: Conversation) {
    let mut places: HashMap<String, usize> =
        whole.messages.iter().enumerate().map(|(at, message)| (message.id.as_str().to_owned(), at)).collect();
    let mut added = false;
    for message in telling.messages.into_iter().chain(telling.orphans) {
        if message.parts.is_empty() || whole.orphans.iter().any(|orphan| orphan.id == message.id) {
            continue;
        }
        added = true;
        match places.get(message.id.as_str()) {
            Some(&at) if whole.messages[at].parts.is_empty() => refill(whole, at, message),
            Some(_) => {}
            None => {
                places.insert(message.id.as_str().to_owned(), usize::MAX);
                keep_apart(whole, message);
            }
        }
    }
    if added {
        for origin in telling.summary.origins {
            if !whole.summary.origins.contains(&origin) {
                whole.summary.origins.push(origin);
            }
        }
    }
}

/// A listed message whose row is gone, or empty, is read from the backup.
fn refill(whole: &mut Conversation, at: usize, from: Message) {
    let message = &mut whole.messages[at];
    let mut told = whole.findings.iter().filter(|finding| finding.at == message.origin);
    let was_missing = told.any(|finding| finding.kind == FindingKind::MissingMessage);
    let coverage = &mut whole.coverage;
    let account = if was_missing { &mut coverage.missing } else { &mut coverage.empty };
    if let Some(less) = account.checked_sub(1) {
        *account = less;
        coverage.read += 1;
    }
    message.also.push(std::mem::replace(&mut message.origin, from.origin));
    message.parts = from.parts;
    message.deleted = true;
    message.model = message.model.take().or(from.model);
    message.tokens = message.tokens.or(from.tokens);
}

/// A message that the conversation no longer lists follows apart, as orphans do.
fn keep_apart(whole: &mut Conversation, message: Message) {
    let says = "only a backup still has this message";
    whole.findings.push(Finding::new(FindingKind::OrphanMessage, message.origin.clone(), says));
    whole.coverage.orphaned += 1;
    whole.orphans.push(message);
}
