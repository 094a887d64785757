//! The catalogue of formats. Command line and server take names, help, endings and media types from here.
//!
//! A new format is a row of [`FORMATS`]; nothing else needs to change.

use std::io::{self, Write};

use backscroll_model::Conversation;
use backscroll_render::html::IndexEntry;
use backscroll_render::{Options, csv, html, json, markdown, plain};
use jiff::tz::TimeZone;

use crate::pictures::Assets;

/// A format: what it is called, what it can do, and how it is written.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line, in addresses and at the end of file names; then others that are understood.
    pub names: &'static [&'static str],
    /// The name for people.
    pub title: &'static str,
    /// A line of help.
    pub help: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// Where pictures go.
    pub pictures: Pictures,
    /// The page that lists the conversations of a folder.
    pub index: Option<IndexPage>,
    /// Writes one conversation.
    pub(crate) conversation: fn(&Document<'_>, &mut dyn Write) -> io::Result<()>,
    around: Around,
}

/// The page that lists the conversations of a folder.
#[derive(Debug, Clone, Copy)]
pub struct IndexPage {
    pub(crate) name: &'static str,
    pub(crate) write: fn(&[IndexEntry], &TimeZone, &mut dyn Write) -> io::Result<()>,
}

/// What stands around the conversations of one file.
#[derive(Debug)]
struct Around {
    begin: &'static str,
    between: &'static str,
    end: &'static str,
    /// All of a file without conversations.
    empty: &'static str,
}

const NOTHING: Around = Around { begin: "", between: "", end: "", empty: "" };

impl Format {
    /// The name on the command line, in addresses and at the end of file names.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Whether files of this format have this ending.
    pub fn has_ending(&self, ending: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(ending))
    }

    /// What stands before a conversation: the first of a file, or one that follows another.
    pub(crate) fn before(&self, is_first: bool) -> &'static [u8] {
        if is_first { self.around.begin.as_bytes() } else { self.around.between.as_bytes() }
    }

    pub(crate) fn end(&self, is_empty: bool) -> &'static [u8] {
        if is_empty { self.around.empty.as_bytes() } else { self.around.end.as_bytes() }
    }
}

/// What a format is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Data for programs: many conversations in one file, text as stored.
    Data,
    /// Text to read and keep: one file each, or several in one.
    Text,
    /// A page to give away: one file each, without secrets by default.
    Page,
}

/// Where the pictures of a conversation go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// They stay as they are stored.
    AsStored,
    /// Into the file; those that lie in files of this machine too.
    Inside,
    /// Into a folder beside the file, if asked for.
    Beside,
}

/// One conversation, and how to write it.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// The conversation.
    pub(crate) conversation: &'a Conversation,
    /// How it is written.
    pub(crate) options: &'a Options,
    /// Takes the pictures that are written beside the file.
    pub(crate) assets: Option<&'a Assets>,
}

/// The format that has this name, or whose files have this ending.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.has_ending(name))
}

/// Writes `conversation` as the only one of a file.
pub fn write_alone(
    format: &Format,
    conversation: &Conversation,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(format.before(true))?;
    (format.conversation)(&Document { conversation, options, assets: None }, out)?;
    out.write_all(format.end(false))
}

/// Every format, in the order of the help.
pub static FORMATS: [Format; 6] = [
    Format {
        names: &["jsonl"],
        title: "JSON Lines",
        help: "One JSON object a line (backscroll.conversation/1)",
        media_type: "application/jsonl",
        purpose: Purpose::Data,
        pictures: Pictures::AsStored,
        index: None,
        conversation: |one, out| {
            json::conversation(one.conversation, &mut *out)?;
            out.write_all(b"\n")
        },
        around: NOTHING,
    },
    Format {
        names: &["json"],
        title: "JSON",
        help: "One JSON array of the same objects",
        media_type: "application/json",
        purpose: Purpose::Data,
        pictures: Pictures::AsStored,
        index: None,
        conversation: |one, out| json::conversation(one.conversation, out),
        around: Around { begin: "[\n", between: ",\n", end: "\n]\n", empty: "[]\n" },
    },
    Format {
        names: &["md", "markdown"],
        title: "Markdown",
        help: "Markdown with front matter, for GitHub and Obsidian",
        media_type: "text/markdown; charset=utf-8",
        purpose: Purpose::Text,
        pictures: Pictures::Beside,
        index: Some(IndexPage { name: "README.md", write: |all, zone, out| markdown::index(all, zone, out) }),
        conversation: |one, out| {
            markdown::conversation(one.conversation, one.options, &|image| one.assets?.add(image), out)
        },
        around: Around { between: "\n---\n\n", ..NOTHING },
    },
    Format {
        names: &["html", "htm"],
        title: "Web page",
        help: "A page that stands alone, without secrets unless asked",
        media_type: "text/html; charset=utf-8",
        purpose: Purpose::Page,
        pictures: Pictures::Inside,
        index: Some(IndexPage {
            name: "index.html",
            write: |all, zone, out| html::index_page(all, zone, out),
        }),
        conversation: |one, out| html::page(one.conversation, one.options, out),
        around: NOTHING,
    },
    Format {
        names: &["txt", "text"],
        title: "Plain text",
        help: "Plain text",
        media_type: "text/plain; charset=utf-8",
        purpose: Purpose::Text,
        pictures: Pictures::AsStored,
        index: None,
        conversation: |one, out| plain::conversation(one.conversation, one.options, out),
        around: Around { between: "\n\n", ..NOTHING },
    },
    Format {
        names: &["csv"],
        title: "CSV, a row a message",
        help: "One row for each message",
        media_type: "text/csv; charset=utf-8",
        purpose: Purpose::Data,
        pictures: Pictures::AsStored,
        index: None,
        conversation: |one, out| csv::messages(one.conversation, out),
        around: Around { begin: csv::HEADER, empty: csv::HEADER, ..NOTHING },
    },
];
