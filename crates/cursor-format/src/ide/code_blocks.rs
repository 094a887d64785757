//! `codeBlockData` and what its diffs refer to: the text of a file before any edit (V0).
//!
//! `codeBlockDiff:<composer>:<diff>` holds two lists of changes, both against V0: the file as it was when this
//! block was applied, and as it was afterwards. V0 stands in `originalModelLines`, in `originalFileStates`, or
//! in the row that `contentKey` names.

use std::collections::HashMap;

use backscroll_model::Code;
use serde_json::value::RawValue;

use super::records::WireComposer;
use crate::diff::unified;
use crate::rows::{Rows, RowsError};
use crate::uri::place_of;
use crate::wire_json::{Entries, Int, List, Text, Truth, wire};

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
wire! {
    struct WireState<'a> {
        content: Text<'a> = "content",
        key: Text<'a> = "contentKey",
        is_new: Truth = "isNewlyCreated",
    }
}
wire! { struct WireDiffs<'a> { new: List<WireChange<'a>> = "newModelDiffWrtV0", original: List<WireChange<'a>> = "originalModelDiffWrtV0", } }
wire! { struct WireChange<'a> { original: WireLines = "original", modified: List<Text<'a>> = "modified", } }
wire! { struct WireLines { start: Int = "startLineNumber", end: Int = "endLineNumberExclusive", } }

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
    originals: HashMap<String, V0>,
}

#[derive(Debug)]
enum V0 {
    Text(String),
    InRow(String),
}

impl CodeBlocks {
    /// Reads them from a composer record. Both layouts, lists and maps, give the same blocks.
    pub(crate) fn of(composer: &WireComposer<'_>) -> Self {
        let mut all = Self::default();
        let by_file: Entries<List<WireBlock<'_>>> = read(composer.code_blocks);
        for (uri, blocks) in by_file.0 {
            all.blocks.extend(blocks.0.iter().map(|wire| block(&uri, wire)));
        }
        let lines: Entries<List<Text<'_>>> = read(composer.original_lines);
        for (uri, lines) in lines.0 {
            let lines: Vec<&str> = lines.0.iter().map(|line| line.filled().unwrap_or_default()).collect();
            all.originals.insert(uri, V0::Text(lines.join("\n")));
        }
        let states: Entries<WireState<'_>> = read(composer.original_states);
        for (uri, state) in states.0 {
            let v0 = match (state.key.owned(), state.content) {
                (Some(key), _) => V0::InRow(key),
                (None, Text::Is(content)) => V0::Text(content.into_owned()),
                (None, _) if state.is_new.0 => V0::Text(String::new()),
                (None, _) => continue,
            };
            all.originals.insert(uri, v0);
        }
        all
    }

    /// The files whose text before any edit is known: the files that were edited.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.originals.keys().map(String::as_str)
    }

    /// The diff that a block made, from the rows that hold it.
    pub(crate) fn diff(
        &self,
        composer: &str,
        block: &CodeBlock,
        rows: &dyn Rows,
    ) -> Result<Option<String>, RowsError> {
        let Some(diff) = &block.diff else { return Ok(None) };
        let Some(Some(bytes)) = rows.value(&format!("codeBlockDiff:{composer}:{diff}"))? else {
            return Ok(None);
        };
        let Ok(changes) = serde_json::from_slice::<WireDiffs<'_>>(&bytes) else {
            return Ok(None);
        };
        let v0 = match self.originals.get(&block.uri) {
            Some(V0::Text(text)) => text.clone(),
            Some(V0::InRow(key)) => match rows.value(key)? {
                Some(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
                _ => return Ok(None),
            },
            None => return Ok(None),
        };
        let lines: Vec<&str> = v0.split('\n').collect();
        let (before, after) = (apply(&lines, &changes.original.0), apply(&lines, &changes.new.0));
        Ok(unified(block.code.path.as_deref().unwrap_or(&block.uri), &before, &after))
    }
}

fn read<'a, T: serde::de::Deserialize<'a> + Default>(value: Option<&'a RawValue>) -> T {
    value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default()
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

/// V0 with changes done to it. Changes that lie outside of it are clamped: a damaged row must not stop us.
fn apply(v0: &[&str], changes: &[WireChange<'_>]) -> String {
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
    let mut text = lines.join("\n");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_applied_to_the_first_version() {
        let changes = r#"[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["two","2b"]},
            {"original":{"startLineNumber":9,"endLineNumberExclusive":99},"modified":["end"]}]"#;
        let changes: List<WireChange<'_>> = serde_json::from_str(changes).unwrap();
        assert_eq!(apply(&["a", "b", "c"], &changes.0), "a\ntwo\n2b\nc\nend\n");
    }
}
