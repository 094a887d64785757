//! Messages and turns brought together: turns give messages their ids, times, durations, diffs, requests and models, and
//! become messages themselves where the prompt no longer has any.

use backscroll_model::{
    AtIs, Attachment, AttachmentKind, FindingKind, Image, Message, Moment, Part, Role, Sender, ToolCall,
    ToolStatus,
};

use super::assemble::{Draft, add_origin};
use super::graph::Graph;
use super::tool;
use super::turn::{ReadTurn, Step, StepIndex, TurnStep, UserMessage};

/// Finds for each message the turn that has the same, and takes over what it knows.
pub(super) fn align(drafts: &mut [Draft], turns: &mut [ReadTurn<'_>], graph: &mut Graph<'_>) {
    match_users(drafts, turns);
    let turns = &*turns;
    let index = StepIndex::new(turns);
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
fn match_users(drafts: &mut [Draft], turns: &mut [ReadTurn<'_>]) {
    let mut below = turns.len();
    for draft in drafts.iter_mut().rev() {
        if draft.message.role != Role::User && draft.raw.is_empty() {
            continue;
        }
        if let Some(turn) = turns[..below].iter().rposition(|turn| is_same_turn(turn, draft)) {
            draft.turn = Some(turn);
            turns[turn].is_matched = true;
            below = turn;
        }
    }
}

fn is_same_turn(turn: &ReadTurn<'_>, draft: &Draft) -> bool {
    if draft.message.request_id.is_some() && draft.message.request_id == turn.request_id {
        return true;
    }
    let Some((user, _)) = &turn.user else { return false };
    let words = user.text.trim();
    let is_query = || draft.raw.contains("<user_query>") && !words.is_empty() && draft.raw.contains(words);
    let is_plain = || draft.message.text().trim() == words || draft.raw.trim() == words;
    is_query() || (draft.message.role == Role::User && is_plain())
}

fn enrich_user(message: &mut Message, turn: &ReadTurn<'_>, graph: &Graph<'_>) {
    message.request_id = message.request_id.take().or_else(|| turn.request_id.clone());
    message.model = message.model.take().or_else(|| turn.model.clone());
    let Some((user, blob)) = &turn.user else { return };
    take_user(message, user);
    if message.at.at.is_none() && turn.at.is_some() {
        message.at = Moment { at: turn.at, is: AtIs::Interpolated };
    }
    add_origin(message, graph.origin_of(*blob));
}

/// Takes over everything but the words.
fn take_user(message: &mut Message, user: &UserMessage) {
    if let Some(id) = &user.id {
        message.id = backscroll_model::MessageId::new(id.clone());
    }
    if let Some(at) = user.started_at {
        message.at = Moment::exact(at);
    }
    message.sender = Sender::merged(message.sender.take(), user.sender.clone());
    for image in &user.images {
        take_image(message, image);
    }
    for attachment in &user.attachments {
        take_attachment(message, attachment);
    }
}

/// Adds an attachment, unless the same file or the same context is there.
fn take_attachment(message: &mut Message, attachment: &Attachment) {
    let is_there = message.parts.iter().any(|part| {
        matches!(part, Part::Attachment(known)
            if (known.path.is_some() && known.path == attachment.path)
                || (known.text.is_some() && known.text == attachment.text))
    });
    if !is_there {
        message.parts.push(Part::Attachment(Box::new(attachment.clone())));
    }
}

/// Adds a picture, unless the words name it already; where they only say that there was one, that is now known.
fn take_image(message: &mut Message, image: &Image) {
    let mut named = message.parts.iter_mut().filter_map(|part| match part {
        Part::Image(named) => Some(&mut **named),
        _ => None,
    });
    let same = |named: &&mut Image| {
        let is_named = named.path.is_some() && named.path == image.path;
        let is_held = named.data.is_some() && named.data == image.data;
        **named == Image::default() || is_named || is_held
    };
    match named.find(same) {
        Some(named) if *named == Image::default() => *named = image.clone(),
        Some(named) => {
            named.path = named.path.take().or_else(|| image.path.clone());
            named.media_type = named.media_type.take().or_else(|| image.media_type.clone());
            named.data = named.data.take().or_else(|| image.data.clone());
        }
        None => message.parts.push(image.clone().into()),
    }
}

/// The steps that say the same as `message`, each with its turn.
fn enrich_assistant(
    message: &mut Message,
    current: Option<usize>,
    index: &StepIndex<'_>,
    graph: &mut Graph<'_>,
) -> Vec<(usize, usize)> {
    let turns = index.turns();
    let (mut anchors, mut blobs, mut spilled) = (Vec::new(), Vec::new(), Vec::new());
    for (at, part) in message.parts.iter_mut().enumerate() {
        let spot = match part {
            Part::ToolCall(call) => index.call(call, current, graph),
            Part::Text(text) | Part::Thinking { text, .. } => index.text(text, current),
            _ => None,
        };
        let Some((turn, place)) = spot else { continue };
        let found = &turns[turn].steps[place];
        found.is_used.set(true);
        blobs.push(found.blob);
        anchors.push((turn, place));
        match (part, &found.step) {
            (Part::ToolCall(call), Step::Called(step)) => {
                spilled.extend(tool::spilled(step).map(|file| (at + 1, file)));
                let is_agreed = if call.result.is_none() || call.arguments.is_none() {
                    take_call(call, &found.whole(step, graph))
                } else {
                    take_call(call, step)
                };
                if !is_agreed {
                    let says = "the call succeeded, and its step says that it failed; its own result counts";
                    graph.report(FindingKind::Contradiction, graph.origin_of(found.blob), says);
                }
            }
            (Part::Thinking { duration_ms, .. }, Step::Thought { duration_ms: found, .. }) => {
                *duration_ms = *found;
            }
            _ => {}
        }
    }
    for blob in blobs {
        add_origin(message, graph.origin_of(blob));
    }
    for (at, file) in spilled.into_iter().rev() {
        let output = Attachment::new(AttachmentKind::Output).at(file);
        message.parts.insert(at, Part::Attachment(Box::new(output)));
    }
    for (turn, place) in &anchors {
        turns[*turn].steps[*place].context.iter().for_each(|context| take_attachment(message, context));
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

/// A thought is in the step before the message's first step, though its words may differ: the message may
/// keep them encrypted, and steps of 2025 have them twice.
fn fill_thought(message: &mut Message, anchors: &mut Vec<(usize, usize)>, turns: &[ReadTurn<'_>]) {
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
    let found = &turns[turn].steps[before];
    if let (Step::Thought { text, duration_ms, .. }, false) = (&found.step, found.is_used.get()) {
        if words.is_empty() {
            words.push_str(without_repetition(text));
        }
        *duration = *duration_ms;
        found.is_used.set(true);
        anchors.push((turn, before));
    }
}

/// A text that is written twice, taken once.
fn without_repetition(text: &str) -> &str {
    match text.split_at_checked(text.len() / 2) {
        Some((half, again)) if half == again => half,
        _ => text,
    }
}

/// The message keeps what the model was given; the step knows the rest. Returns whether both agree on how the call ended: the
/// result of one is never shown with the error of the other.
fn take_call(call: &mut ToolCall, step: &ToolCall) -> bool {
    if step.name.starts_with("mcp:") {
        call.name.clone_from(&step.name);
    }
    let has_failed = matches!(step.status, ToolStatus::Error | ToolStatus::Cancelled);
    let is_agreed = !has_failed || !contradicts(call, step);
    if call.result.is_none() {
        call.result.clone_from(&step.result);
        call.status = step.status;
    }
    if has_failed && is_agreed {
        // What the model was told was an error stays one, no matter who refused.
        if call.status != ToolStatus::Error {
            call.status = step.status;
        }
        call.error = step.error.clone().or_else(|| call.error.take());
    }
    call.arguments = call.arguments.take().or_else(|| step.arguments.clone());
    call.decision = call.decision.take().or_else(|| step.decision.clone());
    call.started_at = step.started_at;
    call.ended_at = step.ended_at;
    call.diff = call.diff.take().or_else(|| step.diff.clone());
    call.child = call.child.take().or_else(|| step.child.clone());
    call.notes.extend(step.notes.iter().cloned());
    is_agreed
}

/// What a tool says that changed a file.
const DONE: [&str; 4] =
    ["has been updated", "has been created", "updated successfully", "created successfully"];

/// Whether a call's own result says that it succeeded, while its step failed for a reason that the result does not name.
fn contradicts(call: &ToolCall, step: &ToolCall) -> bool {
    let Some(result) = call.result.as_ref().filter(|_| call.status != ToolStatus::Error) else {
        return false;
    };
    let names_error = step.error.as_deref().is_some_and(|error| result.as_str().contains(error.trim()));
    !names_error && DONE.iter().any(|done| result.as_str().contains(done))
}

/// Puts the messages of turns that no draft has where they belong.
pub(super) fn insert_unmatched_turns(
    drafts: &mut Vec<Draft>,
    turns: &mut [ReadTurn<'_>],
    graph: &mut Graph<'_>,
) {
    let mut position = drafts.len();
    let mut first = vec![None; turns.len()];
    for (place, draft) in drafts.iter().enumerate() {
        if let Some(turn) = draft.turn {
            first[turn].get_or_insert(place);
        }
    }
    let mut pieces: Vec<(usize, Vec<Draft>)> = Vec::new();
    for (number, turn) in turns.iter_mut().enumerate().rev() {
        position = first[number].map_or(position, |place: usize| place.min(position));
        if turn.is_matched {
            continue;
        }
        // The summary stands for what comes before it.
        while position > 0 && drafts[position - 1].is_summary {
            position -= 1;
        }
        pieces.push((position, messages_of_turn(number, turn, graph)));
    }
    if pieces.is_empty() {
        return;
    }
    // From front to back; turns were visited from the last to the first.
    let mut old = std::mem::take(drafts).into_iter();
    let mut taken = 0;
    for (position, piece) in pieces.into_iter().rev() {
        drafts.extend(old.by_ref().take(position.saturating_sub(taken)));
        taken = taken.max(position);
        drafts.extend(piece);
    }
    drafts.extend(old);
}

/// The messages of a turn, up to the first step that a draft has.
pub(super) fn messages_of_turn(number: usize, turn: &mut ReadTurn<'_>, graph: &mut Graph<'_>) -> Vec<Draft> {
    let mut messages = Vec::new();
    if let Some((user, blob)) = &turn.user {
        let origin = graph.origin_of(*blob);
        let mut message = Message::new(short_id(&origin.key), Role::User, origin);
        if !user.text.is_empty() {
            message.parts.push(Part::Text(user.text.clone()));
        }
        take_user(&mut message, user);
        messages.push(message);
    }
    let unused = turn.steps.iter().take_while(|step| !step.is_used.get());
    messages.extend(messages_of_steps(unused, graph));
    messages.into_iter().map(|message| draft_of_turn(message, number, turn)).collect()
}

/// The message as one of this turn.
fn draft_of_turn(mut message: Message, number: usize, turn: &ReadTurn<'_>) -> Draft {
    message.request_id.clone_from(&turn.request_id);
    message.model.clone_from(&turn.model);
    let mut draft = Draft::new(message);
    draft.turn = Some(number);
    draft
}

/// The assistant's messages that these steps make up.
fn messages_of_steps<'a>(
    steps: impl Iterator<Item = &'a TurnStep<'a>>,
    graph: &mut Graph<'_>,
) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for step in steps {
        // Words or a thought after a tool begin the next message.
        let begins = !matches!(step.step, Step::Called(_)) && ends_with_call(messages.last());
        if messages.is_empty() || begins {
            let origin = graph.origin_of(step.blob);
            messages.push(Message::new(short_id(&origin.key), Role::Assistant, origin));
        }
        if let Some(message) = messages.last_mut() {
            add(message, step, graph);
        }
    }
    messages
}

fn add(message: &mut Message, step: &TurnStep<'_>, graph: &mut Graph<'_>) {
    if message.at.at.is_none() {
        message.at = Moment::exact_or_unknown(step.step.at());
    }
    message.parts.push(match &step.step {
        Step::Said { text, .. } => Part::Text(text.clone().into_owned()),
        Step::Called(call) => Part::ToolCall(Box::new(step.whole(call, graph))),
        Step::Thought { text, duration_ms, .. } => {
            Part::Thinking { text: without_repetition(text).to_owned(), duration_ms: *duration_ms }
        }
    });
    step.context.iter().for_each(|context| take_attachment(message, context));
}

fn ends_with_call(message: Option<&Message>) -> bool {
    message.is_some_and(|message| matches!(message.parts.last(), Some(Part::ToolCall(_))))
}

/// The first digits of the blob's id.
pub(super) fn short_id(key: &str) -> String {
    let id = key.rsplit(':').next().unwrap_or(key);
    id.chars().take(16).collect()
}

/// Puts what turns still know into the gaps, and takes the gaps out. Returns how many messages came back.
pub(super) fn refill(drafts: &mut Vec<Draft>, turns: &mut [ReadTurn<'_>], graph: &mut Graph<'_>) -> usize {
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

/// What the turn around a gap knows between the steps that its neighbours have.
fn known(
    drafts: &[Draft],
    place: usize,
    turns: &mut [ReadTurn<'_>],
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
    let messages = messages_of_steps(steps.iter().filter(|step| !step.is_used.get()), graph);
    for step in steps {
        step.is_used.set(true);
    }
    let drafts: Vec<Draft> =
        messages.into_iter().map(|message| draft_of_turn(message, number, turn)).collect();
    (!drafts.is_empty()).then_some(drafts)
}

/// Gives the calls of a refilled message the answers that stood alone without them: these are what the model was given.
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
