//! What the index has of a conversation already, so that messages that stayed the same need not be written again.

use std::collections::{BTreeSet, HashMap};

use backscroll_model::ConversationId;
use rusqlite::Connection;

use crate::IndexError;

/// The fingerprints of a conversation's messages, by their number.
#[derive(Debug, Default)]
pub(crate) struct Known {
    fingerprints: Vec<Option<i64>>,
}

impl Known {
    /// The fingerprint of the message with this number.
    pub(crate) fn get(&self, number: usize) -> Option<i64> {
        self.fingerprints.get(number).copied().flatten()
    }

    fn set(&mut self, number: usize, fingerprint: i64) {
        if self.fingerprints.len() <= number {
            self.fingerprints.resize(number + 1, None);
        }
        self.fingerprints[number] = Some(fingerprint);
    }
}

/// What the index has of these conversations.
pub(crate) fn known(
    connection: &Connection,
    ids: &BTreeSet<ConversationId>,
) -> Result<HashMap<ConversationId, Known>, IndexError> {
    let mut statement = connection.prepare_cached(
        "SELECT message.number, message.fingerprint FROM conversation
         JOIN message ON message.conversation = conversation.number
         WHERE conversation.id = ?1 ORDER BY message.number",
    )?;
    let mut all = HashMap::new();
    for id in ids {
        let mut known = Known::default();
        let mut rows = statement.query([id.as_str()])?;
        while let Some(row) = rows.next()? {
            // Numbers are written by us and count up from zero; anything else only means that it is written again.
            if let Ok(number) = usize::try_from(row.get::<_, i64>(0)?).map(|number| number.min(50_000_000)) {
                known.set(number, row.get(1)?);
            }
        }
        all.insert(id.clone(), known);
    }
    Ok(all)
}
