//! The blobs that each agent of the SDK keeps for itself: a store as the command line agent's, in a folder called by the hash
//! of its id. Must not read the index.

use std::path::{Path, PathBuf};

use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_model::{Conversation, ConversationId, Holding, Surface};

use crate::cli_head::CliSession;
use crate::folder_listing::folders;
use crate::sdk_stores::SdkStores;

impl SdkStores {
    /// What an agent's own database holds.
    pub(crate) fn held_by_own(&self, file: &Path) -> Holding {
        let session = CliSession::of_store(file, Surface::Sdk);
        let summary = session.summary(&session.head(), &self.known);
        Holding { first_at: summary.created_at, last_at: summary.updated_at, ..session.holding() }
    }

    /// What the agent's own blobs tell.
    pub(crate) fn own_store(
        &self,
        store: &Path,
        id: &ConversationId,
        checkpoint: Option<String>,
    ) -> Option<Conversation> {
        if let Some(session) = own_session(store, id) {
            return Some(self.load_own(&CliSession { checkpoint, ..session }));
        }
        let mut sessions = own_databases(store).map(|file| CliSession::of_store(&file, Surface::Sdk));
        let own = sessions.find(|session| session.summary(&session.head(), &self.known).id == *id)?;
        Some(self.load_own(&own))
    }

    fn load_own(&self, session: &CliSession) -> Conversation {
        let told = session.load(&self.known);
        self.keepers.note(session, told.children.iter().cloned());
        told
    }

    /// The agents' own stores, as sessions.
    pub(crate) fn own_sessions(&self) -> Vec<CliSession> {
        let files = self.stores().iter().flat_map(|store| own_databases(store));
        files.map(|file| CliSession::of_store(&file, Surface::Sdk)).collect()
    }
}

/// The store of the agent `id`, in a folder that is called by the hash of its id.
pub(crate) fn own_session(store: &Path, id: &ConversationId) -> Option<CliSession> {
    let hash = sdk_agent_folder(id.as_str());
    let agents = store.join("agents");
    let folders = [agents.join(format!("agent-{hash}")), agents.join(hash)];
    let file = folders.into_iter().map(|folder| folder.join("store.db")).find(|file| file.is_file())?;
    Some(CliSession { id: Some(id.clone()), ..CliSession::of_store(&file, Surface::Sdk) })
}

/// The agents' own databases.
pub(crate) fn own_databases(store: &Path) -> impl Iterator<Item = PathBuf> {
    let files = folders(&store.join("agents")).into_iter().map(|folder| folder.join("store.db"));
    files.filter(|file| file.is_file())
}
