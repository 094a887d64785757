//! Messages whose blobs are gone are told again by the steps of their turn, where these are still there.
//! Must not tell anything twice: only steps that no stored message tells are taken.

use backscroll_model::{Part, Role, ToolCall};

use super::assemble::Draft;
use super::earlier::{of_turn, spoken};
use super::graph::Graph;
use super::told::Told;

/// Puts what turns still know into the gaps, and takes the gaps out. Tells how many messages came back.
pub(super) fn refill(drafts: &mut Vec<Draft>, turns: &mut [Told<'_>], graph: &mut Graph<'_>) -> usize {
    if !drafts.iter().any(|draft| draft.is_gap) {
        return 0;
    }
    let mut pieces: Vec<(usize, Vec<Draft>)> = Vec::new();
    for place in (0..drafts.len()).filter(|place| drafts[*place].is_gap) {
        pieces.extend(known(drafts, place, turns, graph).map(|piece| (place, piece)));
    }
    for draft in pieces.iter_mut().flat_map(|(_, piece)| piece) {
        answer(draft, drafts);
    }
    let refilled = pieces.iter().map(|(_, piece)| piece.len()).sum();
    let mut pieces = pieces.into_iter().peekable();
    for (place, draft) in std::mem::take(drafts).into_iter().enumerate() {
        match pieces.next_if(|(gap, _)| *gap == place) {
            Some((_, piece)) => drafts.extend(piece),
            None if draft.is_gap || draft.message.parts.is_empty() && draft.message.role == Role::Tool => {}
            None => drafts.push(draft),
        }
    }
    refilled
}

/// What the turn around a gap knows between the steps that its neighbours tell.
fn known(
    drafts: &[Draft],
    place: usize,
    turns: &mut [Told<'_>],
    graph: &mut Graph<'_>,
) -> Option<Vec<Draft>> {
    let number = drafts[place].turn?;
    let turn = &mut turns[number];
    let is_here = |draft: &&Draft| draft.turn == Some(number) && draft.steps.is_some();
    let before = drafts[..place].iter().rev().find(is_here).and_then(|draft| draft.steps);
    let after = drafts[place + 1..].iter().find(is_here).and_then(|draft| draft.steps);
    let from = before.map_or(0, |(_, last)| last + 1);
    let to = after.map_or(turn.steps.len(), |(first, _)| first);
    let steps = turn.steps.get_mut(from..to)?;
    let messages = spoken(steps.iter().filter(|step| !step.is_used.get()), graph);
    for step in steps {
        step.is_used.set(true);
    }
    let drafts: Vec<Draft> = messages.into_iter().map(|message| of_turn(message, number, turn)).collect();
    (!drafts.is_empty()).then_some(drafts)
}

/// Gives the calls of a refilled message the answers that stood alone without them: these are what the model was told.
fn answer(refilled: &mut Draft, drafts: &mut [Draft]) {
    for part in &mut refilled.message.parts {
        let Part::ToolCall(call) = part else { continue };
        for alone in drafts.iter_mut().filter(|draft| draft.message.role == Role::Tool) {
            if let Some(place) = alone.message.parts.iter().position(|part| answers(part, call))
                && let Part::ToolCall(answer) = alone.message.parts.remove(place)
            {
                call.result = answer.result.or_else(|| call.result.take());
                refilled.message.also.push(alone.message.origin.clone());
            }
        }
    }
}

fn answers(part: &Part, call: &ToolCall) -> bool {
    matches!(part, Part::ToolCall(answer) if answer.id.is_some() && answer.id == call.id)
}
