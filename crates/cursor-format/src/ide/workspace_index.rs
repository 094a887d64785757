//! What a workspace's database tells of conversations: `composer.composerData` in its four generations, and panes.

use std::cell::OnceCell;

use backscroll_model::{Attribution, Conversation, ConversationId, Decoded, Origin};
use serde_json::value::RawValue;

use super::assemble::{Assembled, assemble};
use super::head::{Head, entry, heads};
use super::nothing::Nothing;
use crate::wire_json::{Entries, List, Text, parse, wire};

wire! {
    struct WireSelected<'a> {
        selected: List<Text<'a>> = "selectedComposerIds",
        focused: List<Text<'a>> = "lastFocusedComposerIds",
        one: Text<'a> = "selectedComposerId",
    }
}

/// A workspace's index of conversations.
#[derive(Debug, Default)]
pub struct WorkspaceIndex {
    /// Heads, of which the oldest hold whole conversations.
    pub heads: Vec<Head>,
    /// Ids that were open or selected here, without a head.
    pub opened: Vec<ConversationId>,
}

/// Reads `composer.composerData` of a workspace.
pub fn workspace_index(bytes: &[u8], at: &Origin) -> Decoded<WorkspaceIndex> {
    let repaired = OnceCell::new();
    // What is not JSON is reported once, for the heads.
    let selected: WireSelected<'_> = parse(bytes, &repaired).unwrap_or_default();
    let opened = selected.selected.0.iter().chain(&selected.focused.0).chain([&selected.one]);
    let opened = opened.filter_map(Text::owned).map(ConversationId::new).collect();
    heads(bytes, at, Attribution::WorkspaceList).map(|heads| WorkspaceIndex { heads, opened })
}

/// The conversations that a pane's value names: keys `workbench.panel.aichat.view.<id>`.
pub fn pane_ids(bytes: &[u8]) -> Vec<ConversationId> {
    let repaired = OnceCell::new();
    let entries: Entries<&RawValue> = parse(bytes, &repaired).unwrap_or_default();
    let ids = entries
        .0
        .into_iter()
        .filter_map(|(key, _)| Some(key.strip_prefix("workbench.panel.aichat.view.")?.to_owned()));
    ids.filter(|id| id != "aichat.chatdata").map(ConversationId::new).collect()
}

/// The whole conversation that a workspace's list holds under `id` (0.40 to 0.42).
pub fn inline_conversation(bytes: &[u8], id: &ConversationId, at: &Origin) -> Option<Conversation> {
    let repaired = OnceCell::new();
    let record = entry(bytes, &repaired, id.as_str())?;
    let at = at.with_key(format!("{}#{id}", at.key));
    let Assembled { conversation, .. } =
        assemble(id, record.get().as_bytes(), &Nothing, &Nothing, &at).ok()?;
    Some(conversation)
}
