//! Projects of the agents window: which conversation belongs to which project, and where that is.

use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{Attribution, ConversationId, Workspace};
use serde_json::value::RawValue;

use super::identifier::identifier;
use crate::wire_json::{Entries, List, Text, parse, wire};

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
