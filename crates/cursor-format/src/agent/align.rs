//! What turns know is given to the messages that tell the same: ids, times, durations, diffs, requests, models.
//! Must not add or drop messages.

use backscroll_model::{AtIs, Image, Message, Moment, Part, Role, ToolCall, ToolStatus};

use super::assemble::{Draft, tell_also};
use super::graph::Graph;
use super::step::Step;
use super::step_index::StepIndex;
use super::told::Told;
use super::turn::UserMessage;

/// Finds for each message the turn that tells the same, and takes over what it knows.
pub(super) fn align(drafts: &mut [Draft], turns: &mut [Told<'_>], graph: &mut Graph<'_>) {
    match_users(drafts, turns);
    let turns = &*turns;
    let index = StepIndex::of(turns);
    let mut current = None;
    for draft in drafts {
        match draft.message.role {
            Role::User | Role::System => {
                if let Some(turn) = draft.turn {
                    current = Some(turn);
                    enrich_user(&mut draft.message, &turns[turn], graph);
                }
            }
            Role::Assistant => {
                let anchors = enrich_assistant(&mut draft.message, current, &index, graph);
                draft.turn = anchors.iter().map(|(turn, _)| *turn).min().or(current);
                let places = || anchors.iter().filter(|spot| Some(spot.0) == draft.turn).map(|spot| spot.1);
                draft.steps = places().min().zip(places().max());
                current = draft.turn;
            }
            Role::Tool => draft.turn = current,
        }
    }
}

/// From the end, because after a summary the prompt holds only the last turns.
fn match_users(drafts: &mut [Draft], turns: &mut [Told<'_>]) {
    let mut below = turns.len();
    for draft in drafts.iter_mut().rev() {
        if draft.message.role != Role::User && draft.raw.is_empty() {
            continue;
        }
        if let Some(turn) = turns[..below].iter().rposition(|turn| tells(turn, draft)) {
            draft.turn = Some(turn);
            turns[turn].is_matched = true;
            below = turn;
        }
    }
}

fn tells(turn: &Told<'_>, draft: &Draft) -> bool {
    if draft.message.request_id.is_some() && draft.message.request_id == turn.request_id {
        return true;
    }
    let Some((user, _)) = &turn.user else { return false };
    let words = user.text.trim();
    let is_query = || draft.raw.contains("<user_query>") && !words.is_empty() && draft.raw.contains(words);
    let is_plain = || draft.message.text().trim() == words || draft.raw.trim() == words;
    is_query() || (draft.message.role == Role::User && is_plain())
}

fn enrich_user(message: &mut Message, turn: &Told<'_>, graph: &Graph<'_>) {
    message.request_id = message.request_id.take().or_else(|| turn.request_id.clone());
    message.model = message.model.take().or_else(|| turn.model.clone());
    let Some((user, blob)) = &turn.user else { return };
    take_user(message, user);
    if message.at.at.is_none() && turn.at.is_some() {
        message.at = Moment { at: turn.at, is: AtIs::Interpolated };
    }
    tell_also(message, graph.origin_of(*blob));
}

/// Takes over everything but the words.
pub(super) fn take_user(message: &mut Message, user: &UserMessage) {
    if let Some(id) = &user.id {
        message.id = backscroll_model::MessageId::new(id.clone());
    }
    if let Some(at) = user.started_at {
        message.at = Moment::exact(at);
    }
    message.simulated |= user.simulated.is_some();
    for image in &user.images {
        take_image(message, image);
    }
    for attachment in &user.attachments {
        let is_told = message.parts.iter().any(|part| {
            matches!(part, Part::Attachment(told) if told.path.is_some() && told.path == attachment.path)
        });
        if !is_told {
            message.parts.push(Part::Attachment(Box::new(attachment.clone())));
        }
    }
}

/// Adds a picture, unless the words name it already; where they only say that there was one, that is now known.
fn take_image(message: &mut Message, image: &Image) {
    let mut named = message.parts.iter_mut().filter_map(|part| match part {
        Part::Image(named) => Some(&mut **named),
        _ => None,
    });
    let same = |named: &&mut Image| {
        **named == Image::default() || (named.path.is_some() && named.path == image.path)
    };
    match named.find(same) {
        Some(named) if *named == Image::default() => *named = image.clone(),
        Some(named) => named.data = named.data.take().or_else(|| image.data.clone()),
        None => message.parts.push(image.clone().into()),
    }
}

/// The steps that tell the same as `message`, each with its turn.
fn enrich_assistant(
    message: &mut Message,
    current: Option<usize>,
    index: &StepIndex<'_>,
    graph: &mut Graph<'_>,
) -> Vec<(usize, usize)> {
    let turns = index.turns();
    let (mut anchors, mut told_by) = (Vec::new(), Vec::new());
    for part in &mut message.parts {
        let spot = match part {
            Part::ToolCall(call) => index.call(call, current),
            Part::Text(text) | Part::Thinking { text, .. } => index.text(text, current),
            _ => None,
        };
        let Some((turn, place)) = spot else { continue };
        let told = &turns[turn].steps[place];
        told.is_used.set(true);
        told_by.push(told.blob);
        anchors.push((turn, place));
        match (part, &told.step) {
            (Part::ToolCall(call), Step::Called(step)) => {
                if call.result.is_none() || call.arguments.is_none() {
                    take_call(call, &told.whole(step, graph));
                } else {
                    take_call(call, step);
                }
            }
            (Part::Thinking { duration_ms, .. }, Step::Thought { duration_ms: told, .. }) => {
                *duration_ms = *told;
            }
            _ => {}
        }
    }
    for blob in told_by {
        tell_also(message, graph.origin_of(blob));
    }
    fill_thought(message, &mut anchors, turns);
    let Some(turn) = anchors.iter().map(|(turn, _)| *turn).min().or(current) else {
        return anchors;
    };
    let times = anchors.iter().filter_map(|(turn, place)| turns[*turn].steps[*place].step.at());
    if let Some(at) = times.min() {
        message.at = Moment::exact(at);
    }
    message.request_id = message.request_id.take().or_else(|| turns[turn].request_id.clone());
    message.model = message.model.take().or_else(|| turns[turn].model.clone());
    anchors
}

/// A thought stands in the step before the message's first step, though its words may differ: the message may
/// keep them encrypted, and steps of 2025 have them twice.
fn fill_thought(message: &mut Message, anchors: &mut Vec<(usize, usize)>, turns: &[Told<'_>]) {
    let unknown = message.parts.iter_mut().find_map(|part| match part {
        Part::Thinking { text, duration_ms } if duration_ms.is_none() => Some((text, duration_ms)),
        _ => None,
    });
    let first = anchors.iter().min().copied();
    let (Some((words, duration)), Some((turn, place))) = (unknown, first) else {
        return;
    };
    let Some(before) = place.checked_sub(1) else {
        return;
    };
    let told = &turns[turn].steps[before];
    if let (Step::Thought { text, duration_ms, .. }, false) = (&told.step, told.is_used.get()) {
        if words.is_empty() {
            words.push_str(once(text));
        }
        *duration = *duration_ms;
        told.is_used.set(true);
        anchors.push((turn, before));
    }
}

/// A text that is written twice, taken once.
pub(super) fn once(text: &str) -> &str {
    match text.split_at_checked(text.len() / 2) {
        Some((half, again)) if half == again => half,
        _ => text,
    }
}

/// The message keeps what the model was told; the step knows the rest.
fn take_call(call: &mut ToolCall, step: &ToolCall) {
    if step.name.starts_with("mcp:") {
        call.name.clone_from(&step.name);
    }
    let is_open = call.result.is_none();
    if is_open {
        call.result.clone_from(&step.result);
        call.status = step.status;
    }
    if matches!(step.status, ToolStatus::Error | ToolStatus::Cancelled) {
        call.status = step.status;
        call.error = step.error.clone().or_else(|| call.error.take());
    }
    call.arguments = call.arguments.take().or_else(|| step.arguments.clone());
    call.decision = call.decision.take().or_else(|| step.decision.clone());
    call.started_at = step.started_at;
    call.ended_at = step.ended_at;
    call.diff = call.diff.take().or_else(|| step.diff.clone());
    call.child = call.child.take().or_else(|| step.child.clone());
}
