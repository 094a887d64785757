//! What lists conversations: heads in `composer.composerHeaders`, in the table `composerHeaders` and in a workspace's
//! `composer.composerData` (four generations), open panes, and the projects of the agents window.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{
    Attribution, ConversationId, Decoded, Finding, FindingKind, Fragment, Origin, Workspace,
};
use serde_json::value::RawValue;

use super::assemble::{Assembled, assemble};
use super::composer::{Evidence, WireHead};
use crate::BlobId;
use crate::rows::{Blobs, Row, Rows, RowsError};
use crate::uri::{FolderUri, place, place_of};
use crate::wire_json::{Entries, List, Text, parse, string, wire};

/// A head, as some index holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// What it says.
    pub evidence: Evidence,
    /// Whether a whole conversation stands inside it, as in the first composers.
    pub holds_messages: bool,
    /// Whether it is only a head: it has no list of messages of its own, not even an empty one.
    pub is_bare: bool,
}

/// One head. `by` says how good a witness for the workspace this index is.
pub fn head(json: &str, at: &Origin, by: Attribution) -> Option<Head> {
    let repaired = OnceCell::new();
    let wire: WireHead<'_> = parse(json.as_bytes(), &repaired).ok()?;
    let id = ConversationId::new(wire.id.owned()?);
    let holds_messages = wire.inline.is_some_and(|list| list.get().len() > 2);
    let is_bare = wire.inline.is_none();
    Some(Head { evidence: wire.evidence(id, at.clone(), by), holds_messages, is_bare })
}

wire! {
    struct WireHeads<'a> { all: List<&'a RawValue> = "allComposers", }
}

/// All heads of a list `{"allComposers":[…]}`.
pub fn heads(bytes: &[u8], at: &Origin, by: Attribution) -> Decoded<Vec<Head>> {
    let repaired = OnceCell::new();
    let wire = match parse::<WireHeads<'_>>(bytes, &repaired) {
        Ok(wire) => wire,
        Err(error) => {
            let says = format!("the list of conversations is not JSON: {error}");
            return Decoded {
                value: Vec::new(),
                findings: vec![Finding::new(FindingKind::Undecodable, at.clone(), says)],
            };
        }
    };
    let mut decoded = Decoded::clean(Vec::new());
    for (index, entry) in wire.all.0.into_iter().enumerate() {
        if let Some(head) = head(entry.get(), at, by) {
            decoded.value.push(head);
        } else {
            let says = format!("entry {index} of the list of conversations has no id");
            decoded.findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
        }
    }
    decoded
}

/// The raw entry of one conversation in such a list, for those that hold whole conversations.
pub(crate) fn entry<'a>(bytes: &'a [u8], repaired: &'a OnceCell<Vec<u8>>, id: &str) -> Option<&'a RawValue> {
    let wire: WireHeads<'a> = parse(bytes, repaired).ok()?;
    wire.all.0.into_iter().find(|entry| {
        serde_json::from_str::<WireHead<'_>>(entry.get()).is_ok_and(|wire| wire.id.filled() == Some(id))
    })
}

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
pub fn inline_conversation(bytes: &[u8], id: &ConversationId, at: &Origin) -> Option<Fragment> {
    let repaired = OnceCell::new();
    let record = entry(bytes, &repaired, id.as_str())?;
    let at = at.with_key(format!("{}#{id}", at.key));
    let Assembled { fragment, .. } = assemble(id, record.get().as_bytes(), &Nothing, &Nothing, &at).ok()?;
    Some(fragment)
}

wire! { struct WireProject<'a> { id: Text<'a> = "id", workspace: Option<&'a RawValue> = "workspace", } }

/// Where each conversation belongs: a workspace id, and its place where the project spells it out.
pub fn membership(
    projects: &[u8],
    members: &[u8],
) -> HashMap<ConversationId, (Option<String>, Option<Workspace>)> {
    let (repaired_projects, repaired_members) = (OnceCell::new(), OnceCell::new());
    let projects: List<WireProject<'_>> = parse(projects, &repaired_projects).unwrap_or_default();
    let places: HashMap<String, _> = projects
        .0
        .iter()
        .filter_map(|project| Some((project.id.owned()?, identifier(project.workspace?))))
        .collect();
    let members: Entries<Text<'_>> = parse(members, &repaired_members).unwrap_or_default();
    let joined = members.0.into_iter().filter_map(|(conversation, project)| {
        let (id, place) = places.get(project.filled()?)?.clone();
        let workspace = place.map(|place| place.into_workspace(Attribution::Project));
        Some((ConversationId::new(conversation), (id, workspace)))
    });
    joined.collect()
}

wire! {
    struct WireIdentifier<'a> {
        id: Text<'a> = "id",
        uri: Option<&'a RawValue> = "uri",
        config: Option<&'a RawValue> = "configPath",
    }
}

/// The workspace's id, and its place where the record spells it out. A multi-root workspace gives its file.
pub(crate) fn identifier(value: &RawValue) -> (Option<String>, Option<FolderUri>) {
    if let Some(text) = string(value) {
        return (None, place(&text));
    }
    let wire: WireIdentifier<'_> = serde_json::from_str(value.get()).unwrap_or_default();
    let place = wire.uri.or(wire.config).and_then(place_of);
    (wire.id.owned(), place)
}

/// Whether a workspace id stands for no folder at all: `empty-window`, or the time a window was opened.
pub fn is_windowless(id: &str) -> bool {
    id == "empty-window" || (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A store without rows.
pub(crate) struct Nothing;

impl Rows for Nothing {
    fn value(&self, _: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        Ok(None)
    }

    fn under(&self, _: &str, _: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        Ok(())
    }
}

impl Blobs for Nothing {
    fn blob(&self, _: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(None)
    }
}
