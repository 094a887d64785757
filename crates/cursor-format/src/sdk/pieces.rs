//! The pieces of a run's story: its events, with words and thoughts put together that arrived in pieces.

use std::collections::HashSet;

use backscroll_model::{Message, Part};

use super::event::{Event, SdkMessage};
use super::run::Run;

/// One thing that events tell.
pub(super) struct Piece {
    pub(super) seq: i64,
    pub(super) at: Option<jiff::Timestamp>,
    pub(super) what: What,
}

/// A prompt, words or a thought, or the first mention of a call by its id.
pub(super) enum What {
    Prompt(String),
    Part(Part),
    Call(String),
}

impl Piece {
    /// The spot that it was read at.
    pub(super) fn key(&self, run: &Run) -> String {
        format!("run_events/{}/{}", run.run_id, self.seq)
    }
}

/// What `events` tell, in their order. Words and thoughts arrive in pieces: pieces that follow each other are one, except
/// that what is a `whole` part of the transcript stands alone.
pub(super) fn pieces(events: &[&Event], whole: &HashSet<String>) -> Vec<Piece> {
    let mut told = single(events).into_iter().peekable();
    let mut pieces = Vec::new();
    while let Some(piece) = told.next() {
        let mut run = vec![piece];
        while let Some(next) = told.next_if(|next| run.last().is_some_and(|last| goes_on(last, next))) {
            run.push(next);
        }
        join(run, whole, &mut pieces);
    }
    pieces
}

fn single(events: &[&Event]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut called = HashSet::new();
    for event in events {
        let mut tell = |what| pieces.push(Piece { seq: event.seq, at: event.at, what });
        match &event.says {
            SdkMessage::User(text) => tell(What::Prompt(text.clone())),
            SdkMessage::Thinking { text, duration_ms } => {
                tell(What::Part(Part::Thinking { text: text.clone(), duration_ms: *duration_ms }));
            }
            SdkMessage::Assistant { texts, .. } => {
                for text in texts {
                    tell(What::Part(Part::Text(text.clone())));
                }
            }
            SdkMessage::ToolCall(call) => {
                let first = call.call_id.clone().filter(|id| called.insert(id.clone()));
                if let Some(id) = first {
                    tell(What::Call(id));
                }
            }
            _ => {}
        }
    }
    pieces
}

fn goes_on(last: &Piece, next: &Piece) -> bool {
    matches!(
        (&last.what, &next.what),
        (What::Part(Part::Text(_)), What::Part(Part::Text(_)))
            | (What::Part(Part::Thinking { .. }), What::Part(Part::Thinking { .. }))
    )
}

/// Joins pieces of one kind; those that together are a whole part of the transcript are kept apart from the rest.
fn join(run: Vec<Piece>, whole: &HashSet<String>, into: &mut Vec<Piece>) {
    let mut lengths = Vec::new();
    let mut at = 0;
    while at < run.len() {
        let length = leading(&run[at..], whole);
        lengths.push((length.unwrap_or(1), length.is_some()));
        at += length.unwrap_or(1);
    }
    let mut run = run.into_iter();
    let mut is_open = false;
    for (length, is_whole) in lengths {
        for (number, piece) in run.by_ref().take(length).enumerate() {
            let last = into.last_mut().filter(|_| is_open && !(is_whole && number == 0));
            match last {
                Some(last) => append(&mut last.what, piece.what),
                None => into.push(piece),
            }
            is_open = true;
        }
        is_open = !is_whole;
    }
}

/// How many of `pieces`, from the first on, are together a whole part.
fn leading(pieces: &[Piece], whole: &HashSet<String>) -> Option<usize> {
    let mut words = String::new();
    for (number, piece) in pieces.iter().enumerate() {
        let What::Part(part) = &piece.what else { return None };
        words.push_str(&words_of(part));
        if words.is_empty() || !whole.iter().any(|one| one.starts_with(&words)) {
            return None;
        }
        if whole.contains(&words) {
            return Some(number + 1);
        }
    }
    None
}

fn append(last: &mut What, next: What) {
    match (last, next) {
        (What::Part(Part::Text(before)), What::Part(Part::Text(text))) => before.push_str(&text),
        (
            What::Part(Part::Thinking { text: before, duration_ms: known }),
            What::Part(Part::Thinking { text, duration_ms }),
        ) => {
            before.push_str(&text);
            *known = duration_ms.or(*known);
        }
        _ => {}
    }
}

/// Everything that a message says, without white space, which files treat differently.
pub(super) fn said(message: &Message) -> String {
    message.parts.iter().map(words_of).collect()
}

/// The words of a part that is words or a thought.
pub(super) fn words_of(part: &Part) -> String {
    match part {
        Part::Text(text) | Part::Thinking { text, .. } => bare(text),
        _ => String::new(),
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
