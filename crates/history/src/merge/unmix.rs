//! Thoughts that a layer wrote into the words.
//!
//! Some transcripts of JSON lines hold one text where the plain text beside them has a thought and words: the thought
//! alone, or both in one piece, in either order. Where another layer tells them apart, so do we; only to the letter.

use std::collections::HashMap;

use backscroll_model::{Message, Part, Role};

use super::atoms::bare;

/// Splits texts of `messages` that are a thought, or a thought and words, of one message of `by`.
pub(super) fn unmix(messages: &mut [Message], by: &[Message]) {
    let mixed = mixtures(by);
    if mixed.is_empty() {
        return;
    }
    for message in messages.iter_mut().filter(|message| message.role == Role::Assistant) {
        let parts = std::mem::take(&mut message.parts);
        for part in parts {
            let told = match &part {
                Part::Text(text) => mixed.get(&bare(text)),
                _ => None,
            };
            match told {
                Some(told) => {
                    message.parts.extend(by[*told].parts.iter().filter(|part| is_speech(part)).cloned());
                }
                None => message.parts.push(part),
            }
        }
    }
}

fn is_speech(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::Thinking { .. })
}

/// What the thoughts and words of each message look like in one piece.
fn mixtures(messages: &[Message]) -> HashMap<String, usize> {
    let mut mixed = HashMap::new();
    let thinks = |message: &Message| message.parts.iter().any(|part| matches!(part, Part::Thinking { .. }));
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| thinks(message)) {
        let (mut thought, mut words) = (String::new(), String::new());
        for part in &message.parts {
            match part {
                Part::Thinking { text, .. } => thought.push_str(&bare(text)),
                Part::Text(text) => words.push_str(&bare(text)),
                _ => {}
            }
        }
        if !thought.is_empty() {
            mixed.insert(format!("{words}{thought}"), at);
            mixed.insert(format!("{thought}{words}"), at);
        }
    }
    mixed
}
