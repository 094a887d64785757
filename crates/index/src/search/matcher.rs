//! Finds what was asked for in the text of a message. The index told that it is there; this tells where. Pure.

use std::ops::Range;

use regex::Regex;

use super::expression::{columns, other_number};
use crate::fields::Field;
use crate::query::{Ask, Filter, PartName, Text};
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
    /// Names side by side, each without its seams; one of these.
    forms: Vec<Vec<String>>,
    whole: Option<String>,
    is_prefix: bool,
    /// A name may stand in several pieces, as `GitHub` does, or as two words.
    is_in_pieces: bool,
}

/// A place where something that was asked for stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: Range<usize>,
    /// Which of the things asked for.
    pub(super) term: usize,
}

impl Matcher {
    /// Looks for the wanted words of `ask`.
    pub fn of(ask: &Ask) -> Self {
        let parts: Vec<PartName> = ask.filters().into_iter().flat_map(parts).copied().collect();
        let terms = ask.wanted_texts().into_iter().map(Term::of).collect();
        Self { what: What::Words(terms), fields: columns(&parts) }
    }

    /// Looks for what a pattern matches.
    pub fn of_pattern(pattern: Regex) -> Self {
        Self { what: What::Pattern(pattern), fields: Vec::new() }
    }

    /// Whether there is nothing to look for, because only facts were asked for.
    pub fn is_idle(&self) -> bool {
        matches!(&self.what, What::Words(terms) if terms.is_empty())
    }

    /// Whether text of this field counts.
    pub(super) fn looks_in(&self, field: Field) -> bool {
        self.fields.is_empty() || self.fields.contains(&field)
    }

    /// Every place in `text`, in order.
    pub(super) fn places(&self, text: &str) -> Vec<Place> {
        match &self.what {
            What::Pattern(pattern) => {
                let found = pattern.find_iter(text).filter(|found| !found.is_empty());
                found.map(|found| Place { at: found.range(), term: 0 }).collect()
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

fn parts(filter: &Filter) -> &[PartName] {
    match filter {
        Filter::Part(parts) => parts,
        _ => &[],
    }
}

impl Term {
    fn of(text: &Text) -> Self {
        let typed = Typed::of(&text.typed);
        let pieces = typed.pieces();
        let mut forms: Vec<Vec<String>> = vec![typed.names.iter().map(|name| name.concat()).collect()];
        if let ([word], false, false) = (&pieces[..], text.is_prefix, text.is_quoted) {
            forms.extend(other_number(word).map(|other| vec![other]));
        }
        let is_prefix = text.is_prefix || typed.is_single || typed.is_number;
        Self { forms, is_prefix, is_in_pieces: pieces.len() > 1, whole: typed.whole }
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
    places: Vec<Place>,
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
            let names = &one.forms[begun.form];
            let Some(wanted) = names.get(begun.names).and_then(|name| name.get(begun.bytes..)) else {
                continue;
            };
            let is_last = begun.names + 1 == names.len();
            let fits =
                self.folded == *wanted || (is_last && one.is_prefix && self.folded.starts_with(wanted));
            if fits && is_last {
                self.places.push(Place { at: begun.start..at.end, term: begun.term });
            } else if fits {
                self.begun.push(Begun { names: begun.names + 1, bytes: 0, ..begun });
            } else if one.is_in_pieces && wanted.starts_with(self.folded.as_str()) {
                self.begun.push(Begun { bytes: begun.bytes + self.folded.len(), ..begun });
            }
        }
    }

    fn take_whole(&mut self, whole: &str, at: Range<usize>) {
        for (term, one) in self.terms.iter().enumerate() {
            let fits =
                |wanted: &String| whole == wanted || (one.is_prefix && whole.starts_with(wanted.as_str()));
            let is_a_form = one.forms.iter().any(|form| form.len() == 1 && fits(&form[0]));
            if is_a_form || one.whole.as_ref().is_some_and(fits) {
                self.places.push(Place { at: at.clone(), term });
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

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(query: &str, text: &str) -> String {
        let now = "2026-03-24T15:30:00Z[UTC]".parse().expect("a time");
        let matcher = Matcher::of(&crate::query::parse(query, &now).expect("a query"));
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
            ("error", "two errors", "two «errors»"),
            ("1.2", "v1.2.3", "v«1.2.3»"),
            ("sync_engine.rs", "src/sync_engine.rs", "src/«sync_engine.rs»"),
            ("-x y", "x y", "x «y»"),
        ];
        for (query, text, expected) in table {
            assert_eq!(marked(query, text), expected, "{query}");
        }
    }
}
