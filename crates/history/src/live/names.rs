//! Which message is which between two readings of a conversation, and by which id each is told.
//!
//! One layer comes to tell what another told first: events before blobs, lines before both. Each calls a message by another id, and
//! one may cut it otherwise. A message keeps the id that it was first told by. It is known by its id; where that is new, by its calls;
//! else by what its words begin with, and by its turn.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use backscroll_model::{Layer, Message, MessageId, Part, Role};

/// Of words, this many characters are remembered, blanks not counted.
const BEGINNING: usize = 60;

/// The ids by which messages were first told.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By the ids they have now, where these are others.
    first: HashMap<MessageId, MessageId>,
    /// By the ids they were first told by.
    known: HashMap<MessageId, Marks>,
}

/// What a message is known by.
#[derive(Debug, Clone)]
struct Marks {
    role: Role,
    layer: Layer,
    /// How many prompts there are up to it.
    turn: usize,
    /// Its place in the conversation.
    place: usize,
    calls: Vec<u64>,
    /// The beginnings of its words and thoughts.
    words: Vec<String>,
}

impl Marks {
    fn new(message: &Message, turn: usize, place: usize) -> Self {
        let mut marks = Self {
            role: message.role,
            layer: message.origin.layer,
            turn,
            place,
            calls: Vec::new(),
            words: Vec::new(),
        };
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Thinking { text, .. } => {
                    let words: String = text.chars().filter(|c| !c.is_whitespace()).take(BEGINNING).collect();
                    marks.words.extend(Some(words).filter(|words| !words.is_empty()));
                }
                Part::ToolCall(call) => marks.calls.extend(call.id.as_ref().map(|id| {
                    let mut hasher = DefaultHasher::new();
                    id.hash(&mut hasher);
                    hasher.finish()
                })),
                _ => {}
            }
        }
        marks
    }

    fn of_all(messages: &[Message]) -> Vec<Self> {
        let mut turn = 0;
        let marks = messages.iter().enumerate().map(|(place, message)| {
            turn += usize::from(message.role == Role::User);
            Self::new(message, turn, place)
        });
        marks.collect()
    }

    fn says_nothing(&self) -> bool {
        self.calls.is_empty() && self.words.is_empty()
    }

    /// Whether this may be the message that was `known`, by another id.
    fn is_like(&self, known: &Self) -> bool {
        let may_be_renamed = self.layer != known.layer || !gives_ids(self.layer);
        self.role == known.role
            && may_be_renamed
            && (self.calls.iter().any(|call| known.calls.contains(call))
                || (self.turn == known.turn
                    && (known.says_nothing()
                        || self.words.iter().any(|words| known.words.iter().any(|one| goes_on(one, words))))))
    }

    /// Whether it begins as what was `known` does.
    fn begins_like(&self, known: &Self) -> bool {
        match (known.words.first(), known.calls.first()) {
            (Some(first), _) => self.words.first().is_some_and(|words| goes_on(first, words)),
            (None, Some(first)) => self.calls.first() == Some(first),
            (None, None) => true,
        }
    }
}

/// Whether a layer gives a message an id of its own, which it keeps.
fn gives_ids(layer: Layer) -> bool {
    matches!(layer, Layer::IdeGlobal | Layer::IdeWorkspace)
}

/// Whether one of two beginnings goes on where the other ends.
fn goes_on(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

impl Names {
    /// The id by which a message was first told that is now called `id`.
    pub(super) fn first<'a>(&'a self, id: &'a MessageId) -> &'a MessageId {
        self.first.get(id).unwrap_or(id)
    }

    /// The ids by which these messages, which are all that a conversation lists, are told. `apart` are other messages that are still
    /// stored. One that has the id of an earlier one is not told.
    pub(super) fn of_all(&mut self, messages: &[Message], apart: &[Message]) -> Vec<Option<MessageId>> {
        let marks = Marks::of_all(messages);
        let (mut taken, mut left) = self.by_id(messages, &marks);
        if !left.is_empty() {
            let apart: HashSet<MessageId> = apart.iter().map(|one| self.first(&one.id).clone()).collect();
            self.by_marks(&marks, &mut taken, &mut left, &apart);
        }
        let mut told: Vec<Option<MessageId>> = vec![None; messages.len()];
        for (id, at) in taken {
            told[at] = Some(id);
        }
        for at in left {
            let mut id = messages[at].id.clone();
            while self.known.contains_key(&id) {
                id = MessageId::new(format!("{id}'"));
            }
            self.known.insert(id.clone(), marks[at].clone());
            told[at] = Some(id);
        }
        for ((message, marks), told) in messages.iter().zip(marks).zip(&told) {
            let Some(told) = told else { continue };
            if *told == message.id {
                self.first.remove(told);
            } else {
                self.first.insert(message.id.clone(), told.clone());
            }
            self.known.insert(told.clone(), marks);
        }
        told
    }

    /// Notes what these messages are, of a conversation of which nothing else was read.
    pub(super) fn note_some(&mut self, messages: &[Message]) {
        for message in messages {
            let id = self.first(&message.id).clone();
            let (turn, place) = self.known.get(&id).map_or((0, 0), |known| (known.turn, known.place));
            self.known.insert(id, Marks::new(message, turn, place));
        }
    }

    /// The places of messages by the ids they were told by, and the places of those whose ids are new.
    fn by_id(&self, messages: &[Message], marks: &[Marks]) -> (HashMap<MessageId, usize>, VecDeque<usize>) {
        let (mut taken, mut left, mut seen) = (HashMap::new(), VecDeque::new(), HashSet::new());
        for (at, message) in messages.iter().enumerate() {
            if !seen.insert(&message.id) {
                continue;
            }
            let id = self.first(&message.id);
            let Some(known) = self.known.get(id) else {
                left.push_back(at);
                continue;
            };
            match taken.entry(id.clone()) {
                Entry::Vacant(free) => _ = free.insert(at),
                Entry::Occupied(mut other)
                    if marks[at].begins_like(known) && !marks[*other.get()].begins_like(known) =>
                {
                    left.push_back(other.insert(at));
                }
                Entry::Occupied(_) => left.push_back(at),
            }
        }
        (taken, left)
    }

    /// Finds those that are `left` among those that nobody took, or that were taken by what is only the rest of them.
    fn by_marks(
        &self,
        marks: &[Marks],
        taken: &mut HashMap<MessageId, usize>,
        left: &mut VecDeque<usize>,
        apart: &HashSet<MessageId>,
    ) {
        let mut by_call: HashMap<u64, Vec<&MessageId>> = HashMap::new();
        let mut by_turn: HashMap<usize, Vec<&MessageId>> = HashMap::new();
        for (id, known) in self.known.iter().filter(|(id, _)| !apart.contains(id)) {
            for call in &known.calls {
                by_call.entry(*call).or_default().push(id);
            }
            by_turn.entry(known.turn).or_default().push(id);
        }
        for ids in by_turn.values_mut() {
            ids.sort_by_key(|id| self.known[*id].place);
        }
        let mut new = VecDeque::new();
        while let Some(at) = left.pop_front() {
            let this = &marks[at];
            let of_calls = this.calls.iter().filter_map(|call| by_call.get(call)).flatten();
            let candidates = of_calls.chain(by_turn.get(&this.turn).into_iter().flatten());
            let may_take = |id: &MessageId| {
                let known = &self.known[id];
                let is_rest = |other: &usize| this.begins_like(known) && !marks[*other].begins_like(known);
                this.is_like(known) && taken.get(id).is_none_or(is_rest)
            };
            match candidates.copied().find(|id| may_take(id)) {
                Some(id) => left.extend(taken.insert(id.clone(), at)),
                None => new.push_back(at),
            }
        }
        *left = new;
    }
}
