//! A few messages of one editor conversation, read by their keys: the price of those, whatever else the conversation holds.

use std::collections::HashSet;

use backscroll_cursor_format::ide::{self, Assembled, keys};
use backscroll_model::{Conversation, ConversationId};

use crate::agent_layer::{self, Extent};
use crate::ide_global::{IdeGlobal, checkpoint, read_error};
use crate::read_only_db::{ReadError, ReadOnlyDb};

impl IdeGlobal {
    /// What the record, the rows of `messages` and the agent's account of their turns tell; `None` if the record is gone, or
    /// the account can only be told as a whole.
    pub(crate) fn load_part(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
        messages: &HashSet<&str>,
    ) -> Result<Option<Vec<Conversation>>, ReadError> {
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(None) };
        let key = format!("{}{id}", keys::COMPOSERS);
        let Some(bytes) = table.get(&key)? else { return Ok(None) };
        let is_wanted = |message: &str| messages.contains(message);
        let assembled = ide::assemble_some(id, &bytes, &is_wanted, &table, &table, &self.origin(&key));
        let Assembled { mut conversation, state, .. } =
            assembled.map_err(|because| read_error(&self.file, because))?;
        let state = match state {
            Some(state) => Some(state),
            None => checkpoint(table, id)?,
        };
        let Some(state) = state else { return Ok(Some(vec![conversation])) };
        let told = agent_layer::telling_to(Extent::Part, &state, &table, &self.file, &mut conversation);
        Ok(told.ok().map(|agent| std::iter::once(conversation).chain(agent).collect()))
    }
}
