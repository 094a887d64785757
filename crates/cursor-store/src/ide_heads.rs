//! Every index of conversations in the global database, read once: the list of heads, the table of heads, and the
//! projects of the agents window. None of them is complete, and either may be newer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::ide::{self, Head, RowKey, is_windowless, keys};
use backscroll_model::{Attribution, ConversationId, Finding, Flag, Layer, Origin, Workspace};

use crate::fingerprint;
use crate::named_columns::{Columns, each};
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::workspace_folders::WorkspaceFolders;

/// What the indexes hold, by conversation.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    by_id: HashMap<ConversationId, Vec<Head>>,
    projects: HashMap<ConversationId, (Option<String>, Option<Workspace>)>,
    /// Conversations whose heads name this one as the parent.
    children: HashMap<ConversationId, BTreeSet<ConversationId>>,
    pub(crate) findings: Vec<Finding>,
}

/// The columns of the header table that we read where they exist.
const COLUMNS: [&str; 7] =
    ["composerId", "value", "workspaceId", "createdAt", "lastUpdatedAt", "isArchived", "isSubagent"];

impl Heads {
    pub(crate) fn read(db: &ReadOnlyDb, file: &Arc<Path>) -> Result<Self, ReadError> {
        let mut heads = Self::default();
        if let Some(items) = db.table("ItemTable")? {
            let at = Origin::new(Layer::IdeHeaders, Arc::clone(file), keys::HEADERS);
            if let Some(bytes) = items.get(keys::HEADERS)? {
                let list = ide::heads(&bytes, &at, Attribution::Header).report_to(&mut heads.findings);
                for head in list {
                    heads.add(head);
                }
            }
            let value = |key: &str| Ok::<_, ReadError>(items.get(key)?.unwrap_or_default());
            heads.projects = ide::membership(&value(keys::PROJECTS)?, &value(keys::MEMBERSHIP)?);
        }
        heads.read_table(db, file)?;
        Ok(heads)
    }

    /// The heads of one conversation, the table's last.
    pub(crate) fn get(&self, id: &ConversationId) -> &[Head] {
        self.by_id.get(id).map_or(&[], Vec::as_slice)
    }

    /// A fingerprint of what they hold of each conversation.
    pub(crate) fn prints(&self) -> BTreeMap<String, u64> {
        let mut prints: BTreeMap<String, u64> = BTreeMap::new();
        for (id, heads) in &self.by_id {
            prints.insert(id.as_str().to_owned(), fingerprint::of_all(heads));
        }
        for (id, project) in &self.projects {
            let print = prints.entry(id.as_str().to_owned()).or_default();
            *print = print.wrapping_add(fingerprint::of_all(project));
        }
        prints
    }

    /// Conversations that they place in a workspace with such an id.
    pub(crate) fn naming_workspace(
        &self,
        is_one: &dyn Fn(Option<&str>) -> bool,
    ) -> impl Iterator<Item = &ConversationId> {
        let names = |heads: &[Head]| heads.iter().any(|head| is_one(head.evidence.workspace_id.as_deref()));
        let heads = self.by_id.iter().filter(move |(_, heads)| names(heads)).map(|(id, _)| id);
        let projects = self.projects.iter().filter(|(_, (id, _))| is_one(id.as_deref())).map(|(id, _)| id);
        heads.chain(projects)
    }

    /// Conversations whose heads say that this one started them.
    pub(crate) fn children(&self, id: &ConversationId) -> impl Iterator<Item = &ConversationId> {
        self.children.get(id).into_iter().flatten()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &ConversationId> {
        self.by_id.keys()
    }

    /// The workspace that the conversation's project has.
    pub(crate) fn project(&self, id: &ConversationId, folders: &WorkspaceFolders) -> Option<Workspace> {
        let (workspace_id, workspace) = self.projects.get(id)?;
        workspace.clone().or_else(|| known(workspace_id.as_deref()?, folders, Attribution::Project))
    }

    fn add(&mut self, head: Head) {
        let summary = &head.evidence.summary;
        if let Some(parent) = &summary.parent {
            self.children.entry(parent.clone()).or_default().insert(summary.id.clone());
        }
        self.by_id.entry(summary.id.clone()).or_default().push(head);
    }

    /// The table `composerHeaders`: columns differ between builds and are read by name.
    fn read_table(&mut self, db: &ReadOnlyDb, file: &Arc<Path>) -> Result<(), ReadError> {
        each(db, "composerHeaders", None, &COLUMNS, &mut |row| {
            let head = table_head(row, file)?;
            // The row of another table.
            if RowKey::parse(head.evidence.summary.id.as_str()).is_some() {
                db.note_damage();
            }
            self.add(head);
            Some(())
        })?;
        Ok(())
    }
}

/// One row: the head in `value`, with what the columns know better.
fn table_head(row: &Columns<'_>, file: &Arc<Path>) -> Option<Head> {
    let id = row.text(&["composerId"])?;
    let at = Origin::new(Layer::IdeHeaders, Arc::clone(file), format!("composerHeaders:{id}"));
    let bare = || ide::head(&serde_json::json!({ "composerId": id }).to_string(), &at, Attribution::Header);
    let mut head =
        row.text(&["value"]).and_then(|json| ide::head(&json, &at, Attribution::Header)).or_else(bare)?;
    let summary = &mut head.evidence.summary;
    let time = |column: &str| jiff::Timestamp::from_millisecond(row.number(column)?).ok();
    summary.id = ConversationId::new(id);
    summary.created_at = summary.created_at.or(time("createdAt"));
    summary.updated_at = summary.updated_at.max(time("lastUpdatedAt"));
    if row.number("isArchived") == Some(1) {
        summary.flags.insert(Flag::Archived);
    }
    if row.number("isSubagent") == Some(1) && !summary.flags.contains(&Flag::BestOfN) {
        summary.flags.insert(Flag::Subagent);
    }
    head.evidence.workspace_id = row.text(&["workspaceId"]).or_else(|| head.evidence.workspace_id.take());
    Some(head)
}

/// The workspace with this id, if its folder says where it is.
pub(crate) fn known(id: &str, folders: &WorkspaceFolders, by: Attribution) -> Option<Workspace> {
    if is_windowless(id) {
        return None;
    }
    folders.place(id).map(|place| place.into_workspace(by))
}
