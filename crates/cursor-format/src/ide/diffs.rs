//! What an edit changed: hunks in a call's result, lines the editor had compared, strings and patches in its arguments, or
//! rows that hold the file before and after.
//!
//! `codeBlockDiff:<composer>:<diff>` holds two lists of changes, both against the text before any edit (V0): the file as
//! it was when this block was applied, and as it was afterwards. V0 is in `originalModelLines`, in `originalFileStates`,
//! or in the row that `contentKey` names.

use std::borrow::Cow;
use std::collections::HashMap;

use backscroll_model::{Code, ConversationId, Finding, FindingKind, Origin, Payload, ToolCall, ToolStatus};
use serde_json::value::RawValue;

use super::composer::WireComposer;
use super::keys::{RowKey, RowKind};
use super::tool_former::Hints;
use crate::diff::{hunk_header, unified};
use crate::edit_diff;
use crate::rows::{Rows, RowsError};
use crate::uri::place_of;
use crate::wire_json::{Entries, Int, List, Text, Truth, wire};

wire! { struct WireResult<'a> { diff: WireDiff<'a> = "diff", before: Text<'a> = "beforeContentId", after: Text<'a> = "afterContentId", } }
wire! { struct WireDiff<'a> { chunks: List<WireChunk<'a>> = "chunks", } }
wire! {
    struct WireChunk<'a> {
        text: Text<'a> = "diffString",
        old_start: Int = "oldStart",
        new_start: Int = "newStart",
        old_lines: Int = "oldLines",
        new_lines: Int = "newLines",
    }
}
wire! { struct WirePrecomputed<'a> { lines: List<WireLine<'a>> = "lines", } }
wire! { struct WireLine<'a> { kind: Text<'a> = "type", content: Text<'a> = "content", } }
/// The file that a call is about.
pub(crate) fn path(call: &ToolCall) -> Option<String> {
    edit_diff::path(call.arguments.as_ref()?)
}

/// The rows that hold a file before and after the edit.
fn content_ids(call: &ToolCall) -> Option<(String, String)> {
    let result = call.result.as_ref().filter(|result| result.as_str().len() < 1000)?;
    let wire: WireResult<'_> = serde_json::from_str(result.as_str()).ok()?;
    Some((wire.before.into_owned()?, wire.after.into_owned()?))
}

/// Whether a call may change files.
fn is_edit(call: &ToolCall) -> bool {
    matches!(call.name.as_str(), "edit" | "write" | "multi_edit" | "notebook_edit")
}

/// Gives `call` its diff if its own fields have one, strongest evidence first.
pub(crate) fn complete(call: &mut ToolCall, precomputed: Option<&RawValue>) {
    if !is_edit(call) || call.diff.is_some() {
        return;
    }
    let path = path(call).unwrap_or_default();
    call.diff = call
        .result
        .as_ref()
        .and_then(|result| from_chunks(&path, result))
        .or_else(|| precomputed.and_then(|lines| from_lines(&path, lines)));
}

/// Gives `call` the diff that its arguments ask for: weaker, since nothing says that it was done just so.
pub(crate) fn complete_from_arguments(call: &mut ToolCall) {
    let was_stopped = matches!(call.status, ToolStatus::Error | ToolStatus::Cancelled)
        || call.decision.as_deref() == Some("rejected");
    if is_edit(call) && call.diff.is_none() && !was_stopped {
        call.diff = call.arguments.as_ref().and_then(|given| edit_diff::from_arguments(&call.name, given));
    }
}

/// Hunks of a result: `diffString` has a sign, a space and the line.
fn from_chunks(path: &str, result: &Payload) -> Option<String> {
    let wire: WireResult<'_> = serde_json::from_str(result.as_str()).ok()?;
    let chunks = wire.diff.chunks.0;
    let mut diff = String::new();
    for chunk in &chunks {
        let Some(text) = chunk.text.filled() else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let count = |sign: char| lines.iter().filter(|line| !line.starts_with(sign)).count();
        let number = |stored: Int, counted: usize| {
            stored.count().and_then(|n| usize::try_from(n).ok()).unwrap_or(counted)
        };
        diff.push_str(&hunk_header(
            number(chunk.old_start, 1),
            count('+'),
            number(chunk.new_start, 1),
            count('-'),
        ));
        let is_spaced = lines.iter().all(|line| matches!(line.as_bytes(), [] | [_] | [_, b' ', ..]));
        for line in lines {
            let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", line));
            diff.push_str(sign);
            diff.push_str(if is_spaced { rest.strip_prefix(' ').unwrap_or(rest) } else { rest });
            diff.push('\n');
        }
    }
    (!diff.is_empty()).then(|| format!("--- {path}\n+++ {path}\n{diff}"))
}

/// Lines that the editor had compared already.
fn from_lines(path: &str, lines: &RawValue) -> Option<String> {
    let wire: WirePrecomputed<'_> = serde_json::from_str(lines.get()).ok()?;
    let sign = |line: &WireLine<'_>| match line.kind.filled() {
        Some("added" | "add" | "insert" | "inserted") => '+',
        Some("removed" | "remove" | "delete" | "deleted") => '-',
        _ => ' ',
    };
    let signs: Vec<char> = wire.lines.0.iter().map(sign).collect();
    if !signs.iter().any(|sign| *sign != ' ') {
        return None;
    }
    let count = |without: char| signs.iter().filter(|sign| **sign != without).count();
    let mut diff = format!("--- {path}\n+++ {path}\n{}", hunk_header(1, count('+'), 1, count('-')));
    for (sign, line) in signs.iter().zip(&wire.lines.0) {
        diff.push(*sign);
        diff.push_str(line.content.filled().unwrap_or_default());
        diff.push('\n');
    }
    Some(diff)
}

/// Whether a call may have changed files and nothing says yet what.
pub(crate) fn wants_diff(call: &ToolCall) -> bool {
    is_edit(call) && call.diff.is_none()
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
    let path = path(call);
    if let Some((before, after)) = content_ids(call) {
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

wire! {
    struct WireBlock<'a> {
        bubble: Text<'a> = "bubbleId",
        id: Text<'a> = "codeblockId",
        uri: Option<&'a RawValue> = "uri",
        version: Int = "version",
        status: Text<'a> = "status",
        language: Text<'a> = "languageId",
        diff: Text<'a> = "diffId",
        last_diff: Text<'a> = "lastDiffId",
        content: Text<'a> = "content",
    }
}
wire! { struct WireDiffs<'a> { new: List<WireChange<'a>> = "newModelDiffWrtV0", original: List<WireChange<'a>> = "originalModelDiffWrtV0", } }

/// One block of code that the agent proposed, as the composer remembers it.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    pub(crate) bubble: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) code: Code,
    uri: String,
    diff: Option<String>,
}

/// All code blocks of a composer, and the files they change.
#[derive(Debug, Default)]
pub(crate) struct CodeBlocks {
    pub(crate) blocks: Vec<CodeBlock>,
    originals: Originals,
}

impl CodeBlocks {
    /// Reads them from a composer record. Both layouts, lists and maps, give the same blocks.
    pub(crate) fn from_composer(composer: &WireComposer<'_>) -> Self {
        let mut all = Self { blocks: Vec::new(), originals: Originals::from_composer(composer) };
        let by_file: Entries<List<WireBlock<'_>>> = read(composer.code_blocks);
        for (uri, blocks) in by_file.0 {
            all.blocks.extend(blocks.0.iter().map(|wire| block(&uri, wire)));
        }
        all
    }

    /// The files whose text before any edit is known: the files that were edited.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.originals.uris()
    }

    /// The diff that a block made, from the rows that hold it.
    pub(crate) fn diff(
        &self,
        composer: &str,
        block: &CodeBlock,
        rows: &dyn Rows,
    ) -> Result<Option<String>, RowsError> {
        let Some(diff) = &block.diff else { return Ok(None) };
        let Some(Some(bytes)) =
            rows.value(&RowKey::new(RowKind::CodeBlockDiff, composer, diff).to_string())?
        else {
            return Ok(None);
        };
        let Ok(changes) = serde_json::from_slice::<WireDiffs<'_>>(&bytes) else {
            return Ok(None);
        };
        let Some(v0) = self.originals.text(&block.uri, rows)? else { return Ok(None) };
        let lines: Vec<&str> = v0.split('\n').collect();
        let (before, after) = (apply(&lines, &changes.original.0), apply(&lines, &changes.new.0));
        Ok(unified(block.code.path.as_deref().unwrap_or(&block.uri), &before, &after))
    }
}

fn block(uri: &str, wire: &WireBlock<'_>) -> CodeBlock {
    let path = wire.uri.and_then(place_of).or_else(|| crate::uri::place(uri)).map(|place| place.path);
    CodeBlock {
        bubble: wire.bubble.owned(),
        id: wire.id.owned(),
        version: wire.version.0,
        code: Code {
            path,
            language: wire.language.owned(),
            text: wire.content.owned().unwrap_or_default(),
            status: wire.status.owned(),
            diff: None,
        },
        uri: uri.to_owned(),
        diff: wire.diff.owned().or_else(|| wire.last_diff.owned()),
    }
}

/// V0 with changes done to it, ending as files end.
fn apply(v0: &[&str], changes: &[WireChange<'_>]) -> String {
    let mut text = changed(v0, changes).join("\n");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

wire! {
    struct WireState<'a> {
        content: Text<'a> = "content",
        key: Text<'a> = "contentKey",
        is_new: Truth = "isNewlyCreated",
    }
}
wire! {
    /// Lines of V0 that others took the place of.
    struct WireChange<'a> { original: WireLines = "original", modified: List<Text<'a>> = "modified", }
}
wire! { struct WireLines { start: Int = "startLineNumber", end: Int = "endLineNumberExclusive", } }

#[derive(Debug)]
enum V0 {
    Text(String),
    InRow(String),
}

/// V0 of every file that a composer has touched, by URI.
#[derive(Debug, Default)]
pub(crate) struct Originals(HashMap<String, V0>);

impl Originals {
    /// Reads them from a composer record.
    pub(crate) fn from_composer(composer: &WireComposer<'_>) -> Self {
        let mut all = HashMap::new();
        let lines: Entries<List<Text<'_>>> = read(composer.original_lines);
        for (uri, lines) in lines.0 {
            let lines: Vec<&str> = lines.0.iter().map(|line| line.filled().unwrap_or_default()).collect();
            all.insert(uri, V0::Text(lines.join("\n")));
        }
        let states: Entries<WireState<'_>> = read(composer.original_states);
        for (uri, state) in states.0 {
            let v0 = match (state.key.owned(), state.content) {
                (Some(key), _) => V0::InRow(key),
                (None, Text::Is(content)) => V0::Text(content.into_owned()),
                (None, _) if state.is_new.0 => V0::Text(String::new()),
                (None, _) => continue,
            };
            all.insert(uri, v0);
        }
        Self(all)
    }

    /// The files.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The text of the file `uri`, from the record or the row that it names.
    pub(crate) fn text(&self, uri: &str, rows: &dyn Rows) -> Result<Option<Cow<'_, str>>, RowsError> {
        Ok(match self.0.get(uri) {
            Some(V0::Text(text)) => Some(Cow::Borrowed(text)),
            Some(V0::InRow(key)) => {
                let bytes = rows.value(key)?.flatten();
                bytes.map(|bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
            }
            None => None,
        })
    }
}

/// What a field of a record holds, or nothing.
pub(crate) fn read<'a, T: serde::de::Deserialize<'a> + Default>(value: Option<&'a RawValue>) -> T {
    value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default()
}

/// V0 with changes done to it. Changes that lie outside of it are clamped: a damaged row must not stop us.
pub(crate) fn changed<'t>(v0: &[&'t str], changes: &'t [WireChange<'_>]) -> Vec<&'t str> {
    let mut changes: Vec<_> = changes.iter().collect();
    changes.sort_by_key(|change| change.original.start.0);
    let line =
        |number: Int| usize::try_from(number.0.unwrap_or(1).max(1) - 1).unwrap_or(usize::MAX).min(v0.len());
    let mut lines: Vec<&str> = Vec::new();
    let mut copied = 0;
    for change in changes {
        let (start, end) = (line(change.original.start), line(change.original.end));
        lines.extend(v0.get(copied..start).unwrap_or_default());
        lines.extend(change.modified.0.iter().map(|text| text.filled().unwrap_or_default()));
        copied = copied.max(end).max(start.min(end));
    }
    lines.extend(v0.get(copied..).unwrap_or_default());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(arguments: &str, result: Option<&str>) -> ToolCall {
        ToolCall {
            name: "edit".into(),
            arguments: Some(Payload::from_text(arguments.into())),
            result: result.map(|text| Payload::from_text(text.into())),
            ..ToolCall::default()
        }
    }

    #[test]
    fn hunks_of_a_result_become_a_unified_diff() {
        let mut call = edit(
            r#"{"target_file":"a.sh"}"#,
            Some(
                r#"{"diff":{"chunks":[{"diffString":"  one\n- two\n+ 2\n+ ","oldStart":4,"newStart":4,"oldLines":2,"newLines":3}]}}"#,
            ),
        );
        complete(&mut call, None);
        assert_eq!(call.diff.unwrap(), "--- a.sh\n+++ a.sh\n@@ -4,2 +4,3 @@\n one\n-two\n+2\n+\n");
    }

    #[test]
    fn arguments_are_the_last_resort() {
        let mut call = edit(r#"{"file_path":"a","old_string":"x","new_string":"y"}"#, None);
        complete(&mut call, None);
        assert_eq!(call.diff, None);
        complete_from_arguments(&mut call);
        assert_eq!(call.diff.unwrap(), "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n");
    }

    #[test]
    fn changes_are_applied_to_the_first_version() {
        let changes = r#"[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["two","2b"]},
            {"original":{"startLineNumber":9,"endLineNumberExclusive":99},"modified":["end"]}]"#;
        let changes: List<WireChange<'_>> = serde_json::from_str(changes).unwrap();
        assert_eq!(changed(&["a", "b", "c"], &changes.0), ["a", "two", "2b", "c", "end"]);
    }
}
