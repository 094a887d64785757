//! Finds what was asked for in the text of a message, and the stretch that shows it best. The index says that it is there;
//! this says where. Pure, and never larger than asked for.

use std::collections::BTreeSet;
use std::ops::Range;

use backscroll_model::{Hit, Message, Part, Snippet, Summary};
use regex::Regex;

use super::expression::columns;
use super::plan::Sought;
use crate::fields;
use crate::fields::Field;
use crate::query::{Ask, Filter, PartName};
use crate::tokens::{Sink, Typed, fold_into, walk};

/// What to look for.
#[derive(Debug, Clone)]
pub struct Matcher {
    what: What,
    /// Where to look; empty means everywhere.
    fields: Vec<Field>,
}

#[derive(Debug, Clone)]
enum What {
    Words(Vec<Term>),
    Pattern(Regex),
}

/// One word or phrase.
#[derive(Debug, Clone)]
struct Term {
    /// Words side by side, one of these; and whether what begins with the last is meant, too.
    forms: Vec<(Vec<String>, bool)>,
    /// A word may stand in several pieces, as `GitHub` does, or as two words.
    is_in_pieces: bool,
}

/// A place where something that was asked for stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MatchRange {
    pub(super) at: Range<usize>,
    /// Which of the things asked for.
    term: usize,
}

impl Matcher {
    /// Looks for any of these forms, in the parts that `ask` names.
    pub(super) fn new(ask: &Ask, sought: &[Sought]) -> Self {
        let terms = sought.iter().map(Term::new).collect();
        Self { what: What::Words(terms), fields: fields_of(ask) }
    }

    /// Looks for what a pattern matches.
    pub fn of_pattern(pattern: Regex, ask: &Ask) -> Self {
        Self { what: What::Pattern(pattern), fields: fields_of(ask) }
    }

    /// Whether there is nothing to look for, because only facts were asked for.
    pub fn is_idle(&self) -> bool {
        matches!(&self.what, What::Words(terms) if terms.is_empty())
    }

    /// Whether text of this field counts.
    fn looks_in(&self, field: Field) -> bool {
        self.fields.is_empty() || self.fields.contains(&field)
    }

    /// Every place in `text`, in order.
    fn places(&self, text: &str) -> Vec<MatchRange> {
        match &self.what {
            What::Pattern(pattern) => {
                let found = pattern.find_iter(text).filter(|found| !found.is_empty());
                found.map(|found| MatchRange { at: found.range(), term: 0 }).collect()
            }
            What::Words(terms) => {
                let mut finder =
                    Finder { terms, begun: Vec::new(), folded: String::new(), places: Vec::new() };
                walk(text, &mut finder);
                finder.places.sort_by_key(|place| place.at.start);
                finder.places
            }
        }
    }
}

/// The fields in which the parts that `ask` names stand; empty means all.
fn fields_of(ask: &Ask) -> Vec<Field> {
    let parts: Vec<PartName> = ask.filters().into_iter().flat_map(parts).copied().collect();
    columns(&parts)
}

fn parts(filter: &Filter) -> &[PartName] {
    match filter {
        Filter::Part(parts) => parts,
        _ => &[],
    }
}

impl Term {
    fn new(sought: &Sought) -> Self {
        let mut forms: Vec<(Vec<String>, bool)> =
            sought.forms.0.iter().map(|form| (form.words.clone(), form.is_prefix)).collect();
        let typed = Typed::parse(&sought.typed);
        let is_in_pieces = typed.pieces().len() > 1;
        let names: Vec<String> = typed.names.iter().map(|name| name.concat()).collect();
        if is_in_pieces && !forms.iter().any(|(words, _)| *words == names) {
            let is_prefix = forms.first().is_some_and(|(_, is_prefix)| *is_prefix);
            forms.push((names, is_prefix));
        }
        Self { forms, is_in_pieces }
    }
}

/// A phrase of which the beginning was seen.
#[derive(Clone, Copy)]
struct Begun {
    term: usize,
    form: usize,
    /// Names seen whole.
    names: usize,
    /// Bytes seen of the next name.
    bytes: usize,
    /// Where the first stands.
    start: usize,
}

struct Finder<'a> {
    terms: &'a [Term],
    begun: Vec<Begun>,
    folded: String,
    places: Vec<MatchRange>,
}

impl Finder<'_> {
    /// Takes the next word of the text, which stands folded in `self.folded`.
    fn take(&mut self, at: Range<usize>) {
        let mut going = std::mem::take(&mut self.begun);
        for (term, one) in self.terms.iter().enumerate() {
            let begin = |form| Begun { term, form, names: 0, bytes: 0, start: at.start };
            going.extend((0..one.forms.len()).map(begin));
        }
        for begun in going {
            let one = &self.terms[begun.term];
            let (names, is_prefix) = &one.forms[begun.form];
            let Some(wanted) = names.get(begun.names).and_then(|name| name.get(begun.bytes..)) else {
                continue;
            };
            let is_last = begun.names + 1 == names.len();
            let fits = self.folded == *wanted || (is_last && *is_prefix && self.folded.starts_with(wanted));
            if fits && is_last {
                self.places.push(MatchRange { at: begun.start..at.end, term: begun.term });
            } else if fits {
                self.begun.push(Begun { names: begun.names + 1, bytes: 0, ..begun });
            } else if one.is_in_pieces && wanted.starts_with(self.folded.as_str()) {
                self.begun.push(Begun { bytes: begun.bytes + self.folded.len(), ..begun });
            }
        }
    }

    fn take_whole(&mut self, whole: &str, at: Range<usize>) {
        for (term, one) in self.terms.iter().enumerate() {
            let fits = |(words, is_prefix): &(Vec<String>, bool)| match &words[..] {
                [wanted] => whole == wanted || (*is_prefix && whole.starts_with(wanted.as_str())),
                _ => false,
            };
            if one.forms.iter().any(fits) {
                self.places.push(MatchRange { at: at.clone(), term });
            }
        }
    }
}

impl Sink for Finder<'_> {
    fn piece(&mut self, text: &str, start: usize) {
        self.folded.clear();
        fold_into(text, &mut self.folded);
        self.take(start..start + text.len());
    }

    fn number(&mut self, text: &str, start: usize) {
        self.folded.clear();
        self.folded.push_str(&text.to_ascii_lowercase().replace('.', "_"));
        self.take(start..start + text.len());
    }

    fn end_of_number(&mut self, text: &str, start: usize) {
        self.take_whole(&text.to_ascii_lowercase(), start..start + text.len());
    }

    fn identifier(&mut self, text: &str, start: usize) {
        let mut whole = String::with_capacity(text.len());
        text.split('_').for_each(|piece| fold_into(piece, &mut whole));
        self.take_whole(&whole, start..start + text.len());
    }

    fn file_name(&mut self, text: &str, start: usize) {
        let mut whole = String::with_capacity(text.len());
        fold_into(text, &mut whole);
        self.take_whole(&whole.replace(['.', '-'], "_"), start..start + text.len());
    }

    fn dense_end(&mut self, last: &str, start: usize, _alone: bool) {
        self.piece(last, start);
    }
}

/// Before the first mark a snippet shows at most this share of its room, unless the text ends before the room does.
const LEAD: usize = 4;

/// The best stretch of `message`, of about `room` characters; `None` if it has no text at all.
pub fn snippet(message: &Message, matcher: &Matcher, room: usize) -> Option<Snippet> {
    let mut best: Option<(usize, i32, Snippet)> = None;
    for part in &message.parts {
        fields::pieces_of_part(part, &mut |field, text| {
            let (found, snippet) = of_text(text, part.name(), matcher, field, room);
            let weight = weight(part, field);
            let is_better =
                best.as_ref().is_none_or(|(most, weighed, _)| (found, weight) > (*most, *weighed));
            if is_better && !snippet.text.is_empty() {
                best = Some((found, weight, snippet));
            }
        });
    }
    best.map(|(_, _, snippet)| snippet)
}

/// The stretch of a conversation's own words that shows best why it was found: of its title, or else of what was typed and
/// never sent, or of what its record notes.
pub fn snippet_of_conversation(
    summary: &Summary,
    hit: &Hit,
    matcher: &Matcher,
    room: usize,
) -> Option<Snippet> {
    let shown = |text: &Option<String>, part, field| {
        text.as_deref().map(|text| of_text(text, part, matcher, field, room).1)
    };
    let title = shown(&summary.title, "title", Field::Title);
    let draft = shown(&hit.draft, DRAFT, Field::Said);
    let noted = shown(&hit.noted, RECORD, Field::Paths);
    let mut all = [title.clone(), draft, noted].into_iter().flatten();
    all.find(|snippet| !snippet.marks.is_empty()).or(title)
}

/// The name of a part that is none: what is in the input box.
pub const DRAFT: &str = "draft";

/// The name of a part that is none: what the record of a conversation says of to-dos, branches, files and the workspace.
pub const RECORD: &str = "record";

/// Words that were said explain more than what a tool printed.
fn weight(part: &Part, field: Field) -> i32 {
    match (part, field) {
        (Part::Text(_), _) => 6,
        (_, Field::Said) => 5,
        (_, Field::Thinking) => 4,
        (_, Field::Code) => 3,
        (_, Field::Arguments) => 2,
        (_, Field::Paths) => 1,
        _ => 0,
    }
}

/// How many different things asked for stand in the best stretch of `text`, and that stretch.
fn of_text(text: &str, part: &'static str, matcher: &Matcher, field: Field, room: usize) -> (usize, Snippet) {
    let places = if matcher.looks_in(field) { matcher.places(text) } else { Vec::new() };
    let (found, first) = best_place(&places, room);
    let start = places.get(first).map_or(0, |place| place.at.start);
    let behind = text[start..].chars().take(room).count();
    let begin = back(text, start, (room / LEAD).max(room - behind));
    (found, cut(text, part, begin, room, &places[first.min(places.len())..]))
}

/// From which place on most different things stand within `room`, and how many.
fn best_place(places: &[MatchRange], room: usize) -> (usize, usize) {
    let mut best = (0, 0);
    // A word that stands everywhere in a long output need not be weighed at each place.
    for (number, place) in places.iter().enumerate().take(500) {
        let near = places[number..].iter().take_while(|other| other.at.end <= place.at.start + room);
        let different: BTreeSet<usize> = near.take(50).map(|place| place.term).collect();
        if different.len() > best.0 {
            best = (different.len(), number);
        }
    }
    best
}

/// The place about `characters` before `start`, at the beginning of a word and not before its line where that is near.
fn back(text: &str, start: usize, characters: usize) -> usize {
    let mut begin = start;
    let mut word = start;
    for (at, character) in text[..start].char_indices().rev().take(characters) {
        if character == '\n' && start - at > 8 {
            return begin;
        }
        begin = at;
        if character.is_whitespace() {
            word = at + character.len_utf8();
        }
    }
    if begin == 0 { 0 } else { word }
}

/// `room` characters from `begin` on, on one line, with marks.
fn cut(text: &str, part: &'static str, begin: usize, room: usize, places: &[MatchRange]) -> Snippet {
    let mut out = String::new();
    let mut marks: Vec<Range<usize>> = Vec::new();
    if begin > 0 {
        out.push_str("… ");
    }
    let mut places = places.iter().skip_while(|place| place.at.start < begin).peekable();
    let mut open_until: Option<(usize, usize)> = None;
    let mut is_space = false;
    let mut length = 0;
    for (offset, character) in text[begin..].char_indices() {
        let at = begin + offset;
        if let Some((end, from)) = open_until
            && at >= end
        {
            marks.push(from..out.len());
            open_until = None;
        }
        if length >= room && open_until.is_none() {
            out.push_str(" …");
            break;
        }
        if character.is_whitespace() {
            is_space = true;
            continue;
        }
        if is_space && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
            length += 1;
        }
        is_space = false;
        while let Some(place) = places.next_if(|place| place.at.start <= at) {
            let (end, from) = open_until.unwrap_or((0, out.len()));
            open_until = Some((end.max(place.at.end), from)).filter(|(end, _)| *end > at);
        }
        out.push(character);
        length += 1;
        // A match may itself be huge.
        if length >= room * 2 {
            out.push('…');
            break;
        }
    }
    if let Some((_, from)) = open_until {
        marks.push(from..out.len());
    }
    Snippet { part, text: out, marks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backscroll_model::{Layer, Origin, Role};
    use proptest::prelude::*;

    fn marked(query: &str, text: &str) -> String {
        let now = "2026-03-24T15:30:00Z[UTC]".parse().expect("a time");
        let matcher = matcher_of(&crate::query::parse(query, &now).expect("a query"));
        let mut out = text.to_owned();
        let mut places = matcher.places(text);
        places.dedup_by(|b, a| {
            b.at.start < a.at.end && {
                a.at.end = a.at.end.max(b.at.end);
                true
            }
        });
        for place in places.iter().rev() {
            out.insert(place.at.end, '»');
            out.insert(place.at.start, '«');
        }
        out
    }

    #[test]
    fn what_was_asked_for_is_found_again() {
        let table = [
            ("foo", "a foo b", "a «foo» b"),
            ("foobar", "let fooBar = 1", "let «fooBar» = 1"),
            ("fooBar", "foo_bar and foo bar", "«foo_bar» and «foo bar»"),
            ("\"let foo\"", "let let fooBar", "let «let foo»Bar"),
            ("\"github action\"", "a GitHub Action, git hub action", "a «GitHub Action», «git hub action»"),
            ("\"GitHub Action\"", "a github action", "a «github action»"),
            ("today", "to day", "to day"),
            ("deserial*", "Deserializer", "«Deserializer»"),
            ("grün", "GRÜNE grün", "GRÜNE «grün»"),
            ("保存", "自动保存功能", "自动«保存»功能"),
            ("自动保存", "自动保存功能", "«自动保存»功能"),
            ("功", "自动保存功能", "自动保存«功能»"),
            ("1.2", "v1.2.3", "v«1.2.3»"),
            ("0f64", "20.0f64", "20.«0f64»"),
            ("sync_engine.rs", "src/sync_engine.rs", "src/«sync_engine.rs»"),
            ("-x y", "x y", "x «y»"),
        ];
        for (query, text, expected) in table {
            assert_eq!(marked(query, text), expected, "{query}");
        }
    }

    fn message(parts: Vec<Part>) -> Message {
        let origin = Origin::new(Layer::IdeGlobal, std::path::Path::new("x"), "k");
        Message { parts, ..Message::new("m", Role::User, origin) }
    }

    fn matcher(query: &str) -> Matcher {
        let now = "2026-03-24T15:30:00Z[UTC]".parse().expect("a time");
        matcher_of(&crate::query::parse(query, &now).expect("a query"))
    }

    fn matcher_of(ask: &Ask) -> Matcher {
        let sought = |text: &&crate::query::Text| Sought {
            typed: text.typed.clone(),
            forms: crate::search::terms::Lexicon::default().forms(text),
        };
        Matcher::new(ask, &ask.wanted_texts().iter().map(sought).collect::<Vec<_>>())
    }

    fn shown(snippet: &Snippet) -> String {
        let mut out = snippet.text.clone();
        for mark in snippet.marks.iter().rev() {
            out.insert(mark.end, '»');
            out.insert(mark.start, '«');
        }
        format!("{}: {out}", snippet.part)
    }

    #[test]
    fn the_stretch_with_most_of_what_was_asked_is_shown() {
        let text = "error here.\n".to_owned()
            + &"filler words stand between ".repeat(20)
            + "the parser error\n at line 5";
        let thinking = Part::Thinking { text: "parser".to_owned(), duration_ms: None };
        let best =
            snippet(&message(vec![thinking, Part::Text(text)]), &matcher("parser error"), 40).expect("text");
        assert_eq!(shown(&best), "text: … between the «parser» «error» at line 5");
        let title = of_text("Fix fooBar", "title", &matcher("foobar"), Field::Title, 60).1;
        assert_eq!(shown(&title), "title: Fix «fooBar»");
        let nothing =
            snippet(&message(vec![Part::Text("abc def".to_owned())]), &matcher("zzz"), 40).expect("text");
        assert_eq!(shown(&nothing), "text: abc def");
        assert_eq!(snippet(&message(Vec::new()), &matcher("zzz"), 40), None);
    }

    proptest! {
        #[test]
        fn marks_always_lie_in_the_text(text in "(?s)(foo|bar|自动|é| |\n|\\PC){0,80}", room in 1_usize..60) {
            let found = snippet(&message(vec![Part::Text(text)]), &matcher("foo OR \"foo bar\" OR 自动 OR é*"), room);
            if let Some(snippet) = found {
                let mut last = 0;
                for mark in &snippet.marks {
                    prop_assert!(mark.start >= last && mark.start < mark.end && snippet.text.get(mark.clone()).is_some());
                    last = mark.end;
                }
                prop_assert!(snippet.text.chars().count() <= room * 2 + 8);
            }
        }
    }
}
