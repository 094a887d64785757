//! One known conversation, taken apart into layers that each lack, glue or split some of it: the merge restores its order.

use std::collections::HashSet;
use std::path::Path;

use backscroll_fixtures::MemorySource;
use backscroll_history::History;
use backscroll_model::{Fragment, Layer, Message, Origin, Part, Payload, Role, Summary, Surface, ToolCall};
use proptest::prelude::*;

/// One thing said.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Asked(String),
    Said(String),
    Thought(String),
    Called(String),
}

/// What one layer does with a conversation. The numbers are chances, drawn for each item in turn.
#[derive(Debug, Clone)]
struct Habits {
    keeps_thoughts: bool,
    keeps_calls: bool,
    /// Texts that follow each other in this layer are one.
    glues: Vec<bool>,
    /// A text is split here, if it is long enough.
    splits: Vec<usize>,
    /// A new message begins with this item.
    begins: Vec<bool>,
    /// A whole turn is lacking.
    drops_turns: Vec<bool>,
}

/// Shorter ends of a text may be those of another one, too.
const SHORTEST: usize = 9;

/// Words that occur once: nothing else could tell where a repeated one belongs.
fn words(number: usize, count: usize) -> String {
    (0..count).map(|word| format!("word{number}x{word}")).collect::<Vec<_>>().join(" ")
}

/// The kinds of what an agent does in each turn, and how many words each has.
fn turns() -> impl Strategy<Value = Vec<Vec<(u8, usize)>>> {
    prop::collection::vec(prop::collection::vec((0..3_u8, 3..9_usize), 1..8), 1..5)
}

fn conversation(turns: &[Vec<(u8, usize)>]) -> Vec<Item> {
    let mut items = Vec::new();
    for turn in turns {
        items.push(Item::Asked(words(items.len(), 4)));
        for (kind, count) in turn {
            let text = words(items.len(), *count);
            items.push(match kind {
                0 => Item::Said(text),
                1 => Item::Thought(text),
                _ => Item::Called(text),
            });
        }
    }
    items
}

fn habits() -> impl Strategy<Value = Habits> {
    let chances = || prop::collection::vec(any::<bool>(), 40);
    let rarely = prop::collection::vec(prop::bool::weighted(0.15), 5);
    (any::<bool>(), any::<bool>(), chances(), prop::collection::vec(SHORTEST..70, 40), chances(), rarely)
        .prop_map(|(keeps_thoughts, keeps_calls, glues, splits, begins, drops_turns)| Habits {
            keeps_thoughts,
            keeps_calls,
            glues,
            splits,
            begins,
            drops_turns,
        })
}

impl Habits {
    /// The conversation as this layer has it.
    fn layer(&self, layer: Layer, items: &[Item]) -> Fragment {
        let origin = Origin::new(layer, Path::new(layer.name()), "c");
        let mut fragment = Fragment::new(Summary::new("c".into(), Surface::Transcript, origin.clone()));
        let messages = &mut fragment.messages;
        let mut turn = 0;
        for (at, item) in items.iter().enumerate() {
            turn += usize::from(matches!(item, Item::Asked(_)) && at > 0);
            let is_kept = match item {
                Item::Thought(_) => self.keeps_thoughts,
                Item::Called(_) => self.keeps_calls,
                _ => true,
            };
            if !is_kept || self.drops_turns[turn] {
                continue;
            }
            let role = if matches!(item, Item::Asked(_)) { Role::User } else { Role::Assistant };
            let begins = role == Role::User || messages.last().is_none_or(|last| last.role != role);
            let last = messages.last_mut().and_then(|message: &mut Message| message.parts.last_mut());
            if let (Item::Said(text), Some(Part::Text(before)), true, false) =
                (item, last, self.glues[at], begins)
            {
                before.push_str("\n\n");
                before.push_str(text);
                continue;
            }
            if begins || self.begins[at] {
                // Ids are the numbers of lines, and the same in all layers.
                let number = messages.len().to_string();
                messages.push(Message::new(number.clone(), role, origin.with_key(number)));
            }
            let message = messages.last_mut().unwrap();
            match item {
                Item::Said(text) => {
                    let place = Some(self.splits[at]).filter(|place| place + SHORTEST <= text.len());
                    let (first, rest) = text.split_at(place.unwrap_or(text.len()));
                    message.parts.push(Part::Text(first.to_owned()));
                    message.parts.extend((!rest.is_empty()).then(|| Part::Text(rest.to_owned())));
                }
                other => message.parts.push(other.part()),
            }
        }
        fragment.count_messages();
        fragment
    }
}

impl Item {
    fn part(&self) -> Part {
        match self {
            Self::Asked(text) | Self::Said(text) => Part::Text(text.clone()),
            Self::Thought(text) => Part::Thinking { text: text.clone(), duration_ms: None },
            Self::Called(text) => Part::ToolCall(Box::new(ToolCall {
                name: "shell".to_owned(),
                arguments: Some(Payload::from_text(format!(r#"{{"command":"{text}"}}"#))),
                ..ToolCall::default()
            })),
        }
    }

    fn of(message: &Message, part: &Part) -> Self {
        match part {
            Part::Text(text) if message.role == Role::User => Self::Asked(text.clone()),
            Part::Text(text) => Self::Said(text.clone()),
            Part::Thinking { text, .. } => Self::Thought(text.clone()),
            Part::ToolCall(call) => Self::Called(call.arguments.as_ref().unwrap().text_fields()[0].1.clone()),
            other => panic!("nobody had {other:?}"),
        }
    }
}

/// Texts that follow each other are one, and white space does not count.
fn joined(items: impl IntoIterator<Item = Item>) -> Vec<Item> {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let mut joined: Vec<Item> = Vec::new();
    for item in items {
        match (joined.last_mut(), item) {
            (Some(Item::Said(before)), Item::Said(text)) => before.push_str(&bare(&text)),
            (_, Item::Said(text)) => joined.push(Item::Said(bare(&text))),
            (_, other) => joined.push(other),
        }
    }
    joined
}

/// What can be known of the conversation: what at least one layer has.
fn known(items: &[Item], habits: &[Habits]) -> Vec<Item> {
    let mut turn = 0;
    let mut known = Vec::new();
    for (at, item) in items.iter().enumerate() {
        turn += usize::from(matches!(item, Item::Asked(_)) && at > 0);
        let has = |habits: &&Habits| match item {
            _ if habits.drops_turns[turn] => false,
            Item::Thought(_) => habits.keeps_thoughts,
            Item::Called(_) => habits.keeps_calls,
            _ => true,
        };
        known.extend(habits.iter().find(has).map(|_| item.clone()));
    }
    known
}

/// Whether layers say in which order everything was: one of them has all, or all that one has and another lacks is divided by
/// texts that both have.
fn is_decidable(items: &[Item], habits: &[Habits]) -> bool {
    // A layer with thoughts alone and one with calls alone do not say which of the two came first, unless a text stands between.
    let mut turn = 0;
    let mut before: Option<&Item> = None;
    for (at, item) in items.iter().enumerate() {
        turn += usize::from(matches!(item, Item::Asked(_)) && at > 0);
        let has = |habits: &Habits, item: &Item| match item {
            Item::Thought(_) => habits.keeps_thoughts,
            Item::Called(_) => habits.keeps_calls,
            _ => true,
        };
        let here: Vec<&Habits> = habits.iter().filter(|habits| !habits.drops_turns[turn]).collect();
        if let Some(before) = before {
            let is_related = here.iter().any(|habits| has(habits, before) && has(habits, item));
            let is_known = |item: &Item| here.iter().any(|habits| has(habits, item));
            if is_known(before) && is_known(item) && !is_related {
                return false;
            }
        }
        if here.iter().any(|habits| has(habits, item)) {
            before = Some(item);
        }
    }
    // Turns that different layers lack: nothing says which of two neighbours came first.
    habits.iter().filter(|habits| habits.drops_turns.contains(&true)).count() < 2
}

const LAYERS: [Layer; 3] = [Layer::TranscriptJsonl, Layer::TranscriptJson, Layer::TranscriptText];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_everything_is_restored(turns in turns(), habits in prop::collection::vec(habits(), 2..4)) {
        let items = conversation(&turns);
        // Layers are merged one after the other, so each step must be decidable.
        prop_assume!((2..=habits.len()).all(|count| is_decidable(&items, &habits[..count])));
        let layers: Vec<Fragment> =
            habits.iter().zip(LAYERS).map(|(habits, layer)| habits.layer(layer, &items)).collect();
        let expected = joined(known(&items, &habits));
        prop_assume!(!expected.is_empty());
        let history = History::over(vec![Box::new(MemorySource::new("memory", layers.clone()))], Vec::new());
        let whole = history.load(&"c".into()).unwrap();
        let found = whole.messages.iter().flat_map(|one| one.parts.iter().map(|part| Item::of(one, part)));
        prop_assert_eq!(joined(found), expected, "{:#?}", layers.iter().map(|one| &one.messages).collect::<Vec<_>>());
        let ids: HashSet<_> = whole.messages.iter().map(|message| &message.id).collect();
        prop_assert_eq!(ids.len(), whole.messages.len());
        prop_assert!(whole.coverage.adds_up());
    }
}
