//! Answers from the best to the least: messages that have all that is asked for, conversations that do, conversations that have
//! the most telling part of it. A rung that gives too few answers is followed by the next.
//!
//! **Weights.** A word weighs as much as it is rare in the index. A row has of that weight what the full-text engine's own
//! measure gives it (how often, in which column, in how long a text), and more where words stand side by side as they were
//! typed. A conversation weighs what its best three rows and all of them together have of the question. What is rare is
//! looked up everywhere; frequent words only in conversations that have something rare, so that the cost stays bounded.

use std::collections::{BTreeMap, HashMap, HashSet};

use backscroll_model::{Role, Rung};
use rusqlite::Connection;

use super::answer::Request;
use super::candidates::{self, Candidate, Grouped};
use super::plan::{Plan, Term};
use crate::IndexError;
use crate::query::Order;
use crate::tokens::Typed;
use crate::write::row_count;

/// Rows that are looked up for the rare words of a question.
const LOOKED_UP: u16 = 2_500;
/// Words that are looked up everywhere, the rarest first.
const MOST_RARE: usize = 24;
/// Conversations that frequent words are looked up in.
const COMPLETED: usize = 40;
/// Frequent words that are looked up there, the rarest first.
const MOST_FREQUENT: usize = 4;
/// Neighbours that are looked up side by side, the rarest first.
const MOST_PAIRS: usize = 12;
/// Where fewer answers than this are asked for, or all, the ladder is climbed down for so many.
const FILLED: usize = 10;

/// Weights of the columns of `words` for the engine's own measure, in their order: a title counts most, then what was said,
/// then thinking; what tools were given and answered, and paths, count least.
const COLUMN_WEIGHTS: &str = "9.0, 5.0, 2.0, 0.8, 0.7, 0.4, 1.0, 0.7";
/// The engine's measure of one word, its rarity taken out, is at most this.
const MOST_OF_A_WORD: f64 = 2.2;

/// What was found: conversations in order.
#[derive(Debug, Default)]
pub(super) struct Answered {
    pub(super) groups: Vec<Grouped>,
    /// Full answers that were not looked at.
    pub(super) is_cut: bool,
}

/// The conversations that answer `request`, in its order.
pub(super) fn climb(connection: &Connection, plan: &Plan, request: &Request) -> Result<Answered, IndexError> {
    let order = request.ask.order;
    let wanted = request.ask.offset.saturating_add(request.limit());
    let is_all = order != Order::Relevance || wanted > candidates::RANKED;
    let full = candidates::find(connection, plan, is_all)?;
    if plan.terms.is_empty() {
        let mut groups = candidates::by_conversation(&full.rows, Rung::All, |_| 1.0);
        for group in &mut groups {
            group.score = 1.0;
        }
        let order = if order == Order::Relevance { Order::Newest } else { order };
        candidates::sort(connection, &mut groups, order)?;
        return Ok(Answered { groups, is_cut: full.is_cut });
    }
    let mut weights = Weights::new(connection, plan)?;
    let mut groups = weights.full_answers(&full.rows);
    weights.prefer_equal_titles(connection, plan, &mut groups)?;
    let filled = request.ask.limit.map_or(FILLED, |limit| limit.max(FILLED));
    if groups.len() < filled {
        let known: HashSet<i64> = groups.iter().map(|group| group.conversation).collect();
        let mut others = weights.others(connection, plan, &known)?;
        if groups.is_empty() && others.is_empty() {
            others = weights.anything(connection, plan)?;
        }
        candidates::sort(connection, &mut others, Order::Relevance)?;
        let spread = others.iter().filter(|group| group.rung == Rung::Conversation).count();
        others.truncate(filled.saturating_sub(groups.len()).max(if is_all { spread } else { 0 }));
        groups.extend(others);
    }
    for group in &mut groups {
        let newest = group.rows.iter().filter_map(|(row, _)| row.at).max();
        group.score *= of_age(newest.map(|at| request.now.as_millisecond().saturating_sub(at)));
        let is_then = |at: &i64| request.ask.times.iter().any(|(from, to)| (from..to).contains(&at));
        if group.rows.iter().filter_map(|(row, _)| row.at.as_ref()).any(is_then) {
            group.score += weights.total;
        }
    }
    candidates::sort(connection, &mut groups, order)?;
    let total = weights.total;
    for group in &mut groups {
        group.score = shown_score(group.rung, group.score / total.max(1e-9));
    }
    Ok(Answered { groups, is_cut: full.is_cut })
}

/// A score that falls from rung to rung.
fn shown_score(rung: Rung, score: f64) -> f64 {
    let base = match rung {
        Rung::All => 20.0,
        Rung::Conversation => 10.0,
        Rung::Some => 0.0,
    };
    base + 10.0 * score / (1.0 + score)
}

/// What age takes away at most: enough to part equals.
const LOST_BY_AGE: f64 = 0.03;
/// A match of this age has lost half of that.
const HALF_WAY_DAYS: f64 = 120.0;
const MILLISECONDS_A_DAY: f64 = 86_400_000.0;

fn of_age(milliseconds: Option<i64>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no milliseconds")]
    let days = milliseconds.map_or(f64::MAX, |age| age.max(0) as f64 / MILLISECONDS_A_DAY);
    1.0 - LOST_BY_AGE * (days / (days + HALF_WAY_DAYS)).min(1.0)
}

/// People's own words tell most.
fn of_role(role: Option<Role>) -> f64 {
    match role {
        None => 1.3,
        Some(Role::User) => 1.15,
        Some(Role::Assistant) => 1.0,
        Some(Role::Tool) => 0.7,
        Some(Role::System) => 0.3,
    }
}

/// One thing that is asked for, weighed.
#[derive(Debug)]
struct Weighed {
    term: Term,
    /// How much it tells.
    telling: f64,
    /// It was looked up everywhere.
    is_rare: bool,
}

/// What each row has of a question.
#[derive(Debug)]
struct Weights {
    terms: Vec<Weighed>,
    /// What a row has of each rare term.
    rows: HashMap<i64, BTreeMap<usize, f64>>,
    /// What a row has besides, where words stand side by side.
    beside: HashMap<i64, f64>,
    /// What all terms together tell.
    total: f64,
}

/// Of a term that a row has, nobody knows where: what it is taken for.
const UNKNOWN_PLACE: f64 = 0.5;

impl Weights {
    fn new(connection: &Connection, plan: &Plan) -> Result<Self, IndexError> {
        let all = row_count(connection)?;
        let weighed = |term: &Term| {
            #[expect(clippy::cast_precision_loss, reason = "a weight needs no more")]
            let telling = (1.0 + all as f64 / (term.rows as f64 + 1.0)).ln();
            let share = if term.is_required || term.is_spare { 1.0 } else { 0.25 };
            Weighed { term: term.clone(), telling: telling * share, is_rare: false }
        };
        let mut terms: Vec<Weighed> = plan.terms.iter().map(weighed).collect();
        let mut order: Vec<usize> =
            (0..terms.len()).filter(|at| terms[*at].term.is_required || terms[*at].term.is_spare).collect();
        order.sort_by_key(|at| terms[*at].term.rows);
        let mut looked_up = 0;
        for (number, at) in order.into_iter().enumerate() {
            // Words that nothing has must not keep the first that something has from being looked up.
            let is_first = looked_up == 0;
            looked_up += terms[at].term.rows;
            terms[at].is_rare = number < MOST_RARE && (is_first || looked_up <= i64::from(LOOKED_UP));
        }
        let total = terms.iter().map(|weighed| weighed.telling).sum();
        let mut weights = Self { terms, rows: HashMap::new(), beside: HashMap::new(), total };
        for at in 0..weights.terms.len() {
            if weights.terms[at].is_rare {
                weights.look_up(connection, plan, all, at)?;
            }
        }
        weights.look_beside(connection, plan)?;
        Ok(weights)
    }

    /// Looks up one term in all rows.
    fn look_up(
        &mut self,
        connection: &Connection,
        plan: &Plan,
        all: i64,
        at: usize,
    ) -> Result<(), IndexError> {
        let mut found = 0;
        for (expression, weight) in self.terms[at].term.asked() {
            let rows = measured(connection, &plan.limited(&expression), all)?;
            found = found.max(rows.len());
            for (row, share) in rows {
                let has = self.rows.entry(row).or_default().entry(at).or_default();
                *has = has.max(weight * share);
            }
        }
        if self.terms[at].term.rows == 0 {
            // A phrase or a number, of which nobody knows how frequent it is before.
            #[expect(clippy::cast_precision_loss, reason = "a weight needs no more")]
            let telling = (1.0 + all as f64 / (found as f64 + 1.0)).ln();
            self.total += telling - self.terms[at].telling;
            self.terms[at].telling = telling;
        }
        self.terms[at].is_rare = true;
        Ok(())
    }

    /// What has anything of the question at all: its frequent words are looked up, one after the other, until something does.
    fn anything(&mut self, connection: &Connection, plan: &Plan) -> Result<Vec<Grouped>, IndexError> {
        let all = row_count(connection)?;
        let mut order: Vec<usize> = (0..self.terms.len())
            .filter(|at| !self.terms[*at].is_rare && !self.terms[*at].term.is_date)
            .collect();
        order.sort_by_key(|at| self.terms[*at].term.rows);
        for at in order {
            self.look_up(connection, plan, all, at)?;
            let found = self.others(connection, plan, &HashSet::new())?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Looks for words that stand side by side in the order in which they were typed.
    fn look_beside(&mut self, connection: &Connection, plan: &Plan) -> Result<(), IndexError> {
        let words: Vec<Option<String>> = self.terms.iter().map(|weighed| weighed.term.word()).collect();
        let is_telling = |at: usize| self.terms[at].term.is_required;
        let mut phrases: Vec<(String, f64, i64)> = Vec::new();
        for at in 1..words.len() {
            if let (Some(first), Some(second)) = (&words[at - 1], &words[at])
                && (is_telling(at - 1) || is_telling(at))
            {
                let telling = 0.25 * (self.terms[at - 1].telling + self.terms[at].telling);
                let rows = self.terms[at - 1].term.rows.min(self.terms[at].term.rows);
                if rows <= i64::from(LOOKED_UP) {
                    phrases.push((format!("\"{first} {second}\""), telling, rows));
                }
            }
        }
        phrases.sort_by_key(|(.., rows)| *rows);
        phrases.truncate(MOST_PAIRS);
        if let (true, Some(all)) = (words.len() > 2, words.iter().cloned().collect::<Option<Vec<String>>>()) {
            phrases.push((format!("\"{}\"", all.join(" ")), 0.5 * self.total, 0));
        }
        let mut find = connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
        for (phrase, telling, _) in phrases {
            let rows = find.query_map([plan.limited(&phrase)], |row| row.get::<_, i64>(0))?;
            for row in rows {
                *self.beside.entry(row?).or_default() += telling;
            }
        }
        Ok(())
    }

    /// What a row has of the question, as far as it was looked up; of a full answer, it has everything.
    fn of_row(&self, candidate: &Candidate, is_full: bool) -> f64 {
        let has = self.rows.get(&candidate.row);
        let of_term = |(at, weighed): (usize, &Weighed)| {
            let known = has.and_then(|has| has.get(&at)).copied();
            let otherwise = if is_full && weighed.term.is_required { UNKNOWN_PLACE } else { 0.0 };
            weighed.telling * known.unwrap_or(otherwise)
        };
        let terms: f64 = self.terms.iter().enumerate().map(of_term).sum();
        (terms + self.beside.get(&candidate.row).copied().unwrap_or(0.0)) * of_role(candidate.role)
    }

    fn full_answers(&self, rows: &[Candidate]) -> Vec<Grouped> {
        let mut groups = candidates::by_conversation(rows, Rung::All, |row| self.of_row(row, true));
        for group in &mut groups {
            group.score = best_three(&group.rows) + 0.5 * self.total;
        }
        groups
    }

    /// A title that is just what was typed stands first.
    fn prefer_equal_titles(
        &self,
        connection: &Connection,
        plan: &Plan,
        groups: &mut [Grouped],
    ) -> Result<(), IndexError> {
        let pieces = |text: &str| Typed::parse(text).names.concat().join(" ");
        let typed: Vec<String> = plan.terms.iter().map(|term| pieces(&term.typed)).collect();
        let typed = typed.join(" ");
        let mut find = connection.prepare_cached("SELECT title FROM conversation WHERE number = ?1")?;
        for group in groups.iter_mut().filter(|group| group.rows.iter().any(|(row, _)| row.role.is_none())) {
            let title: Option<String> = find.query_row([group.conversation], |row| row.get(0))?;
            if title.is_some_and(|title| pieces(&title) == typed) {
                group.score += 10.0 * self.total;
            }
        }
        Ok(())
    }

    /// Conversations that are not `known`, and have some of what is asked for; those that have all of it are marked so.
    fn others(
        &self,
        connection: &Connection,
        plan: &Plan,
        known: &HashSet<i64>,
    ) -> Result<Vec<Grouped>, IndexError> {
        let mut numbers: Vec<i64> = self.rows.keys().copied().collect();
        numbers.sort_unstable();
        let mut rows = candidates::among(connection, &numbers, &plan.wide_condition)?;
        rows.retain(|row| !known.contains(&row.conversation));
        let mut groups = candidates::by_conversation(&rows, Rung::Some, |row| self.of_row(row, false));
        let covered = |group: &Grouped| {
            let mut covered: BTreeMap<usize, f64> = BTreeMap::new();
            for (row, _) in &group.rows {
                for (at, share) in self.rows.get(&row.row).into_iter().flatten() {
                    let best = covered.entry(*at).or_default();
                    *best = best.max(*share);
                }
            }
            covered
        };
        for group in &mut groups {
            group.rows.sort_by(|a, b| b.1.total_cmp(&a.1));
            group.score = best_three(&group.rows) + self.of_all(&covered(group));
        }
        candidates::sort(connection, &mut groups, Order::Relevance)?;
        groups.truncate(COMPLETED);
        for group in &mut groups {
            let mut covered = covered(group);
            self.complete(connection, plan, group, &mut covered)?;
            group.score = best_three(&group.rows) + self.of_all(&covered);
            let lacks =
                |(at, weighed): &(usize, &Weighed)| weighed.term.is_required && !covered.contains_key(at);
            let lacking = self.terms.iter().enumerate().filter(lacks);
            group.missing = lacking.map(|(_, weighed)| weighed.term.typed.clone()).collect();
            if group.missing.is_empty() {
                group.rung = Rung::Conversation;
            }
        }
        Ok(groups)
    }

    fn of_all(&self, covered: &BTreeMap<usize, f64>) -> f64 {
        covered.iter().map(|(at, share)| self.terms[*at].telling * (0.5 + 0.5 * share)).sum()
    }

    /// Looks up the frequent terms in one conversation.
    fn complete(
        &self,
        connection: &Connection,
        plan: &Plan,
        group: &Grouped,
        covered: &mut BTreeMap<usize, f64>,
    ) -> Result<(), IndexError> {
        let mut frequent: Vec<(usize, &Weighed)> = self
            .terms
            .iter()
            .enumerate()
            .filter(|(_, weighed)| !weighed.is_rare && weighed.term.is_required)
            .collect();
        if frequent.is_empty() {
            return Ok(());
        }
        frequent.sort_by_key(|(_, weighed)| weighed.term.rows);
        for (at, _) in frequent.split_off(frequent.len().min(MOST_FREQUENT)) {
            // Most conversations have it; whether this one does would cost more than it tells.
            covered.insert(at, 0.5 * UNKNOWN_PLACE);
        }
        let mut range = connection.prepare_cached(
            "SELECT min(row), max(row), (SELECT title_row FROM conversation WHERE number = ?1)
             FROM message WHERE conversation = ?1",
        )?;
        let (first, last, title): (Option<i64>, Option<i64>, i64) =
            range.query_row([group.conversation], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (first, last) = (first.unwrap_or(title).min(title), last.unwrap_or(title).max(title));
        let mut find = connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3
                AND (rowid = ?4 OR rowid IN (SELECT row FROM message WHERE conversation = ?5)))",
        )?;
        for (at, weighed) in frequent {
            let mut expressions = weighed.term.asked();
            expressions.truncate(2);
            for (expression, weight) in expressions {
                let expression = plan.limited(&expression);
                if find.query_row((expression, first, last, title, group.conversation), |row| row.get(0))? {
                    covered.insert(at, weight * UNKNOWN_PLACE);
                    break;
                }
            }
        }
        Ok(())
    }
}

/// A conversation has what its best three rows have.
fn best_three(rows: &[(Candidate, f64)]) -> f64 {
    let mut scores: Vec<f64> = rows.iter().map(|(_, score)| *score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.iter().zip([1.0, 0.2, 0.1]).map(|(score, share)| score * share).sum()
}

/// The rows with `expression`, of very many the newest, each with what the engine's measure gives it beside the most that it
/// could.
fn measured(connection: &Connection, expression: &str, all: i64) -> Result<Vec<(i64, f64)>, IndexError> {
    let mut count = connection.prepare_cached("SELECT count(*) FROM words WHERE words MATCH ?1")?;
    let hits: i64 = count.query_row([expression], |row| row.get(0))?;
    // The engine weighs a row when it is read, so those that do not count are left out before.
    let newest = (hits > i64::from(LOOKED_UP))
        .then(|| candidates::newest_of(connection, expression, usize::from(LOOKED_UP)));
    let limited =
        if newest.is_some() { "AND +rowid IN (SELECT value FROM json_each(?2))" } else { "AND ?2 IS NULL" };
    let sql =
        format!("SELECT rowid, -bm25(words, {COLUMN_WEIGHTS}) FROM words WHERE words MATCH ?1 {limited}");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement
        .query_map((expression, newest.transpose()?), |row| Ok((row.get(0)?, row.get::<_, f64>(1)?)))?;
    let mut rows: Vec<(i64, f64)> = found.collect::<Result<_, _>>()?;
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no more")]
    let (all, hits) = (all as f64, hits as f64);
    // The engine's own idea of rarity is taken out again: here a word is as rare as all its forms together.
    let rarity = ((all - hits + 0.5) / (hits + 0.5)).max(1e-9).ln().max(1e-6);
    for (_, measure) in &mut rows {
        *measure = 0.4 + 0.6 * (*measure / rarity / MOST_OF_A_WORD).clamp(0.0, 1.0);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_parts_equals_and_no_more() {
        let day = |days: i64| Some(days * 86_400_000);
        assert!(of_age(day(1)) > of_age(day(30)) && of_age(day(30)) > of_age(day(3000)));
        assert!(of_age(None) >= 1.0 - LOST_BY_AGE && of_age(day(-5)) <= 1.0);
    }

    #[test]
    fn a_score_falls_from_rung_to_rung() {
        assert!(shown_score(Rung::All, 0.0) >= shown_score(Rung::Conversation, 1e9));
        assert!(shown_score(Rung::Conversation, 0.0) >= shown_score(Rung::Some, 1e9));
    }
}
