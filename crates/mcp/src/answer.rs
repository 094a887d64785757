//! What a tool answers: structured for programs, a short text for the model, both together within a size.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) structured: Value,
    pub(crate) text: String,
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut result = Self::structured(answer.structured);
        result.content = vec![ContentBlock::text(answer.text)];
        result
    }
}

/// Why a tool cannot answer, in a sentence that helps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ToolError(String);

impl ToolError {
    pub(crate) fn new(says: impl Into<String>) -> Self {
        Self(says.into())
    }
}

impl From<ToolError> for CallToolResult {
    fn from(error: ToolError) -> Self {
        Self::error(vec![ContentBlock::text(error.0)])
    }
}

/// What surrounds the parts of every answer: the names of the protocol's fields, totals, a cursor.
const FRAME: usize = 320;

/// How many bytes are left for an answer, text and structured content together, as they are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room(usize);

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(bytes.saturating_sub(FRAME))
    }

    /// Takes the room for a part in both forms, if there is enough.
    pub(crate) fn take(&mut self, structured: &impl Serialize, text: &str) -> bool {
        let left = self.0.checked_sub(bytes(structured) + 1 + bytes(&text));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// The first of `parts` that there is room for, in both forms.
    pub(crate) fn fill(mut self, parts: impl Iterator<Item = (Value, String)>) -> (Vec<Value>, Vec<String>) {
        parts.take_while(|(structured, text)| self.take(structured, text)).unzip()
    }

    pub(crate) fn left(self) -> usize {
        self.0
    }
}

/// How many bytes a value has as JSON.
pub(crate) fn bytes(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |json| json.len())
}

/// The beginning of a text, with a mark where it is cut.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
