//! Steps of turns by what names them: calls by their id, words by themselves. Must not change what it finds.

use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::ToolCall;

use super::step::Step;
use super::told::{Told, ToldStep};

/// Steps by what names them.
pub(super) struct StepIndex<'t> {
    turns: &'t [Told<'t>],
    calls: HashMap<&'t str, (usize, usize)>,
    /// Made only if somebody asks beyond one short turn.
    texts: OnceCell<HashMap<&'t str, Vec<(usize, usize)>>>,
}

/// The steps of a turn that has no more are looked through faster than all are sorted.
const SHORT: usize = 32;

impl<'t> StepIndex<'t> {
    /// The steps of `turns`.
    pub(super) fn of(turns: &'t [Told<'t>]) -> Self {
        let mut calls = HashMap::with_capacity(turns.len());
        for (spot, one) in steps(turns) {
            if let Step::Called(call) = &one.step
                && let Some(id) = &call.id
            {
                calls.insert(id.as_str(), spot);
            }
        }
        Self { turns, calls, texts: OnceCell::new() }
    }

    /// The step that is this call.
    pub(super) fn call(&self, call: &ToolCall, current: Option<usize>) -> Option<(usize, usize)> {
        if let Some(spot) = call.id.as_ref().and_then(|id| self.calls.get(id.as_str())) {
            return Some(*spot);
        }
        // Steps of 2025 often have no id: then they come in the same order as the messages' calls.
        let turn = current?;
        let place = self.turns[turn].steps.iter().position(|one| {
            matches!(&one.step, Step::Called(step)
                if step.id.is_none() && !one.is_used.get() && step.name == call.name)
        })?;
        Some((turn, place))
    }

    /// A step that says or thinks this and that no message tells yet: in the current turn, where there is one, or in
    /// those right behind it whose prompt no message tells, because its blob could not be read.
    pub(super) fn text(&self, text: &str, current: Option<usize>) -> Option<(usize, usize)> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let Some(current) = current else { return self.free(text).next_back() };
        self.in_turn(text, current).or_else(|| {
            let is_lost = |turn: usize| !self.turns[turn].is_matched;
            self.free(text).find(|(turn, _)| *turn > current && (current + 1..=*turn).all(is_lost))
        })
    }

    fn in_turn(&self, text: &str, turn: usize) -> Option<(usize, usize)> {
        if self.turns[turn].steps.len() > SHORT {
            return self.free(text).find(|spot| spot.0 == turn);
        }
        let is_it = |one: &ToldStep<'_>| one.step.words() == Some(text) && !one.is_used.get();
        self.turns[turn].steps.iter().position(is_it).map(|place| (turn, place))
    }

    /// Every step that says this and that no message tells yet.
    fn free(&self, text: &str) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let spots = self.texts.get_or_init(|| texts(self.turns)).get(text).map_or(&[][..], Vec::as_slice);
        spots.iter().copied().filter(|(turn, place)| !self.turns[*turn].steps[*place].is_used.get())
    }
}

/// All steps, each with its turn's number and its own.
fn steps<'t>(turns: &'t [Told<'t>]) -> impl Iterator<Item = ((usize, usize), &'t ToldStep<'t>)> {
    turns
        .iter()
        .enumerate()
        .flat_map(|(turn, told)| told.steps.iter().enumerate().map(move |(place, one)| ((turn, place), one)))
}

/// Where each text is said or thought.
fn texts<'t>(turns: &'t [Told<'t>]) -> HashMap<&'t str, Vec<(usize, usize)>> {
    let mut texts = HashMap::<&str, Vec<_>>::new();
    for (spot, one) in steps(turns) {
        if let Some(words) = one.step.words() {
            texts.entry(words).or_default().push(spot);
        }
    }
    texts
}
