//! The stored messages of a conversation in order (what was summarised, then the prompt, then what is pending), made
//! into messages: results go to their calls, wrappers come off the user's words. Must not look at turns.

use std::collections::{HashMap, HashSet};

use backscroll_model::{
    Attachment, AttachmentKind, Coverage, Decoded, Layer, Message, Moment, Origin, Part, Role, ToolCall,
    ToolStatus,
};

use super::align::short_id;
use super::conversation::words;
use super::graph::Graph;
use super::message::{Piece, StoredMessage, ToolResult, message};
use super::root::{Reference, Root, root};
use super::wire::{ProtoMessage, Value, fields};
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
            StoredMessage { speaker: Role::Assistant, pieces: Vec::new(), request_id: None, model: None };
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
    /// The first and the last step of that turn which it contains.
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
struct Assembly {
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
            Role::User => Some(user(one)),
            Role::System | Role::Assistant => Some(spoken(one)),
            Role::Tool => answer(one, &mut self.drafts, &mut self.open),
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
    let (role, is_gap) = (one.stored.speaker, one.is_gap);
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
        Piece::Attachment(file) => Part::Attachment(file),
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

/// What a user said in a request, as a blob has it.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptWords {
    /// The request.
    pub request_id: String,
    /// The words, and what stood beside them.
    pub parts: Vec<Part>,
}

/// The words of a blob that is a user's message of a known request, and not only context.
pub fn prompt_words(blob: &[u8]) -> Option<PromptWords> {
    // Most blobs are something else, and many are large.
    if blob.first() != Some(&b'{') || memchr::memmem::find(blob, b"requestId").is_none() {
        return None;
    }
    let nowhere = Origin::new(Layer::AgentBlobs, std::path::Path::new(""), "");
    let stored = message(blob, &nowhere).value?;
    let request_id = stored.request_id.clone().filter(|_| stored.speaker == Role::User)?;
    let draft = user(Listed::stored(Name::Other(String::new()), nowhere, stored));
    (draft.message.role == Role::User).then_some(PromptWords { request_id, parts: draft.message.parts })
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
        add_origin(caller, draft.message.origin.clone());
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

/// Notes that the message is at `origin`, too. Most are in one more place, and messages are many.
pub(super) fn add_origin(message: &mut Message, origin: Origin) {
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

/// Everything that the root lists as messages.
#[derive(Default)]
pub(super) struct AgentListing {
    /// What was said.
    pub(super) drafts: Vec<Draft>,
    pub(super) pending: Vec<Listed>,
    pub(super) coverage: Coverage,
}

/// Adds to the root's messages what other fields name: a blob that is a JSON message is one, whichever field names it, and
/// so is what a blob of nothing but references leads to. Old roots list them where others list turns; newer ones may name
/// them by fields that we do not know. One that is already there is not added again.
pub(super) fn add_named_elsewhere(root: &mut Root, graph: &mut Graph<'_>) {
    let mut known: HashSet<BlobId> = root.messages.iter().filter_map(Reference::id).collect();
    let mut is_turn = Vec::with_capacity(root.turns.len());
    for reference in &root.turns {
        let named = reference.id().filter(|id| leads_to_message(*id, graph));
        is_turn.push(named.is_none());
        root.messages.extend(named.filter(|id| known.insert(*id)).map(Reference::Blob));
    }
    if is_turn.contains(&false) {
        let mut each = is_turn.iter();
        root.turns.retain(|_| each.next() == Some(&true));
        let mut each = is_turn.iter();
        root.turn_times.retain(|_| each.next().is_none_or(|is_turn| *is_turn));
    }
    for id in std::mem::take(&mut root.unknown) {
        if !known.contains(&id) && leads_to_message(id, graph) {
            known.insert(id);
            root.messages.push(Reference::Blob(id));
        }
    }
}

/// Whether a blob is a JSON message, or links one.
fn leads_to_message(id: BlobId, graph: &mut Graph<'_>) -> bool {
    let Some(bytes) = graph.fetch_if_there(id, "something the root names") else { return false };
    if bytes.first() == Some(&b'{') {
        return is_message(&bytes, graph);
    }
    // A turn has the same form, but what it names is not JSON.
    let first = fields(&bytes).next().and_then(Result::ok).and_then(|field| match field.value {
        Value::Bytes(bytes) if field.number <= 2 => <[u8; 32]>::try_from(bytes).ok(),
        _ => None,
    });
    let first = first.and_then(|id| graph.fetch_if_there(id.into(), "something the root leads to"));
    first.is_some_and(|bytes| bytes.first() == Some(&b'{') && is_message(&bytes, graph))
}

fn is_message(bytes: &[u8], graph: &Graph<'_>) -> bool {
    message(bytes, graph.root()).value.is_some()
}

impl AgentListing {
    /// Lists every stored message.
    pub(super) fn read(root: &Root, graph: &mut Graph<'_>) -> Self {
        let archives = archives(&root.archives, graph);
        let is_summary: HashSet<BlobId> =
            archives.iter().filter_map(|archive| archive.summary_message.as_ref()?.id()).collect();
        let summary = words(root.summary.as_ref(), "the summary", graph);
        let (mut listing, mut assembly) = (Self::default(), Assembly::default());
        if archives.is_empty() && summary.is_none() {
            listing.follow(&root.messages, graph, &mut assembly);
        } else {
            let mut prompt = Vec::new();
            listing.follow(&root.messages, graph, &mut prompt);
            for one in &mut prompt {
                one.is_summary = one.id.is_some_and(|id| is_summary.contains(&id));
            }
            let whole = listing.with_archives(prompt, &archives, summary, graph);
            assembly.extend(whole);
        }
        listing.add_unfinished(root, graph, &mut assembly);
        listing.drafts = assembly.drafts;
        listing
    }

    /// Puts what was summed up, and its summaries, behind what leads the prompt.
    fn with_archives(
        &mut self,
        mut prompt: Vec<Listed>,
        archives: &[Archive],
        summed_up: Option<String>,
        graph: &mut Graph<'_>,
    ) -> Vec<Listed> {
        let is_lead = |one: &&Listed| one.is_gap || one.stored.speaker == Role::System;
        let lead = prompt.iter().take_while(is_lead).count();
        let mut rest = prompt.split_off(lead);
        let mut known: HashSet<BlobId> = prompt.iter().filter_map(|one| one.id).collect();
        let mut whole = prompt;
        for archive in archives {
            self.archived(archive, &mut known, &rest, graph, &mut whole);
        }
        if let Some(text) = summed_up {
            let is_told = archives.iter().any(|archive| archive.summary.as_ref() == Some(&text));
            if !is_told {
                whole.push(listed_summary(text, graph.root().with_key("summary")));
            }
        }
        if !archives.is_empty() {
            rest.retain(|one| one.is_summary || !one.id.is_some_and(|id| known.contains(&id)));
        }
        whole.append(&mut rest);
        whole
    }

    /// Adds what is not stored as a blob yet.
    fn add_unfinished(&mut self, root: &Root, graph: &mut Graph<'_>, assembly: &mut Assembly) {
        if let Some(tail) = &root.tail {
            let (name, at) = (Name::Other("tail".to_owned()), graph.root().clone());
            assembly.extend(listing_entry(name, tail, at, graph, &mut self.coverage));
        }
        for text in &root.pending {
            // When its tools have answered, the same bytes become a blob: it has that name from the beginning.
            let id = BlobId::of_content(text.as_bytes());
            if root.messages.iter().any(|listed| listed.id() == Some(id)) {
                continue;
            }
            let at = graph.root().clone();
            let one = listing_entry(Name::Blob(id), text.as_bytes(), at, graph, &mut self.coverage);
            self.pending.extend(one);
        }
    }

    /// Reads the messages referred to; a blob that is itself a list of messages is entered.
    fn follow(&mut self, references: &[Reference], graph: &mut Graph<'_>, into: &mut impl Extend<Listed>) {
        for (number, reference) in references.iter().enumerate() {
            let Some(bytes) = graph.resolve(reference, "a message") else {
                self.coverage.listed += 1;
                self.coverage.missing += 1;
                into.extend(reference.id().map(|id| Listed::gap(id, graph.root().with_key(id.to_string()))));
                continue;
            };
            let at = graph.origin_of(reference.id());
            let inline = || Name::Other(format!("inline-{}", number + 1));
            let name = reference.id().map_or_else(inline, Name::Blob);
            if bytes.first() == Some(&b'{') {
                into.extend(listing_entry(name, &bytes, at, graph, &mut self.coverage));
                continue;
            }
            let mut nested = root(&bytes, &at).value;
            add_named_elsewhere(&mut nested, graph);
            if nested.messages.is_empty() && nested.tail.is_none() {
                into.extend(listing_entry(name, &bytes, at, graph, &mut self.coverage));
            } else if graph.enter(reference.id()) {
                self.follow(&nested.messages, graph, into);
                if let Some(tail) = nested.tail {
                    into.extend(listing_entry(name, &tail, at, graph, &mut self.coverage));
                }
                graph.leave();
            }
        }
    }

    fn archived(
        &mut self,
        archive: &Archive,
        known: &mut HashSet<BlobId>,
        rest: &[Listed],
        graph: &mut Graph<'_>,
        whole: &mut Vec<Listed>,
    ) {
        let fresh: Vec<Reference> = archive
            .messages
            .iter()
            .filter(|reference| !reference.id().is_some_and(|id| known.contains(&id)))
            .cloned()
            .collect();
        let mut read = Vec::new();
        self.follow(&fresh, graph, &mut read);
        known.extend(read.iter().filter_map(|one| one.id));
        whole.append(&mut read);
        let entered = archive.summary_message.as_ref().and_then(Reference::id);
        let is_in_prompt = entered.is_some_and(|id| rest.iter().any(|one| one.id == Some(id)));
        if let (false, Some(text)) = (is_in_prompt, &archive.summary) {
            whole.push(listed_summary(text.clone(), graph.root().with_key("summary")));
        }
    }
}

fn listed_summary(text: String, origin: Origin) -> Listed {
    let stored = StoredMessage {
        speaker: Role::System,
        pieces: vec![Piece::Text(text)],
        request_id: None,
        model: None,
    };
    Listed { is_summary: true, ..Listed::stored(Name::Other("summary".to_owned()), origin, stored) }
}

/// Reads one stored message and enters it into the account.
fn listing_entry(
    name: Name,
    bytes: &[u8],
    origin: Origin,
    graph: &mut Graph<'_>,
    coverage: &mut Coverage,
) -> Option<Listed> {
    let decoded = message(bytes, &origin);
    coverage.listed += 1;
    for finding in decoded.findings {
        graph.report(finding.kind, finding.at, finding.says);
    }
    let Some(stored) = decoded.value else {
        coverage.undecodable += 1;
        return None;
    };
    if stored.pieces.is_empty() {
        coverage.empty += 1;
    } else {
        coverage.read += 1;
    }
    Some(Listed::stored(name, origin, stored))
}

/// One archive.
#[derive(Debug, Default)]
struct Archive {
    /// The messages that were summed up.
    pub(super) messages: Vec<Reference>,
    /// The summary.
    pub(super) summary: Option<String>,
    /// The message by which the summary entered the prompt.
    summary_message: Option<Reference>,
}

/// Reads the archives that a root lists.
fn archives(references: &[Reference], graph: &mut Graph<'_>) -> Vec<Archive> {
    let mut archives = Vec::new();
    for reference in references {
        let Some(bytes) = graph.resolve(reference, "a summary archive") else {
            continue;
        };
        let message = ProtoMessage::read(&bytes);
        archives.push(Archive {
            messages: message.every(1).map(Reference::from_bytes).collect(),
            summary: message.words(2),
            summary_message: message.bytes(4).filter(|id| !id.is_empty()).map(Reference::from_bytes),
        });
    }
    archives
}

/// Reads message blobs that stand alone, in the given order; answers are given to the calls that asked for them.
pub fn loose_messages<'a>(
    blobs: impl IntoIterator<Item = (&'a str, Origin, &'a [u8])>,
) -> Decoded<Vec<Message>> {
    let mut findings = Vec::new();
    let mut listed = Vec::new();
    for (id, origin, bytes) in blobs {
        let stored = message(bytes, &origin).report_to(&mut findings);
        listed.extend(stored.map(|stored| Listed::stored(Name::Other(short_id(id)), origin, stored)));
    }
    let messages = assemble(listed).into_iter().map(|draft| draft.message);
    Decoded { value: messages.filter(|message| !message.parts.is_empty()).collect(), findings }
}
