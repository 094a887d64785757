//! Chapters: one for each prompt, with the model that answered and how long that really took.

use backscroll_model::{Conversation, Message, Part, Role};

use super::{Chapter, Known, Step, StepKind, caption, steps};
use crate::text::{cut, one_line};

/// Longer titles are cut.
const LONGEST: usize = 100;

/// The chapters of a conversation with these steps.
pub(super) fn of(conversation: &Conversation, steps: &[Step]) -> Vec<Chapter> {
    let mut beginnings: Vec<usize> = Vec::new();
    let mut last_message = None;
    for (number, step) in steps.iter().enumerate() {
        let is_new = last_message.replace(step.message) != Some(step.message);
        let is_prompt = conversation.messages.get(step.message).is_some_and(steps::is_prompt);
        if number == 0 || (is_new && is_prompt) {
            beginnings.push(number);
        }
    }
    let ends = beginnings.iter().skip(1).copied().chain([steps.len()]);
    let stretches = beginnings.iter().copied().zip(ends);
    stretches.filter_map(|(from, to)| chapter(conversation, from, steps.get(from..to)?)).collect()
}

fn chapter(conversation: &Conversation, from: usize, steps: &[Step]) -> Option<Chapter> {
    let first = steps.first()?;
    let messages = || steps.iter().filter_map(|step| conversation.messages.get(step.message));
    let answers = || messages().filter(|message| message.role == Role::Assistant);
    let model = answers()
        .find_map(|message| message.model.clone())
        .or_else(|| messages().find_map(|m| m.model.clone()));
    let count = |wanted: &dyn Fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count();
    Some(Chapter {
        title: title(conversation.messages.get(first.message)?),
        step: from,
        model: model.map(|model| one_line(&model)),
        took: took(steps),
        edits: count(&|step| step.kind == StepKind::Edit),
        commands: count(&|step| step.kind == StepKind::Shell),
        errors: count(&|step| step.failed),
    })
}

fn title(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(caption::first_line(text)),
        _ => None,
    });
    let title = texts.filter(|_| steps::is_prompt(message)).find(|line| !line.is_empty());
    title.map_or_else(|| "Before the first prompt".to_owned(), |line| cut(&one_line(&line), LONGEST))
}

/// From the first to the last moment that was stored. One moment alone tells no duration.
fn took(steps: &[Step]) -> Option<u64> {
    let exact = || steps.iter().filter(|step| step.is == Known::Exact).filter_map(|step| step.at);
    let (first, last) = (exact().min()?, exact().max()?);
    u64::try_from(last.checked_sub(first)?).ok().filter(|took| *took > 0)
}
