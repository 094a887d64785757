//! A conversation of the editor, put together from its record, its bubble rows and the rows they refer to.

use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{
    Attribution, Conversation, ConversationId, Finding, FindingKind, Flag, Message, Moment, Origin, Part,
    Role, Summary, Surface,
};

use super::bubble::{self, Bubble, Rest};
use super::code_blocks::CodeBlocks;
use super::composer::{self, Entry};
use super::facts;
use super::records::{Evidence, WireComposer, WireHead};
use super::rest;
use crate::rows::{Blobs, Row, Rows, RowsError};

/// A conversation, and what its record says of where it belongs.
#[derive(Debug)]
pub struct Assembled {
    /// The conversation.
    pub conversation: Conversation,
    /// The workspace id that the record names.
    pub workspace_id: Option<String>,
    /// The root of the agent's own account, `conversationState`, as stored.
    pub state: Option<String>,
}

/// The list of messages, as far as it is wanted.
struct Wanted<'a> {
    entries: Vec<Entry<'a>>,
    /// Whether all messages are wanted, unlisted ones too.
    is_all: bool,
}

/// What was found under one bubble's key.
enum Stored {
    Null,
    Undecodable,
    Whole(Box<Bubble>, i64),
}

/// Puts the conversation `id` together from its record `bytes` and its rows.
pub fn assemble(
    id: &ConversationId,
    bytes: &[u8],
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    put_together(id, bytes, None, rows, blobs, at)
}

/// Puts together those messages of the conversation alone that are wanted, by their ids. What needs its neighbours or all
/// messages, such as a time between two others, may come out otherwise than in the whole; the account is not one.
pub fn assemble_some(
    id: &ConversationId,
    bytes: &[u8],
    is_wanted: &dyn Fn(&str) -> bool,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    put_together(id, bytes, Some(is_wanted), rows, blobs, at)
}

fn put_together(
    id: &ConversationId,
    bytes: &[u8],
    is_wanted: Option<&dyn Fn(&str) -> bool>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    let repaired = OnceCell::new();
    let mut findings = Vec::new();
    let head: WireHead<'_> = match composer::record(bytes, &repaired) {
        Ok(head) => head,
        Err(says) => {
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            return without_record(id, findings, is_wanted.is_some(), rows, blobs, at);
        }
    };
    let sound = repaired.get().map_or(bytes, Vec::as_slice);
    let wire: WireComposer<'_> = serde_json::from_slice(sound).unwrap_or_default();
    if repaired.get().is_some() {
        let says = "invalid characters in the record were replaced";
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
    }
    let mut entries = composer::entries(&head);
    entries.retain(|entry| is_wanted.is_none_or(|is_wanted| is_wanted(&entry.id)));
    let evidence = head.evidence(id.clone(), at.clone(), Attribution::Record);
    build(evidence, Some(&wire), Wanted { entries, is_all: is_wanted.is_none() }, findings, rows, blobs, at)
}

/// Puts together a conversation whose record is gone: nothing but its bubble rows is left.
pub fn orphaned(
    id: &ConversationId,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    without_record(id, Vec::new(), false, rows, blobs, at)
}

fn without_record(
    id: &ConversationId,
    findings: Vec<Finding>,
    is_part: bool,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    let mut summary = Summary::new(id.clone(), Surface::Ide, at.clone());
    summary.flags.insert(Flag::Deleted);
    let evidence = Evidence { summary, workspace_id: None, children: Vec::new(), subtitle: None };
    build(evidence, None, Wanted { entries: Vec::new(), is_all: !is_part }, findings, rows, blobs, at)
}

fn build(
    evidence: Evidence,
    wire: Option<&WireComposer<'_>>,
    wanted: Wanted<'_>,
    findings: Vec<Finding>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    let id = evidence.summary.id.clone();
    let mut conversation = Conversation::of(evidence.summary);
    conversation.children = evidence.children;
    conversation.findings = findings;
    let mut stored = read_rows(&id, &wanted, rows, at, &mut conversation.findings)?;
    let Wanted { mut entries, .. } = wanted;
    if entries.is_empty() && stored.values().any(|row| matches!(row, Stored::Whole(..))) {
        entries = rebuilt_list(&stored);
        let says =
            format!("the list of messages is lost; {} stored messages are ordered by time", entries.len());
        conversation.findings.push(Finding::new(FindingKind::ListLost, at.clone(), says));
    }
    let mut rests = Vec::new();
    for entry in &entries {
        take_listed(entry, stored.remove(&entry.id), &mut conversation, &mut rests, at);
    }
    take_orphans(stored, &mut conversation, at);
    let code_blocks = wire.map(CodeBlocks::of).unwrap_or_default();
    rest::complete(&id, &mut conversation, &mut rests, &code_blocks, wire, rows, blobs)?;
    facts::gather(wire, &rests, &code_blocks, &mut conversation, evidence.subtitle.as_deref());
    super::message_times::fill(&mut conversation);
    Ok(Assembled {
        conversation,
        workspace_id: evidence.workspace_id,
        state: wire.and_then(|wire| wire.state.owned()).filter(|state| state.len() > 1),
    })
}

/// Every bubble row of the conversation, decoded as it streams by; where not all are wanted, those that are listed.
fn read_rows(
    id: &ConversationId,
    Wanted { entries, is_all }: &Wanted<'_>,
    rows: &dyn Rows,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Result<HashMap<String, Stored>, RowsError> {
    let kinds: HashMap<&str, Option<i64>> =
        entries.iter().map(|entry| (entry.id.as_str(), entry.kind)).collect();
    let prefix = format!("bubbleId:{id}:");
    let mut stored = HashMap::new();
    let mut take = |Row { key, value, rowid }: Row<'_>| {
        let key = String::from_utf8_lossy(key);
        let bubble_id = key.strip_prefix(&prefix).unwrap_or(&key).to_owned();
        let row = match value {
            None => Stored::Null,
            Some(bytes) => {
                let listed_as = kinds.get(bubble_id.as_str()).copied().flatten();
                match bubble::bubble(&bubble_id, bytes, &at.with_key(&*key), listed_as, findings) {
                    Some(bubble) => Stored::Whole(Box::new(bubble), rowid),
                    None => Stored::Undecodable,
                }
            }
        };
        stored.insert(bubble_id, row);
    };
    if *is_all {
        rows.under(&prefix, &mut take)?;
        return Ok(stored);
    }
    for entry in entries {
        let key = format!("{prefix}{}", entry.id);
        if let Some(value) = rows.value(&key)? {
            // The order of writing matters only where the list is lost.
            take(Row { key: key.as_bytes(), value: value.as_deref(), rowid: 0 });
        }
    }
    Ok(stored)
}

/// The order of rows that no list names: by time, then by when they were written.
fn rebuilt_list(stored: &HashMap<String, Stored>) -> Vec<Entry<'static>> {
    let mut found: Vec<_> = stored
        .iter()
        .filter_map(|(id, row)| match row {
            Stored::Whole(bubble, rowid) => Some((bubble.message.at.at, *rowid, id.clone())),
            Stored::Null | Stored::Undecodable => None,
        })
        .collect();
    let all_timed = found.iter().all(|(at, _, _)| at.is_some());
    found.sort_by(|a, b| if all_timed { (a.0, a.1).cmp(&(b.0, b.1)) } else { a.1.cmp(&b.1) });
    found.into_iter().map(|(_, _, id)| Entry { id, kind: None, at: None, inline: None }).collect()
}

fn take_listed(
    entry: &Entry<'_>,
    row: Option<Stored>,
    conversation: &mut Conversation,
    rests: &mut Vec<(usize, Rest)>,
    at: &Origin,
) {
    conversation.coverage.listed += 1;
    let found = match (row, entry.inline) {
        (Some(Stored::Whole(bubble, _)), _) => Some(*bubble),
        (Some(Stored::Undecodable), None) => {
            conversation.coverage.undecodable += 1;
            return;
        }
        (_, Some(inline)) => {
            let at = at.with_key(format!("{}#{}", at.key, entry.id));
            let bytes = inline.get().as_bytes();
            let bubble = bubble::bubble(&entry.id, bytes, &at, entry.kind, &mut conversation.findings);
            if bubble.is_none() {
                conversation.coverage.undecodable += 1;
                return;
            }
            bubble
        }
        (row @ (Some(Stored::Null) | None), None) => {
            add_missing(entry, row.is_some(), conversation, at);
            return;
        }
    };
    let Some(mut bubble) = found else { return };
    if bubble.message.at.at.is_none() {
        bubble.message.at = Moment::exact_or_unknown(entry.at);
    }
    rests.push((conversation.messages.len(), bubble.rest));
    conversation.messages.push(bubble.message);
}

/// A listed message without a row is still one: its place and its role are known.
fn add_missing(entry: &Entry<'_>, is_null: bool, conversation: &mut Conversation, at: &Origin) {
    conversation.coverage.missing += 1;
    let key = format!("bubbleId:{}:{}", conversation.summary.id, entry.id);
    let role = if entry.kind == Some(1) { Role::User } else { Role::Assistant };
    let mut message = Message::new(entry.id.clone(), role, at.with_key(&key));
    message.at = Moment::exact_or_unknown(entry.at);
    conversation.messages.push(message);
    let says = if is_null { "the row of a listed message is NULL" } else { "a listed message has no row" };
    conversation.findings.push(Finding::new(FindingKind::MissingMessage, at.with_key(key), says));
}

/// Rows that the list does not name follow apart: edited or regenerated branches, deleted turns.
fn take_orphans(stored: HashMap<String, Stored>, conversation: &mut Conversation, at: &Origin) {
    let mut orphans = Vec::new();
    let mut nulls = 0_u64;
    for (_, row) in stored {
        match row {
            Stored::Whole(bubble, rowid) => orphans.push((bubble.message.at.at, rowid, bubble.message)),
            Stored::Null => nulls += 1,
            Stored::Undecodable => {}
        }
    }
    orphans.sort_by_key(|(at, rowid, _)| (*at, *rowid));
    conversation.coverage.orphaned = orphans.len() as u64;
    for (_, _, message) in orphans {
        let says = "stored, but not listed by its conversation";
        conversation.findings.push(Finding::new(FindingKind::OrphanMessage, message.origin.clone(), says));
        conversation.orphans.push(message);
    }
    if nulls > 0 {
        let says = format!("{nulls} bubble rows that are not listed have a NULL value");
        conversation.findings.push(Finding::new(FindingKind::NullRow, at.clone(), says));
    }
}

/// Whether a message says anything.
pub(crate) fn has_content(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) => !text.is_empty(),
        _ => true,
    })
}
