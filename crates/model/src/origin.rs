//! Where a fact was read: layer, file and key.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::wire::path;

named! {
    /// The kind of place that has a fact.
    pub enum Layer {
        /// The editor's global `state.vscdb`: composer and bubble rows.
        IdeGlobal = "ide-global",
        /// A workspace's `state.vscdb`.
        IdeWorkspace = "ide-workspace",
        /// An index of conversations: the header table or list, project membership.
        IdeHeaders = "ide-headers",
        /// `conversation-search.db`.
        IdeSearch = "ide-search",
        /// `agentKv:blob:` rows reached from `conversationState`.
        AgentBlobs = "agent-blobs",
        /// A command line agent's `store.db`.
        CliStore = "cli-store",
        /// An SDK `index.db` or its NDJSON variant.
        SdkIndex = "sdk-index",
        /// A transcript of JSON lines.
        TranscriptJsonl = "transcript-jsonl",
        /// A transcript that is one JSON array.
        TranscriptJson = "transcript-json",
        /// A transcript of plain text.
        TranscriptText = "transcript-text",
        /// `ai-code-tracking.db`.
        Tracking = "tracking",
        /// Our own ledger of hooks.
        Hooks = "hooks",
        /// Our own archive.
        Archive = "archive",
        /// A bundle made by `backscroll`.
        Bundle = "bundle",
    }
}

/// The very place of a fact: which layer, which file, which key in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The kind of place.
    pub layer: Layer,
    /// The file that holds it.
    #[serde(with = "path")]
    pub file: Arc<Path>,
    /// The row's key, the line, or whatever names the spot inside the file.
    pub key: String,
}

impl Origin {
    /// The spot `key` in `file`.
    pub fn new(layer: Layer, file: impl Into<Arc<Path>>, key: impl Into<String>) -> Self {
        Self { layer, file: file.into(), key: key.into() }
    }

    /// Another spot in the same file and layer.
    #[must_use]
    pub fn with_key(&self, key: impl Into<String>) -> Self {
        Self { layer: self.layer, file: Arc::clone(&self.file), key: key.into() }
    }

    /// The same spot, reported as another layer.
    #[must_use]
    pub fn as_layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }
}
