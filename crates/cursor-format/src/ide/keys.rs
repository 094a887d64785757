//! The keys under which the editor keeps conversations, and whose row a key of `cursorDiskKV` names: the one catalogue for
//! reading, counting and the change feed.
//!
//! Keys are `<kind>:<id>…`, with a few exceptions. An unknown kind is reported by its own name, so that what a newer
//! Cursor stores can be seen; ids are never taken for kinds.

use std::fmt;

use backscroll_model::{Named as _, named};

/// Old chat tabs, in a workspace's or the global `ItemTable`.
pub const CHAT_TABS: &str = "workbench.panel.aichat.view.aichat.chatdata";
/// A workspace's index of composers, in its `ItemTable`.
pub const WORKSPACE_COMPOSERS: &str = "composer.composerData";
/// The list of heads since 3.0, in the global `ItemTable`.
pub const HEADERS: &str = "composer.composerHeaders";
/// Prompts without answers, in any `ItemTable`.
pub const PROMPTS: &str = "aiService.prompts";
/// The times of what was generated, in any `ItemTable`.
pub const GENERATIONS: &str = "aiService.generations";
/// Projects of the agents window, in the global `ItemTable`.
pub const PROJECTS: &str = "glass.localAgentProjects.v1";
/// Which conversation belongs to which project.
pub const MEMBERSHIP: &str = "glass.localAgentProjectMembership.v1";
/// The beginning of the keys under which panes name the conversations opened in a workspace.
pub const PANES: &str = "workbench.panel.composerChatViewPane";
/// The beginning of the keys of composer records in `cursorDiskKV`.
pub const COMPOSERS: &str = "composerData:";
/// The beginning of the keys of bubbles in `cursorDiskKV`.
pub const BUBBLES: &str = "bubbleId:";
/// The beginning of the keys of the agent's blobs in `cursorDiskKV`.
pub const BLOBS: &str = "agentKv:blob:";

named! {
    /// A kind of row that we know, by what its keys begin with.
    pub enum RowKind {
        /// A conversation's own record.
        Record = "composerData",
        /// A message.
        Bubble = "bubbleId",
        /// What was sent along with a message.
        RequestContext = "messageRequestContext",
        /// Files as they were at a message.
        Checkpoint = "checkpointId",
        /// What a block of code changed.
        CodeBlockDiff = "codeBlockDiff",
        /// What became of the pieces of an inline diff.
        InlineDiffFates = "codeBlockPartialInlineDiffFates",
        /// The text of a file before any edit.
        OriginalFile = "ofsContent",
        /// The name of a conversation's root blob.
        AgentCheckpoint = "agentKv:checkpoint",
        /// The name of the root blob at a message.
        AgentBubbleCheckpoint = "agentKv:bubbleCheckpoint",
        /// One of the agent's blobs.
        AgentBlob = "agentKv:blob",
        /// A text that several rows may refer to.
        Content = "composer.content",
    }
}

impl RowKind {
    /// Whether its keys name the conversation that the row belongs to. Other rows are named after what they hold: they
    /// never change, and belong to what refers to them.
    pub fn is_owned(self) -> bool {
        !matches!(self, Self::AgentBlob | Self::Content)
    }

    /// The key of the one row of this kind that `id` has.
    pub fn key(self, id: impl fmt::Display) -> String {
        format!("{}{}{id}", self.name(), self.mark())
    }

    /// What the keys of all rows of this kind that `id` has begin with.
    pub fn under(self, id: impl fmt::Display) -> String {
        format!("{}:", self.key(id))
    }

    fn mark(self) -> char {
        if self == Self::Content { '.' } else { ':' }
    }
}

/// A key of a kind that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowKey<'a> {
    /// What kind of row it names.
    pub kind: RowKind,
    /// The conversation that it belongs to, or the hash of what it holds.
    pub id: &'a str,
    /// What follows: a message, a checkpoint, a file.
    pub rest: Option<&'a str>,
}

impl<'a> RowKey<'a> {
    /// The key of a row of conversation `id`.
    pub fn new(kind: RowKind, id: &'a str, rest: &'a str) -> Self {
        Self { kind, id, rest: Some(rest) }
    }

    /// What `key` names, if we know its kind.
    pub fn parse(key: &'a str) -> Option<Self> {
        let (kind, after) = RowKind::ALL
            .iter()
            .find_map(|kind| Some((*kind, key.strip_prefix(kind.name())?.strip_prefix(kind.mark())?)))?;
        let is_whole = kind == RowKind::Record || !kind.is_owned();
        let (id, rest) = match after.split_once(':').filter(|_| !is_whole) {
            Some((id, rest)) => (id, Some(rest)),
            None => (after, None),
        };
        Some(Self { kind, id, rest })
    }

    /// The same for a key that may not be text from some place on.
    pub fn parse_bytes(key: &'a [u8]) -> Option<Self> {
        let text = key.utf8_chunks().next()?.valid();
        Self::parse(text)
    }

    /// The conversation that the row belongs to.
    pub fn conversation(&self) -> Option<&'a str> {
        self.kind.is_owned().then_some(self.id)
    }
}

impl fmt::Display for RowKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.kind.name(), self.kind.mark(), self.id)?;
        self.rest.map_or(Ok(()), |rest| write!(f, ":{rest}"))
    }
}

/// Kinds of which there are further kinds.
const DIVIDED: &str = "agentKv";
/// Names are no longer.
const LONGEST: usize = 48;

/// The kind that `key` names; `None` if it names none.
pub fn kind_of_key(key: &[u8]) -> Option<&str> {
    let first = before_colon(key);
    let further = || {
        let rest = key.get(DIVIDED.len() + 1..)?;
        name(key.get(..DIVIDED.len() + 1 + before_colon(rest).len())?)
    };
    // `inlineDiffs-<id>`, `composer.content.<hash>`: what stands before the last mark before the first digit.
    let beginning = || {
        let words = key.iter().position(|byte| !is_wordly(*byte)).map_or(key, |end| &key[..end]);
        name(&words[..words.iter().rposition(|byte| matches!(byte, b'-' | b'.'))?])
    };
    let divided = (first == DIVIDED.as_bytes()).then(further).flatten();
    divided.or_else(|| name(first)).or_else(beginning)
}

fn before_colon(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == b':').next().unwrap_or_default()
}

/// A name is made of words; anything with a digit may be an id.
fn name(bytes: &[u8]) -> Option<&str> {
    let is_name = bytes.first()?.is_ascii_alphabetic()
        && bytes.last()?.is_ascii_alphabetic()
        && bytes.len() <= LONGEST
        && bytes.iter().all(|byte| is_wordly(*byte) || *byte == b':');
    is_name.then(|| str::from_utf8(bytes).ok()).flatten()
}

fn is_wordly(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use super::*;

    #[test]
    fn kinds_and_owners() {
        let id = "98251e54-aaaa-4bbb-8ccc-0123456789ab";
        let table = [
            (format!("bubbleId:{id}:d0216c2d"), Some("bubbleId"), Some(id)),
            (format!("composerData:{id}"), Some("composerData"), Some(id)),
            (format!("agentKv:blob:{}", "ab12".repeat(16)), Some("agentKv:blob"), None),
            (format!("agentKv:checkpoint:{id}"), Some("agentKv:checkpoint"), Some(id)),
            ("agentKv".into(), Some("agentKv"), None),
            ("agentKv:17".into(), Some("agentKv"), None),
            ("agentKv:".into(), Some("agentKv"), None),
            (format!("ofsContent:{id}:file:///a/b.rs"), Some("ofsContent"), Some(id)),
            (format!("composer.content.{}", "e3b0c442"), Some("composer.content"), None),
            (format!("inlineDiffs-{id}"), Some("inlineDiffs"), None),
            ("inlineDiffsData".into(), Some("inlineDiffsData"), None),
            ("patch-graph:17:x".into(), Some("patch-graph"), None),
            (format!("bc-{id}:cloudAgent:metadata"), Some("bc"), None),
            ("somethingNew:1".into(), Some("somethingNew"), None),
            (id.into(), None, None),
            (format!("{}:1", "x".repeat(49)), None, None),
            ("bubbleId::x".into(), Some("bubbleId"), Some("")),
            ("日本:1".into(), None, None),
            (String::new(), None, None),
        ];
        for (key, kind, owner) in table {
            let parsed = RowKey::parse(&key);
            assert_eq!(kind_of_key(key.as_bytes()), kind, "{key}");
            assert_eq!(parsed.and_then(|parsed| parsed.conversation()), owner, "{key}");
            assert_eq!(parsed.map(|parsed| parsed.to_string()).unwrap_or(key.clone()), key);
            assert_eq!(RowKey::parse_bytes(key.as_bytes()), parsed);
        }
        assert_eq!((kind_of_key(b"\xff\xfe:1"), RowKey::parse_bytes(b"\xff\xfe:1")), (None, None));
        assert_eq!(RowKey::parse_bytes(b"bubbleId:a:\xff").and_then(|key| key.conversation()), Some("a"));
    }

    #[test]
    fn what_is_printed_is_parsed_again() {
        for kind in RowKind::ALL {
            let key = RowKey { kind: *kind, id: "a", rest: None };
            assert_eq!(RowKey::parse(&key.to_string()), Some(key));
        }
        for (beginning, kind) in [
            (keys::COMPOSERS, RowKind::Record),
            (keys::BUBBLES, RowKind::Bubble),
            (keys::BLOBS, RowKind::AgentBlob),
        ] {
            assert_eq!(RowKey { kind, id: "", rest: None }.to_string(), beginning);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_key_has_a_kind_that_it_begins_with_or_none(key: Vec<u8>) {
            if let Some(kind) = kind_of_key(&key) {
                proptest::prop_assert!(key.starts_with(kind.as_bytes()) && kind.len() <= LONGEST);
            }
            if let Some(parsed) = RowKey::parse_bytes(&key) {
                proptest::prop_assert!(key.starts_with(parsed.to_string().as_bytes()));
            }
        }
    }
}
