//! One sign for each way in which a tool call may end, the same in every document.

use backscroll_model::ToolStatus;

/// The sign of `status`.
pub(crate) fn status_sign(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Completed => "✓",
        ToolStatus::Error => "✗",
        ToolStatus::Cancelled => "⊘",
        ToolStatus::Running => "◌",
        ToolStatus::Pending => "○",
        ToolStatus::Unknown => "·",
    }
}
