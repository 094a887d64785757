//! The blocks of a document, and stored words, code and addresses as they may be written into one.

use std::io::{self, Write};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::text::{cut, one_line, sanitise};

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Block,
    Item,
    Words,
}

/// A document in the making.
pub(super) struct Blocks<'a> {
    out: &'a mut dyn Write,
    last: Last,
}

/// Ends a list, so that what follows is not taken for more of it.
const APART: &str = "<!-- -->\n";

impl<'a> Blocks<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, last: Last::Nothing }
    }

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

const SHORTEST: usize = 3;

/// Names of languages are short.
const LONGEST_LANGUAGE: usize = 20;

pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = sanitise(text);
    let ticks = fence_for(&text);
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{ticks}{}\n{text}{newline}{ticks}\n", language_tag(language))
}

/// A fence that nothing in `text` closes.
pub(super) fn fence_for(text: &str) -> String {
    "`".repeat((longest_run(text, '`') + 1).max(SHORTEST))
}

/// The name of a language, if it can stand behind a fence.
fn language_tag(language: &str) -> &str {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    if language.len() <= LONGEST_LANGUAGE && language.chars().all(is_fit) { language } else { "" }
}

/// The language that the ending of `path` tells.
pub(super) fn language_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + 2);
    for line in text.lines() {
        quoted.push('>');
        if !line.is_empty() {
            quoted.push(' ');
            quoted.push_str(line);
        }
        quoted.push('\n');
    }
    quoted
}

/// What Markdown would take for a sign inside of a line.
const SIGNS: &[char] =
    &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '!', '~', '|', '$', '#', '%', '=', '^'];

/// `text` on one line, all its signs escaped.
pub(super) fn words(text: &str) -> String {
    escaped(&one_line(text))
}

/// The beginning of `text` on one line, at most `cells` wide, all its signs escaped.
pub(super) fn first_words(text: &str, cells: usize) -> String {
    escaped(&cut(&crate::phrases::first_words(text), cells))
}

pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if SIGNS.contains(&c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// `text` on one line as a span of code.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// `text` on one line, fit to stand between HTML tags.
pub(super) fn html(text: &str) -> String {
    let text = one_line(text);
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}

/// What cannot stand in a destination: everything but letters, digits and `-._~/:?#@!$&'*+,;=%`.
const NO_ADDRESS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'(')
    .add(b')')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// `address` as the destination of a link: what cannot stand in one is percent-encoded.
pub(super) fn destination(address: &str) -> String {
    utf8_percent_encode(address, NO_ADDRESS).to_string()
}

/// The length of the longest run of `sign` in `text`.
fn longest_run(text: &str, sign: char) -> usize {
    let (mut longest, mut here) = (0, 0);
    for c in text.chars() {
        here = if c == sign { here + 1 } else { 0 };
        longest = longest.max(here);
    }
    longest
}
