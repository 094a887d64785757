//! The rows of `cursorDiskKV` that belong to a conversation.

use backscroll_cursor_format::ide::{RowKey, RowKind};
use backscroll_model::{ConversationId, Named as _};

use crate::table::KeyRange;

/// All keys that belong to a conversation.
pub(super) fn ranges(id: &str) -> Vec<KeyRange> {
    let mut ranges = Vec::new();
    for kind in RowKind::ALL.iter().copied().filter(|kind| kind.is_owned()) {
        let key = RowKey { kind, id, rest: None }.to_string();
        if kind != RowKind::Record {
            ranges.push(KeyRange::under(&format!("{key}:")));
        }
        ranges.push(KeyRange { before: [key.as_bytes(), &[0]].concat(), from: key.into_bytes() });
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
    fn every_key_of_a_conversation_lies_in_one_of_its_ranges() {
        for key in [
            "composerData:a",
            "bubbleId:a:1",
            "bubbleId:a",
            "codeBlockDiff:a:x",
            "agentKv:checkpoint:a",
            "ofsContent:a:file:///x",
        ] {
            let holds = |range: &KeyRange| {
                range.from.as_slice() <= key.as_bytes() && key.as_bytes() < range.before.as_slice()
            };
            assert_eq!(ranges("a").iter().filter(|range| holds(range)).count(), 1, "{key}");
            assert!(!ranges("b").iter().any(holds), "{key}");
        }
    }
}
