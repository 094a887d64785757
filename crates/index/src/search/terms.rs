//! What the words of a question may stand for: the forms under which the index may have each of them.
//!
//! | typed | forms, besides itself |
//! |---|---|
//! | `rely` | `relies`, `relied`: what has the same stem |
//! | `protoocol` | `protocol`: the nearest word of the index, where it does not have the typed one |
//! | `whitespace`, `sha256` | `white space`, `sha 256`: words of the index side by side |
//! | `white space`, `pre-release` | `whitespace`, `prerelease` |
//! | `fooBar` | `foo bar`, `foobar` |
//! | `/else/where/src/a.rs:371:9` | `where src a rs`, `src a rs`, …: the longest end that the index has |
//!
//! What is quoted is not inflected and not corrected.

use std::cell::Cell;
use std::collections::HashMap;

use rusqlite::Connection;

use crate::IndexError;
use crate::query::{Node, Text};
use crate::tokens::Typed;
use crate::vocabulary::{self, Vocabulary};

/// Why a form is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kin {
    /// It was typed so, or in another spelling of the same pieces.
    Typed,
    /// Another form of the same word, or the same written as one word or as two.
    Inflected,
    /// What was probably meant.
    Corrected,
}

/// One way in which a word or phrase may stand in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Words of the index that stand side by side.
    pub(super) words: Vec<String>,
    /// What begins with the last of them is meant too.
    pub(super) is_prefix: bool,
    pub(super) kin: Kin,
}

impl Form {
    fn new(words: Vec<String>, kin: Kin) -> Self {
        Self { words, is_prefix: false, kin }
    }

    /// As the full-text engine is asked.
    pub(super) fn expression(&self) -> String {
        format!("\"{}\"{}", self.words.join(" "), if self.is_prefix { " *" } else { "" })
    }

    /// How much it is worth beside what was typed.
    pub(super) fn weight(&self) -> f64 {
        match self.kin {
            Kin::Typed if self.is_prefix => 0.9,
            Kin::Typed => 1.0,
            Kin::Inflected => 0.85,
            Kin::Corrected => 0.8,
        }
    }
}

/// The forms of one typed word or phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Forms(pub(super) Vec<Form>);

impl Forms {
    /// As the full-text engine is asked; a word without any form is asked for as it is, and not found.
    pub(super) fn expression(&self) -> String {
        let forms: Vec<String> = self.0.iter().map(Form::expression).collect();
        if forms.len() == 1 { forms.concat() } else { format!("({})", forms.join(" OR ")) }
    }

    /// What was probably meant, if it is something else than what was typed.
    pub(super) fn corrected(&self) -> Option<String> {
        let first = self.0.iter().find(|form| form.kin == Kin::Corrected)?;
        self.0.iter().all(|form| form.kin == Kin::Corrected).then(|| first.words.join(" "))
    }

    fn push(&mut self, form: Form) {
        let is_known = |known: &Form| known.words == form.words && (known.is_prefix || !form.is_prefix);
        if !self.0.iter().any(is_known) {
            self.0.push(form);
        }
    }

    /// Adds a word that the text and its neighbours make together.
    pub(super) fn push_joined(&mut self, word: String) {
        self.push(Form::new(vec![word], Kin::Inflected));
    }
}

/// The forms of every word and phrase of a question.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    forms: HashMap<Key, Forms>,
    /// Of what stands nowhere as a whole: its words, each with its forms.
    apart: HashMap<Key, Vec<(String, Forms)>>,
}

impl Lexicon {
    /// Looks up the words of every text of `root`.
    pub(super) fn read(connection: &Connection, root: Option<&Node>) -> Result<Self, IndexError> {
        let mut texts = Vec::new();
        if let Some(root) = root {
            root.collect_texts(&mut texts);
        }
        let corrections = Cell::new(MOST_CORRECTED);
        let lookup = Lookup { connection, vocabulary: Vocabulary::new(connection), corrections };
        let mut lexicon = Self::default();
        for text in texts {
            let forms = lookup.forms(text)?;
            if Typed::parse(&text.typed).names.len() > 1 && !lookup.any_stands(&forms)? {
                lexicon.apart.insert(key(text), lookup.apart(text)?);
            }
            lexicon.forms.insert(key(text), forms);
        }
        Ok(lexicon)
    }

    /// The forms of `text`: as it was typed, where nothing was looked up.
    pub(super) fn forms(&self, text: &Text) -> Forms {
        self.forms.get(&key(text)).cloned().unwrap_or_else(|| typed_forms(text, &Typed::parse(&text.typed)))
    }

    /// The words of a text that stands nowhere as a whole, each with its forms.
    pub(super) fn words_apart(&self, text: &Text) -> Option<&Vec<(String, Forms)>> {
        self.apart.get(&key(text))
    }
}

/// What the forms of a text depend on.
type Key = (String, [bool; 3]);

fn key(text: &Text) -> Key {
    (text.typed.clone(), [text.is_quoted, text.is_prefix, text.is_unfinished])
}

/// The spellings that need no look into the index.
fn typed_forms(text: &Text, typed: &Typed) -> Forms {
    let mut forms = Forms::default();
    let is_prefix = text.is_prefix || typed.is_single;
    let add = |forms: &mut Forms, words: Vec<String>| {
        forms.push(Form { is_prefix, ..Form::new(words, Kin::Typed) });
    };
    add(&mut forms, typed.pieces().into_iter().map(str::to_owned).collect());
    if typed.names.iter().any(|name| name.len() > 1) {
        add(&mut forms, typed.names.iter().map(|name| name.concat()).collect());
    }
    if let Some(whole) = &typed.whole {
        add(&mut forms, vec![whole.clone()]);
    }
    if typed.is_number && !text.is_prefix {
        let longer = typed.pieces().into_iter().map(|number| format!("{number}_")).collect();
        forms.push(Form { is_prefix: true, ..Form::new(longer, Kin::Typed) });
    }
    forms
}

/// The maximum number of spellings of a phrase that are tried.
const MOST_PHRASES: usize = 24;
/// A piece of a word that was typed as one is at least so long, so that `into` is not taken for `in to`.
const SHORTEST_PIECE: usize = 3;
/// The maximum number of ways to split a word that are looked up.
const MOST_WAYS: usize = 6;
/// A word in more rows than this is not parted.
const FREQUENT: i64 = 2_000;
/// A word is taken for at most so many.
const MOST_PIECES: usize = 4;

/// This many words of a question are corrected: each is compared with all words of the index.
const MOST_CORRECTED: usize = 8;

struct Lookup<'a> {
    connection: &'a Connection,
    vocabulary: Vocabulary<'a>,
    /// How many more words may be corrected.
    corrections: Cell<usize>,
}

impl Lookup<'_> {
    fn forms(&self, text: &Text) -> Result<Forms, IndexError> {
        let typed = Typed::parse(&text.typed);
        let mut forms = typed_forms(text, &typed);
        let pieces: Vec<String> = typed.pieces().into_iter().map(str::to_owned).collect();
        if let [word] = &pieces[..] {
            self.add_forms_of_word(text, word, &mut forms)?;
        } else {
            self.add_spellings(text, &typed, &mut forms)?;
        }
        if text.is_unfinished {
            let last = forms.0.first().cloned();
            forms.0.extend(last.map(|form| Form { is_prefix: true, kin: Kin::Inflected, ..form }));
        }
        Ok(forms)
    }

    fn add_forms_of_word(&self, text: &Text, word: &str, forms: &mut Forms) -> Result<(), IndexError> {
        if text.is_prefix {
            return Ok(());
        }
        let is_known = self.vocabulary.has(word)?;
        for pieces in self.standing_pieces(word)? {
            forms.push(Form::new(pieces, Kin::Inflected));
        }
        if text.is_quoted {
            return Ok(());
        }
        for other in self.vocabulary.inflections(word)? {
            forms.push(Form::new(vec![other], Kin::Inflected));
        }
        if !is_known && forms.0.len() == 1 && !text.is_unfinished {
            let meant = self.meant_by(word)?;
            if !meant.is_empty() {
                forms.0.clear();
            }
            for other in meant {
                forms.push(Form::new(vec![other.clone()], Kin::Corrected));
                for inflected in self.vocabulary.inflections(&other)? {
                    forms.push(Form::new(vec![inflected], Kin::Corrected));
                }
            }
        }
        Ok(())
    }

    /// What was probably meant by a word that the index does not have.
    fn meant_by(&self, word: &str) -> Result<Vec<String>, IndexError> {
        let Some(left) = self.corrections.get().checked_sub(1) else { return Ok(Vec::new()) };
        self.corrections.set(left);
        self.vocabulary.meant_by(word)
    }

    /// A phrase in every spelling that the index may have.
    fn add_spellings(&self, text: &Text, typed: &Typed, forms: &mut Forms) -> Result<(), IndexError> {
        let names: Vec<String> = typed.names.iter().map(|name| name.concat()).collect();
        let mut phrases: Vec<Vec<String>> = vec![Vec::new()];
        let last = names.len().saturating_sub(1);
        for (number, name) in typed.names.iter().enumerate() {
            let mut ways: Vec<Vec<String>> = vec![name.clone()];
            if name.len() > 1 {
                ways.push(vec![names[number].clone()]);
            } else if !(text.is_prefix && number == last) {
                ways.extend(self.standing_pieces(&names[number])?);
            }
            let room = (MOST_PHRASES / phrases.len()).max(1);
            let begun = phrases.clone();
            let joined =
                |way: Vec<String>| begun.iter().map(move |begun| [begun.clone(), way.clone()].concat());
            phrases = ways.into_iter().take(room).flat_map(joined).collect();
        }
        // Neighbours that are one word elsewhere.
        for first in 0..names.len().saturating_sub(1) {
            for count in 2..=3.min(names.len() - first) {
                let word = names[first..first + count].concat();
                if word.len() > SHORTEST_PIECE && self.vocabulary.has(&word)? {
                    let (before, after) = (&names[..first], &names[first + count..]);
                    phrases.push([before, &[word][..], after].concat());
                }
            }
        }
        for words in phrases.into_iter().take(MOST_PHRASES) {
            forms.push(Form { is_prefix: text.is_prefix || typed.is_single, ..Form::new(words, Kin::Typed) });
        }
        if text.is_quoted || text.is_prefix {
            return Ok(());
        }
        if !self.any_stands(forms)? {
            self.add_ends_of_path(text, forms)?;
            self.add_corrected_phrase(typed, forms)?;
        }
        Ok(())
    }

    /// The longest end of a path that the index has: what stands before it may be another machine's, and what stands behind
    /// it a line.
    fn add_ends_of_path(&self, text: &Text, forms: &mut Forms) -> Result<(), IndexError> {
        let path = without_line(&text.typed);
        if !path.contains(['/', '\\']) && path.len() == text.typed.len() {
            return Ok(());
        }
        let components: Vec<&str> =
            path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")).collect();
        for first in 0..components.len() {
            let typed = Typed::parse(&components[first..].join("/"));
            let words: Vec<String> = typed.pieces().into_iter().map(str::to_owned).collect();
            if words.is_empty() || (words.len() == 1 && first > 0) {
                continue;
            }
            if self.stands(&words)? {
                forms.push(Form::new(words, Kin::Inflected));
                return Ok(());
            }
        }
        Ok(())
    }

    /// The phrase with every word that the index does not have in the nearest spelling that it has.
    fn add_corrected_phrase(&self, typed: &Typed, forms: &mut Forms) -> Result<(), IndexError> {
        let mut corrected = Vec::new();
        let mut is_other = false;
        for piece in typed.pieces() {
            let meant =
                if self.vocabulary.has(piece)? { None } else { self.meant_by(piece)?.into_iter().next() };
            is_other |= meant.is_some();
            corrected.push(meant.unwrap_or_else(|| piece.to_owned()));
        }
        if is_other && self.stands(&corrected)? {
            forms.0.clear();
            forms.push(Form::new(corrected, Kin::Corrected));
        }
        Ok(())
    }

    /// The words of `text`, each for itself.
    fn apart(&self, text: &Text) -> Result<Vec<(String, Forms)>, IndexError> {
        let mut apart = Vec::new();
        for name in Typed::parse(&text.typed).names {
            let word = name.concat();
            let alone = Text { typed: word.clone(), is_quoted: false, is_prefix: false, ..text.clone() };
            apart.push((word, self.forms(&alone)?));
        }
        Ok(apart)
    }

    fn any_stands(&self, forms: &Forms) -> Result<bool, IndexError> {
        let mut find = self.connection.prepare_cached("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1")?;
        Ok(find.exists([forms.expression()])?)
    }

    fn stands(&self, words: &[String]) -> Result<bool, IndexError> {
        self.any_stands(&Forms(vec![Form::new(words.to_vec(), Kin::Typed)]))
    }

    /// The ways in which `word` stands in the index as several words. A frequent word needs no other way.
    fn standing_pieces(&self, word: &str) -> Result<Vec<Vec<String>>, IndexError> {
        if self.vocabulary.rows(word)?.is_some_and(|rows| rows > FREQUENT) {
            return Ok(Vec::new());
        }
        let mut ways = self.in_pieces(word)?;
        // The longer its shortest piece, the likelier it is meant.
        ways.sort_by_key(|way| std::cmp::Reverse(way.iter().map(String::len).min()));
        ways.truncate(MOST_WAYS);
        let mut standing = Vec::new();
        for way in ways {
            if self.stands(&way)? {
                standing.push(way);
            }
        }
        Ok(standing)
    }

    /// The ways in which `word` falls into words of the index.
    fn in_pieces(&self, word: &str) -> Result<Vec<Vec<String>>, IndexError> {
        if !word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) || word.len() > 40 {
            return Ok(Vec::new());
        }
        let digits = word.bytes().position(|byte| byte.is_ascii_digit());
        if let Some(at) = digits {
            // `sha256` is `SHA-256`; other places to part it at are no names.
            let (letters, number) = word.split_at(at);
            let is_name = !letters.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            return Ok(if is_name { vec![vec![letters.to_owned(), number.to_owned()]] } else { Vec::new() });
        }
        let mut ways = Vec::new();
        self.part(word, MOST_PIECES, &mut Vec::new(), &mut ways)?;
        Ok(ways)
    }

    /// Parts `rest` into words of the index and adds them to those in `begun`; as few pieces as will do.
    fn part(
        &self,
        rest: &str,
        most: usize,
        begun: &mut Vec<String>,
        ways: &mut Vec<Vec<String>>,
    ) -> Result<(), IndexError> {
        let shortest = if begun.is_empty() { 1 } else { SHORTEST_PIECE };
        for at in shortest..(rest.len() + 1).saturating_sub(SHORTEST_PIECE).max(shortest) {
            let (first, last) = rest.split_at(at);
            if !self.is_piece(first)? {
                continue;
            }
            if self.is_piece(last)? || last == "js" {
                ways.push([&begun[..], &[first.to_owned(), last.to_owned()]].concat());
            } else if most > 2 && first.len() >= SHORTEST_PIECE && last.len() >= 2 * SHORTEST_PIECE {
                begun.push(first.to_owned());
                self.part(last, most - 1, begun, ways)?;
                begun.pop();
            }
            if ways.len() >= MOST_PHRASES {
                break;
            }
        }
        Ok(())
    }

    fn is_piece(&self, word: &str) -> Result<bool, IndexError> {
        if vocabulary::is_listed(word) {
            Ok(self.vocabulary.rows(word)?.is_some())
        } else {
            self.vocabulary.has(word)
        }
    }
}

/// `src/a.rs:371:9` without the line and the column.
fn without_line(path: &str) -> &str {
    let path = path.trim_end_matches([':', ',', ')']);
    match path.rsplit_once(':') {
        Some((before, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => {
            without_line(before)
        }
        _ => path,
    }
}

/// English words that say nothing alone: never required, unless nothing else is asked for.
const STOP_WORDS: &str = " a about above after again all also am an and any anyone anything are aren around as at be because been \
    before being below between both but by came can cannot could couldn did didn do does doesn doing don done down during each either \
    else ever every few for from further get gets getting give go goes going got had has have having he hello her here hers hey hi him \
    his how however i if in into is isn it its itself just know let like ll made many may maybe me mean might mine more most much must \
    my need needed needs neither never no nor not now of off on once one only onto or other otherwise our ours out over own per \
    perhaps please possible rather re really same say says she should since so some someone something somehow such than thank thanks that \
    the their theirs them then there these they thing things this those though through thus to too under until up upon us use used \
    uses using ve very via want wants was wasn way we well were weren what whatever when where whether which while who whom whose why \
    will with within without won would wouldn yes yet you your yours ";

/// Whether `word` says nothing alone, in a language that we know.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_ascii_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_no_part_of_a_path() {
        let table = [
            ("src/traits.rs:371:9", "src/traits.rs"),
            ("src/traits.rs:371:", "src/traits.rs"),
            ("a.rs", "a.rs"),
            ("std::fs", "std::fs"),
            ("localhost:8080", "localhost"),
        ];
        for (path, expected) in table {
            assert_eq!(without_line(path), expected);
        }
    }

    #[test]
    fn words_that_say_nothing_are_known() {
        assert!(is_stop_word("which") && is_stop_word("use") && !is_stop_word("abstract"));
    }
}
