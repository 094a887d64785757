//! The messages of two layers, put together: what both have once, what only one has in its place.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use backscroll_model::{AtIs, Fact, Finding, FindingKind, Layer, Message, Moment, Part, Role, Sender};

use super::align::{Alignment, MergePiece, PieceMark, PieceSpeaker, align};
use super::order::{OrderedEntry, order};
use super::{attachments, calls, holes};

/// What bringing two layers together did.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct United {
    /// Messages that only the other layer has, and messages that were cut in two by what it has.
    pub(super) added: u64,
    /// Listed messages whose row is gone, which the other layer still has.
    pub(super) refilled: u64,
    /// Messages that the other layer lacks.
    pub(super) lacking: u64,
}

/// Brings `other` into `spine`.
pub(super) fn unite(spine: &mut Vec<Message>, other: Vec<Message>, findings: &mut Vec<Finding>) -> United {
    let mut refilled = holes::refill_by_id(spine, &other);
    let mut alignment = align(spine, &other);
    refilled += holes::refill_by_place(spine, &other, &alignment);
    if refilled > 0 {
        alignment = align(spine, &other);
    }
    let matched = complete(spine, &other, &alignment, findings);
    let is_spoken = |piece: &&MergePiece| !matches!(piece.mark, PieceMark::Lost { .. }) && !piece.is_beside();
    let spoken: HashSet<usize> =
        alignment.spine.iter().filter(is_spoken).map(|piece| piece.message).collect();
    let known: HashSet<usize> = matched.values().flatten().copied().collect();
    let lacking = spoken.difference(&known).count() as u64;
    let before = spine.len();
    let entries = order(spine, &other, &alignment, &matched);
    *spine = Weaver { alignment: &alignment, matched: &matched, entries: &entries }
        .weave(std::mem::take(spine), other);
    United { added: (spine.len() - before) as u64, refilled, lacking }
}

/// The spine's messages that have something in common with each of the other's.
pub(super) type Matched = BTreeMap<usize, Vec<usize>>;

/// Completes the spine's messages and parts by what is the same in the other layer.
fn complete(
    spine: &mut [Message],
    other: &[Message],
    alignment: &Alignment,
    findings: &mut Vec<Finding>,
) -> Matched {
    let mut matched = Matched::new();
    for &(mine, theirs) in alignment.same.iter().chain(&alignment.moved) {
        let (mine, theirs) = (&alignment.spine[mine], &alignment.other[theirs]);
        let (message, from) = (&mut spine[mine.message], &other[theirs.message]);
        if let (Some(part), Some(their_part)) = (mine.part, theirs.part) {
            let (taken, call) = match (&mut message.parts[part], &from.parts[their_part]) {
                (Part::ToolCall(call), Part::ToolCall(their_call)) => {
                    let done = calls::complete(call, their_call, from.origin.layer);
                    if done.contradicts {
                        let says = format!(
                            "{} ({}) says otherwise of how {} ended",
                            from.origin.layer.name(),
                            from.origin.key,
                            call.raw_name
                        );
                        findings.push(Finding::new(FindingKind::Contradiction, message.origin.clone(), says));
                    }
                    (done.taken, call.id.clone())
                }
                (Part::Thinking { duration_ms, .. }, Part::Thinking { duration_ms: took, .. }) => {
                    *duration_ms = duration_ms.or(*took);
                    (Vec::new(), None)
                }
                _ => (Vec::new(), None),
            };
            for fact in taken {
                message.note(fact, call.as_deref(), &from.origin);
            }
        }
        let met = matched.entry(theirs.message).or_default();
        if !met.contains(&mine.message) {
            met.push(mine.message);
        }
    }
    for (theirs, met) in &mut matched {
        met.sort_unstable();
        for (number, mine) in met.iter().enumerate() {
            // The time of a message is that of its beginning, its tokens are counted at its end.
            complete_message(&mut spine[*mine], &other[*theirs], number == 0, number + 1 == met.len());
        }
    }
    for &(mine, theirs) in &alignment.contradicting {
        let at = &spine[alignment.spine[mine].message].origin;
        let from = &other[alignment.other[theirs].message].origin;
        let says = format!("told a little differently by {} ({})", from.layer.name(), from.key);
        findings.push(Finding::new(FindingKind::Contradiction, at.clone(), says));
    }
    matched
}

/// Takes over what `message` lacks and `other` knows of it as a whole.
fn complete_message(message: &mut Message, other: &Message, begins: bool, ends: bool) {
    // In full, so that a new field cannot be forgotten. Parts and ids are merged elsewhere; the role is the same.
    let Message {
        id: _,
        role: _,
        at: other_at,
        model,
        parts: _,
        tokens,
        request_id,
        origin,
        also: _,
        fact_origins: _,
        deleted: _,
        sender,
    } = other;
    // Where the other's message goes on, the first call of this one says when.
    let called_at = message.tool_calls().find_map(|call| call.started_at);
    let at = if begins { *other_at } else { Moment { at: called_at, is: AtIs::Interpolated } };
    let is_surer = certainty(at.is) < certainty(message.at.is)
        || (!begins && message.at.is != AtIs::Exact)
        || (begins && is_run_start(message, other));
    if at.at.is_some() && is_surer {
        message.at = at;
        message.note(Fact::Time, None, origin);
    }
    if message.model.is_none() && model.is_some() {
        message.model.clone_from(model);
        message.note(Fact::Model, None, origin);
    }
    if ends && message.tokens.is_none() && tokens.is_some() {
        message.tokens = *tokens;
        message.note(Fact::Tokens, None, origin);
    }
    if message.request_id.is_none() && request_id.is_some() {
        message.request_id.clone_from(request_id);
        message.note(Fact::Request, None, origin);
    }
    message.sender = Sender::merged(message.sender.take(), sender.clone());
    note_layer(message, other);
}

/// Whether `other` is the prompt of a run of the SDK, whose start is known, while the time of `message` was written into its words,
/// to the minute.
fn is_run_start(message: &Message, other: &Message) -> bool {
    let is_whole_minute = |at: jiff::Timestamp| at.as_millisecond() % 60_000 == 0;
    message.role == Role::User
        && other.origin.layer == Layer::SdkIndex
        && other.at.is == AtIs::Exact
        && message.at.at.is_some_and(is_whole_minute)
}

fn note_layer(message: &mut Message, other: &Message) {
    if message.origin != other.origin && !message.also.contains(&other.origin) {
        message.also.push(other.origin.clone());
    }
}

fn certainty(is: AtIs) -> u8 {
    match is {
        AtIs::Exact => 0,
        AtIs::Interpolated => 1,
        AtIs::Conversation => 2,
        AtIs::Unknown => 3,
    }
}

/// The message that a piece is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum PieceHome {
    Spine(usize),
    Other(usize),
}

/// Makes messages of ordered pieces.
struct Weaver<'a> {
    alignment: &'a Alignment,
    matched: &'a Matched,
    entries: &'a [OrderedEntry],
}

impl Weaver<'_> {
    fn weave(&self, mut spine: Vec<Message>, mut other: Vec<Message>) -> Vec<Message> {
        let brought = attachments::missing(&spine, &other, self.matched);
        let mut mine = Parts::from_messages(&mut spine);
        let mut theirs = Parts::from_messages(&mut other);
        let partners: HashMap<usize, usize> = self.alignment.same.iter().copied().collect();
        let mut whole: Vec<Message> = Vec::with_capacity(spine.len());
        let mut places: HashMap<usize, usize> = HashMap::new();
        for (home, entries) in self.blocks() {
            let mut message = match home {
                PieceHome::Spine(at) => {
                    places.entry(at).or_insert(whole.len());
                    spine[at].clone()
                }
                PieceHome::Other(at) => other[at].clone(),
            };
            for run in self.runs(entries) {
                match self.entries[run.start] {
                    OrderedEntry::Spine(at) => {
                        let pieces = self.pieces(&self.alignment.spine, run);
                        let partner = partners.get(&at).map(|at| &self.alignment.other[*at]);
                        message
                            .parts
                            .extend(mine.take(&pieces, partner.and_then(|piece| theirs.duration(piece))));
                    }
                    OrderedEntry::Other(_) => {
                        let pieces = self.pieces(&self.alignment.other, run);
                        let from = &other[pieces[0].message];
                        let part = theirs.take(&pieces, None);
                        if let (PieceHome::Spine(_), Some(part)) = (home, &part) {
                            let (fact, call) = fact(part);
                            message.note(fact, call, &from.origin);
                            note_layer(&mut message, from);
                        }
                        message.parts.extend(part);
                    }
                }
            }
            whole.push(message);
        }
        for (at, part, from) in brought {
            let message = &mut whole[places[&at]];
            message.note(Fact::Attachment, None, &from);
            // A summary is of what was said before the message.
            let is_summary = |part: &Part| matches!(part, Part::Summary(_));
            let after_summaries = message.parts.iter().position(|part| !is_summary(part)).unwrap_or_default();
            let place = if is_summary(&part) { after_summaries } else { message.parts.len() };
            message.parts.insert(place, part);
        }
        whole
    }

    fn pieces<'a>(&self, all: &'a [MergePiece], run: Range<usize>) -> Vec<&'a MergePiece> {
        let number = |entry: &OrderedEntry| match entry {
            OrderedEntry::Spine(at) | OrderedEntry::Other(at) => *at,
        };
        self.entries[run].iter().map(|entry| &all[number(entry)]).collect()
    }

    /// Stretches of one part that follow each other are one again.
    fn runs(&self, entries: Range<usize>) -> Vec<Range<usize>> {
        let piece = |at: usize| match self.entries[at] {
            OrderedEntry::Spine(at) => (true, &self.alignment.spine[at]),
            OrderedEntry::Other(at) => (false, &self.alignment.other[at]),
        };
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in entries {
            let goes_on = |run: &&mut Range<usize>| {
                let ((side, last), (this_side, this)) = (piece(run.end - 1), piece(at));
                side == this_side
                    && (last.message, last.part) == (this.message, this.part)
                    && last.is_thought() == this.is_thought()
                    && last.span.end == this.span.start
            };
            match runs.last_mut().filter(goes_on) {
                Some(run) => run.end = at + 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// The entries of each message.
    fn blocks(&self) -> Vec<(PieceHome, Range<usize>)> {
        let mut blocks: Vec<(PieceHome, Range<usize>)> = Vec::new();
        let mut opened: HashSet<PieceHome> = HashSet::new();
        let nearest = self.nearest_partners();
        let next_of_spine = self.next_of_spine();
        for (at, entry) in self.entries.iter().enumerate() {
            let current = blocks.last().map(|(home, _)| *home);
            let next = next_of_spine[at].map(PieceHome::Spine);
            let home = match entry {
                OrderedEntry::Spine(piece) => PieceHome::Spine(self.alignment.spine[*piece].message),
                OrderedEntry::Other(piece) => {
                    let own = &self.alignment.other[*piece];
                    let of_partner = nearest.get(piece).map(|at| PieceHome::Spine(*at));
                    let fits = |home: &PieceHome| {
                        Some(*home) == current || (Some(*home) == next && !opened.contains(home))
                    };
                    // What lies inside of a message is a part of it, if the same speaks.
                    let around =
                        current.filter(|home| Some(*home) == next && self.speaker(*home) == Some(own.by));
                    of_partner.filter(fits).or(around).unwrap_or(PieceHome::Other(own.message))
                }
            };
            opened.insert(home);
            match blocks.last_mut().filter(|(last, _)| *last == home) {
                Some((_, range)) => range.end = at + 1,
                None => blocks.push((home, at..at + 1)),
            }
        }
        blocks
    }

    fn speaker(&self, home: PieceHome) -> Option<PieceSpeaker> {
        let PieceHome::Spine(message) = home else { return None };
        let at = self.alignment.spine.partition_point(|piece| piece.message < message);
        self.alignment.spine.get(at).map(|piece| piece.by)
    }

    /// For each of the other's pieces, the message in which the spine has the nearest piece of its message: one before it, else
    /// one after it.
    fn nearest_partners(&self) -> HashMap<usize, usize> {
        let mut nearest = HashMap::new();
        let partners: HashMap<usize, usize> = self
            .alignment
            .same
            .iter()
            .map(|&(mine, theirs)| (theirs, self.alignment.spine[mine].message))
            .collect();
        let all = &self.alignment.other;
        let mut note = |order: &mut dyn Iterator<Item = usize>| {
            let mut last: Option<(usize, usize)> = None;
            for at in order {
                let message = all[at].message;
                if let Some(partner) = partners.get(&at) {
                    last = Some((message, *partner));
                } else if let Some((_, partner)) = last.filter(|(known, _)| *known == message) {
                    nearest.entry(at).or_insert(partner);
                }
            }
        };
        note(&mut (0..all.len()));
        note(&mut (0..all.len()).rev());
        nearest
    }

    /// For each entry, the message of the spine's next piece from there on.
    fn next_of_spine(&self) -> Vec<Option<usize>> {
        let mut next = None;
        let mut all: Vec<Option<usize>> = self
            .entries
            .iter()
            .rev()
            .map(|entry| {
                if let OrderedEntry::Spine(at) = entry {
                    next = Some(self.alignment.spine[*at].message);
                }
                next
            })
            .collect();
        all.reverse();
        all
    }
}

/// The parts of a layer's messages, to be taken one by one.
struct Parts(Vec<Vec<Part>>);

impl Parts {
    fn from_messages(messages: &mut [Message]) -> Self {
        Self(messages.iter_mut().map(|message| std::mem::take(&mut message.parts)).collect())
    }

    /// The part, or the stretch of one, that these pieces are.
    fn take(&mut self, pieces: &[&MergePiece], duration: Option<u64>) -> Option<Part> {
        let (first, last) = (pieces.first()?, pieces.last()?);
        let part = &mut self.0[first.message][first.part?];
        let span = first.span.start..last.span.end;
        Some(match part {
            Part::Text(text) if first.is_thought() => {
                Part::Thinking { text: text[span].trim().to_owned(), duration_ms: duration }
            }
            Part::Text(text) if span.len() < text.len() => Part::Text(text[span].trim().to_owned()),
            Part::Thinking { text, duration_ms } if span.len() < text.len() => {
                Part::Thinking { text: text[span].trim().to_owned(), duration_ms: *duration_ms }
            }
            _ => std::mem::replace(part, Part::Text(String::new())),
        })
    }

    fn duration(&self, piece: &MergePiece) -> Option<u64> {
        match &self.0[piece.message][piece.part?] {
            Part::Thinking { duration_ms, .. } => *duration_ms,
            _ => None,
        }
    }
}

/// What a part is called as a fact, and the id of the call that it is.
fn fact(part: &Part) -> (Fact, Option<&str>) {
    match part {
        Part::Thinking { .. } => (Fact::Thinking, None),
        Part::ToolCall(call) => (Fact::Call, call.id.as_deref()),
        _ => (Fact::Text, None),
    }
}
