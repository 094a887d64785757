//! Checkpoints of messages that are not shown go over to their neighbours: what they tell of files stays true.

use std::collections::HashMap;

use backscroll_model::{KeptFiles, Message, MessageId, Side};

/// Hands the checkpoints of all `messages` that are not shown to the next one that is, or else to the last.
pub(super) fn hand_over(kept: &mut KeptFiles, messages: &[Message], is_shown: impl Fn(&Message) -> bool) {
    if kept.checkpoints.is_empty() {
        return;
    }
    let mut order: HashMap<&MessageId, usize> = HashMap::new();
    let mut next_shown: Vec<Option<&Message>> = vec![None; messages.len()];
    let mut next = None;
    for (at, message) in messages.iter().enumerate().rev() {
        next = if is_shown(message) { Some(message) } else { next };
        next_shown[at] = next;
        order.insert(&message.id, at);
    }
    let last_shown = messages.iter().rev().find(|message| is_shown(message));
    kept.checkpoints.retain(|checkpoint| order.contains_key(&checkpoint.message));
    kept.checkpoints.sort_by_key(|checkpoint| (order.get(&checkpoint.message).copied(), checkpoint.side));
    for checkpoint in &mut kept.checkpoints {
        let Some(at) = order.get(&checkpoint.message).copied().filter(|at| !is_shown(&messages[*at])) else {
            continue;
        };
        let heir = match (next_shown[at], last_shown) {
            (Some(next), _) => Some((next, Side::Before)),
            (None, last) => last.map(|last| (last, Side::After)),
        };
        if let Some((message, side)) = heir {
            (checkpoint.message, checkpoint.side) = (message.id.clone(), side);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Checkpoint, Layer, Origin, Role};

    use super::*;

    #[test]
    fn checkpoints_of_the_unseen_go_to_their_neighbours() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), "key");
        let message = |id: &str| Message::new(id, Role::Assistant, origin.clone());
        let messages: Vec<Message> = ["a", "hidden-1", "b", "hidden-2"].map(message).into();
        let checkpoint =
            |message: &str, side| Checkpoint { message: message.into(), side, states: Vec::new() };
        let mut kept = KeptFiles {
            states: Vec::new(),
            checkpoints: vec![
                checkpoint("hidden-2", Side::Before),
                checkpoint("b", Side::Before),
                checkpoint("hidden-1", Side::After),
                checkpoint("elsewhere", Side::After),
                checkpoint("a", Side::After),
            ],
        };
        hand_over(&mut kept, &messages, |message| !message.id.as_str().starts_with("hidden"));
        let told: Vec<(&str, Side)> =
            kept.checkpoints.iter().map(|one| (one.message.as_str(), one.side)).collect();
        let expected = [("a", Side::After), ("b", Side::Before), ("b", Side::Before), ("b", Side::After)];
        assert_eq!(told, expected);
    }
}
