//! One conversation out of everything that several places tell of it.
//!
//! | fact | who is believed, strongest first |
//! |---|---|
//! | order of messages | the layer that is the spine: editor rows, workspace, agent blobs, CLI store, SDK index, transcripts (`.jsonl`, `.json`, `.txt`), an SDK agent's own blobs, search index; of two in the same layer the longer |
//! | text | the spine; a message, or a part of one, that only another layer has is put where that layer has it |
//! | thinking, tool results, errors, diffs | the spine where it has any, else the next layer that does; a thought that was written into the words is told apart where another layer does so |
//! | attachments, pictures and the like | the union; a file is known by its name, context by its words |
//! | time | an exact one before an interpolated one before the conversation's own, as it is believed in the end; among equals the spine's |
//! | model, tokens, request | the spine, else the next layer; the model else from whoever tracked the request that the message, or its turn, is of |
//! | workspace | the strongest route (`Attribution`), among equals the newest teller; what only messages tell, where no listing knows one |
//! | title | the list of heads since 3.0, the workspace's head, the record, CLI and SDK names, the search index, the first line |
//! | begun, changed | the earliest record; the latest change that any live place knows; the time of a transcript's file, or of an SDK agent's own store, only where nothing else tells one |
//! | surface | where it was held: editor, old chat, CLI, SDK; a transcript only if nothing else tells of it |
//!
//! Tracking alone makes no conversation. Every line of this table is a test in `tests/precedence.rs`.

mod align;
mod atoms;
mod attribute;
mod backup;
mod beside;
mod conversation;
mod fact_origins;
mod message;
mod news;
mod own_times;
mod summary;
mod unite;
mod unmix;

pub(crate) use attribute::attribute;
pub(crate) use backup::{backups, mark_deleted};
pub(crate) use conversation::{tellings, unnamed_requests, with_requests};
pub(crate) use own_times::settle as settle_own_times;
pub(crate) use summary::{link_children, summaries};
