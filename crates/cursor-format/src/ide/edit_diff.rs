//! What an edit changed, told by the call itself: hunks in its result, lines the editor had compared, or the
//! strings and patches in its arguments.

use backscroll_model::{Payload, ToolCall, ToolStatus};
use serde_json::value::RawValue;

use crate::diff::hunk_header;
use crate::edit_diff;
use crate::wire_json::{Int, List, Text, wire};

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
pub(crate) fn content_ids(call: &ToolCall) -> Option<(String, String)> {
    let result = call.result.as_ref().filter(|result| result.as_str().len() < 1000)?;
    let wire: WireResult<'_> = serde_json::from_str(result.as_str()).ok()?;
    Some((wire.before.into_owned()?, wire.after.into_owned()?))
}

/// Whether a call may change files.
pub(crate) fn is_edit(call: &ToolCall) -> bool {
    matches!(call.name.as_str(), "edit" | "write" | "multi_edit" | "notebook_edit")
}

/// Gives `call` its diff if its own fields tell one, strongest witness first.
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
}
