//! Conversations that stand whole in an `ItemTable`, of a workspace or of the global database: old chat tabs, and
//! prompts without answers.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::ide::{self, keys};
use backscroll_model::{Conversation, ConversationId, Finding, Layer, Origin};

use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The old chat tabs of this database.
pub(crate) fn chat_tabs(
    db: &ReadOnlyDb,
    file: &Arc<Path>,
    layer: Layer,
) -> Result<(Vec<Conversation>, Vec<Finding>), ReadError> {
    let Some(items) = db.table("ItemTable")? else { return Ok(Default::default()) };
    let Some(bytes) = items.get(keys::CHAT_TABS)? else { return Ok(Default::default()) };
    let at = Origin::new(layer, Arc::clone(file), keys::CHAT_TABS);
    let tabs = ide::chat_tabs(&bytes, &at);
    Ok((tabs.conversations, tabs.findings))
}

/// The prompts of this database, as one conversation named after their `owner`.
pub(crate) fn prompts(
    db: &ReadOnlyDb,
    file: &Arc<Path>,
    layer: Layer,
    owner: &str,
) -> Result<(Option<Conversation>, Vec<Finding>), ReadError> {
    let Some(items) = db.table("ItemTable")? else { return Ok(Default::default()) };
    let value = |key: &str| items.get(key);
    let (prompts, generations) = (value(keys::PROMPTS)?, value(keys::GENERATIONS)?);
    let at = Origin::new(layer, Arc::clone(file), keys::PROMPTS);
    let id = ConversationId::new(format!("prompts-{owner}"));
    Ok(ide::prompts(id, prompts.as_deref(), generations.as_deref(), &at))
}
