//! The door to all dialects: bytes of a transcript in, messages and findings out.

use std::borrow::Cow;

use backscroll_model::{Coverage, Decoded, FindingKind, Layer, Message, Origin};

use super::builder::Builder;
use super::{json_array, json_lines, text};

/// How a transcript was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `user:` and `assistant:` lines.
    Text,
    /// One JSON array.
    Json,
    /// One JSON record a line.
    Jsonl,
}

impl Dialect {
    /// The dialect of a file with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "txt" => Some(Self::Text),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// The layer that such a transcript is told of as.
    pub fn layer(self) -> Layer {
        match self {
            Self::Text => Layer::TranscriptText,
            Self::Json => Layer::TranscriptJson,
            Self::Jsonl => Layer::TranscriptJsonl,
        }
    }
}

/// What a transcript tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// What was said, in the file's order.
    pub messages: Vec<Message>,
    /// The account of the messages.
    pub coverage: Coverage,
    /// How many records the file holds: lines, items or role markers, whether they became messages or not.
    pub records: u64,
}

/// Decodes a transcript. `origin` names the file; messages and findings get a key of their own in it.
pub fn decode(dialect: Dialect, bytes: &[u8], origin: &Origin) -> Decoded<Transcript> {
    let mut builder = Builder::new(origin.clone().as_layer(dialect.layer()));
    let text = readable(bytes);
    if matches!(text, Cow::Owned(_)) {
        builder.find(FindingKind::Damaged, "file", "some bytes are no UTF-8 and are shown as \u{fffd}");
    }
    match dialect {
        Dialect::Text => text::read(&text, &mut builder),
        Dialect::Json => json_array::read(&text, &mut builder),
        Dialect::Jsonl => json_lines::read(&text, &mut builder),
    }
    builder.finish()
}

/// The bytes as text without a byte order mark; what is no UTF-8 is replaced.
pub(super) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}
