//! Hooks: the payloads that Cursor passes to a local program while a conversation goes on, the line that our ledger keeps of each,
//! and the facts about conversations in such lines.
//!
//! A line is `{"v":1,"at":…,"payload":{…},"sizes":{…}}`. Its payload has the fields under the names that Cursor gives them: ids, numbers and
//! short names. Of words there is only how long they are, unless their owner asked for more. Lines may be repeated, cut off or
//! damaged; a decoder takes what it can and reports the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use backscroll_model::{
    ConversationId, Decoded, Fact, Finding, FindingKind, Fragment, Layer, Origin, RequestFact, Summary,
    Surface, Tokens, push_new,
};
use jiff::Timestamp;
use serde_json::value::RawValue;

use crate::placeholders::known_model;
use crate::wire_json::{Entries, Object, elements, quoted, text, time};

/// The events that are asked for unless others are: who asked when, what it took, who started whom.
pub const DEFAULT_EVENTS: [&str; 5] =
    ["stop", "afterAgentResponse", "beforeSubmitPrompt", "subagentStart", "subagentStop"];

/// The longest payload that is read.
pub const LONGEST_PAYLOAD: usize = 16 << 20;

/// The longest line that is written, without its end.
pub const LONGEST_LINE: usize = 1 << 20;

/// The longest name that is kept where no words are.
const LONGEST_NAME: usize = 200;

/// The version of a line.
const VERSION: i64 = 1;

/// Whose it is: never kept.
const NEVER: &str = "user_email";

/// Fields that hold a name out of a few, besides ids.
const NAMES: [&str; 12] = [
    "composer_mode",
    "cursor_version",
    "failure_type",
    "final_status",
    "hook_event_name",
    "model",
    "reason",
    "status",
    "subagent_model",
    "subagent_type",
    "tool_name",
    "trigger",
];

/// The line that the ledger keeps of a payload that came at `at`, with its end. There is always one: a payload that cannot be kept
/// is counted.
pub fn ledger_line(payload: &[u8], at: Timestamp, with_content: bool) -> String {
    let at = Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
    let lost = |why: &str| format!("{{\"v\":{VERSION},\"at\":\"{at}\",\"lost\":{}}}\n", quoted(why));
    if payload.len() > LONGEST_PAYLOAD {
        return lost("the payload is too large");
    }
    let payload = without_marks(payload);
    let is_object = payload.trim_ascii_start().starts_with(b"{");
    let fields: Option<Entries<&RawValue>> =
        is_object.then(|| serde_json::from_slice(payload).ok()).flatten();
    let Some(Entries(fields)) = fields else { return lost("the payload is no JSON object") };
    let line = |with_content: bool| {
        let (kept, sizes) = divided(&fields, with_content);
        format!("{{\"v\":{VERSION},\"at\":\"{at}\",\"payload\":{{{kept}}},\"sizes\":{{{sizes}}}}}\n")
    };
    let fits = |line: &String| line.len() <= LONGEST_LINE;
    let whole = Some(line(with_content)).filter(fits);
    whole
        .or_else(|| Some(line(false)).filter(fits))
        .unwrap_or_else(|| lost("the payload has too many fields"))
}

/// A payload without the byte order marks that come before it on Windows.
fn without_marks(mut payload: &[u8]) -> &[u8] {
    while let Some(rest) = payload.strip_prefix("\u{feff}".as_bytes()) {
        payload = rest;
    }
    payload
}

/// The fields that are kept, and how long the others are, each as the inside of a JSON object.
fn divided(fields: &[(String, &RawValue)], with_content: bool) -> (String, String) {
    let (mut kept, mut sizes) = (String::new(), String::new());
    let mut add = |to: bool, name: &str, value: &str| {
        let out = if to { &mut kept } else { &mut sizes };
        let comma = if out.is_empty() { "" } else { "," };
        // Writing to a string cannot fail. A line has no line ends inside.
        let _ = write!(out, "{comma}{}:{}", quoted(name), value.replace(['\n', '\r'], " "));
    };
    for (name, value) in fields.iter().filter(|(name, value)| name != NEVER && value.get() != "null") {
        if with_content || is_kept(name, value) {
            add(true, name, value.get());
        } else {
            add(false, name, &size(value).to_string());
        }
    }
    (kept, sizes)
}

/// Whether a field is kept where no words are: numbers, truths, ids and names out of a few.
fn is_kept(name: &str, value: &RawValue) -> bool {
    let is_id = name == "id" || name.ends_with("_id");
    match value.get().as_bytes().first() {
        Some(b'"') => (is_id || NAMES.contains(&name)) && value.get().len() <= LONGEST_NAME,
        Some(b'[' | b'{') => false,
        _ => true,
    }
}

/// Characters of a text, elements of a list, bytes of an object.
fn size(value: &RawValue) -> usize {
    match value.get().as_bytes().first() {
        Some(b'"') => text(value).map_or(0, |text| text.chars().count()),
        Some(b'[') => elements(value).len(),
        _ => value.get().len(),
    }
}

/// An event of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookEvent {
    /// When the hook ran.
    pub at: Option<Timestamp>,
    /// Its name.
    pub name: String,
    /// The conversation.
    pub conversation: String,
    /// The generation: one turn of the conversation.
    pub generation: Option<String>,
    /// How often the turn went on by itself.
    pub loop_count: u64,
    /// The model.
    pub model: Option<String>,
    /// What the turn took.
    pub tokens: Option<Tokens>,
    /// The subagent that it is about.
    pub subagent: Option<String>,
    /// The subagent's own conversation.
    pub child: Option<String>,
    /// The number of its line, from one.
    pub line: usize,
}

impl HookEvent {
    /// Whether it dates or measures a turn.
    fn is_of_turn(&self) -> bool {
        matches!(self.name.as_str(), "beforeSubmitPrompt" | "afterAgentResponse" | "stop")
    }

    fn is_of_subagent(&self) -> bool {
        matches!(self.name.as_str(), "subagentStart" | "subagentStop")
    }
}

/// What a ledger holds: events, each once, in the order of their lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// The events.
    pub events: Vec<HookEvent>,
    /// The events of each conversation, by their places.
    own: BTreeMap<String, Vec<usize>>,
    /// The event that says who started a conversation.
    started: BTreeMap<String, usize>,
}

impl Ledger {
    fn new(events: Vec<HookEvent>) -> Self {
        let (mut own, mut started) = (BTreeMap::<String, Vec<usize>>::new(), BTreeMap::new());
        for (place, event) in events.iter().enumerate() {
            own.entry(event.conversation.clone()).or_default().push(place);
        }
        for places in own.values() {
            let events: Vec<(usize, &HookEvent)> =
                places.iter().map(|place| (*place, &events[*place])).collect();
            for (child, place) in children(&events) {
                started.entry(child).or_insert(place);
            }
        }
        Self { events, own, started }
    }

    /// The conversations that events are about, and those that they say were started.
    pub fn conversations(&self) -> BTreeSet<ConversationId> {
        self.own.keys().chain(self.started.keys()).map(ConversationId::new).collect()
    }

    /// What is said of the conversation `id`: its turns with their tokens and times, who started it, and whom it started. It makes
    /// no conversation by itself. `ledger` is the file.
    pub fn fragment(&self, id: &ConversationId, ledger: &Origin) -> Option<Fragment> {
        let at = |event: &HookEvent| ledger.with_key(format!("line {}", event.line)).as_layer(Layer::Hooks);
        let places = self.own.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let own: Vec<(usize, &HookEvent)> =
            places.iter().map(|place| (*place, &self.events[*place])).collect();
        let started = self.started.get(id.as_str()).map(|place| &self.events[*place]);
        let first = own.first().map(|(_, event)| *event).or(started)?;
        let mut summary = Summary::new(id.clone(), Surface::Transcript, at(first));
        summary.parent = started.map(|event| ConversationId::new(&event.conversation));
        summary.children = children(&own).into_iter().map(|(child, _)| ConversationId::new(child)).collect();
        for model in own.iter().filter_map(|(_, event)| event.model.as_ref()) {
            push_new(&mut summary.models, model.clone());
        }
        let mut fragment = Fragment::new(summary).as_evidence();
        if let Some(started) = started {
            fragment.note(Fact::Parent, &at(started));
        }
        let mut turns: Vec<(String, Vec<&HookEvent>)> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (_, event) in own {
            // An event that names no turn is one of its own.
            let generation = event.generation.clone().unwrap_or_else(|| format!("line {}", event.line));
            let number = *numbers.entry(generation.clone()).or_insert_with(|| {
                turns.push((generation, Vec::new()));
                turns.len() - 1
            });
            turns[number].1.push(event);
        }
        turns.retain(|(_, events)| events.iter().any(|event| event.is_of_turn()));
        let turn = |(generation, events): &(String, Vec<&HookEvent>)| turn(generation, events, &at);
        fragment.facts.requests = turns.iter().map(turn).collect();
        Some(fragment)
    }
}

/// The conversations that subagents are held in, each with the place of the event that names it. Before one has ended only its
/// own id is known.
fn children(events: &[(usize, &HookEvent)]) -> Vec<(String, usize)> {
    let about = || events.iter().filter(|(_, event)| event.is_of_subagent());
    let named = about().filter_map(|(_, one)| Some((one.subagent.as_deref()?, one.child.as_deref()?)));
    let named: BTreeMap<&str, &str> = named.collect();
    let mut seen = BTreeSet::new();
    let mut children = Vec::new();
    for (place, event) in about() {
        let subagent = event.subagent.as_deref();
        let held = event.child.as_deref().or_else(|| named.get(subagent?).copied()).or(subagent);
        if let Some(child) = held.filter(|held| *held != event.conversation && seen.insert(*held)) {
            children.push((child.to_owned(), *place));
        }
    }
    children
}

/// What the file `at` holds, whose bytes are these.
pub fn ledger(bytes: &[u8], at: &Origin) -> Decoded<Ledger> {
    let mut events = Vec::new();
    let mut seen = BTreeSet::new();
    let mut troubles: BTreeMap<(FindingKind, String), (usize, usize)> = BTreeMap::new();
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    for (number, line) in (1..).zip(&mut lines) {
        let is_whole = line.ends_with(b"\n");
        let line = line.trim_ascii();
        let read = match line {
            [] => continue,
            line if line.len() > LONGEST_LINE => {
                Err((FindingKind::Undecodable, "a line is too long".to_owned()))
            }
            line => read_line(line, number),
        };
        match read {
            Ok((event, fired)) => {
                // A hook that is configured in two files, or runs again, gets the same payload again.
                if seen.insert(fired) {
                    events.extend(event);
                }
            }
            // Somebody may be writing it.
            Err(_) if !is_whole => {
                troubles
                    .insert((FindingKind::Incomplete, "the last line is cut off".to_owned()), (number, 1));
            }
            Err(trouble) => troubles.entry(trouble).or_insert((number, 0)).1 += 1,
        }
    }
    let finding = |((kind, says), (line, count)): ((FindingKind, String), (usize, usize))| {
        let says = if count > 1 { format!("{says} ({count} times)") } else { says };
        Finding::new(kind, at.with_key(format!("line {line}")), says)
    };
    Decoded { value: Ledger::new(events), findings: troubles.into_iter().map(finding).collect() }
}

/// The event in a line, if it is about a conversation, and what was fired, without its time.
fn read_line(line: &[u8], number: usize) -> Result<(Option<HookEvent>, String), (FindingKind, String)> {
    let wrong = |says: &str| (FindingKind::Undecodable, says.to_owned());
    let line = std::str::from_utf8(line).map_err(|_| wrong("a line is no text"))?;
    let line = Object::read(line).ok_or_else(|| wrong("a line is no JSON object"))?;
    match line.integer("v") {
        Some(VERSION) => {}
        Some(other) => return Err((FindingKind::Unknown, format!("a line of version {other}"))),
        None => return Err(wrong("a line without a version")),
    }
    if let Some(why) = line.text("lost") {
        return Err((FindingKind::Damaged, format!("an event was not kept: {why}")));
    }
    let raw = line.raw("payload").ok_or_else(|| wrong("a line without a payload"))?;
    let payload = Object::parse(raw).ok_or_else(|| wrong("a payload that is no object"))?;
    let fired = format!("{}{}", raw.get(), line.raw("sizes").map_or("", RawValue::get));
    let id = |name: &str| payload.text(name).filter(|id| !id.is_empty());
    let Some(conversation) = id("conversation_id") else { return Ok((None, fired)) };
    let event = HookEvent {
        at: line.text("at").as_deref().and_then(time),
        name: payload.text("hook_event_name").unwrap_or_default(),
        conversation,
        generation: id("generation_id"),
        loop_count: payload.count("loop_count").unwrap_or_default(),
        model: payload.text("model").as_deref().and_then(known_model).map(str::to_owned),
        tokens: tokens(&payload),
        subagent: id("subagent_id"),
        child: id("child_conversation_id"),
        line: number,
    };
    Ok((Some(event), fired))
}

fn tokens(payload: &Object<'_>) -> Option<Tokens> {
    let [input, output, cache_read, cache_write] =
        ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
            .map(|name| payload.count(name));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Tokens {
        cache_read,
        cache_write,
        ..Tokens::new(input.unwrap_or_default(), output.unwrap_or_default())
    })
}

/// A turn, from its prompt to its end. Each `stop` reports the tokens since the one before; without any, those of the last answer
/// count.
fn turn(generation: &str, events: &[&HookEvent], at: &dyn Fn(&HookEvent) -> Origin) -> RequestFact {
    let named = |name: &'static str| events.iter().copied().filter(move |event| event.name == name);
    // A second report with the same count is a repetition: the last one counts.
    let stops: BTreeMap<u64, &HookEvent> =
        named("stop").filter(|event| event.tokens.is_some()).map(|event| (event.loop_count, event)).collect();
    let answered = named("afterAgentResponse").rfind(|event| event.tokens.is_some());
    let stopped = stops.values().filter_map(|event| event.tokens).reduce(Tokens::plus);
    let measured = stops.values().next_back().copied().or(answered);
    let ended = named("stop").chain(named("afterAgentResponse")).filter_map(|event| event.at).max();
    RequestFact {
        request_id: generation.to_owned(),
        model: events.iter().find_map(|event| event.model.clone()),
        files: Vec::new(),
        tokens: stopped.or_else(|| answered?.tokens),
        asked_at: named("beforeSubmitPrompt").filter_map(|event| event.at).min(),
        answered_at: ended,
        origin: measured.or(events.first().copied()).map(at),
    }
}
