//! The formats of `export`, how each is named, and what stands around several conversations in one file.

use std::io::{self, Write};

use backscroll_render::{Detail, csv};
use clap::ValueEnum;

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line (backscroll.conversation/1)
    Jsonl,
    /// One JSON array of the same objects
    Json,
    /// Markdown with front matter, for GitHub and Obsidian
    #[value(alias = "markdown")]
    Md,
    /// A page that stands alone, without secrets unless asked
    Html,
    /// Plain text
    #[value(alias = "text")]
    Txt,
    /// One row for each message
    Csv,
}

impl Format {
    /// The name, which is also the ending of its files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Md => "md",
            Self::Html => "html",
            Self::Txt => "txt",
            Self::Csv => "csv",
        }
    }

    /// Whether many conversations are usually kept in one file.
    pub(crate) fn is_for_programs(self) -> bool {
        matches!(self, Self::Jsonl | Self::Json | Self::Csv)
    }

    /// The format whose files people keep under `ending`.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| format.has_ending(ending))
    }

    /// Whether `ending` is one under which people keep files of this format.
    pub(crate) fn has_ending(self, ending: &str) -> bool {
        let ending = ending.to_ascii_lowercase();
        ending == self.name()
            || matches!(
                (self, ending.as_str()),
                (Self::Md, "markdown") | (Self::Html, "htm") | (Self::Txt, "text")
            )
    }

    /// The name of the page that lists a folder's conversations.
    pub(crate) fn index_name(self) -> Option<&'static str> {
        match self {
            Self::Md => Some("README.md"),
            Self::Html => Some("index.html"),
            Self::Jsonl | Self::Json | Self::Txt | Self::Csv => None,
        }
    }
}

/// How much of a conversation is written, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DetailName {
    /// What you and the assistant said
    Talk,
    /// Thinking and tools too, folded
    #[default]
    Normal,
    /// Everything: whole results, attachments, system messages, origins
    Full,
}

impl DetailName {
    pub(crate) fn detail(self) -> Detail {
        match self {
            Self::Talk => Detail::Talk,
            Self::Normal => Detail::Normal,
            Self::Full => Detail::Full,
        }
    }
}

/// What stands around and between the conversations of one file.
pub(crate) struct Frame {
    format: Format,
    is_begun: bool,
}

impl Frame {
    pub(crate) fn of(format: Format) -> Self {
        Self { format, is_begun: false }
    }

    /// Writes one conversation.
    pub(crate) fn item(&mut self, bytes: &[u8], mut out: &mut dyn Write) -> io::Result<()> {
        match (self.format, self.is_begun) {
            (Format::Json, false) => out.write_all(b"[\n")?,
            (Format::Json, true) => out.write_all(b",\n")?,
            (Format::Csv, false) => csv::header(&mut out)?,
            (Format::Md, true) => out.write_all(b"\n---\n\n")?,
            (Format::Txt, true) => out.write_all(b"\n\n")?,
            (Format::Jsonl | Format::Html | Format::Md | Format::Txt | Format::Csv, _) => {}
        }
        self.is_begun = true;
        out.write_all(bytes)?;
        if self.format == Format::Jsonl { out.write_all(b"\n") } else { Ok(()) }
    }

    /// Writes what stands behind the last one.
    pub(crate) fn end(&self, mut out: &mut dyn Write) -> io::Result<()> {
        match (self.format, self.is_begun) {
            (Format::Json, false) => out.write_all(b"[]\n"),
            (Format::Json, true) => out.write_all(b"\n]\n"),
            (Format::Csv, false) => csv::header(&mut out),
            (Format::Jsonl | Format::Md | Format::Html | Format::Txt | Format::Csv, _) => Ok(()),
        }
    }
}
