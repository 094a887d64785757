//! Where a fact was read: layer, file and key.

use std::path::Path;
use std::sync::Arc;

/// The kind of place that told a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The editor's global `state.vscdb`: composer and bubble rows.
    IdeGlobal,
    /// A workspace's `state.vscdb`.
    IdeWorkspace,
    /// An index of conversations: the header table or list, project membership.
    IdeHeaders,
    /// `conversation-search.db`.
    IdeSearch,
    /// `agentKv:blob:` rows reached from `conversationState`.
    AgentBlobs,
    /// A command line agent's `store.db`.
    CliStore,
    /// An SDK `index.db` or its NDJSON variant.
    SdkIndex,
    /// A transcript of JSON lines.
    TranscriptJsonl,
    /// A transcript that is one JSON array.
    TranscriptJson,
    /// A transcript of plain text.
    TranscriptText,
    /// `ai-code-tracking.db`.
    Tracking,
    /// Our own archive.
    Archive,
    /// A bundle made by `backscroll`.
    Bundle,
}

impl Layer {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::IdeGlobal => "ide-global",
            Self::IdeWorkspace => "ide-workspace",
            Self::IdeHeaders => "ide-headers",
            Self::IdeSearch => "ide-search",
            Self::AgentBlobs => "agent-blobs",
            Self::CliStore => "cli-store",
            Self::SdkIndex => "sdk-index",
            Self::TranscriptJsonl => "transcript-jsonl",
            Self::TranscriptJson => "transcript-json",
            Self::TranscriptText => "transcript-text",
            Self::Tracking => "tracking",
            Self::Archive => "archive",
            Self::Bundle => "bundle",
        }
    }
}

/// The very place of a fact: which layer, which file, which key in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The kind of place.
    pub layer: Layer,
    /// The file that holds it.
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

    /// The same spot, told of as another layer.
    #[must_use]
    pub fn as_layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }
}
