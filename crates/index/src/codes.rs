//! Small numbers for what has few values, as they stand in the tables. Numbers are never given a new meaning within
//! one [`VERSION`](crate::schema::VERSION): an enum whose order changes needs a new one.

use backscroll_model::{Flag, Message, Named, Part, Summary};

/// The number of a role, a status and the like: its place in the order of declaration.
pub fn code<T: Named + PartialEq>(one: T) -> i64 {
    (0..).zip(T::ALL).find_map(|(code, known)| (*known == one).then_some(code)).unwrap_or_default()
}

/// What has this number. A number that nobody wrote is taken for the last.
pub fn of_code<T: Named>(code: i64) -> T {
    let last = T::ALL.len() - 1;
    T::ALL[usize::try_from(code).unwrap_or(last).min(last)]
}

/// The bit of a flag of a conversation.
pub fn flag(flag: Flag) -> i64 {
    1 << code(flag)
}

/// All flags of a conversation together.
pub fn flags(summary: &Summary) -> i64 {
    summary.flags.iter().fold(0, |bits, one| bits | flag(*one))
}

/// What a message holds: bits.
pub mod holds {
    /// Words.
    pub const TEXT: i64 = 1;
    /// Thinking.
    pub const THINKING: i64 = 1 << 1;
    /// Tool calls.
    pub const TOOLS: i64 = 1 << 2;
    /// Pictures.
    pub const IMAGES: i64 = 1 << 3;
    /// Attachments.
    pub const ATTACHMENTS: i64 = 1 << 4;
    /// Code that stands apart.
    pub const CODE: i64 = 1 << 5;
    /// A diff, of a tool call or of code.
    pub const DIFF: i64 = 1 << 6;
    /// A summary of what was said before.
    pub const SUMMARY: i64 = 1 << 7;
    /// Why a turn failed.
    pub const ERROR: i64 = 1 << 8;
    /// Things to do.
    pub const TODOS: i64 = 1 << 9;
}

/// What a message holds.
pub fn held(message: &Message) -> i64 {
    message.parts.iter().fold(0, |bits, part| bits | held_by(part))
}

fn held_by(part: &Part) -> i64 {
    let diff = |diff: &Option<String>| if diff.is_some() { holds::DIFF } else { 0 };
    match part {
        Part::Text(_) => holds::TEXT,
        Part::Thinking { .. } => holds::THINKING,
        Part::ToolCall(call) => holds::TOOLS | diff(&call.diff),
        Part::Image(_) => holds::IMAGES,
        Part::Attachment(_) => holds::ATTACHMENTS,
        Part::Code(code) => holds::CODE | diff(&code.diff),
        Part::Summary(_) => holds::SUMMARY,
        Part::Error(_) => holds::ERROR,
        Part::Todos(_) => holds::TODOS,
    }
}

/// Who sent a message, as a part of its state.
pub fn sender(message: &Message) -> i64 {
    message.sender.as_ref().map_or(0, |sender| code(sender.kind) << state::SENDER)
}

/// What is odd about a message: bits.
pub mod state {
    /// It is stored, and its conversation does not list it.
    pub const ORPHAN: i64 = 1;
    /// Only a backup or a copy still has it.
    pub const DELETED: i64 = 1 << 1;
    /// From this bit on, who sent it: the code of a `SenderKind`.
    pub const SENDER: u32 = 2;
}
