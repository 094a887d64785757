//! The graph of blobs that Cursor's editor and its command line agent share.
//!
//! A root (`ConversationStateStructure`) lists message blobs (JSON) and turn blobs (protobuf); turns list steps.
//! Everything here is pure: blobs are asked for through [`crate::Blobs`].

mod align;
mod assemble;
mod conversation;
mod graph;
mod message;
mod meta;
mod root;
mod tool;
mod tool_schema;
mod turn;
mod typed;
mod wire;

pub use assemble::{PromptWords, loose_messages, prompt_words};
pub use conversation::{
    AgentConversation, GraphTimes, Preview, conversation, conversation_at, first_model, preview, preview_of,
    skeleton, some_turns, times,
};
pub use graph::{GraphLocation, reachable, references};
pub use message::{Piece, StoredMessage, ToolResult, message};
pub use meta::{SessionFile, StoreMeta, prompt_history, session_file, store_meta};
pub use root::{
    Reference, Root, RootFacts, StateError, Subagent, TurnShape, Utterance, conversation_state, root,
    state_of_root, turns_if_root,
};
pub use tool::{CallFrame, tool_call, tool_call_frame, tool_call_from_base64};
pub(crate) use turn::simulation;
pub use turn::{AgentTurn, ShellTurn, Step, Turn, UserMessage};
pub use typed::{ProtoKind, TypedMessage, each_message, numbered_fields};
pub(crate) use typed::{is_known_tool, stored_tools};
pub use wire::{Field, Fields, Value, WireError, fields};
