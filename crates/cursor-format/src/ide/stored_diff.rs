//! The diff of an edit that other rows hold: the file before and after, or the change of a code block.

use backscroll_model::{ConversationId, Finding, FindingKind, Origin, ToolCall};

use super::code_blocks::{CodeBlock, CodeBlocks};
use super::edit_diff;
use super::tool_former::Hints;
use crate::diff::unified;
use crate::rows::{Rows, RowsError};

/// Whether a call may have changed files and nothing told yet what.
pub(crate) fn wants_diff(call: &ToolCall) -> bool {
    edit_diff::is_edit(call) && call.diff.is_none()
}

/// The diff that rows of the store hold for `call`. A row that the call names and that is gone is a finding.
pub(crate) fn stored_diff(
    id: &ConversationId,
    hints: &Hints,
    call: &ToolCall,
    code_blocks: &CodeBlocks,
    rows: &dyn Rows,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Result<Option<String>, RowsError> {
    let path = edit_diff::path(call);
    if let Some((before, after)) = edit_diff::content_ids(call) {
        let mut text = |key: &str| -> Result<Option<String>, RowsError> {
            let value = rows.value(key)?.flatten();
            if value.is_none() {
                let says = format!("the content {key} that an edit names is not there");
                findings.push(Finding::new(FindingKind::DanglingReference, at.clone(), says));
            }
            Ok(value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        if let (Some(before), Some(after)) = (text(&before)?, text(&after)?) {
            return Ok(unified(path.as_deref().unwrap_or("file"), &before, &after));
        }
    }
    let is_it = |block: &&CodeBlock| match (&hints.codeblock_id, hints.codeblock_version) {
        (Some(id), _) => block.id.as_ref() == Some(id),
        (None, Some(version)) => block.version == Some(version) && is_of(block, path.as_deref()),
        (None, None) => false,
    };
    match code_blocks.blocks.iter().find(is_it) {
        Some(block) => code_blocks.diff(id.as_str(), block, rows),
        None => Ok(None),
    }
}

/// Whether a block changes the file at `path`, which may be relative to the workspace.
fn is_of(block: &CodeBlock, path: Option<&str>) -> bool {
    path.is_none_or(|path| block.code.path.as_deref().is_some_and(|full| full.ends_with(path)))
}
