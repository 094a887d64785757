//! Words and thoughts of a run that its transcript lacks. Files of JSON lines leave thinking out, and may end early; the
//! events of the run still have it. What the turn has already, however it is cut into pieces, is not told again.

use std::collections::HashSet;

use backscroll_model::{Fact, Message, Moment, Origin, Part, Role};

use super::event::Event;
use super::pieces::{Piece, What, pieces, said, words_of};
use super::run::Run;
use crate::user_text;

/// Adds to `turn` what only the events of its run tell, each piece behind the one that it followed. `elsewhere` are
/// turns that the run may have gone on in.
pub(super) fn bring(
    turn: &mut Vec<Message>,
    elsewhere: &[Vec<Message>],
    run: &Run,
    events: &[&Event],
    origin: &Origin,
) {
    let all = || turn.iter().chain(elsewhere.iter().flatten());
    let known: String = all().map(said).collect();
    let whole: HashSet<String> = all().flat_map(|message| &message.parts).map(words_of).collect();
    let mut here = Place::default();
    for piece in pieces(events, &whole) {
        match &piece.what {
            What::Call(id) => here = here.at_call(turn, id),
            What::Prompt(text) => {
                let at = origin.with_key(piece.key(run));
                if let Some(prompt) = prompt(text, &known, run, &piece, at) {
                    turn.insert(here.message.unwrap_or_default().min(turn.len()), prompt);
                    here = Place { message: Some(here.message.unwrap_or_default()), part: None };
                }
            }
            What::Part(part) => {
                let words = words_of(part);
                if words.is_empty() {
                    continue;
                }
                if known.contains(&words) {
                    here = here.at_words(turn, &words);
                } else {
                    here = here.put(turn, part.clone(), run, &piece, origin);
                }
            }
        }
    }
    add_last_words(turn, &known, run, origin);
}

/// The last words of a run, where neither the transcript nor an event has them.
fn add_last_words(turn: &mut Vec<Message>, known: &str, run: &Run, origin: &Origin) {
    let Some(result) = &run.result else { return };
    let words = words_of(&Part::Text(result.clone()));
    let brought: String = turn.iter().map(said).collect();
    if words.is_empty() || known.contains(&words) || brought.contains(&words) {
        return;
    }
    let place = origin.with_key(format!("runs/{}", run.run_id));
    if turn.last().is_none_or(|last| last.role != Role::Assistant) {
        turn.push(Message::new(format!("{}:result", run.run_id), Role::Assistant, place.clone()));
    }
    if let Some(last) = turn.last_mut() {
        last.note(Fact::Text, None, &place);
        if last.origin != place {
            last.also.push(place);
        }
        last.parts.push(Part::Text(result.clone()));
    }
}

/// The prompt as a message, if the transcript has none like it.
fn prompt(text: &str, known: &str, run: &Run, piece: &Piece, at: Origin) -> Option<Message> {
    let user = user_text::unwrap(text);
    let role = if user.is_context { Role::System } else { Role::User };
    let said_at = user.at.or(piece.at);
    let mut message = Message::new(format!("{}:{}", run.run_id, piece.seq), role, at);
    message.at = Moment::exact_or_unknown(said_at);
    message.parts = user.into_parts();
    let words = said(&message);
    (!words.is_empty() && !known.contains(&words)).then_some(message)
}

/// The spot in a turn that the events have come to: a part of a message, or before its first part.
#[derive(Default, Clone, Copy)]
struct Place {
    message: Option<usize>,
    part: Option<usize>,
}

impl Place {
    fn at_call(self, turn: &[Message], id: &str) -> Self {
        let is_it = |part: &Part| matches!(part, Part::ToolCall(call) if call.id.as_deref() == Some(id));
        self.further(turn, is_it)
    }

    fn at_words(self, turn: &[Message], words: &str) -> Self {
        self.further(turn, |part| {
            let here = words_of(part);
            !here.is_empty() && (here.contains(words) || words.ends_with(&here))
        })
    }

    /// The first part from here on that is meant; else here.
    fn further(self, turn: &[Message], is_meant: impl Fn(&Part) -> bool) -> Self {
        let from = self.message.unwrap_or_default();
        for (at, message) in turn.iter().enumerate().skip(from) {
            let first = if Some(at) == self.message { self.part.map_or(0, |part| part + 1) } else { 0 };
            let found = message.parts.iter().enumerate().skip(first).find(|(_, part)| is_meant(part));
            if let Some((part, _)) = found {
                return Self { message: Some(at), part: Some(part) };
            }
        }
        self
    }

    /// Puts `part` behind this spot, into what the agent says there.
    fn put(self, turn: &mut Vec<Message>, part: Part, run: &Run, piece: &Piece, origin: &Origin) -> Self {
        let is_agent = |at: &usize| turn.get(*at).is_some_and(|message| message.role == Role::Assistant);
        let here = self.message.unwrap_or_default();
        let place = origin.with_key(piece.key(run));
        let (message, at) = match (Some(here).filter(is_agent), Some(here + 1).filter(is_agent)) {
            (Some(here), _) => (here, self.part.map_or(0, |part| part + 1)),
            (None, Some(next)) => (next, 0),
            (None, None) => {
                let id = format!("{}:{}", run.run_id, piece.seq);
                let mut message = Message::new(id, Role::Assistant, place.clone());
                message.at = Moment::exact_or_unknown(piece.at);
                let at = (here + 1).min(turn.len());
                turn.insert(at, message);
                (at, 0)
            }
        };
        let told = &mut turn[message];
        if told.origin != place && !told.also.contains(&place) {
            told.also.push(place.clone());
        }
        told.note(if matches!(part, Part::Text(_)) { Fact::Text } else { Fact::Thinking }, None, &place);
        let at = at.min(told.parts.len());
        told.parts.insert(at, part);
        Self { message: Some(message), part: Some(at) }
    }
}
