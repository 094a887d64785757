//! `prompt_history.json`: what was typed, without answers and times.
//!
//! Beside a session it may hold prompts that no message has: these follow as orphans. At the root it is the history
//! of the input box over all sessions: a conversation of its own, hidden as long as there is anything better.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::agent;
use backscroll_cursor_format::user_text::title_line;
use backscroll_model::{
    Changes, Conversation, ConversationId, Decoded, Finding, FindingKind, Flag, Layer, Mark, Message, Origin,
    Part, Role, Source, SourceError, Summary, Surface,
};

use crate::feed::small;
use crate::folder_listing::changed_at;

const NAME: &str = "prompt_history.json";

/// The id under which it is told.
const ID: &str = "prompt-history";

/// The prompt history of a whole Cursor home.
#[derive(Debug)]
pub struct PromptHistory {
    file: Arc<Path>,
    is_all_that_is_left: bool,
}

impl PromptHistory {
    /// The history in a Cursor home, if it has one.
    pub fn of(cursor_home: &Path, is_all_that_is_left: bool) -> Option<Self> {
        let file = cursor_home.join(NAME);
        file.is_file().then(|| Self { file: Arc::from(file), is_all_that_is_left })
    }

    fn read(&self) -> Result<Option<Conversation>, SourceError> {
        let bytes = fs::read(&self.file).map_err(|because| SourceError::new(&*self.file, because))?;
        let at = Origin::new(Layer::CliStore, Arc::clone(&self.file), "");
        let Decoded { value: prompts, findings } = agent::prompt_history(&bytes, &at);
        if prompts.is_empty() && findings.is_empty() {
            return Ok(None);
        }
        let mut summary = Summary::new(ConversationId::new(ID), Surface::Cli, at.clone());
        summary.title = prompts.iter().find_map(|prompt| title_line(prompt));
        summary.updated_at = changed_at(&self.file);
        if !self.is_all_that_is_left {
            summary.flags.insert(Flag::Deleted);
        }
        let mut conversation = Conversation::of(summary);
        conversation.messages =
            prompts.into_iter().enumerate().map(|(number, text)| message(number, text, &at)).collect();
        let count = conversation.messages.len() as u64;
        conversation.coverage.listed = count;
        conversation.coverage.read = count;
        conversation.summary.messages = Some(count);
        conversation.findings = findings;
        Ok(Some(conversation))
    }
}

impl Source for PromptHistory {
    fn place(&self) -> PathBuf {
        self.file.to_path_buf()
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let read = self.read()?;
        Ok(read.map(|told| (vec![told.summary], told.findings)).unwrap_or_default())
    }

    fn kind(&self) -> &'static str {
        "prompt-history"
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(small::file(since, &self.file, &ConversationId::new(ID), self.is_all_that_is_left))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        Ok(self.read()?.filter(|told| told.summary.id == *id).into_iter().collect())
    }
}

/// Adds the prompts beside a session that none of its messages has.
pub(crate) fn add_unsaid(folder: &Path, conversation: &mut Conversation) {
    let file = folder.join(NAME);
    let Ok(bytes) = fs::read(&file) else { return };
    let at = Origin::new(Layer::CliStore, file, "");
    let prompts = agent::prompt_history(&bytes, &at).report_to(&mut conversation.findings);
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let said: HashSet<String> = conversation
        .messages
        .iter()
        .chain(&conversation.orphans)
        .filter(|message| message.role == Role::User)
        .map(|message| bare(&message.text()))
        .collect();
    let unsaid = prompts.into_iter().enumerate().filter(|(_, prompt)| !said.contains(&bare(prompt)));
    let unsaid: Vec<Message> = unsaid.map(|(number, text)| message(number, text, &at)).collect();
    if unsaid.is_empty() {
        return;
    }
    let says = format!("{} prompts stand in the prompt history alone", unsaid.len());
    conversation.findings.push(Finding::new(FindingKind::OrphanMessage, at, says));
    conversation.coverage.orphaned += unsaid.len() as u64;
    conversation.orphans.extend(unsaid);
}

fn message(number: usize, text: String, at: &Origin) -> Message {
    let mut message = Message::new(format!("prompt-{number}"), Role::User, at.with_key(number.to_string()));
    message.parts.push(Part::Text(text));
    message
}
