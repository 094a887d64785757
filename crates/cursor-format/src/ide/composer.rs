//! A composer record, `composerData:<id>`: the conversation's own list of its messages, in three layouts.
//!
//! `conversation[]` holds whole bubbles, `conversationMap{}` too, `fullConversationHeadersOnly[]` names rows. They may
//! stand side by side. `_v` is never asked: what is there decides.

use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{Attribution, ConversationId, Decoded, Finding, FindingKind, Flag, Origin};
use serde_json::value::RawValue;

use super::bubble::{BubbleId, first_line};
use super::records::{Evidence, WireHead};
use crate::wire_json::{Entries, Int, List, Text, When, parse, parse_at_once, wire};

wire! {
    struct WireHeader<'a> {
        id: Text<'a> = "bubbleId",
        kind: Int = "type",
        created_at: When = "createdAt",
        started_at: When = "startedAtMs",
    }
}

/// One entry of a conversation's own list of messages.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    pub(crate) id: BubbleId,
    /// 1 for the user, 2 for the assistant.
    pub(crate) kind: Option<i64>,
    pub(crate) at: Option<jiff::Timestamp>,
    /// The whole bubble, where the list holds it.
    pub(crate) inline: Option<&'a RawValue>,
}

/// A composer record, as far as listing needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// What the record tells.
    pub evidence: Evidence,
    /// The first message of the user, whose words are the title if there is no other.
    pub first_user_bubble: Option<BubbleId>,
    /// How the record was found: no longer decodable, or damaged.
    pub is_sound: bool,
}

/// Parses what is asked for of a composer record.
pub(crate) fn record<'a, T: serde::de::Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, String> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err("the conversation's record is not a JSON object".to_owned());
    }
    parse(bytes, repaired).map_err(|error| format!("the conversation's record is not JSON: {error}"))
}

/// What `list` needs of a record, and no more: its messages are counted, not read.
pub fn index_entry(id: &ConversationId, bytes: &[u8], at: &Origin) -> Decoded<Option<Listed>> {
    let repaired = OnceCell::new();
    // A number or a list would pass for a record without any field.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let wire = is_object.then(|| parse_at_once::<WireHead<'_>>(bytes, &repaired).ok()).flatten();
    let Some(wire) = wire else {
        let says = record::<WireHead<'_>>(bytes, &repaired).err().unwrap_or_default();
        let finding = Finding::new(FindingKind::Undecodable, at.clone(), says);
        return Decoded { value: None, findings: vec![finding] };
    };
    let (count, first_user) = counted(&wire);
    let mut evidence = wire.evidence(id.clone(), at.clone(), Attribution::Record);
    evidence.summary.messages = Some(count);
    if count == 0 {
        evidence.summary.flags.insert(Flag::Empty);
    }
    let inline = first_user.as_ref().and_then(|first| first.inline);
    if evidence.summary.title.is_none() {
        let spoken = || inline.and_then(|bubble| first_line(bubble.get().as_bytes()));
        evidence.summary.title = evidence.subtitle.clone().or_else(spoken);
    }
    let first_user_bubble = first_user.filter(|_| inline.is_none()).map(|first| first.id);
    Decoded::clean(Some(Listed { evidence, first_user_bubble, is_sound: repaired.get().is_none() }))
}

/// How many messages a record lists, and the first of the user's. Nearly all records hold headers and nothing else,
/// and only their ids and types are looked at.
fn counted<'a>(wire: &WireHead<'a>) -> (u64, Option<Entry<'a>>) {
    let holds =
        |list: Option<&RawValue>| list.is_some_and(|list| !matches!(list.get(), "[]" | "{}" | "null"));
    if holds(wire.inline) || holds(wire.map) {
        let mut entries = entries(wire);
        let count = entries.len() as u64;
        let first_user = entries.iter().position(|entry| entry.kind == Some(1));
        return (count, first_user.map(|at| entries.swap_remove(at)));
    }
    wire! { struct WireListed<'a> { id: Text<'a> = "bubbleId", kind: Int = "type", } }
    let headers: List<WireListed<'_>> = wire.headers.map(read).unwrap_or_default();
    let first_user =
        headers.0.iter().find(|header| header.kind.0 == Some(1)).and_then(|header| header.id.owned());
    let mut ids: Vec<&str> = headers.0.iter().filter_map(|header| header.id.filled()).collect();
    ids.sort_unstable();
    ids.dedup();
    (ids.len() as u64, first_user.map(|id| Entry { id, kind: Some(1), at: None, inline: None }))
}

/// The conversation's own list: headers first, then inline messages that no header names. An id counts once, at
/// its first place.
pub(crate) fn entries<'a>(wire: &WireHead<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut places: HashMap<BubbleId, usize> = HashMap::new();
    let headers: List<WireHeader<'_>> = wire.headers.map(read).unwrap_or_default();
    for header in headers.0 {
        let Some(id) = header.id.owned() else { continue };
        if !places.contains_key(&id) {
            places.insert(id.clone(), entries.len());
            let at = header.created_at.0.or(header.started_at.0);
            entries.push(Entry { id, kind: header.kind.0, at, inline: None });
        }
    }
    let inline: List<&RawValue> = wire.inline.map(read).unwrap_or_default();
    let map: Entries<&RawValue> = wire.map.map(read).unwrap_or_default();
    let keyed = map.0.into_iter().map(|(key, bubble)| (Some(key), bubble));
    for (key, bubble) in inline.0.into_iter().map(|bubble| (None, bubble)).chain(keyed) {
        add_inline(key, bubble, &mut entries, &mut places);
    }
    entries
}

fn add_inline<'a>(
    key: Option<String>,
    bubble: &'a RawValue,
    entries: &mut Vec<Entry<'a>>,
    places: &mut HashMap<BubbleId, usize>,
) {
    let header: WireHeader<'_> = read(bubble);
    let id = header.id.owned().or(key).unwrap_or_else(|| format!("#{}", entries.len()));
    if let Some(entry) = places.get(&id).and_then(|&place| entries.get_mut(place)) {
        entry.inline = entry.inline.or(Some(bubble));
    } else {
        places.insert(id.clone(), entries.len());
        entries.push(Entry { id, kind: header.kind.0, at: None, inline: Some(bubble) });
    }
}

fn read<'a, T: serde::de::Deserialize<'a> + Default>(value: &'a RawValue) -> T {
    serde_json::from_str(value.get()).unwrap_or_default()
}
