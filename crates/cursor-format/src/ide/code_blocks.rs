//! `codeBlockData` and what its diffs refer to.
//!
//! `codeBlockDiff:<composer>:<diff>` holds two lists of changes, both against the text before any edit (V0): the file as
//! it was when this block was applied, and as it was afterwards.

use backscroll_model::Code;
use serde_json::value::RawValue;

use super::originals::{Originals, WireChange, changed, read};
use super::records::WireComposer;
use crate::diff::unified;
use crate::rows::{Rows, RowsError};
use crate::uri::place_of;
use crate::wire_json::{Entries, Int, List, Text, wire};

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
    pub(crate) fn of(composer: &WireComposer<'_>) -> Self {
        let mut all = Self { blocks: Vec::new(), originals: Originals::of(composer) };
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
        let Some(Some(bytes)) = rows.value(&format!("codeBlockDiff:{composer}:{diff}"))? else {
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
