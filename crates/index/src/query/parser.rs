//! From lexemes to the tree.
//!
//! `OR` binds weaker than standing side by side (or `AND`), `NOT` and `-` bind strongest.

use std::ops::Range;

use jiff::Zoned;

use super::ask::{Ask, Node, Text};
use super::error::{QueryError, Trouble};
use super::lexer::{Lexeme, Placed, lexemes};
use super::values;
use crate::tokens::Typed;

/// Deeper than this nobody thinks, and the stack should not have to.
const DEEPEST: usize = 32;
/// More words and fields than this nobody types.
const LONGEST: usize = 200;

/// Understands `query`; `now` is what `7d` and `yesterday` count from.
pub fn parse(query: &str, now: &Zoned) -> Result<Ask, QueryError> {
    let lexemes = lexemes(query)?;
    if let Some((_, at)) = lexemes.get(LONGEST) {
        return Err(QueryError { trouble: Trouble::TooLong, at: at.clone() });
    }
    let mut parser = Parser { lexemes: &lexemes, at: 0, end: query.len(), now, ignored: Vec::new() };
    let root = if lexemes.is_empty() { None } else { parser.any(0)? };
    let ignored = parser.ignored;
    if root.is_none() && !ignored.is_empty() {
        return Err(QueryError { trouble: Trouble::NoWords, at: 0..query.len() });
    }
    Ok(Ask { root, ignored })
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
        while self.peek() == Some(&Lexeme::Not) {
            is_excluded = !is_excluded;
            self.at += 1;
        }
        let node = match self.lexemes.get(self.at) {
            None | Some((Lexeme::Or | Lexeme::And | Lexeme::Close | Lexeme::Not, _)) => {
                return self.lonely("NOT", self.at.saturating_sub(1));
            }
            Some((Lexeme::Open, at)) => self.group(depth, at)?,
            Some((Lexeme::Text { typed, is_quoted, is_prefix }, at)) => {
                self.at += 1;
                let (typed, at) = (typed.clone(), at.clone());
                self.text(Text { typed, is_quoted: *is_quoted, is_prefix: *is_prefix, at })
            }
            Some((Lexeme::Field { field, values }, at)) => {
                self.at += 1;
                let filter = values::filter(*field, values.clone(), self.now)?;
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
        if Typed::of(&text.typed).names.is_empty() {
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
