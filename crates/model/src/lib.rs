//! What a conversation is: the words that every other room speaks.
//!
//! - A **conversation** is one chat with an agent, under one id, wherever it was held.
//! - A **message** is one thing said in it, by one role; its **parts** are text, thinking, tool calls,
//!   images, attachments and the like, in stored order.
//! - A **source** is one place that tells of conversations; an **origin** is the file and key a fact was read from.
//! - A **finding** is something in a store that the reader should know about: nothing is lost in silence.
//! - A **shape** is one of the ways in which Cursor has written a thing down.
//!
//! This room touches nothing: no file, no clock, no environment.

mod change;
mod contents;
mod conversation;
mod coverage;
mod fact;
mod finding;
mod holding;
mod id;
mod kept;
mod message;
mod moment;
mod origin;
mod part;
mod payload;
mod source;
mod summary;
mod tool_call;
mod touched;
mod workspace;
mod workspace_filter;

pub use change::{Changes, Mark};
pub use contents::{Contents, StoredKind};
pub use conversation::{ContextUsage, Conversation, Facts, Lines, RequestFact, Todo, Tokens};
pub use coverage::Coverage;
pub use fact::{Fact, FactOrigin};
pub use finding::{Decoded, Finding, FindingKind};
pub use holding::{Holding, ScoredCommit, ScoredLines, Spilled};
pub use id::{ConversationId, MessageId};
pub use kept::{Checkpoint, KeptFiles, KeptState, Side};
pub use message::{Message, Role};
pub use moment::{AtIs, Moment};
pub use origin::{Layer, Origin};
pub use part::{Attachment, AttachmentKind, Code, Image, LineRange, Part};
pub use payload::Payload;
pub use source::{Source, SourceError};
pub use summary::{Flag, Summary, Surface};
pub use tool_call::{ToolCall, ToolStatus};
pub use touched::{Touch, Touched};
pub use workspace::{Attribution, Workspace};
