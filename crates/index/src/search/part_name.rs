//! The names that the outer contract gives to kinds of parts.

use backscroll_model::Part;

/// The `type` under which `part` stands in a conversation's JSON.
pub(super) fn part_name(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Thinking { .. } => "thinking",
        Part::ToolCall(_) => "tool_call",
        Part::Image(_) => "image",
        Part::Attachment(_) => "attachment",
        Part::Code(_) => "code",
        Part::Summary(_) => "summary",
        Part::Error(_) => "error",
        Part::Todos(_) => "todos",
    }
}
