//! When each step happens: really, as far as the store tells, and in the play, where text is typed at reading speed
//! and time in which nothing happened is skipped.

use backscroll_model::{AtIs, Conversation, Part};
use jiff::Timestamp;

use super::{Known, Step, StepKind};

/// A pause longer than this is skipped and told as such.
const IDLE_MS: i64 = 90_000;

/// What a skipped pause takes in the play.
const SKIPPED_MS: u64 = 1_400;

/// What a part takes in the play: so much at once, so much for each character, but never more than the last.
struct Pace {
    at_once: u64,
    each_thousand: u64,
    most: u64,
}

/// Gives the steps their real moments.
pub(super) fn really(conversation: &Conversation, steps: &mut [Step]) {
    for step in steps.iter_mut() {
        let Some(message) = conversation.messages.get(step.message) else { continue };
        let stored = match message.at.is {
            AtIs::Exact => (message.at.at, Known::Exact),
            AtIs::Interpolated => (message.at.at, Known::Interpolated),
            AtIs::Conversation | AtIs::Unknown => (None, Known::Unknown),
        };
        let began = match message.parts.get(step.part) {
            Some(Part::ToolCall(call)) => call.started_at,
            _ => None,
        };
        let (at, is) = began.map_or(stored, |began| (Some(began), Known::Exact));
        step.at = at.map(Timestamp::as_millisecond);
        step.is = if step.at.is_some() { is } else { Known::Unknown };
    }
    fill_between(steps);
}

/// Steps between two known moments lie between them, evenly.
fn fill_between(steps: &mut [Step]) {
    let known: Vec<(usize, i64)> =
        steps.iter().enumerate().filter_map(|(number, step)| Some((number, step.at?))).collect();
    for pair in known.windows(2) {
        let [(first, from), (last, to)] = *pair else { continue };
        let between = i64::try_from(last - first).unwrap_or(i64::MAX);
        let span = to.saturating_sub(from).max(0);
        for (away, step) in steps.iter_mut().take(last).skip(first + 1).enumerate() {
            let away = i64::try_from(away + 1).unwrap_or(i64::MAX);
            step.at = Some(from.saturating_add(span / between * away));
            step.is = Known::Interpolated;
        }
    }
}

/// Gives the steps their moments in the play, and tells how long all of it takes.
pub(super) fn played(conversation: &Conversation, steps: &mut [Step]) -> u64 {
    let mut now = 0_u64;
    let mut latest: Option<i64> = None;
    for step in steps.iter_mut() {
        if let Some(at) = step.at {
            let pause = latest.map_or(0, |before| at.saturating_sub(before));
            if pause > IDLE_MS {
                step.idle = u64::try_from(pause).ok();
                now = now.saturating_add(SKIPPED_MS);
            }
            latest = Some(latest.map_or(at, |before| before.max(at)));
        }
        let part = conversation.messages.get(step.message).and_then(|message| message.parts.get(step.part));
        step.starts = now;
        step.lasts = part.map_or(0, |part| lasts(step.kind, part));
        now = now.saturating_add(step.lasts);
    }
    now
}

fn lasts(kind: StepKind, part: &Part) -> u64 {
    let pace = match kind {
        StepKind::Prompt => Pace { at_once: 900, each_thousand: 22_000, most: 9_000 },
        StepKind::Text => Pace { at_once: 500, each_thousand: 16_000, most: 16_000 },
        StepKind::Thinking => Pace { at_once: 400, each_thousand: 6_000, most: 5_000 },
        StepKind::Edit => Pace { at_once: 1_600, each_thousand: 3_000, most: 6_000 },
        StepKind::Shell => Pace { at_once: 1_400, each_thousand: 1_500, most: 4_500 },
        StepKind::Tool => Pace { at_once: 900, each_thousand: 0, most: 900 },
        StepKind::Error => Pace { at_once: 2_000, each_thousand: 2_000, most: 4_000 },
        StepKind::Context => Pace { at_once: 250, each_thousand: 0, most: 250 },
    };
    let characters = u64::try_from(length(part)).unwrap_or(u64::MAX);
    pace.at_once.saturating_add(characters.saturating_mul(pace.each_thousand) / 1_000).min(pace.most)
}

/// How much there is to read. Bytes are near enough, and counting characters of megabytes is not worth it.
fn length(part: &Part) -> usize {
    match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) | Part::Thinking { text, .. } => {
            text.len()
        }
        Part::ToolCall(call) => {
            let result = call.result.as_ref().map_or(0, |result| result.as_str().len());
            call.diff.as_ref().map_or(result, String::len)
        }
        Part::Code(code) => code.text.len(),
        Part::Image(_) | Part::Attachment(_) | Part::Todos(_) => 0,
    }
}
