//! One conversation out of the fragments that several places have of it.
//!
//! | fact | who is believed, strongest first |
//! |---|---|
//! | order of messages | the layer that is the spine: editor rows, workspace, agent blobs, CLI store or an SDK agent's own blobs, transcripts (`.jsonl`, `.json`, `.txt`), SDK index, search index; of two in the same layer the longer |
//! | text | the spine; a message, or a part of one, that only another layer has is put where that layer has it, and a text that another layer has in several parts is cut where something stands between them; `<think>` blocks in a text are not compared, because transcripts lack them |
//! | thinking, tool results, errors, diffs | the spine where it has any, else the next layer that does; how a call ended is taken from one layer as a whole, but that it was stopped with its run is known to the SDK index alone; a thought that was written into the words is a thought where another layer says so |
//! | attachments, pictures and the like | the union; a file is known by its name, context by its words |
//! | time | an exact one before an interpolated one before the conversation's own, as it is believed in the end; among equals the spine's, but the start of an SDK run before a time that its prompt names to the minute; where no store has an exact one, that of the hooks |
//! | model, tokens, request | the spine, else the next layer; the model else from the tracking of the request that the message, or its turn, is of; tokens of a turn that no store measured, from the hooks |
//! | workspace | the strongest route (`Attribution`), among equals the newest fragment; what only messages name, where no head does |
//! | title | the list of heads since 3.0, the workspace's head, the record, CLI and SDK names, the search index, the first line |
//! | begun, changed | the earliest record; the latest change that any live place has stored, else the last tracked line; the time of a file only where nothing stored has any time |
//! | surface | where it was held: editor, old chat, CLI, SDK; a transcript only if nothing else has it |
//!
//! Tracking alone makes no conversation. Every line of this table is a test in `tests/precedence.rs`.

mod agent_turns;
mod align;
mod attachments;
mod attribute;
mod calls;
mod compared;
mod conversation;
mod cuts;
mod head;
mod holes;
mod home_files;
mod measured;
mod messages;
mod order;
mod own_times;
mod prompts;

pub(crate) use agent_turns::{NeededTurns, wanted as wanted_turns};
pub(crate) use attribute::attribute;
pub(crate) use conversation::{add_backup, add_requests, conversation, unnamed_requests};
pub(crate) use head::{link_children, lost_record, mark_deleted, other_claims, summary};
pub(crate) use home_files::{attach_output, attach_plan, is_plan, may_have_plans, mentions, text_files};
pub(crate) use own_times::settle as settle_own_times;
pub(crate) use prompts::left_over;
