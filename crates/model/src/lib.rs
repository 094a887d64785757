//! What a conversation is: the words that every other room speaks.
//!
//! - A **conversation** is one chat with an agent, under one id, wherever it was held.
//! - A **message** is one thing said in it, by one role; its **parts** are text, thinking, tool calls,
//!   images, attachments and the like, in stored order.
//! - A **source** is one place that has conversations; an **origin** is the file and key a fact was read from.
//! - A **finding** is something in a store that the reader should know about: nothing is lost in silence.
//! - A **shape** is one of the ways in which Cursor has written a thing down.
//!
//! This room touches nothing: no file, no clock, no environment.

#[macro_use]
pub mod named;

pub mod argument;
mod conversation;
mod drift;
mod event;
mod finding;
mod found;
mod fragment;
pub mod hex;
pub mod json_strings;
mod kept;
mod locked;
mod message;
mod ordered_queue;
mod origin;
mod source;
mod text;
mod tool_call;
pub mod wire;

pub use conversation::{
    Attribution, ContextUsage, Conversation, ConversationId, Facts, Flag, Lines, MessageId, RequestFact,
    Summary, Surface, Todo, TodoStatus, Tokens, Workspace, is_chats_folder, push_new,
};
pub use drift::{Drift, DriftKind};
pub use event::{Event, EventKind, HeadChange};
pub use finding::{Decoded, Finding, FindingKind, FindingLevel};
pub use found::{FoundConversation, FoundHit, Hit, IndexHoldings, IndexStatus, Rung, Snippet};
pub use fragment::{
    Coverage, Fact, FactOrigin, Fragment, FragmentKind, ScoredCommit, ScoredLines, Spilled, TurnOutline,
};
pub use kept::{Checkpoint, KeptFiles, KeptState, Side};
pub use locked::locked;
pub use message::{
    AtIs, Attachment, AttachmentKind, Code, Image, LineRange, Message, Moment, Part, Role, Sender, SenderKind,
};
pub use named::Named;
pub use ordered_queue::OrderedQueue;
pub use origin::{Layer, Origin};
pub use source::{
    Catalogue, CatalogueEntry, Catalogued, ChangedMessages, Contents, Inventory, Mark, MessageStamps, Scope,
    Source, SourceError, SourceId, SourceReport, Store, StoredKind, error_chain,
};
pub use text::{TextKind, TextMut, TextOf, TextRef};
pub use tool_call::{Payload, ToolCall, ToolStatus, Touch, Touched, bare, file_name};

/// For [`named!`], wherever it is used.
#[doc(hidden)]
pub use serde;
