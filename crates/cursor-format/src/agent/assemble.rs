//! Stored messages become messages: results go to their calls, wrappers come off the user's words.
//! Must not look at turns.

use std::collections::HashMap;

use backscroll_model::{
    Attachment, AttachmentKind, Message, Moment, Origin, Part, Role, ToolCall, ToolStatus,
};

use super::message::{Speaker, StoredMessage};
use super::message_part::{Piece, ToolResult};
use crate::{BlobId, hex, tool_names, user_text};

/// A stored message at its place in the conversation.
pub(super) struct Listed {
    pub(super) id: Option<BlobId>,
    /// What its message is called.
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) stored: StoredMessage,
    /// It sums up what was said before.
    pub(super) is_summary: bool,
    /// Its blob is gone: nothing but its place is known.
    pub(super) is_gap: bool,
}

impl Listed {
    /// A stored message.
    pub(super) fn stored(name: Name, origin: Origin, stored: StoredMessage) -> Self {
        let id = match name {
            Name::Blob(id) => Some(id),
            Name::Other(_) => None,
        };
        Self { id, name: name.short(), origin, stored, is_summary: false, is_gap: false }
    }

    /// The place of a message whose blob is gone.
    pub(super) fn gap(id: BlobId, origin: Origin) -> Self {
        let nothing =
            StoredMessage { speaker: Speaker::Assistant, pieces: Vec::new(), request_id: None, model: None };
        Self { is_gap: true, ..Self::stored(Name::Blob(id), origin, nothing) }
    }
}

/// What names a stored message.
pub(super) enum Name {
    /// The blob that holds it.
    Blob(BlobId),
    /// Its place, where no blob of its own holds it.
    Other(String),
}

impl Name {
    /// The name of the message: of a hash the first digits.
    fn short(self) -> String {
        match self {
            Self::Blob(id) => hex::encode(&id.as_bytes()[..8]),
            Self::Other(name) => name,
        }
    }
}

/// A message that turns may still add to.
pub(super) struct Draft {
    pub(super) message: Message,
    /// The user's words with their wrappers.
    pub(super) raw: String,
    /// The turn it belongs to.
    pub(super) turn: Option<usize>,
    /// The first and the last step of that turn which it tells.
    pub(super) steps: Option<(usize, usize)>,
    pub(super) is_summary: bool,
    /// Nothing but its place is known.
    pub(super) is_gap: bool,
}

impl Draft {
    pub(super) fn new(message: Message) -> Self {
        Self { message, raw: String::new(), turn: None, steps: None, is_summary: false, is_gap: false }
    }
}

/// Where calls stand that have no answer yet: draft and part.
#[derive(Default)]
struct OpenCalls {
    by_id: HashMap<String, (usize, usize)>,
    in_order: Vec<(usize, usize)>,
}

impl OpenCalls {
    fn open(&mut self, call: &ToolCall, spot: (usize, usize)) {
        if let Some(id) = &call.id {
            self.by_id.insert(id.clone(), spot);
        }
        self.in_order.push(spot);
    }

    /// The call that `result` answers: the one it names, or the first open one if it names none.
    fn close(&mut self, result: &ToolResult) -> Option<(usize, usize)> {
        let spot = match &result.call_id {
            Some(id) => self.by_id.remove(id)?,
            None => *self.in_order.first()?,
        };
        self.in_order.retain(|open| *open != spot);
        Some(spot)
    }
}

/// Turns stored messages into messages, in the same order.
#[derive(Default)]
pub(super) struct Assembly {
    pub(super) drafts: Vec<Draft>,
    open: OpenCalls,
}

impl Extend<Listed> for Assembly {
    fn extend<T: IntoIterator<Item = Listed>>(&mut self, listed: T) {
        for one in listed {
            self.add(one);
        }
    }
}

impl Assembly {
    fn add(&mut self, one: Listed) {
        let draft = match one.stored.speaker {
            _ if one.is_summary => Some(summary(one)),
            Speaker::User => Some(user(one)),
            Speaker::System | Speaker::Assistant => Some(spoken(one)),
            Speaker::Tool => answer(one, &mut self.drafts, &mut self.open),
        };
        let Some(draft) = draft else { return };
        for (place, part) in draft.message.parts.iter().enumerate() {
            if let (Part::ToolCall(call), Role::Assistant) = (part, draft.message.role) {
                self.open.open(call, (self.drafts.len(), place));
            }
        }
        self.drafts.push(draft);
    }
}

/// Turns all of them into messages.
pub(super) fn assemble(listed: Vec<Listed>) -> Vec<Draft> {
    let mut assembly = Assembly::default();
    assembly.extend(listed);
    assembly.drafts
}

/// A draft of what is known beside the pieces, and the pieces.
fn begun(one: Listed, role: Role) -> (Draft, Vec<Piece>) {
    let mut message = Message::new(one.name, role, one.origin);
    message.request_id = one.stored.request_id;
    message.model = one.stored.model;
    (Draft::new(message), one.stored.pieces)
}

fn spoken(one: Listed) -> Draft {
    let role = match one.stored.speaker {
        Speaker::System => Role::System,
        _ => Role::Assistant,
    };
    let is_gap = one.is_gap;
    let (mut draft, pieces) = begun(one, role);
    draft.is_gap = is_gap;
    draft.message.parts = pieces.into_iter().map(part).collect();
    draft
}

fn part(piece: Piece) -> Part {
    match piece {
        Piece::Text(text) => Part::Text(text),
        Piece::Thought { text, .. } => Part::Thinking { text, duration_ms: None },
        Piece::Image(image) => Part::Image(image),
        Piece::Call(call) => Part::ToolCall(call),
        Piece::Result(result) => Part::ToolCall(Box::new(lonely(*result))),
    }
}

fn summary(one: Listed) -> Draft {
    let (mut draft, pieces) = begun(one, Role::System);
    draft.is_summary = true;
    draft.message.parts = pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Part::Summary(text),
            other => part(other),
        })
        .collect();
    draft
}

fn user(one: Listed) -> Draft {
    let (mut draft, pieces) = begun(one, Role::User);
    let (mut words, mut context) = (0, 0);
    for piece in pieces {
        let Piece::Text(raw) = piece else {
            words += 1;
            draft.message.parts.push(part(piece));
            continue;
        };
        let said = user_text::unwrap(&raw);
        if said.is_context {
            context += 1;
        } else {
            words += 1;
        }
        if draft.message.at.at.is_none() {
            draft.message.at = Moment::exact_or_unknown(said.at);
        }
        let parts = said.into_parts();
        draft.message.parts.reserve_exact(parts.len());
        if parts.is_empty() {
            let whole = Attachment::new(AttachmentKind::Context).saying(raw.clone());
            draft.message.parts.push(Part::Attachment(Box::new(whole)));
        }
        draft.message.parts.extend(parts);
        if draft.raw.is_empty() {
            draft.raw = raw;
        } else {
            draft.raw.push_str(&raw);
        }
    }
    if words == 0 && context > 0 {
        draft.message.role = Role::System;
    }
    draft
}

/// Gives a tool's answers to the calls that asked for them; what answers no call stays a message.
fn answer(one: Listed, drafts: &mut [Draft], open: &mut OpenCalls) -> Option<Draft> {
    let (mut draft, pieces) = begun(one, Role::Tool);
    for piece in pieces {
        let Piece::Result(result) = piece else {
            draft.message.parts.push(part(piece));
            continue;
        };
        let spot = open.close(&result);
        let asked =
            spot.and_then(|(at, place)| Some((at, drafts.get_mut(at)?.message.parts.get_mut(place)?)));
        let Some((at, Part::ToolCall(call))) = asked else {
            draft.message.parts.extend(result.images.iter().cloned().map(Part::from));
            draft.message.parts.push(Part::ToolCall(Box::new(lonely(*result))));
            continue;
        };
        let mut result = *result;
        let images = std::mem::take(&mut result.images);
        fold(result, call);
        let caller = &mut drafts[at].message;
        caller.parts.extend(images.into_iter().map(Part::from));
        tell_also(caller, draft.message.origin.clone());
    }
    (!draft.message.parts.is_empty()).then_some(draft)
}

fn fold(result: ToolResult, call: &mut ToolCall) {
    call.status = result.status();
    if call.status != ToolStatus::Completed {
        call.error = result.output.as_ref().map(|output| output.as_str().to_owned());
    }
    if result.is_rejected {
        call.decision = Some("rejected".to_owned());
    }
    call.result = result.output;
    call.diff = result.diff;
    call.child = result.child;
}

/// Notes that `origin` tells of the message, too. Most are told by one more place, and messages are many.
pub(super) fn tell_also(message: &mut Message, origin: Origin) {
    if message.also.is_empty() {
        message.also.reserve_exact(1);
    }
    message.also.push(origin);
}

/// A call of which only the answer is stored.
fn lonely(result: ToolResult) -> ToolCall {
    let raw_name = result.tool_name.clone().unwrap_or_default();
    let mut call = ToolCall {
        id: result.call_id.clone(),
        name: tool_names::canonical(&raw_name, None),
        raw_name,
        ..ToolCall::default()
    };
    fold(result, &mut call);
    call
}
