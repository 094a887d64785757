//! The blocks of a document, one after the other, kept apart so that none runs into the next.

use std::io::{self, Write};

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Block,
    Item,
    Words,
}

/// A document in the making.
pub(super) struct Blocks<W> {
    out: W,
    last: Last,
}

/// Ends a list, so that what follows is not taken for more of it.
const APART: &str = "<!-- -->\n";

impl<W: Write> Blocks<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, last: Last::Nothing }
    }

    /// Writes a block of our own.
    pub(super) fn block(&mut self, text: &str) -> io::Result<()> {
        self.begin()?;
        self.line(text)?;
        self.last = Last::Block;
        Ok(())
    }

    /// Writes stored words that were made fit.
    pub(super) fn words(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let may_join =
            text.starts_with([' ', '\t', '-', '+', '*']) || text.starts_with(|c: char| c.is_ascii_digit());
        if may_join && matches!(self.last, Last::Item | Last::Words) {
            self.block(APART)?;
        }
        self.block(text)?;
        self.last = Last::Words;
        Ok(())
    }

    /// Writes an item of a list.
    pub(super) fn item(&mut self, text: &str) -> io::Result<()> {
        if self.last == Last::Words {
            self.block(APART)?;
        }
        if self.last != Last::Item {
            self.begin()?;
        }
        self.line(&format!("- {text}"))?;
        self.last = Last::Item;
        Ok(())
    }

    /// Opens a fold; `summary` is HTML.
    pub(super) fn unfold(&mut self, summary: &str, is_open: bool) -> io::Result<()> {
        let open = if is_open { " open" } else { "" };
        self.block(&format!("<details{open}>\n<summary>{summary}</summary>"))
    }

    /// Closes a fold.
    pub(super) fn fold(&mut self) -> io::Result<()> {
        self.block("</details>")
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.last == Last::Nothing { Ok(()) } else { self.out.write_all(b"\n") }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        if text.ends_with('\n') { Ok(()) } else { self.out.write_all(b"\n") }
    }
}
