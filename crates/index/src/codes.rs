//! Small numbers for what has few values, as they stand in the tables. Numbers are never given a new meaning within
//! one [`VERSION`](crate::schema::VERSION).

use backscroll_model::{AtIs, Flag, Message, Part, Role, Summary, ToolStatus, Touch};

/// Who speaks.
pub fn role(role: Role) -> i64 {
    match role {
        Role::User => 0,
        Role::Assistant => 1,
        Role::System => 2,
        Role::Tool => 3,
    }
}

/// Who speaks, by number; numbers that nobody wrote are taken for tools.
pub fn role_of(code: i64) -> Role {
    match code {
        0 => Role::User,
        1 => Role::Assistant,
        2 => Role::System,
        _ => Role::Tool,
    }
}

/// How a time is known.
pub fn at_is(is: AtIs) -> i64 {
    match is {
        AtIs::Exact => 0,
        AtIs::Interpolated => 1,
        AtIs::Conversation => 2,
        AtIs::Unknown => 3,
    }
}

/// How a time is known, by number.
pub fn at_is_of(code: i64) -> AtIs {
    match code {
        0 => AtIs::Exact,
        1 => AtIs::Interpolated,
        2 => AtIs::Conversation,
        _ => AtIs::Unknown,
    }
}

/// How a tool call ended.
pub fn status(status: ToolStatus) -> i64 {
    match status {
        ToolStatus::Completed => 0,
        ToolStatus::Error => 1,
        ToolStatus::Cancelled => 2,
        ToolStatus::Running => 3,
        ToolStatus::Pending => 4,
        ToolStatus::Unknown => 5,
    }
}

/// What was done to a file.
pub fn touch(touch: Touch) -> i64 {
    match touch {
        Touch::Attached => 0,
        Touch::Read => 1,
        Touch::Edited => 2,
        Touch::Deleted => 3,
    }
}

/// What was done to a file, by number.
pub fn touch_of(code: i64) -> Touch {
    match code {
        0 => Touch::Attached,
        1 => Touch::Read,
        2 => Touch::Edited,
        _ => Touch::Deleted,
    }
}

/// The bit of a flag of a conversation.
pub fn flag(flag: Flag) -> i64 {
    match flag {
        Flag::Empty => 1,
        Flag::Draft => 1 << 1,
        Flag::Archived => 1 << 2,
        Flag::Subagent => 1 << 3,
        Flag::BestOfN => 1 << 4,
        Flag::Worktree => 1 << 5,
        Flag::Background => 1 << 6,
        Flag::Deleted => 1 << 7,
    }
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

/// What is odd about a message: bits.
pub mod state {
    /// It is stored, and its conversation does not list it.
    pub const ORPHAN: i64 = 1;
    /// Only a backup or a copy still has it.
    pub const DELETED: i64 = 1 << 1;
    /// The user did not type it.
    pub const SIMULATED: i64 = 1 << 2;
}
