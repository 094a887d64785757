//! Several workspaces may claim one conversation: a folder that was made anew, or opened by another spelling.

use std::collections::HashMap;

use backscroll_model::{ConversationId, Finding, FindingKind, Flag, Summary};

/// One summary for each conversation: a whole one before a mere head, then the newest. Other places are told of.
pub(crate) fn settle(all: Vec<Summary>, findings: &mut Vec<Finding>) -> Vec<Summary> {
    let mut places: HashMap<ConversationId, usize> = HashMap::new();
    let mut settled: Vec<Summary> = Vec::with_capacity(all.len());
    for mut summary in all {
        let Some(&at) = places.get(&summary.id) else {
            places.insert(summary.id.clone(), settled.len());
            settled.push(summary);
            continue;
        };
        let known = &mut settled[at];
        if worth(&summary) > worth(known) {
            std::mem::swap(known, &mut summary);
        }
        findings.extend(contradiction(known, &summary));
        known.workspace = known.workspace.take().or(summary.workspace);
        let origins = summary.origins.into_iter().filter(|origin| !known.origins.contains(origin));
        let origins: Vec<_> = origins.collect();
        known.origins.extend(origins);
    }
    settled
}

fn worth(summary: &Summary) -> (bool, Option<jiff::Timestamp>) {
    (!summary.flags.contains(&Flag::Empty), summary.recency())
}

fn contradiction(known: &Summary, other: &Summary) -> Option<Finding> {
    let (here, there) = (known.workspace.as_ref()?, other.workspace.as_ref()?);
    let is_same = (&here.path, &here.remote) == (&there.path, &there.remote);
    let says = || format!("{} is also claimed by the workspace {}", known.id, there.path);
    let at = other.origins.first()?;
    (!is_same).then(|| Finding::new(FindingKind::Contradiction, at.clone(), says()))
}
