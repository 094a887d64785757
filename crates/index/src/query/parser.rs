//! From text to lexemes, from lexemes to the tree.
//!
//! `OR` binds weaker than standing side by side (or `AND`), `NOT` and `-` bind strongest.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::Zoned;

use super::ask::{Ask, Node, Text};
use super::error::{QueryError, Trouble, nearest};
use super::field::Field;
use super::{commands, dates, field};
use crate::tokens::Typed;

/// Deeper than this nobody thinks, and the stack should not have to.
const DEEPEST: usize = 32;
/// More words and fields than this nobody types; those in quotes count, too.
const LONGEST: usize = 200;
/// More bytes than this nobody types.
const LONGEST_TEXT: usize = 8_000;

/// Understands `query`; `now` is what `7d` and `yesterday` count from.
///
/// What is pasted is never refused: where a construct is not whole, or there is no such field, its characters are text. Only a
/// field that there is, with a value that it does not know, is an error.
pub fn parse(query: &str, now: &Zoned) -> Result<Ask, QueryError> {
    let mut plain: BTreeMap<usize, (Range<usize>, Trouble)> = BTreeMap::new();
    let whole = query.len();
    let end = (0..=whole.min(LONGEST_TEXT)).rev().find(|at| query.is_char_boundary(*at));
    let query = &query[..end.unwrap_or(0)];
    loop {
        match parse_with(query, now, &plain) {
            Err(error) if error.trouble.is_text() && !plain.contains_key(&construct_start(query, &error)) => {
                plain.insert(construct_start(query, &error), (error.at, error.trouble));
            }
            parsed => {
                let mut ask = parsed?;
                ask.taken_as_text.extend(plain.into_values());
                if query.len() < whole && !ask.is_cut() {
                    ask.taken_as_text.push((query.len()..whole, Trouble::TooLong));
                }
                ask.taken_as_text.sort_by_key(|(at, _)| at.start);
                return Ok(ask);
            }
        }
    }
}

/// Where the construct begins that `error` is about: of a value, the field.
fn construct_start(query: &str, error: &QueryError) -> usize {
    if !matches!(error.trouble, Trouble::UnknownValue { .. }) {
        return error.at.start;
    }
    let is_before = |c: char| c.is_whitespace() || matches!(c, '(' | '-');
    query[..error.at.start].rfind(is_before).map_or(0, |at| at + 1)
}

/// Understands `query`, where no construct begins at any of the places in `plain`.
fn parse_with(
    query: &str,
    now: &Zoned,
    plain: &BTreeMap<usize, (Range<usize>, Trouble)>,
) -> Result<Ask, QueryError> {
    let mut lexemes = lexemes(query, plain)?;
    let mut taken_as_text = options_of_commands(query, &mut lexemes);
    if let Some(at) = cut_words(&mut lexemes) {
        taken_as_text.push((at..query.len(), Trouble::TooLong));
    }
    let times = dates::mark(&mut lexemes, now);
    let mut parser = Parser { lexemes: &lexemes, at: 0, end: query.len(), now, ignored: Vec::new() };
    let root = if lexemes.is_empty() { None } else { parser.any(0)? };
    let ignored = parser.ignored;
    if root.is_none() && !ignored.is_empty() {
        return Err(QueryError { trouble: Trouble::NoWords, at: 0..query.len() });
    }
    Ok(Ask { root, ignored, taken_as_text, times, ..Ask::default() })
}

struct Parser<'a> {
    lexemes: &'a [Placed],
    at: usize,
    end: usize,
    now: &'a Zoned,
    ignored: Vec<Range<usize>>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Lexeme> {
        self.lexemes.get(self.at).map(|(lexeme, _)| lexeme)
    }

    /// Where the next lexeme stands, or the end.
    fn place(&self) -> Range<usize> {
        self.lexemes.get(self.at).map_or(self.end..self.end, |(_, at)| at.clone())
    }

    /// The last lexeme, which lacks something.
    fn lonely<T>(&self, word: &'static str, at: usize) -> Result<T, QueryError> {
        let at = self.lexemes.get(at).map_or(self.end..self.end, |(_, at)| at.clone());
        Err(QueryError { trouble: Trouble::Lonely(word), at })
    }

    /// Alternatives. `None` if all that stood there was ignored.
    fn any(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        let mut nodes = Vec::new();
        loop {
            let before = self.at;
            let node = self.all(depth)?;
            if before == self.at {
                let at =
                    if matches!(self.peek(), Some(Lexeme::Or)) { self.at } else { self.at.saturating_sub(1) };
                return self.lonely("OR", at);
            }
            nodes.extend(node);
            if self.peek() != Some(&Lexeme::Or) {
                return Ok(joined(nodes, Node::Any));
            }
            self.at += 1;
        }
    }

    fn all(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        let mut nodes = Vec::new();
        let start = self.at;
        loop {
            match self.peek() {
                None | Some(Lexeme::Or | Lexeme::Close) => return Ok(joined(nodes, Node::All)),
                Some(Lexeme::And) => {
                    if self.at == start {
                        return self.lonely("AND", self.at);
                    }
                    self.at += 1;
                    if matches!(self.peek(), None | Some(Lexeme::Or | Lexeme::Close | Lexeme::And)) {
                        return self.lonely("AND", self.at - 1);
                    }
                }
                Some(_) => nodes.extend(self.one(depth)?),
            }
        }
    }

    /// One condition, with what stands before it.
    fn one(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        let mut is_excluded = false;
        while matches!(self.peek(), Some(Lexeme::Not | Lexeme::Minus)) {
            is_excluded = !is_excluded;
            self.at += 1;
        }
        let node = match self.lexemes.get(self.at) {
            None | Some((Lexeme::Or | Lexeme::And | Lexeme::Close | Lexeme::Not | Lexeme::Minus, _)) => {
                return self.lonely("NOT", self.at.saturating_sub(1));
            }
            Some((Lexeme::Open, at)) => self.group(depth, at)?,
            Some((Lexeme::Text { typed, is_quoted, is_prefix, is_date }, at)) => {
                self.at += 1;
                let (typed, at) = (typed.clone(), at.clone());
                let (is_quoted, is_prefix, is_date) = (*is_quoted, *is_prefix, *is_date);
                self.text(Text { typed, is_quoted, is_prefix, is_unfinished: false, is_date, at })
            }
            Some((Lexeme::Field { field, values }, at)) => {
                self.at += 1;
                let filter = field::filter(*field, values.clone(), self.now)?;
                Some(Node::Filter { filter, at: at.clone() })
            }
        };
        Ok(if is_excluded { node.map(|node| Node::Not(Box::new(node))) } else { node })
    }

    fn group(&mut self, depth: usize, opened: &Range<usize>) -> Result<Option<Node>, QueryError> {
        if depth >= DEEPEST {
            return Err(QueryError { trouble: Trouble::TooDeep, at: opened.clone() });
        }
        self.at += 1;
        if self.peek() == Some(&Lexeme::Close) {
            let at = opened.start..self.place().end;
            return Err(QueryError { trouble: Trouble::EmptyParentheses, at });
        }
        if self.peek().is_none() {
            return Err(QueryError { trouble: Trouble::OpenParenthesis, at: opened.clone() });
        }
        let node = self.any(depth + 1)?;
        if self.peek() != Some(&Lexeme::Close) {
            return Err(QueryError { trouble: Trouble::OpenParenthesis, at: opened.clone() });
        }
        self.at += 1;
        Ok(node)
    }

    fn text(&mut self, text: Text) -> Option<Node> {
        if Typed::parse(&text.typed).names.is_empty() {
            self.ignored.push(text.at);
            return None;
        }
        Some(Node::Text(text))
    }
}

fn joined(mut nodes: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 | 1 => nodes.pop(),
        _ => Some(join(nodes)),
    }
}

/// The smallest thing of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme {
    Open,
    Close,
    And,
    Or,
    /// `NOT`.
    Not,
    /// `-` before what it excludes.
    Minus,
    Text {
        typed: String,
        is_quoted: bool,
        is_prefix: bool,
        /// It says when.
        is_date: bool,
    },
    Field {
        field: Field,
        values: Vec<(String, Range<usize>)>,
    },
}

/// A lexeme and where it stands.
pub(super) type Placed = (Lexeme, Range<usize>);

/// All lexemes of `query`.
fn lexemes(query: &str, plain: &BTreeMap<usize, (Range<usize>, Trouble)>) -> Result<Vec<Placed>, QueryError> {
    let mut lexer = Lexer { query, plain, at: 0, depth: 0, found: Vec::new() };
    while lexer.skip_space() {
        let start = lexer.at;
        let lexeme = lexer.next()?;
        if let Some(lexeme) = lexeme {
            lexer.found.push((lexeme, start..lexer.at));
        }
    }
    Ok(lexer.found)
}

struct Lexer<'a> {
    query: &'a str,
    /// Where no construct begins.
    plain: &'a BTreeMap<usize, (Range<usize>, Trouble)>,
    at: usize,
    /// How many parentheses are open.
    depth: usize,
    found: Vec<Placed>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.query[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes to the next thing; false at the end.
    fn skip_space(&mut self) -> bool {
        self.at = self.query.len() - self.rest().trim_start().len();
        self.at < self.query.len()
    }

    fn error(trouble: Trouble, at: Range<usize>) -> QueryError {
        QueryError { trouble, at }
    }

    fn next(&mut self) -> Result<Option<Lexeme>, QueryError> {
        let start = self.at;
        if self.plain.contains_key(&start) {
            return Ok(Some(self.plain_text()));
        }
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.depth += 1;
                Ok(Some(Lexeme::Open))
            }
            Some(')') if self.depth > 0 => {
                self.at += 1;
                self.depth -= 1;
                Ok(Some(Lexeme::Close))
            }
            Some(')') => Err(Self::error(Trouble::StrayParenthesis, start..start + 1)),
            Some('-') => {
                self.at += 1;
                let excludes =
                    self.peek().is_some_and(|next| !next.is_whitespace() && !matches!(next, '-' | '>'));
                if excludes {
                    return Ok(Some(Lexeme::Minus));
                }
                self.at = start;
                self.word().map(Some)
            }
            Some('"') => {
                let typed = self.quoted()?;
                Ok(Some(Lexeme::Text {
                    typed,
                    is_quoted: true,
                    is_prefix: self.takes_star(),
                    is_date: false,
                }))
            }
            _ => match self.field()? {
                Some(field) => Ok(Some(field)),
                None => self.word().map(Some),
            },
        }
    }

    /// What stands here as text. A mark stands for itself, so that what follows it may mean something.
    fn plain_text(&mut self) -> Lexeme {
        let start = self.at;
        match self.peek() {
            Some(mark @ ('(' | ')' | '"' | '*')) => self.at += mark.len_utf8(),
            _ => self.at = self.word_end(&[]).max(start + 1),
        }
        let typed = self.query[start..self.at].to_owned();
        Lexeme::Text { typed, is_quoted: false, is_prefix: false, is_date: false }
    }

    fn takes_star(&mut self) -> bool {
        let is_star = self.peek() == Some('*');
        self.at += usize::from(is_star);
        is_star
    }

    /// What stands between quotation marks; the first stands here.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.query[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return Ok(text);
                }
                '\\' if characters.as_str().starts_with(['"', '\\']) => {
                    text.extend(characters.next().map(|(_, escaped)| escaped));
                }
                _ => text.push(character),
            }
        }
        Err(Self::error(Trouble::OpenQuote, start..start + 1))
    }

    /// Where the word that begins here ends. Parentheses inside of it, as in `f(x)`, belong to it.
    fn word_end(&self, stops: &[char]) -> usize {
        let mut inner = 0_usize;
        for (offset, character) in self.rest().char_indices() {
            match character {
                '(' => inner += 1,
                ')' if inner > 0 => inner -= 1,
                ')' if self.depth > 0 => return self.at + offset,
                '"' if offset > 0 => return self.at + offset,
                _ if character.is_whitespace() || stops.contains(&character) => return self.at + offset,
                _ => {}
            }
        }
        self.query.len()
    }

    fn word(&mut self) -> Result<Lexeme, QueryError> {
        let start = self.at;
        let end = self.word_end(&[]);
        self.at = end;
        let word = &self.query[start..end];
        let begun = word.trim_end_matches('*');
        Ok(match word {
            "AND" => Lexeme::And,
            "OR" => Lexeme::Or,
            "NOT" => Lexeme::Not,
            _ if begun.is_empty() && word.len() == 1 => {
                return Err(Self::error(Trouble::BareStar, start..end));
            }
            _ if word.ends_with("**") => {
                Lexeme::Text { typed: word.to_owned(), is_quoted: false, is_prefix: false, is_date: false }
            }
            _ => Lexeme::Text {
                typed: begun.to_owned(),
                is_quoted: false,
                is_prefix: begun.len() < word.len(),
                is_date: false,
            },
        })
    }

    /// The field that stands here, if one does.
    fn field(&mut self) -> Result<Option<Lexeme>, QueryError> {
        let start = self.at;
        let length =
            self.rest().bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'-').count();
        let name = &self.rest()[..length];
        let after = &self.rest()[length..];
        if name.is_empty() || !after.starts_with(':') {
            return Ok(None);
        }
        let value = &after[1..];
        let Some(field) = Field::named(name) else {
            if !looks_like_a_field(name, value) {
                return Ok(None);
            }
            let nearest = nearest(name, Field::typed_names()).and_then(Field::named);
            let trouble = Trouble::UnknownField { name: name.to_owned(), nearest };
            return Err(Self::error(trouble, start..start + length + 1));
        };
        self.at += length + 1;
        self.values(field, start).map(|values| Some(Lexeme::Field { field, values }))
    }

    fn values(&mut self, field: Field, start: usize) -> Result<Vec<(String, Range<usize>)>, QueryError> {
        let mut values = Vec::new();
        loop {
            let from = self.at;
            let value = if self.peek() == Some('"') {
                self.quoted()?
            } else {
                self.at = self.word_end(&[',']);
                self.query[from..self.at].to_owned()
            };
            if value.trim().is_empty() {
                return Err(Self::error(Trouble::NoValue(field), start..self.at));
            }
            values.push((value, from..self.at));
            if self.peek() != Some(',') {
                return Ok(values);
            }
            self.at += 1;
        }
    }
}

/// Leaves as many words and fields as anybody types, and gives where the others begin.
fn cut_words(lexemes: &mut Vec<Placed>) -> Option<usize> {
    let mut room = LONGEST;
    for number in 0..lexemes.len() {
        let (lexeme, at) = &mut lexemes[number];
        let Lexeme::Text { typed, .. } = lexeme else {
            room = room.saturating_sub(1);
            continue;
        };
        let words = Typed::parse(typed).names.len().max(1);
        if words <= room {
            room -= words;
            continue;
        }
        let start = at.start;
        let kept: Vec<&str> = typed.split_whitespace().take(room).collect();
        let kept = kept.join(" ");
        // Something pasted without spaces may be many words by itself: then it is left out as a whole.
        let is_kept = room > 0 && Typed::parse(&kept).names.len() <= room;
        *typed = kept;
        lexemes.truncate(number + usize::from(is_kept));
        return Some(start);
    }
    None
}

/// Takes a `-` for what it is in a command line: the beginning of an option. Elsewhere it excludes, if there is anything to
/// exclude from.
fn options_of_commands(query: &str, lexemes: &mut Vec<Placed>) -> Vec<(Range<usize>, Trouble)> {
    let is_positive = |at: usize| {
        !matches!(
            lexemes[at].0,
            Lexeme::Minus | Lexeme::Not | Lexeme::And | Lexeme::Or | Lexeme::Open | Lexeme::Close
        ) && (at == 0 || !matches!(lexemes[at - 1].0, Lexeme::Minus | Lexeme::Not))
    };
    let has_positive = (0..lexemes.len()).any(is_positive);
    let mut taken = Vec::new();
    let mut command: Option<String> = None;
    let mut kept: Vec<Placed> = Vec::with_capacity(lexemes.len());
    let mut all = std::mem::take(lexemes).into_iter().peekable();
    while let Some((lexeme, at)) = all.next() {
        if let Lexeme::Text { typed, is_quoted: false, .. } = &lexeme
            && (kept.is_empty() || commands::is_command(typed))
        {
            command = Some(typed.clone()).filter(|typed| commands::is_command(typed));
        }
        let follows = match all.peek() {
            Some((Lexeme::Text { typed, is_quoted: false, .. }, _)) => Some(typed.clone()),
            _ => None,
        };
        let is_option = follows.as_ref().is_some_and(|word| command.is_some() && commands::is_option(word));
        if lexeme == Lexeme::Minus && (is_option || !has_positive) {
            let end = all.peek().map_or(at.end, |(_, next)| next.end);
            if let Some((Lexeme::Text { typed, .. }, _)) = all.peek_mut() {
                query[at.start..end].trim_end_matches('*').clone_into(typed);
                let why = if is_option { Trouble::Option } else { Trouble::NothingToExcludeFrom };
                taken.push((at.start..end, why));
                continue;
            }
        }
        kept.push((lexeme, at));
    }
    *lexemes = kept;
    taken
}

/// Whether `name:value` was probably meant as a field, although there is none of that name. What people paste has colons
/// too: `std::fs`, `http://x`, `localhost:8080`, `error: no`.
fn looks_like_a_field(name: &str, value: &str) -> bool {
    let first = value.chars().next();
    name.len() >= 2 && first.is_some_and(|first| first.is_alphabetic() || first == '"')
}
