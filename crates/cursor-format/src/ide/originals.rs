//! The text of each file before any edit (V0), against which the editor keeps everything else.
//!
//! It stands in `originalModelLines`, in `originalFileStates`, or in the row that `contentKey` names.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::records::WireComposer;
use crate::rows::{Rows, RowsError};
use crate::wire_json::{Entries, Int, List, Text, Truth, wire};

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
    pub(crate) fn of(composer: &WireComposer<'_>) -> Self {
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

    #[test]
    fn changes_are_applied_to_the_first_version() {
        let changes = r#"[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["two","2b"]},
            {"original":{"startLineNumber":9,"endLineNumberExclusive":99},"modified":["end"]}]"#;
        let changes: List<WireChange<'_>> = serde_json::from_str(changes).unwrap();
        assert_eq!(changed(&["a", "b", "c"], &changes.0), ["a", "two", "2b", "c", "end"]);
    }
}
