//! The graph of blobs that Cursor's editor and its command line agent share.
//!
//! A root (`ConversationStateStructure`) lists message blobs (JSON) and turn blobs (protobuf); turns list steps.
//! Everything here is pure: blobs are asked for through [`crate::Blobs`].

mod ahead;
mod align;
mod archive;
mod assemble;
mod content;
mod conversation;
mod earlier;
mod graph;
mod listing;
mod loose;
mod message;
mod message_option;
mod message_part;
mod meta;
mod named_model;
mod opened;
mod preview;
mod reach;
mod refill;
mod root;
mod selected;
mod skeleton;
mod some_turns;
mod step;
mod step_index;
mod told;
mod tool;
mod tool_fields;
mod tool_schema;
mod tool_value;
mod turn;
mod wire;

pub use ahead::{AheadPlace, MessageAhead, MessagesAhead, ReadAhead, ReadingAhead, may_be_message};
pub use conversation::{AgentConversation, conversation, conversation_at};
pub use graph::Place;
pub use loose::loose_messages;
pub use message::{Speaker, StoredMessage, message};
pub use message_part::{Piece, ToolResult};
pub use meta::{SessionFile, StoreMeta, prompt_history, session_file, store_meta};
pub use named_model::names_a_model;
pub use preview::{Preview, preview, preview_of};
pub use reach::{reachable, references};
pub use root::{
    Reference, Root, RootFacts, StateError, Subagent, TurnShape, conversation_state, root, state_of_root,
};
pub use skeleton::{TurnOutline, skeleton};
pub use some_turns::some_turns;
pub use step::Step;
pub use tool::{tool_call, tool_call_from_base64, tool_call_times};
pub use turn::{AgentTurn, ShellTurn, Turn, UserMessage};
pub use wire::{Field, Fields, Value, WireError, fields};
