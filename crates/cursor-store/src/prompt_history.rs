//! `prompt_history.json` at the root of a Cursor home: what was typed over all sessions, without answers and times. It is a
//! conversation of its own, hidden as long as there is anything better.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::user_text::title_line;
use backscroll_model::{
    Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Flag, Fragment, FragmentKind, Inventory,
    Layer, Mark, Message, Scope, Source, SourceError, SourceId, Store,
};

use crate::cli_session::{PROMPT_HISTORY, stored_prompts};
use crate::files::{changed_at, file_stamp, is_anything};
use crate::fingerprint;
use crate::plain_file;
use crate::workspace_folders::unreadable;

/// The id of the conversation that it makes.
const ID: &str = "prompt-history";

/// The prompt history of a whole Cursor home.
#[derive(Debug)]
pub struct PromptHistory {
    file: Arc<Path>,
    is_all_that_is_left: bool,
}

impl PromptHistory {
    /// The history in a Cursor home, if there is anything of that name. It is not hidden if the home has nothing else.
    pub fn in_home(cursor_home: &Path) -> Option<Self> {
        let file = cursor_home.join(PROMPT_HISTORY);
        let others = ["chats", "acp-sessions", "projects"];
        let is_all_that_is_left = !others.iter().any(|name| cursor_home.join(name).is_dir());
        is_anything(&file).then(|| Self { file: Arc::from(file), is_all_that_is_left })
    }

    fn own_stamp(&self) -> u64 {
        fingerprint::of(&(file_stamp(&self.file), self.is_all_that_is_left))
    }

    fn read(&self) -> Option<Fragment> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let mut fragment = stored_prompts(folder, &ConversationId::new(ID))?;
        let summary = &mut fragment.summary;
        summary.title = fragment.messages.iter().map(Message::text).find_map(|text| title_line(&text));
        (summary.updated_at, summary.is_updated_by_file) = (changed_at(&self.file), true);
        summary.messages = Some(fragment.coverage.listed);
        if !self.is_all_that_is_left {
            summary.flags.insert(Flag::Deleted);
        }
        Some(fragment)
    }
}

impl Inventory for PromptHistory {}

impl Source for PromptHistory {
    fn id(&self) -> SourceId {
        SourceId::new("prompt-history", &*self.file, Layer::CliStore)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        if let Err(error) = plain_file::check(&self.file) {
            return Decoded { value: Vec::new(), findings: vec![unreadable(&self.file, &error.to_string())] };
        }
        Decoded::clean(vec![Store { path: Arc::clone(&self.file), stamp: self.own_stamp() }])
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        store.exists().then(|| self.own_stamp())
    }

    fn catalogue(&self, _: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let Some(mut fragment) = self.read() else { return Ok(Catalogue::whole(Vec::new())) };
        let findings = std::mem::take(&mut fragment.findings);
        fragment.messages.clear();
        let entry =
            CatalogueEntry::new(ConversationId::new(ID), Arc::clone(&self.file), FragmentKind::Account);
        let entry = Catalogued { entry, heads: vec![fragment], stamp: self.own_stamp() };
        Ok(Catalogue { findings, ..Catalogue::whole(vec![entry]) })
    }

    fn load(&self, _: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        Ok(self.read().into_iter().collect())
    }
}
