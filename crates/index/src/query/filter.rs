//! Facts that may be asked for, by field.

use backscroll_model::{Flag, Role, Surface};
use jiff::Timestamp;

/// The name before the colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Who speaks.
    Role,
    /// A tool that the conversation used.
    Tool,
    /// A file that the conversation touched.
    Path,
    /// The workspace.
    Workspace,
    /// Where it was held.
    Surface,
    /// A model.
    Model,
    /// The mode.
    Mode,
    /// Words of the title.
    Title,
    /// The kind of part in which the words stand.
    Part,
    /// Said then or later.
    After,
    /// Said before then.
    Before,
    /// Said then or earlier.
    Until,
    /// Something that the conversation holds.
    Has,
    /// What the conversation is besides.
    Flag,
    /// The beginning of the conversation's id.
    Id,
}

/// A fact that must hold; of several values, one must.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Who speaks.
    Role(Vec<Role>),
    /// The conversation used this tool, by canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
    Tool(Vec<String>),
    /// The conversation touched this file: its name, the end of its path, or all of it.
    Path(Vec<String>),
    /// The workspace: an absolute path that it is or lies in, or else a part of its path or host.
    Workspace(Vec<String>),
    /// Where it was held.
    Surface(Vec<Surface>),
    /// The message's or conversation's model has this in its name.
    Model(Vec<String>),
    /// The conversation's mode.
    Mode(Vec<String>),
    /// The title has this in it, whatever the case.
    Title(Vec<String>),
    /// The words stand in such a part; without words: the message has such a part.
    Part(Vec<PartName>),
    /// Said at or after.
    From(Timestamp),
    /// Said before.
    Before(Timestamp),
    /// The conversation holds one of these.
    Has(Vec<Has>),
    /// The conversation has one of these flags.
    Flag(Vec<Flag>),
    /// The conversation's id begins so.
    Id(Vec<String>),
}

/// A kind of part, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartName {
    /// Words.
    Text,
    /// Thinking.
    Thinking,
    /// A tool call: arguments and result.
    ToolCall,
    /// What tools were given.
    Arguments,
    /// What tools answered.
    Result,
    /// Code that stands apart, and diffs.
    Code,
    /// What stood beside the words.
    Attachment,
    /// Paths of files.
    Path,
    /// The title.
    Title,
    /// A summary of what was said before.
    Summary,
    /// Why a turn failed.
    Error,
    /// Things to do.
    Todos,
    /// Pictures.
    Image,
}

/// Something to hold, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Has {
    /// Thinking.
    Thinking,
    /// Tool calls.
    Tools,
    /// Pictures.
    Images,
    /// Diffs.
    Diff,
    /// Code that stands apart.
    Code,
    /// Attachments.
    Attachments,
    /// Things to do.
    Todos,
    /// A failed turn.
    Error,
}
