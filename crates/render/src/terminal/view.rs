//! How much of a conversation is shown, and how.

use jiff::tz::TimeZone;

/// How much of a tool call is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tools {
    /// One line each.
    #[default]
    Line,
    /// With arguments, result and diff.
    Full,
    /// Only how many there were.
    None,
}

/// How a conversation is shown.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub struct View {
    /// The cells of a line.
    pub width: usize,
    /// In colour.
    pub colour: bool,
    /// The zone in which times are told.
    pub time_zone: TimeZone,
    /// Thinking, summaries of context and system prompts in full, not folded to a line.
    pub thinking: bool,
    /// How much of tool calls.
    pub tools: Tools,
    /// Where each message and fact was read.
    pub origins: bool,
    /// Every finding, not only how many.
    pub findings: bool,
}

impl View {
    /// Plain text of this width, folded, times in UTC.
    pub fn plain(width: usize) -> Self {
        Self {
            width,
            colour: false,
            time_zone: TimeZone::UTC,
            thinking: false,
            tools: Tools::Line,
            origins: false,
            findings: false,
        }
    }
}
