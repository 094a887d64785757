//! The catalogue of formats. Command line and server take names, help, endings and media types from here.
//!
//! A new format is a type that implements [`Writer`] and its place in [`FORMATS`]; nothing else needs to change.

use std::fmt::Debug;
use std::io::{self, Write};

use backscroll_model::Conversation;
use backscroll_render::html::IndexEntry;
use backscroll_render::{Options, csv, html, json, markdown, plain};
use jiff::tz::TimeZone;

use crate::pictures::Assets;

/// Every format, in the order of the help.
pub const FORMATS: &[Format] = &[&Jsonl, &Json, &Markdown, &Page, &Text, &Csv];

/// One of [`FORMATS`].
pub type Format = &'static dyn Writer;

/// What writes conversations in one format.
pub trait Writer: Debug + Sync {
    /// What it is called and what it can do.
    fn about(&self) -> &'static About;

    /// Writes one conversation.
    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what stands before a conversation: the first of a file, or one that follows another.
    fn before(&self, _is_first: bool, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the end of a file.
    fn end(&self, _is_empty: bool, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the page that lists the conversations of a folder, if [`About::index`] names one.
    fn index(&self, _entries: &[IndexEntry], _time_zone: &TimeZone, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// What a format is called and what it can do.
#[derive(Debug)]
pub struct About {
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
    /// The name of the page that lists the conversations of a folder.
    pub index: Option<&'static str>,
}

impl About {
    /// The name on the command line, in addresses and at the end of file names.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Whether files of this format have this ending.
    pub fn has_ending(&self, ending: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(ending))
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
pub struct Document<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// How it is written.
    pub options: &'a Options,
    /// Takes the pictures that are written beside the file.
    pub assets: Option<&'a Assets>,
}

/// The format that has this name, or whose files have this ending.
pub fn named(name: &str) -> Option<Format> {
    FORMATS.iter().copied().find(|format| format.about().has_ending(name))
}

/// Writes `conversation` as the only one of a file.
pub fn write_alone(
    format: Format,
    conversation: &Conversation,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    format.before(true, out)?;
    format.conversation(&Document { conversation, options, assets: None }, out)?;
    format.end(false, out)
}

#[derive(Debug)]
struct Jsonl;

impl Writer for Jsonl {
    fn about(&self) -> &'static About {
        &About {
            names: &["jsonl"],
            title: "JSON Lines",
            help: "One JSON object a line (backscroll.conversation/1)",
            media_type: "application/jsonl",
            purpose: Purpose::Data,
            pictures: Pictures::AsStored,
            index: None,
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        json::conversation(one.conversation, &mut *out)?;
        out.write_all(b"\n")
    }
}

#[derive(Debug)]
struct Json;

impl Writer for Json {
    fn about(&self) -> &'static About {
        &About {
            names: &["json"],
            title: "JSON",
            help: "One JSON array of the same objects",
            media_type: "application/json",
            purpose: Purpose::Data,
            pictures: Pictures::AsStored,
            index: None,
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        json::conversation(one.conversation, out)
    }

    fn before(&self, is_first: bool, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if is_first { b"[\n" } else { b",\n" })
    }

    fn end(&self, is_empty: bool, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if is_empty { b"[]\n" } else { b"\n]\n" })
    }
}

#[derive(Debug)]
struct Markdown;

impl Writer for Markdown {
    fn about(&self) -> &'static About {
        &About {
            names: &["md", "markdown"],
            title: "Markdown",
            help: "Markdown with front matter, for GitHub and Obsidian",
            media_type: "text/markdown; charset=utf-8",
            purpose: Purpose::Text,
            pictures: Pictures::Beside,
            index: Some("README.md"),
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        markdown::conversation(one.conversation, one.options, &|image| one.assets?.add(image), out)
    }

    fn before(&self, is_first: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_first { Ok(()) } else { out.write_all(b"\n---\n\n") }
    }

    fn index(&self, entries: &[IndexEntry], time_zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        markdown::index(entries, time_zone, out)
    }
}

#[derive(Debug)]
struct Page;

impl Writer for Page {
    fn about(&self) -> &'static About {
        &About {
            names: &["html", "htm"],
            title: "Web page",
            help: "A page that stands alone, without secrets unless asked",
            media_type: "text/html; charset=utf-8",
            purpose: Purpose::Page,
            pictures: Pictures::Inside,
            index: Some("index.html"),
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        html::page(one.conversation, one.options, out)
    }

    fn index(&self, entries: &[IndexEntry], time_zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        html::index_page(entries, time_zone, out)
    }
}

#[derive(Debug)]
struct Text;

impl Writer for Text {
    fn about(&self) -> &'static About {
        &About {
            names: &["txt", "text"],
            title: "Plain text",
            help: "Plain text",
            media_type: "text/plain; charset=utf-8",
            purpose: Purpose::Text,
            pictures: Pictures::AsStored,
            index: None,
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        plain::conversation(one.conversation, one.options, out)
    }

    fn before(&self, is_first: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_first { Ok(()) } else { out.write_all(b"\n\n") }
    }
}

#[derive(Debug)]
struct Csv;

impl Writer for Csv {
    fn about(&self) -> &'static About {
        &About {
            names: &["csv"],
            title: "CSV, a row a message",
            help: "One row for each message",
            media_type: "text/csv; charset=utf-8",
            purpose: Purpose::Data,
            pictures: Pictures::AsStored,
            index: None,
        }
    }

    fn conversation(&self, one: &Document<'_>, out: &mut dyn Write) -> io::Result<()> {
        csv::messages(one.conversation, out)
    }

    fn before(&self, is_first: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_first { csv::header(out) } else { Ok(()) }
    }

    fn end(&self, is_empty: bool, out: &mut dyn Write) -> io::Result<()> {
        if is_empty { csv::header(out) } else { Ok(()) }
    }
}
