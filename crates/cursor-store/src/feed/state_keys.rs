//! Which conversation a row of `cursorDiskKV` belongs to, by its key.

use backscroll_cursor_format::ide::keys;
use backscroll_model::ConversationId;

use crate::key_range::KeyRange;

/// Keys `<beginning><conversation>` or `<beginning><conversation>:<rest>`.
const BEGINNINGS: [&str; 7] = [
    keys::BUBBLES,
    "messageRequestContext:",
    "checkpointId:",
    "codeBlockDiff:",
    "codeBlockPartialInlineDiffFates:",
    keys::CHECKPOINTS,
    "agentKv:bubbleCheckpoint:",
];

/// Keys of rows that are named after what they hold: they never change, but they may go.
const CONTENTS: [&str; 2] = [keys::BLOBS, "composer.content."];

/// Whom a row belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Owner<'a> {
    Conversation(&'a str),
    /// Anybody who refers to it.
    Content,
    Nobody,
}

/// Whom the row with this key belongs to.
pub(super) fn owner(key: &str) -> Owner<'_> {
    if let Some(id) = key.strip_prefix(keys::COMPOSERS) {
        return Owner::Conversation(id);
    }
    if let Some(rest) = BEGINNINGS.iter().find_map(|beginning| key.strip_prefix(beginning)) {
        return Owner::Conversation(rest.split(':').next().unwrap_or_default());
    }
    if CONTENTS.iter().any(|beginning| key.starts_with(beginning)) { Owner::Content } else { Owner::Nobody }
}

/// All keys that belong to a conversation.
pub(super) fn ranges(id: &str) -> Vec<KeyRange> {
    let just = |key: String| KeyRange { before: [key.as_bytes(), &[0]].concat(), from: key.into_bytes() };
    let mut ranges = vec![just(format!("{}{id}", keys::COMPOSERS))];
    for beginning in BEGINNINGS {
        ranges.push(just(format!("{beginning}{id}")));
        ranges.push(KeyRange::under(&format!("{beginning}{id}:")));
    }
    ranges
}

/// The conversation that prompts without answers are told as.
pub(super) fn prompts() -> ConversationId {
    ConversationId::new("prompts-global")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_conversations() {
        for (key, expected) in [
            ("composerData:a:b", Owner::Conversation("a:b")),
            ("bubbleId:a:b", Owner::Conversation("a")),
            ("bubbleId:a", Owner::Conversation("a")),
            ("agentKv:checkpoint:a", Owner::Conversation("a")),
            ("agentKv:blob:00ff", Owner::Content),
            ("composer.content.00ff", Owner::Content),
            ("inlineDiffs-1", Owner::Nobody),
        ] {
            assert_eq!(owner(key), expected, "{key}");
        }
    }

    #[test]
    fn every_key_of_a_conversation_lies_in_one_of_its_ranges() {
        for key in
            ["composerData:a", "bubbleId:a:1", "bubbleId:a", "codeBlockDiff:a:x", "agentKv:checkpoint:a"]
        {
            let holds = |range: &KeyRange| {
                range.from.as_slice() <= key.as_bytes() && key.as_bytes() < range.before.as_slice()
            };
            assert_eq!(ranges("a").iter().filter(|range| holds(range)).count(), 1, "{key}");
            assert!(!ranges("b").iter().any(holds), "{key}");
        }
    }
}
