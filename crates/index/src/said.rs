//! What the user said in a conversation: prompts that were stored apart are compared with it. The index keeps it for each
//! conversation that was compared, so that a change costs reading the conversation that changed, not all of them again.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use backscroll_model::{ConversationId, Message, Role, bare};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::IndexError;
use crate::database::Statements as _;

/// The user's words in one or more conversations, each message as a hash of its text without white space, which stores treat
/// differently.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Whether there are any messages, of whatever role.
    pub has_messages: bool,
    words: BTreeSet<u64>,
}

impl Said {
    /// Adds the user's words in `messages`.
    pub fn add<'a>(&mut self, messages: impl IntoIterator<Item = &'a Message>) {
        for message in messages {
            self.has_messages = true;
            if message.role == Role::User {
                self.words.insert(hash_of(message));
            }
        }
    }

    /// Adds what was said in another conversation.
    pub fn add_all(&mut self, other: Self) {
        self.has_messages |= other.has_messages;
        self.words.extend(other.words);
    }

    /// Whether a prompt is among them.
    pub fn has(&self, prompt: &Message) -> bool {
        self.words.contains(&hash_of(prompt))
    }

    /// The same, and from now on it is: one that is stored twice counts once.
    pub fn has_or_add(&mut self, prompt: &Message) -> bool {
        !self.words.insert(hash_of(prompt))
    }
}

fn hash_of(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    bare(&message.text()).hash(&mut hasher);
    hasher.finish()
}

/// What was said in conversations that were read, each with the stamp that its head had before.
pub type SaidById = HashMap<ConversationId, (i64, Said)>;

/// Keeps what was said, of conversations that did not change meanwhile.
pub(crate) fn keep(connection: &Connection, said: &SaidById) -> Result<(), IndexError> {
    for (id, (stamp, said)) in said {
        let sql = "UPDATE head SET said = ?3 WHERE id = ?1 AND stamp = ?2";
        connection.run(sql, (id.as_str(), stamp, serde_json::to_string(said)?))?;
    }
    Ok(())
}
