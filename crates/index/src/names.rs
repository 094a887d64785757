//! From the outer contract's names back to what they name.

use backscroll_model::{Attribution, FindingKind, Flag, Layer, Surface};

use crate::IndexError;

/// Something with a name.
pub(crate) trait Named: Sized + Copy + 'static {
    /// All there are.
    const ALL: &'static [Self];

    /// The name of one.
    fn its_name(self) -> &'static str;

    /// The one with this name.
    fn named(name: &str) -> Result<Self, IndexError> {
        let found = Self::ALL.iter().copied().find(|one| one.its_name() == name);
        found.ok_or_else(|| IndexError::Damaged(format!("`{name}` is unknown")))
    }
}

macro_rules! named {
    ($($type:ident: $($one:ident),+;)+) => {$(
        impl Named for $type {
            const ALL: &'static [Self] = &[$(Self::$one),+];

            fn its_name(self) -> &'static str {
                // A new variant must be put into the list above.
                match self {
                    $(Self::$one)|+ => self.name(),
                }
            }
        }
    )+};
}

named! {
    Surface: Ide, IdeChat, Cli, Sdk, Transcript;
    Flag: Empty, Draft, Archived, Subagent, BestOfN, Worktree, Background, Deleted;
    Layer: IdeGlobal, IdeWorkspace, IdeHeaders, IdeSearch, AgentBlobs, CliStore, SdkIndex, TranscriptJsonl,
        TranscriptJson, TranscriptText, Tracking, Archive, Bundle;
    Attribution: Header, Record, Project, WorkspaceList, AgentLocation, Message, StoreFolder, Slug, Tracking, ToolPaths;
    FindingKind: Unreadable, Undecodable, Damaged, MissingMessage, OrphanMessage, ListLost, NullRow, Unknown,
        DanglingReference, HashMismatch, Cycle, Contradiction, OneSided, Inferred, TooLarge, Incomplete, Unreached;
}
