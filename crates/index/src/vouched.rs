//! What the index vouches for: which messages a conversation has, in order, and what each looked like when all that is told
//! of it had been put together. Whoever reads a few messages without the others can see whether they are the same.

use backscroll_model::{ConversationId, Message, MessageId, Role};
use rusqlite::OptionalExtension as _;

use crate::codes;
use crate::write::fingerprint;
use crate::{Index, IndexError};

/// Some messages of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    /// How many messages the conversation has in all, orphans left out.
    pub total: u64,
    /// Those that were asked for, in order.
    pub messages: Vec<VouchedMessage>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VouchedMessage {
    /// Its number, from zero.
    pub number: u64,
    /// Its id.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    fingerprint: i64,
}

impl VouchedMessage {
    /// Whether `message` is what was put together, to the letter; who else tells it is not compared.
    pub fn is(&self, message: &Message) -> bool {
        fingerprint(message, 0) == self.fingerprint
    }
}

impl Index {
    /// The messages of a conversation from number `first` to `last`, orphans left out; `None` if it is not known or could
    /// not be read.
    pub fn vouched(&self, id: &ConversationId, first: u64, last: u64) -> Result<Option<Vouched>, IndexError> {
        let sql = "SELECT number, messages FROM conversation WHERE id = ? AND loaded = 1";
        let mut found = self.connection().prepare_cached(sql)?;
        let found = found.query_row([id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        let Some((number, total)) = found.optional()? else { return Ok(None) };
        let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let sql = "SELECT number, id, role, fingerprint FROM message
                   WHERE conversation = ? AND number BETWEEN ? AND ? ORDER BY number";
        let mut statement = self.connection().prepare_cached(sql)?;
        let last = bound(last).min(total - 1);
        let messages = statement.query_map((number, bound(first), last), |row| {
            Ok(VouchedMessage {
                number: row.get::<_, i64>(0)?.unsigned_abs(),
                id: MessageId::new(row.get::<_, String>(1)?),
                role: codes::role_of(row.get(2)?),
                fingerprint: row.get(3)?,
            })
        })?;
        Ok(Some(Vouched { total: total.unsigned_abs(), messages: messages.collect::<Result<_, _>>()? }))
    }
}
