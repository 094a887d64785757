//! Sources of agents outside of the editor: sessions of the command line, SDK stores, transcripts, tracking.

use std::path::Path;
use std::sync::Arc;

use crate::cli_stores::CliStores;
use crate::find::Found;
use crate::known_paths::KnownPaths;
use crate::prompt_history::PromptHistory;
use crate::sdk_stores::SdkStores;
use crate::spotted::Spotted;
use crate::tracking::Tracking;
use crate::transcripts::Transcripts;
use crate::workspace_folders::WorkspaceFolders;

/// Adds everything of agents. `editors` name folders in full; what lies alone is told of as lying at `place`.
pub(crate) fn add(found: &mut Found, spotted: Spotted, editors: Vec<Arc<WorkspaceFolders>>, place: &Path) {
    let known = Arc::new(KnownPaths::of(editors, spotted.chats.clone(), spotted.projects.clone()));
    let known = || Arc::clone(&known);
    let sources = &mut found.sources;
    for folder in &spotted.chats {
        sources.push(Box::new(CliStores::chats(folder, known())));
    }
    for folder in &spotted.acp_sessions {
        sources.push(Box::new(CliStores::acp(folder, known())));
    }
    if !spotted.cli_stores.is_empty() {
        sources.push(Box::new(CliStores::named(place, spotted.cli_stores, known())));
    }
    for folder in &spotted.projects {
        let sdk = SdkStores::of_projects(folder, known());
        if sdk.has_any() {
            sources.push(Box::new(sdk));
        }
        sources.push(Box::new(Transcripts::of_projects(folder, known())));
    }
    if !spotted.sdk_stores.is_empty() {
        sources.push(Box::new(SdkStores::named(place, spotted.sdk_stores, known())));
    }
    for folder in &spotted.transcript_folders {
        sources.push(Box::new(Transcripts::of_folder(folder, known())));
    }
    if !spotted.transcripts.is_empty() {
        sources.push(Box::new(Transcripts::named(place, spotted.transcripts, known())));
    }
    for file in &spotted.tracking {
        sources.push(Box::new(Tracking::new(file)));
    }
    for home in &spotted.cursor_homes {
        let is_all = !["chats", "acp-sessions", "projects"].iter().any(|name| home.join(name).is_dir());
        if let Some(history) = PromptHistory::of(home, is_all) {
            sources.push(Box::new(history));
        }
    }
}
