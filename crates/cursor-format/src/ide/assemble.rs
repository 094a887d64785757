//! A conversation of the editor, put together from its record, its bubble rows and the rows they refer to.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use backscroll_model::{
    AtIs, Attribution, ConversationId, Finding, FindingKind, Flag, Fragment, Message, MessageId, Moment,
    Origin, Part, Role, Sender, SenderKind, Summary, Surface,
};
use jiff::Timestamp;

use super::bubble::{Bubble, PendingRows};
use super::composer::{Entry, Evidence, MessageList, WireComposer, WireHead};
use super::diffs::CodeBlocks;
use super::keys::{self, RowKey, RowKind};
use super::{bubble, composer, pending_rows};
use crate::drift::DriftLog;
use crate::known::ObjectKind;
use crate::limits::{MOST_MESSAGES, MOST_ROW_BYTES};
use crate::rows::{Blobs, Row, Rows, RowsError};

/// A conversation, and what its record says of where it belongs.
#[derive(Debug)]
pub struct Assembled {
    /// The record with its bubbles.
    pub fragment: Fragment,
    /// The workspace id that the record names.
    pub workspace_id: Option<String>,
    /// The root of the agent's own account, `conversationState`, as stored.
    pub state: Option<String>,
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
    let repaired = OnceCell::new();
    let mut findings = Vec::new();
    let head: WireHead<'_> = match composer::record(bytes, &repaired) {
        Ok(head) => head,
        Err(says) => {
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            return without_record(id, findings, rows, blobs, at);
        }
    };
    let sound = repaired.get().map_or(bytes, Vec::as_slice);
    let wire: WireComposer<'_> = serde_json::from_slice(sound).unwrap_or_default();
    if repaired.get().is_some() {
        let says = "invalid characters in the record were replaced";
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
    }
    let list = composer::entries(&head);
    findings.extend(composer::unknown_lists(sound, at));
    let mut drift = DriftLog::default();
    drift.json_fields(ObjectKind::Record, sound, &at.key);
    findings.extend(drift.findings(at));
    let evidence = head.evidence(id.clone(), at.clone(), Attribution::Record);
    build(evidence, Some(&wire), list, findings, rows, blobs, at)
}

/// The messages with these ids out of a conversation, in its order, with the rows that they refer to. Rows that are stored under another
/// conversation, and times between neighbours, are left to [`assemble`].
pub fn assemble_some<'a>(
    id: &ConversationId,
    bytes: &[u8],
    wanted: impl IntoIterator<Item = &'a str>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Fragment, RowsError> {
    let (repaired, wanted) = (OnceCell::new(), wanted.into_iter().collect::<HashSet<&str>>());
    let Ok(head) = composer::record::<WireHead<'_>>(bytes, &repaired) else {
        return Ok(Fragment::new(Summary::new(id.clone(), Surface::Ide, at.clone())));
    };
    let sound = repaired.get().map_or(bytes, Vec::as_slice);
    let wire: WireComposer<'_> = serde_json::from_slice(sound).unwrap_or_default();
    let mut list = composer::entries(&head);
    list.entries.retain(|entry| wanted.contains(&*entry.id));
    let evidence = head.evidence(id.clone(), at.clone(), Attribution::Record);
    let of_messages = [RowKind::Bubble, RowKind::RequestContext].map(|kind| kind.under(id));
    let some = SomeRows { rows, of_messages, wanted };
    Ok(build(evidence, Some(&wire), list, Vec::new(), &some, blobs, at)?.fragment)
}

/// Rows of which only those of these messages can be seen.
struct SomeRows<'a> {
    rows: &'a dyn Rows,
    /// What the keys of the conversation's rows begin with that end with the id of a message.
    of_messages: [String; 2],
    wanted: HashSet<&'a str>,
}

impl Rows for SomeRows<'_> {
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        self.rows.value(key)
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        if !self.of_messages.iter().any(|known| known == prefix) {
            return self.rows.under(prefix, each);
        }
        for message in &self.wanted {
            let key = format!("{prefix}{message}");
            if let Some(value) = self.rows.value(&key)? {
                each(Row { key: key.as_bytes(), value: value.as_deref(), rowid: 0 });
            }
        }
        Ok(())
    }

    fn keys_under(&self, prefix: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), RowsError> {
        if prefix == keys::BUBBLES { Ok(()) } else { self.rows.keys_under(prefix, each) }
    }
}

/// Puts together a conversation whose record is gone: nothing but its bubble rows is left.
pub fn orphaned(
    id: &ConversationId,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    without_record(id, Vec::new(), rows, blobs, at)
}

fn without_record(
    id: &ConversationId,
    findings: Vec<Finding>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    let mut summary = Summary::new(id.clone(), Surface::Ide, at.clone());
    summary.flags.insert(Flag::Deleted);
    build(Evidence::only(summary), None, MessageList::default(), findings, rows, blobs, at)
}

fn build(
    evidence: Evidence,
    wire: Option<&WireComposer<'_>>,
    list: MessageList<'_>,
    findings: Vec<Finding>,
    rows: &dyn Rows,
    blobs: &dyn Blobs,
    at: &Origin,
) -> Result<Assembled, RowsError> {
    let id = evidence.summary.id.clone();
    let mut fragment = Fragment::new(evidence.summary);
    fragment.summary.children = evidence.children;
    fragment.findings = findings;
    let mut entries = list.entries;
    let (mut stored, left_out) = read_rows(&id, &entries, rows, at, &mut fragment.findings)?;
    leave_out(list.left_out, left_out, &mut fragment, at);
    place_by_own_ids(&entries, &mut stored, at, &mut fragment.findings);
    find_forked(&entries, &mut stored, rows, at, &mut fragment.findings)?;
    if wire.is_none() {
        read_short_key(&id, &mut stored, rows, at, &mut fragment.findings)?;
    }
    if entries.is_empty() && stored.values().any(|row| matches!(row, Stored::Whole(..))) {
        entries = rebuilt_list(&stored);
        let says =
            format!("the list of messages is lost; {} stored messages are ordered by time", entries.len());
        fragment.findings.push(Finding::new(FindingKind::ListLost, at.clone(), says));
    }
    let mut pending = Vec::with_capacity(entries.len());
    fragment.messages.reserve(entries.len());
    for entry in &entries {
        take_listed(entry, stored.remove(&*entry.id), &mut fragment, &mut pending, at);
    }
    let mut drift = DriftLog::default();
    note_drift(&stored, &fragment, &pending, &mut drift);
    take_orphans(stored, &mut fragment, at);
    fragment.findings.extend(drift.findings(at));
    let code_blocks = wire.map(CodeBlocks::from_composer).unwrap_or_default();
    pending_rows::complete(&id, &mut fragment, &mut pending, &code_blocks, wire, rows, blobs)?;
    composer::add_facts(wire, &pending, &code_blocks, &mut fragment, evidence.subtitle.as_deref());
    if wire.is_none() {
        date_by_messages(&mut fragment);
    }
    fill_times(&mut fragment);
    Ok(Assembled { fragment, workspace_id: evidence.workspace_id, state: wire.and_then(stored_state) })
}

/// Counts what is beyond [`MOST_MESSAGES`].
fn leave_out(listed: usize, rows: usize, fragment: &mut Fragment, at: &Origin) {
    if listed + rows == 0 {
        return;
    }
    fragment.coverage.listed += listed as u64;
    fragment.coverage.undecodable += listed as u64;
    let says = format!(
        "only {MOST_MESSAGES} messages of a conversation are read: {listed} listed ones and {rows} rows are left out"
    );
    fragment.findings.push(Finding::new(FindingKind::TooLarge, at.clone(), says));
}

/// Without a record, the messages say from when to when it was.
fn date_by_messages(fragment: &mut Fragment) {
    let times = || fragment.messages.iter().chain(&fragment.orphans).filter_map(|message| message.at.at);
    let (first, last) = (times().min(), times().max());
    (fragment.summary.created_at, fragment.summary.updated_at) = (first, last);
}

/// Every bubble row of the conversation, decoded as it streams by; and how many were left out because they are too many.
fn read_rows(
    id: &ConversationId,
    entries: &[Entry<'_>],
    rows: &dyn Rows,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Result<(HashMap<String, Stored>, usize), RowsError> {
    let kinds: HashMap<&str, Option<i64>> = entries.iter().map(|entry| (&*entry.id, entry.kind)).collect();
    let prefix = RowKind::Bubble.under(id);
    let (mut stored, mut left_out) = (HashMap::new(), 0);
    let (mut bytes_left, mut unread) = (MOST_ROW_BYTES, 0);
    // What is listed comes first: of other rows, as many are read as there is room for.
    let mut room = MOST_MESSAGES - kinds.len();
    rows.under(&prefix, &mut |Row { key, value, rowid }: Row<'_>| {
        let key = String::from_utf8_lossy(key);
        let bubble_id = key.strip_prefix(&prefix).unwrap_or(&key).to_owned();
        if !kinds.contains_key(bubble_id.as_str()) {
            if room == 0 {
                left_out += 1;
                return;
            }
            room -= 1;
        }
        let row = match value {
            None => Stored::Null,
            Some(bytes) if bytes.len() > bytes_left => {
                unread += 1;
                Stored::Undecodable
            }
            Some(bytes) => {
                bytes_left -= bytes.len();
                let listed_as = kinds.get(bubble_id.as_str()).copied().flatten();
                match bubble::bubble(&bubble_id, bytes, &at.with_key(&*key), listed_as, findings) {
                    Some(bubble) => Stored::Whole(Box::new(bubble), rowid),
                    None => Stored::Undecodable,
                }
            }
        };
        stored.insert(bubble_id, row);
    })?;
    if unread > 0 {
        let says = format!(
            "only {} MB of a conversation are read: {unread} messages are left out",
            MOST_ROW_BYTES >> 20
        );
        findings.push(Finding::new(FindingKind::TooLarge, at.clone(), says));
    }
    Ok((stored, left_out))
}

/// A row whose own id differs from that of its key is the message that the list names by the row's own id.
fn place_by_own_ids(
    entries: &[Entry<'_>],
    stored: &mut HashMap<String, Stored>,
    at: &Origin,
    findings: &mut Vec<Finding>,
) {
    let listed: HashSet<&str> = entries.iter().map(|entry| &*entry.id).collect();
    let is_lost =
        |id: &str, stored: &HashMap<String, Stored>| listed.contains(id) && !stored.contains_key(id);
    let moved: Vec<(String, String)> = stored
        .iter()
        .filter(|(key, _)| !listed.contains(key.as_str()))
        .filter_map(|(key, row)| match row {
            Stored::Whole(bubble, _) => Some((key.clone(), bubble.own_id.clone()?)),
            Stored::Null | Stored::Undecodable => None,
        })
        .collect();
    for (key, own) in moved {
        if !is_lost(&own, stored) {
            continue;
        }
        let Some(Stored::Whole(mut bubble, rowid)) = stored.remove(&key) else { continue };
        bubble.message.id = MessageId::new(own.clone());
        let says = "a message has another id than its key; its own id counts";
        findings.push(Finding::new(
            FindingKind::Contradiction,
            at.with_key(&bubble.message.origin.key),
            says,
        ));
        stored.insert(own, Stored::Whole(bubble, rowid));
    }
}

/// A fork lists messages whose rows exist only under the key of the conversation that it was made from. A row counts if it
/// is the only one with the listed id, time and type.
fn find_forked(
    entries: &[Entry<'_>],
    stored: &mut HashMap<String, Stored>,
    rows: &dyn Rows,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Result<(), RowsError> {
    let is_lost =
        |entry: &&Entry<'_>| entry.at.is_some() && entry.inline.is_none() && !stored.contains_key(&*entry.id);
    let mut lost: HashMap<&str, &Entry<'_>> = HashMap::new();
    for entry in entries.iter().filter(is_lost) {
        if rows.may_have_message(&entry.id)? {
            lost.insert(&*entry.id, entry);
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let mut found: HashMap<&str, Vec<String>> = HashMap::new();
    rows.keys_under(keys::BUBBLES, &mut |key| {
        let Ok(key) = std::str::from_utf8(key) else { return };
        let id = RowKey::parse(key).and_then(|key| key.rest);
        if let Some((id, _)) = id.and_then(|id| lost.get_key_value(id)) {
            found.entry(id).or_default().push(key.to_owned());
        }
    })?;
    let mut taken = 0_u64;
    for (id, keys) in found {
        let entry = lost[id];
        let mut same = Vec::new();
        for key in keys {
            let Some(Some(bytes)) = rows.value(&key)? else { continue };
            let bubble = bubble::bubble(id, &bytes, &at.with_key(key), entry.kind, &mut Vec::new());
            let is_same = |bubble: &Bubble| {
                bubble.message.at.at == entry.at
                    && entry.kind.is_none_or(|kind| bubble.message.role == role(Some(kind)))
            };
            same.extend(bubble.filter(is_same));
        }
        if let (Some(bubble), true) = (same.pop(), same.is_empty()) {
            stored.insert(id.to_owned(), Stored::Whole(Box::new(bubble), 0));
            taken += 1;
        }
    }
    if taken > 0 {
        let says =
            format!("{taken} messages are stored under the conversation that this one was forked from");
        findings.push(Finding::new(FindingKind::Inferred, at.clone(), says));
    }
    Ok(())
}

/// A key without a message's id: `bubbleId:<id>`. Whatever is there is all that is left of the conversation.
fn read_short_key(
    id: &ConversationId,
    stored: &mut HashMap<String, Stored>,
    rows: &dyn Rows,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Result<(), RowsError> {
    let key = RowKind::Bubble.key(id);
    let Some(Some(bytes)) = rows.value(&key)? else { return Ok(()) };
    let row = match bubble::bubble(id.as_str(), &bytes, &at.with_key(key), None, findings) {
        Some(bubble) => Stored::Whole(Box::new(bubble), 0),
        None => Stored::Undecodable,
    };
    stored.insert(id.as_str().to_owned(), row);
    Ok(())
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
    let entry = |id: String| Entry { id: id.into(), kind: None, at: None, inline: None, is_simulated: false };
    found.into_iter().map(|(_, _, id)| entry(id)).collect()
}

fn take_listed(
    entry: &Entry<'_>,
    row: Option<Stored>,
    fragment: &mut Fragment,
    pending: &mut Vec<(usize, PendingRows)>,
    at: &Origin,
) {
    fragment.coverage.listed += 1;
    let found = match (row, entry.inline) {
        (Some(Stored::Whole(bubble, _)), _) => Some(*bubble),
        (Some(Stored::Undecodable), None) => {
            fragment.coverage.undecodable += 1;
            return;
        }
        (_, Some(inline)) => {
            let at = at.with_key(format!("{}#{}", at.key, entry.id));
            let bytes = inline.get().as_bytes();
            let bubble = bubble::bubble(&entry.id, bytes, &at, entry.kind, &mut fragment.findings);
            if bubble.is_none() {
                fragment.coverage.undecodable += 1;
                return;
            }
            bubble
        }
        (row @ (Some(Stored::Null) | None), None) => {
            add_missing(entry, row.is_some(), fragment, at);
            return;
        }
    };
    let Some(mut bubble) = found else { return };
    if bubble.message.at.at.is_none() {
        bubble.message.at = Moment::exact_or_unknown(entry.at);
    }
    if entry.is_simulated {
        let simulated = Sender::new(SenderKind::Simulated);
        bubble.message.sender = Sender::merged(bubble.message.sender.take(), Some(simulated));
    }
    pending.push((fragment.messages.len(), bubble.pending));
    fragment.messages.push(bubble.message);
}

/// A listed message without a row is still one: its place and its role are known.
fn add_missing(entry: &Entry<'_>, is_null: bool, fragment: &mut Fragment, at: &Origin) {
    fragment.coverage.missing += 1;
    let key = RowKey::new(RowKind::Bubble, fragment.summary.id.as_str(), &entry.id).to_string();
    let mut message = Message::new(entry.id.clone(), role(entry.kind), at.with_key(&key));
    message.at = Moment::exact_or_unknown(entry.at);
    message.sender = entry.is_simulated.then(|| Sender::new(SenderKind::Simulated));
    fragment.messages.push(message);
    let says = if is_null { "the row of a listed message is NULL" } else { "a listed message has no row" };
    fragment.findings.push(Finding::new(FindingKind::MissingMessage, at.with_key(key), says));
}

/// Notes the fields of bubbles that we do not know.
fn note_drift(
    orphans: &HashMap<String, Stored>,
    fragment: &Fragment,
    listed: &[(usize, PendingRows)],
    drift: &mut DriftLog,
) {
    for (at, rows) in listed {
        for name in &rows.unknown {
            drift.json_field(ObjectKind::Bubble, name, &fragment.messages[*at].origin.key);
        }
    }
    for row in orphans.values() {
        let Stored::Whole(bubble, _) = row else { continue };
        for name in &bubble.pending.unknown {
            drift.json_field(ObjectKind::Bubble, name, &bubble.message.origin.key);
        }
    }
}

/// Rows that the list does not name follow apart: edited or regenerated branches, deleted turns.
fn take_orphans(stored: HashMap<String, Stored>, fragment: &mut Fragment, at: &Origin) {
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
    fragment.coverage.orphaned = orphans.len() as u64;
    for (_, _, message) in orphans {
        let says = "stored, but not listed by its conversation";
        fragment.findings.push(Finding::new(FindingKind::OrphanMessage, message.origin.clone(), says));
        fragment.orphans.push(message);
    }
    if nulls > 0 {
        let says = format!("{nulls} bubble rows that are not listed have a NULL value");
        fragment.findings.push(Finding::new(FindingKind::NullRow, at.clone(), says));
    }
}

/// The messages that a record lists, by id and role alone.
pub fn listed_messages(id: &ConversationId, bytes: &[u8], at: &Origin) -> Vec<Message> {
    let repaired = OnceCell::new();
    // A record that cannot be decoded lists nothing; loading the conversation reports it.
    let Ok(head) = composer::record::<WireHead<'_>>(bytes, &repaired) else { return Vec::new() };
    let message = |entry: Entry<'_>| {
        let key = at.with_key(RowKey::new(RowKind::Bubble, id.as_str(), &entry.id).to_string());
        Message::new(entry.id, role(entry.kind), key)
    };
    composer::entries(&head).entries.into_iter().map(message).collect()
}

/// The root of the agent's own account that a record holds, `conversationState`, as stored.
pub fn agent_state(bytes: &[u8]) -> Option<String> {
    let repaired = OnceCell::new();
    let wire: WireComposer<'_> = composer::record(bytes, &repaired).ok()?;
    stored_state(&wire)
}

fn stored_state(wire: &WireComposer<'_>) -> Option<String> {
    wire.state.owned().filter(|state| state.len() > 1)
}

fn role(kind: Option<i64>) -> Role {
    if kind == Some(1) { Role::User } else { Role::Assistant }
}

/// Whether a message says anything.
pub(crate) fn has_content(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) => !text.is_empty(),
        _ => true,
    })
}

/// Gives every message of `conversation` a time, as surely as can be known.
pub fn fill_times(fragment: &mut Fragment) {
    let created = fragment.summary.created_at;
    let updated = fragment.summary.updated_at;
    spread(&mut fragment.messages, created, updated);
}

fn spread(messages: &mut [Message], created: Option<Timestamp>, updated: Option<Timestamp>) {
    let known: Vec<(usize, Timestamp)> =
        messages.iter().enumerate().filter_map(|(at, message)| Some((at, message.at.at?))).collect();
    let (Some(&(first, first_time)), Some(&(last, last_time))) = (known.first(), known.last()) else {
        set_all(messages, created.or(updated));
        return;
    };
    set_all(&mut messages[..first], created.filter(|created| *created <= first_time).or(Some(first_time)));
    set_all(&mut messages[last + 1..], updated.filter(|updated| *updated >= last_time).or(Some(last_time)));
    for pair in known.windows(2) {
        let &[(left, from), (right, to)] = pair else {
            continue;
        };
        let steps = i64::try_from(right - left).unwrap_or(i64::MAX);
        let span = to.as_millisecond() - from.as_millisecond();
        for (step, message) in (1..).zip(&mut messages[left + 1..right]) {
            let at = Timestamp::from_millisecond(from.as_millisecond() + span / steps * step).ok();
            message.at = Moment { at, is: AtIs::Interpolated };
        }
    }
}

fn set_all(messages: &mut [Message], at: Option<Timestamp>) {
    let is = if at.is_some() { AtIs::Conversation } else { AtIs::Unknown };
    for message in messages {
        message.at = Moment { at, is };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backscroll_model::{Layer, Origin, Role};
    use std::path::Path;

    #[test]
    fn times_are_known_spread_or_the_conversations_own() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("x"), "k");
        let at = |ms: i64| Timestamp::from_millisecond(1_700_000_000_000 + ms).unwrap();
        let mut messages: Vec<Message> =
            (0..6).map(|n| Message::new(n.to_string(), Role::User, origin.clone())).collect();
        messages[1].at = Moment::exact(at(100));
        messages[4].at = Moment::exact(at(400));
        spread(&mut messages, Some(at(0)), Some(at(900)));
        let told: Vec<_> = messages.iter().map(|m| (m.at.at.unwrap(), m.at.is)).collect();
        assert_eq!(
            told,
            [
                (at(0), AtIs::Conversation),
                (at(100), AtIs::Exact),
                (at(200), AtIs::Interpolated),
                (at(300), AtIs::Interpolated),
                (at(400), AtIs::Exact),
                (at(900), AtIs::Conversation),
            ]
        );
    }
}
