//! Takes secrets out of texts and conversations, and keeps count.
//!
//! A conversation is gone through twice: first everything is looked at, so that a secret that gives itself away in one
//! place is known in all of them; then it is changed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use backscroll_model::json_strings::{JsonPiece, pieces, strings, unescaped};
use backscroll_model::{Conversation, Message, Payload, Summary, TextKind, TextMut, TextOf, TextRef};

use crate::finder::{Find, Finder, Surety, settled};
use crate::known::Known;
use crate::options::{RedactOptions, RuleError};
use crate::places;

/// The maximum number of rounds. One is nearly always enough.
const ROUNDS: usize = 4;

/// Takes secrets out. One redactor stands for one export: in it, the same secret has the same placeholder.
#[derive(Debug, Clone)]
pub struct Redactor {
    pub(crate) finder: Arc<Finder>,
    pub(crate) known: Known,
}

/// What [`Redactor::scan`] found in a conversation. Good for just that conversation, unchanged.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The number of a text and what is in it.
    pub(crate) finds: BTreeMap<usize, Vec<Find>>,
}

impl Redactor {
    /// A redactor that knows no secret yet.
    pub fn new(options: &RedactOptions) -> Result<Self, RuleError> {
        Ok(Self { finder: Arc::new(Finder::new(options)?), known: Known::new(options.key) })
    }

    /// Another redactor with the same rules and the same placeholders that knows no secret yet.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { finder: Arc::clone(&self.finder), known: self.known.fresh() }
    }

    /// How many of which kind were taken out so far.
    pub fn report(&self) -> Report {
        self.known.report.clone()
    }

    /// Takes the secrets out of a text.
    pub fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let finds = self.finder.find(None, text);
        self.learn(&finds);
        let finds = self.with_known(finds, text);
        if finds.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut changed = self.replaced(text, &finds);
        for _ in 1..ROUNDS {
            let finds = self.finder.find(None, &changed);
            self.learn(&finds);
            let finds = self.with_known(finds, &changed);
            if finds.is_empty() {
                break;
            }
            changed = self.replaced(&changed, &finds);
        }
        Cow::Owned(changed)
    }

    /// Takes the secrets out of a conversation.
    pub fn conversation(&mut self, conversation: &mut Conversation) {
        let scanned = self.scan(conversation);
        self.apply(conversation, scanned);
    }

    /// Looks for secrets in a conversation and changes nothing: the long part of the work, for as many threads as
    /// there are.
    pub fn scan(&self, conversation: &Conversation) -> Scanned {
        let mut scanned = Scanned::default();
        let mut number = 0;
        conversation.visit_texts(|_, kind, text| {
            if !is_text(kind) {
                return;
            }
            let finds = finds_in(text, &|name, text| self.finder.find(name, text));
            if !finds.is_empty() {
                scanned.finds.insert(number, finds);
            }
            number += 1;
        });
        scanned
    }

    /// Remembers what was found, to take it out of other conversations too.
    pub fn know(&mut self, scanned: &Scanned) {
        for find in scanned.finds.values().flatten() {
            self.known.keep(&find.kind, &find.secret);
        }
    }

    /// Takes out what was found, and everything known besides: the short part of the work.
    pub fn apply(&mut self, conversation: &mut Conversation, mut scanned: Scanned) {
        self.know(&scanned);
        self.known.prepare();
        if scanned.finds.is_empty() && self.known.is_empty() {
            return;
        }
        let mut number = 0;
        conversation.visit_texts_mut(|_, kind, text| {
            if is_text(kind) {
                self.clean(text, scanned.finds.remove(&number).unwrap_or_default());
                number += 1;
            }
        });
    }

    /// Takes the secrets out of what an index has of a conversation.
    pub fn summary(&mut self, summary: &mut Summary) {
        self.known.prepare();
        summary.visit_texts_mut(|kind, text| {
            if is_text(kind) {
                let finds = finds_in(text.as_ref(), &|name, text| self.finder.find(name, text));
                self.learn(&finds);
                self.clean(text, finds);
            }
        });
    }

    /// Takes the secrets out of one message, and what is known besides.
    pub fn message(&mut self, message: &mut Message) {
        self.known.prepare();
        message.visit_texts_mut(|kind, text| {
            if is_text(kind) {
                let finds = finds_in(text.as_ref(), &|name, text| self.finder.find(name, text));
                self.learn(&finds);
                self.clean(text, finds);
            }
        });
    }

    /// Takes out of a text what was found in it and what is known, until nothing is left.
    fn clean(&mut self, mut text: TextMut<'_>, mut finds: Vec<Find>) {
        for _ in 0..ROUNDS {
            finds.extend(finds_in(text.as_ref(), &|_, text| self.known.find(text)));
            finds = settled(finds);
            if finds.is_empty() {
                return;
            }
            let changed = self.replaced(&text.as_ref().as_str(), &finds);
            text.set(changed);
            finds = finds_in(text.as_ref(), &|name, text| self.finder.find(name, text));
            self.learn(&finds);
        }
    }

    pub(crate) fn learn(&mut self, finds: &[Find]) {
        for find in finds {
            self.known.keep(&find.kind, &find.secret);
        }
        self.known.prepare();
    }

    fn with_known(&self, mut finds: Vec<Find>, text: &str) -> Vec<Find> {
        finds.extend(self.known.find(text));
        settled(finds)
    }

    /// The text with placeholders.
    fn replaced(&mut self, text: &str, finds: &[Find]) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut at = 0;
        for Find { range, kind, secret, .. } in finds {
            let Some(before) = text.get(at..range.start).filter(|_| text.is_char_boundary(range.end)) else {
                continue;
            };
            changed.push_str(before);
            changed.push_str(self.known.take_out(kind, secret));
            at = range.end;
        }
        changed.push_str(text.get(at..).unwrap_or_default());
        changed
    }
}

/// A picture is no text.
fn is_text(kind: TextKind) -> bool {
    kind != TextKind::ImageData
}

/// What `find` finds in a text, in places of the text as it stands.
fn finds_in(text: TextRef<'_>, find: &dyn Fn(Option<&str>, &str) -> Vec<Find>) -> Vec<Find> {
    match text {
        TextRef::Payload(Payload::Json(json)) => find_in(json.get(), find),
        text => find(None, &text.as_str()),
    }
}

/// How many secrets of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Different ones.
    pub distinct: u64,
    /// The places where they stood.
    pub occurrences: u64,
}

/// How many secrets of which kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// For each kind, in how many places each placeholder stands.
    kinds: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Report {
    /// Whether nothing was taken out.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Each kind and how many, by name.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, Count)> {
        self.kinds.iter().map(|(kind, placeholders)| {
            let count = Count {
                distinct: u64::try_from(placeholders.len()).unwrap_or(u64::MAX),
                occurrences: placeholders.values().sum(),
            };
            (kind.as_str(), count)
        })
    }

    /// All places where something was taken out.
    pub fn occurrences(&self) -> u64 {
        self.kinds().map(|(_, count)| count.occurrences).sum()
    }

    /// Takes in another report. A secret that both tell of is one.
    pub fn add(&mut self, other: &Self) {
        for (kind, placeholders) in &other.kinds {
            let sum = self.kinds.entry(kind.clone()).or_default();
            for (placeholder, places) in placeholders {
                *sum.entry(placeholder.clone()).or_default() += places;
            }
        }
    }

    /// In a line for people: `2 github-token (5 places), 1 password`.
    pub fn told(&self) -> String {
        let told = self.kinds().map(|(kind, Count { distinct, occurrences })| {
            if occurrences == distinct {
                format!("{distinct} {kind}")
            } else {
                format!("{distinct} {kind} ({occurrences} places)")
            }
        });
        told.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn count(&mut self, kind: &str, placeholder: &str) {
        *self.kinds.entry(kind.to_owned()).or_default().entry(placeholder.to_owned()).or_default() += 1;
    }
}

/// Where in a conversation a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLocation {
    /// The number of the message, counted from one; `None` for what stands beside the messages.
    pub message: Option<usize>,
    /// Whether it is one of the messages that the conversation does not list.
    pub is_orphan: bool,
    /// Which of its texts.
    pub field: &'static str,
}

impl TextLocation {
    pub(crate) fn new(of: Option<TextOf>, kind: TextKind) -> Self {
        Self {
            message: of.map(|of| of.message + 1),
            is_orphan: of.is_some_and(|of| of.is_orphan),
            field: match kind {
                TextKind::Title => "title",
                TextKind::Workspace => "workspace",
                TextKind::Mode => "mode",
                TextKind::Model => "model",
                TextKind::Sender => "sender",
                TextKind::Branch => "branch",
                TextKind::PullRequest => "pull request",
                TextKind::FileName => "file name",
                TextKind::Draft => "draft",
                TextKind::Plan => "plan",
                TextKind::Checkpoint => "checkpoint",
                TextKind::Finding => "finding",
                TextKind::Origin => "origin",
                TextKind::Text => "text",
                TextKind::Thinking => "thinking",
                TextKind::Summary => "summary",
                TextKind::Error => "error",
                TextKind::Todo | TextKind::TodoStatus => "to do",
                TextKind::ToolName | TextKind::RawToolName => "tool name",
                TextKind::Arguments => "tool arguments",
                TextKind::Result => "tool result",
                TextKind::ToolError => "tool error",
                TextKind::Decision => "decision",
                TextKind::Diff => "diff",
                TextKind::ImagePath
                | TextKind::MediaType
                | TextKind::ImageData
                | TextKind::ImageDescription => "image",
                TextKind::AttachmentPath | TextKind::AttachmentTitle | TextKind::AttachmentText => {
                    "attachment"
                }
                TextKind::CodePath | TextKind::Language | TextKind::Code | TextKind::CodeStatus => "code",
            },
        }
    }
}

impl fmt::Display for TextLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message, self.is_orphan) {
            (None, _) => f.write_str(self.field),
            (Some(number), false) => write!(f, "message {number}, {}", self.field),
            (Some(number), true) => write!(f, "unlisted message {number}, {}", self.field),
        }
    }
}

/// How many first characters of a secret are shown, and how long it must be for that.
const SHOWN: usize = 4;
const LONG_ENOUGH: usize = 16;

/// A place where a secret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Where in the conversation; `None` for a text that stands alone.
    pub place: Option<TextLocation>,
    /// The line of that text, counted from one.
    pub line: usize,
    /// What sort of secret.
    pub kind: String,
    /// What would stand in its place.
    pub placeholder: String,
    /// At most its first characters.
    pub masked: String,
}

impl Redactor {
    /// Where secrets stand in a conversation.
    pub fn inspect(&mut self, conversation: &Conversation) -> Vec<Sighting> {
        let mut scanned = self.scan(conversation);
        scanned.finds.values().for_each(|finds| self.learn(finds));
        let mut sightings = Vec::new();
        let mut number = 0;
        conversation.visit_texts(|of, kind, text| {
            if !is_text(kind) {
                return;
            }
            let mut finds = scanned.finds.remove(&number).unwrap_or_default();
            number += 1;
            finds.extend(finds_in(text, &|_, text| self.known.find(text)));
            sightings.extend(self.sightings(
                Some(TextLocation::new(of, kind)),
                &text.as_str(),
                settled(finds),
            ));
        });
        sightings
    }

    /// Where secrets stand in a text.
    pub fn inspect_text(&mut self, text: &str) -> Vec<Sighting> {
        let mut finds = self.finder.find(None, text);
        self.learn(&finds);
        finds.extend(self.known.find(text));
        self.sightings(None, text, settled(finds))
    }

    fn sightings(&mut self, place: Option<TextLocation>, text: &str, finds: Vec<Find>) -> Vec<Sighting> {
        let mut sightings = Vec::with_capacity(finds.len());
        let (mut line, mut counted) = (1, 0);
        for find in finds {
            let between = text.get(counted..find.range.start).unwrap_or_default();
            line += between.matches('\n').count() + between.matches("\\n").count();
            counted = find.range.start;
            let placeholder = self.known.take_out(&find.kind, &find.secret).to_owned();
            let kind = find.kind.into_owned();
            let masked = masked(&find.secret);
            sightings.push(Sighting { place, line, kind, placeholder, masked });
        }
        sightings
    }
}

/// The first characters of a long secret, and how long it is.
fn masked(secret: &str) -> String {
    let length = secret.chars().count();
    let first: String = secret.chars().take_while(|c| !c.is_control()).take(SHOWN).collect();
    if length >= LONG_ENOUGH {
        format!("{first}… ({length} characters)")
    } else {
        format!("({length} characters)")
    }
}

/// Looks into every string of `json`. `find` gets the name of the field, where there is one, and the text without escapes;
/// what it finds is reported in ranges of `json` itself.
fn find_in(json: &str, find: &dyn Fn(Option<&str>, &str) -> Vec<Find>) -> Vec<Find> {
    let mut finds = Vec::new();
    let mut name: Option<Cow<'_, str>> = None;
    // In `{"name": "API_KEY", "value": "…"}` it is the neighbour that names the value.
    let mut neighbour: Option<Cow<'_, str>> = None;
    let is_web_key = json.contains("\"kty\"");
    let mut at = 0;
    for string in strings(json) {
        // Between two strings stands what tells whether the last one still names this one.
        let between = &json[at..string.start - 1];
        let has = |signs: &[u8]| between.bytes().any(|byte| signs.contains(&byte));
        if has(b"{}") {
            // In `"password": {"value": "…"}` it is the object that names the value.
            neighbour = name.take().filter(|_| !has(b"}"));
        }
        if has(b",[]") {
            name = None;
        }
        let Range { start, end } = string;
        let literal = &json[start..end];
        let text = unescaped(literal);
        let is_name = json[end..].get(1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let named = name.as_deref().filter(|_| !is_name);
        let is = |words: &[&str]| {
            named.is_some_and(|name| words.iter().any(|word| name.eq_ignore_ascii_case(word)))
        };
        let is_of_key = is_web_key && named.is_some_and(|name| places::is_web_key(name, &text));
        let mut found = find(if is(&["value"]) { neighbour.as_deref().or(named) } else { named }, &text);
        if is_of_key {
            found.push(Find::new(0..text.len(), "jwk", text.as_ref(), Surety::Placed));
        }
        if is(&["name", "key"]) {
            neighbour = Some(text.clone());
        }
        if !found.is_empty() {
            let places = places(literal);
            finds.extend(found.into_iter().filter_map(|find| raw(find, literal, &places, start)));
        }
        name = is_name.then_some(text);
        at = (end + 1).min(json.len());
    }
    finds
}

/// The find, in places of the JSON.
fn raw(find: Find, literal: &str, places: &[usize], begin: usize) -> Option<Find> {
    let range: Range<usize> = if literal.contains('\\') {
        *places.get(find.range.start)?..*places.get(find.range.end)?
    } else {
        find.range
    };
    Some(Find { range: range.start + begin..range.end + begin, ..find })
}

/// For every byte of the text, and for its end, where it stands in the literal.
fn places(literal: &str) -> Vec<usize> {
    let mut places = Vec::new();
    if literal.contains('\\') {
        pieces(literal, |at, piece| match piece {
            JsonPiece::Plain(plain) => places.extend(at..at + plain.len()),
            JsonPiece::Escape(c) => places.extend(std::iter::repeat_n(at, c.len_utf8())),
        });
        places.push(literal.len());
    }
    places
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::find_in;

    #[test]
    fn a_value_is_named_by_its_neighbour() {
        let json = r#"[{"name":"API_KEY","value":"a"},{"value":"b"},{"Key":"X","other":"c","Value":"d"}]"#;
        let seen = RefCell::new(Vec::new());
        find_in(json, &|name, text| {
            seen.borrow_mut().extend(name.map(|name| format!("{name}={text}")));
            Vec::new()
        });
        assert_eq!(seen.into_inner(), ["name=API_KEY", "API_KEY=a", "value=b", "Key=X", "other=c", "X=d"]);
    }
}
