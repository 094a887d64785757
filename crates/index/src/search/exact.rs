//! Search for characters instead of words: a text to the letter, or a pattern. The index only says where it may stand; the
//! messages themselves must be read.

use std::cmp::Reverse;

use backscroll_model::{ConversationId, Hit, Summary};
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::answer::Request;
use super::matcher::Matcher;
use super::plan::Plan;
use super::{answer, plan};
use crate::query::{Ask, Order};
use crate::tokens::Typed;
use crate::{Index, IndexError};

/// What to look for, to the letter.
#[derive(Debug, Clone)]
pub struct Exact {
    pattern: Regex,
    /// Words that stand wherever it matches.
    words: Vec<Typed>,
}

/// A pattern that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExactError {
    /// It is no regular expression.
    #[error("not a regular expression: {0}")]
    NotAPattern(String),
    /// There is nothing to look for.
    #[error("there is nothing to look for")]
    Empty,
}

/// This many words say well enough where a text may stand.
const MOST_WORDS: usize = 32;

/// A larger pattern is a mistake, or an attack.
const LARGEST: usize = 4 * 1024 * 1024;

impl Exact {
    /// Looks for `text` as it stands.
    pub fn text(text: &str, ignore_case: bool) -> Result<Self, ExactError> {
        if text.is_empty() {
            return Err(ExactError::Empty);
        }
        let pattern = compiled(&regex::escape(text), ignore_case)?;
        Ok(Self { pattern, words: of_literal(text) })
    }

    /// Looks for what `pattern` matches.
    pub fn pattern(pattern: &str, ignore_case: bool) -> Result<Self, ExactError> {
        if pattern.is_empty() {
            return Err(ExactError::Empty);
        }
        let compiled = compiled(pattern, ignore_case)?;
        let words = regex_syntax::parse(pattern).map(|hir| of_pattern(&hir)).unwrap_or_default();
        Ok(Self { pattern: compiled, words })
    }

    /// What finds it in a text, in the parts that `ask` names.
    pub fn matcher(&self, ask: &Ask) -> Matcher {
        Matcher::of_pattern(self.pattern.clone(), ask)
    }

    fn expression(&self) -> Option<String> {
        let words = self.words.iter().take(MOST_WORDS);
        let each: Vec<String> = words.map(|typed| format!("\"{}\"", typed.pieces().join(" "))).collect();
        (!each.is_empty()).then(|| each.join(" AND "))
    }
}

fn compiled(pattern: &str, ignore_case: bool) -> Result<Regex, ExactError> {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(ignore_case).multi_line(true).size_limit(LARGEST);
    builder.build().map_err(|error| ExactError::NotAPattern(error.to_string()))
}

/// Messages of one conversation that may hold what is looked for.
#[derive(Debug, Clone)]
struct MayHold {
    pub(crate) conversation: i64,
    pub(crate) rows: Vec<i64>,
}

/// A row that may hold it, in the order in which rows are looked at: the newest conversation first, its title before its
/// messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    conversation: (Reverse<Option<i64>>, Reverse<i64>),
    number: i64,
    row: i64,
}

/// Every message, with its conversation.
const MESSAGES: &str = "SELECT r.row, c.number, c.recency, r.number, NULL, NULL, NULL
    FROM message r CROSS JOIN message m ON m.row = r.row CROSS JOIN conversation c ON c.number = r.conversation WHERE 1";

/// The number of a row that is no message.
const NO_MESSAGE: i64 = -1;

/// Every title and draft, with its conversation; it has no message.
const TITLES: &str = "SELECT r.row, c.number, c.recency, -1, c.title, c.draft, c.noted
    FROM (SELECT title_row AS row, number FROM conversation) r
    CROSS JOIN conversation c ON c.number = r.number LEFT JOIN message m ON m.row = r.row WHERE 1";

impl Index {
    /// The conversations, newest first, in which `exact` may stand and of which the facts in `ask` hold.
    fn may_hold(&self, exact: &Exact, ask: &Ask) -> Result<Vec<MayHold>, IndexError> {
        let plan = plan::plan(self.connection(), ask)?;
        let mut waiting = self.waiting(MESSAGES, exact, &plan)?;
        waiting.extend(self.waiting(TITLES, exact, &plan)?);
        waiting.sort_unstable();
        let mut groups: Vec<MayHold> = Vec::new();
        for one in waiting {
            let conversation = one.conversation.1.0;
            match groups.last_mut() {
                Some(group) if group.conversation == conversation => group.rows.push(one.row),
                _ => groups.push(MayHold { conversation, rows: vec![one.row] }),
            }
        }
        Ok(groups)
    }

    fn waiting(&self, from: &str, exact: &Exact, plan: &Plan) -> Result<Vec<Waiting>, IndexError> {
        let mut sql = from.to_owned();
        let mut values: Vec<Value> = Vec::new();
        for expression in [exact.expression(), plan.expression()].into_iter().flatten() {
            sql.push_str(" AND r.row IN (SELECT rowid FROM words WHERE words MATCH ?)");
            values.push(Value::Text(expression));
        }
        if !plan.condition.sql.is_empty() {
            sql.push_str(" AND ");
            sql.push_str(&plan.condition.sql);
            values.extend(plan.condition.values.iter().cloned());
        }
        let mut statement = self.connection().prepare(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        let mut waiting = Vec::new();
        while let Some(row) = found.next()? {
            let number = row.get(3)?;
            let own: [Option<String>; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
            if number != NO_MESSAGE || own.iter().flatten().any(|text| exact.pattern.is_match(text)) {
                let conversation = (Reverse(row.get(2)?), Reverse(row.get(1)?));
                waiting.push(Waiting { conversation, number, row: row.get(0)? });
            }
        }
        Ok(waiting)
    }

    /// Asks `look` for each message that may hold `exact`, conversation by conversation, newest or oldest first, until it says that it
    /// has enough.
    pub fn scan(
        &self,
        exact: &Exact,
        request: &Request,
        look: &mut dyn FnMut(&Summary, &[Hit], Scanned) -> bool,
    ) -> Result<(), IndexError> {
        let mut groups = self.may_hold(exact, &request.ask)?;
        if request.ask.order == Order::Oldest {
            groups.reverse();
        }
        let of = groups.len();
        for (done, group) in groups.into_iter().enumerate() {
            let summary = answer::summary(self.connection(), group.conversation)?;
            let hits = self.hits_of(&summary.id, &group)?;
            if !look(&summary, &hits, Scanned { done, of }) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn hits_of(&self, id: &ConversationId, group: &MayHold) -> Result<Vec<Hit>, IndexError> {
        let rows = group.rows.iter();
        rows.map(|row| answer::hit(self.connection(), (id, group.conversation), *row, 0.0)).collect()
    }
}

/// How far a scan is: conversations looked at, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scanned {
    /// Looked at.
    pub done: usize,
    /// To look at.
    pub of: usize,
}

/// Words of a literal that stand between white space.
fn of_literal(literal: &str) -> Vec<Typed> {
    let mut words: Vec<&str> = literal.split_whitespace().collect();
    if !literal.ends_with(char::is_whitespace) {
        words.pop();
    }
    if !literal.starts_with(char::is_whitespace) && !words.is_empty() {
        words.remove(0);
    }
    words.into_iter().map(Typed::parse).filter(|typed| !typed.names.is_empty()).collect()
}

/// Words that every match of `pattern` holds.
pub(super) fn of_pattern(pattern: &Hir) -> Vec<Typed> {
    match pattern.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).map(of_literal).unwrap_or_default(),
        HirKind::Concat(parts) => parts.iter().flat_map(of_pattern).collect(),
        HirKind::Capture(capture) => of_pattern(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => of_pattern(&repetition.sub),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sure_words_are_demanded() {
        let words = |typed: Vec<Typed>| {
            typed.iter().map(|one| one.pieces().join(" ")).collect::<Vec<_>>().join(" | ")
        };
        assert_eq!(words(of_literal("ibarHand")), "");
        assert_eq!(words(of_literal("cannot borrow fooBar as mut")), "borrow | foo bar | as");
        assert_eq!(words(of_literal(" let x ")), "let | x");
        let pattern = |text: &str| of_pattern(&regex_syntax::parse(text).expect("a pattern"));
        assert_eq!(words(pattern(r"error in line \d+ of")), "in | line");
        assert_eq!(words(pattern(r"(a b c|d e f)")), "");
        assert_eq!(words(pattern(r"(?i)a borrow c")), "");
    }
}
