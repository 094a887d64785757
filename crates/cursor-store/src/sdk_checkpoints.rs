//! The blobs of agents in an SDK store of JSON lines: `checkpoints.ndjson`, a line for each blob.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::agent::{self, GraphLocation, reachable};
use backscroll_cursor_format::drift::DriftLog;
use backscroll_cursor_format::sdk::{AgentRow, CheckpointRow};
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use backscroll_model::{
    ConversationId, Decoded, Finding, FindingKind, Fragment, Layer, Origin, Summary, Surface,
};

use crate::cli_session::{add_graph, anchor_times};
use crate::read_only_db::ReadError;
use crate::sdk_rows::{self, read_lines};

const FILE: &str = "checkpoints.ndjson";

/// The file of checkpoints in the store `folder`, if it has any.
pub(crate) fn file_in(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(FILE)).filter(|file| file.is_file())
}

/// The blobs of one agent, in the order of their lines.
struct Checkpoints {
    blobs: HashMap<BlobId, Vec<u8>>,
    order: Vec<BlobId>,
}

impl Blobs for Checkpoints {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.blobs.get(id).map(|bytes| Cow::Borrowed(bytes.as_slice())))
    }
}

impl Checkpoints {
    fn read(folder: &Path, agent: &str, findings: &mut Vec<Finding>) -> Result<Self, ReadError> {
        let mut all = Self { blobs: HashMap::new(), order: Vec::new() };
        for row in read_lines(folder, FILE, &CheckpointRow::from_line, findings)? {
            if row.agent_id == agent && all.blobs.insert(row.blob_id, row.data).is_none() {
                all.order.push(row.blob_id);
            }
        }
        Ok(all)
    }

    /// The root that the agent's row names; else the one that looks like it: with the most turns, of several the last.
    fn root(&self, row: Option<&AgentRow>) -> Option<String> {
        let named = row.and_then(AgentRow::root_blob);
        let turns = |id: &BlobId| agent::turns_if_root(self.blobs.get(id)?);
        let likeliest = || {
            let roots = self.order.iter().filter_map(|id| Some((turns(id)?, id)));
            roots.max_by_key(|(turns, _)| *turns).map(|(_, id)| id.to_string())
        };
        named.or_else(likeliest)
    }

    /// Messages that the latest root does not reach are orphans; everything else unreached is counted.
    fn add_unreached(&self, root: &str, at: &Origin, fragment: &mut Fragment) {
        let Some(root) = BlobId::spelled(root.as_bytes()).and_then(|id| self.blobs.get(&id)) else { return };
        let reached = reachable(root, &GraphLocation { blobs: self, root: at.clone(), prefix: "" }).value;
        let unreached: Vec<BlobId> = self.order.iter().copied().filter(|id| !reached.contains(id)).collect();
        let (loose, others): (Vec<BlobId>, Vec<BlobId>) =
            unreached.into_iter().partition(|id| self.blobs[id].first() == Some(&b'{'));
        let loose: Vec<(String, BlobId)> = loose.into_iter().map(|id| (id.to_string(), id)).collect();
        let lines =
            loose.iter().map(|(name, id)| (name.as_str(), at.with_key(name), self.blobs[id].as_slice()));
        fragment.orphans = agent::loose_messages(lines).report_to(&mut fragment.findings);
        fragment.coverage.orphaned = fragment.orphans.len() as u64;
        if !others.is_empty() {
            let says = format!(
                "{} blobs cannot be reached from the latest root: earlier states, or steps not taken",
                others.len()
            );
            fragment.findings.push(Finding::new(FindingKind::Unreached, at.clone(), says));
        }
    }
}

/// What the checkpoints hold of the agent `id`.
pub(crate) fn load(
    folder: &Path,
    id: &ConversationId,
    row: Option<&AgentRow>,
) -> Result<Fragment, ReadError> {
    let at = Origin::new(Layer::CliStore, Arc::<Path>::from(folder.join(FILE)), "");
    let mut fragment = Fragment::new(Summary::new(id.clone(), Surface::Sdk, at.clone()));
    let checkpoints = Checkpoints::read(folder, id.as_str(), &mut fragment.findings)?;
    let Some(root) = checkpoints.root(row) else { return Ok(fragment) };
    let place = GraphLocation { blobs: &checkpoints, root: at.with_key(&root), prefix: "" };
    let Decoded { value, findings } = agent::conversation_at(&root, &place);
    match value {
        Some(value) => add_graph(&mut fragment, Decoded { value, findings }),
        None => fragment.findings.extend(findings),
    }
    checkpoints.add_unreached(&root, &at, &mut fragment);
    anchor_times(&mut fragment);
    Ok(fragment)
}

/// Notes what is unknown in the blobs of every agent: JSON messages, and the graph below its latest root.
pub(crate) fn drift(folder: &Path, log: &mut DriftLog) -> Result<(), ReadError> {
    let findings = &mut Vec::new();
    for row in sdk_rows::agents(folder)? {
        let checkpoints = Checkpoints::read(folder, &row.agent_id, findings)?;
        for (id, bytes) in checkpoints.order.iter().filter_map(|id| Some((id, checkpoints.blobs.get(id)?))) {
            log.message_blob(bytes, &id.to_string());
        }
        let root = checkpoints.root(Some(&row));
        let bytes = root.as_ref().and_then(|root| checkpoints.blobs.get(&BlobId::spelled(root.as_bytes())?));
        if let (Some(root), Some(bytes)) = (&root, bytes) {
            let at = Origin::new(Layer::CliStore, Arc::<Path>::from(folder.join(FILE)), "");
            log.graph(bytes, root, &GraphLocation { blobs: &checkpoints, root: at, prefix: "" });
        }
    }
    Ok(())
}
