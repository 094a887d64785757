//! The sheet that a conversation is written on: lines of styled spans that never exceed the width.
//!
//! Expects text that is already sanitised.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use backscroll_model::{Origin, named};
use jiff::tz::TimeZone;

use super::hits::Places;
use crate::text::{cut, fits, one_line, sanitise, width, wrap};

/// Text in one style.
pub(super) type Span<'a> = (Style, &'a str);

/// Narrower than this, lines are not broken any more.
const NARROWEST: usize = 20;

/// What a tab is shown as.
pub(super) const TAB: &str = "    ";

/// The indents of nearly all lines.
const SPACES: &str = "                ";

/// Gives the stored value at an origin, as text; `None` if it has none, or if it was given before.
pub type StoredValues<'a> = &'a mut dyn FnMut(&Origin) -> Option<String>;

/// A sheet in the making.
pub(super) struct Page<'a> {
    out: &'a mut dyn Write,
    pub(super) view: &'a View,
    pub(super) palette: Palette,
    /// The files that the conversation was read from, where they are shown.
    pub(super) places: Places,
    /// Gives the stored value at an origin, where these are shown.
    pub(super) stored: Option<StoredValues<'a>>,
    /// Something stands on the sheet, so that a gap would part it from what follows.
    is_begun: bool,
    /// An empty line is due before whatever is written next.
    gap_is_due: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(view: &'a View, out: &'a mut dyn Write) -> Self {
        Self {
            out,
            view,
            palette: Palette::new(view.colour),
            places: Places::default(),
            stored: None,
            is_begun: false,
            gap_is_due: false,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.view.width.max(NARROWEST)
    }

    /// The stored value at `origin` as it is, if it is to be shown here.
    pub(super) fn stored_value(&mut self, origin: &Origin) -> io::Result<()> {
        let Some(value) = self.stored.as_mut().and_then(|stored| stored(origin)) else { return Ok(()) };
        let place = format!("{} {} {}", origin.layer.name(), origin.file.display(), origin.key);
        self.gap();
        self.begin_line(0)?;
        self.span(self.palette.dim, &format!("── {} ──", one_line(&place)))?;
        self.end_line()?;
        writeln!(self.out, "{}", sanitise(&value).trim_end())?;
        self.gap();
        Ok(())
    }

    /// One empty line before whatever comes next: none at the beginning, none at the end, never two.
    pub(super) fn gap(&mut self) {
        self.gap_is_due = self.is_begun;
    }

    /// One line of `spans` behind `indent` spaces; cut where the width ends.
    pub(super) fn line(&mut self, indent: usize, spans: &[Span<'_>]) -> io::Result<()> {
        let mut room = self.width().saturating_sub(indent);
        self.begin_line(indent)?;
        for (style, text) in spans {
            if !fits(text, room) {
                self.span(*style, &cut(text, room))?;
                break; // The line ends where it is cut, however much of the room is left.
            }
            self.span(*style, text)?;
            room = room.saturating_sub(width(text));
        }
        self.end_line()
    }

    pub(super) fn rule(&mut self) -> io::Result<()> {
        let rule = "─".repeat(self.width());
        self.line(0, &[(self.palette.dim, &rule)])
    }

    /// All lines of `text` in one style, broken at the width, tabs as four spaces.
    pub(super) fn paragraph(&mut self, indent: usize, style: Style, text: &str) -> io::Result<()> {
        for line in text.lines() {
            let line = line.replace('\t', TAB);
            self.broken(indent, 0, &line, &[(0..line.len(), style)])?;
        }
        Ok(())
    }

    /// One line, broken at the width, with further pieces `hanging` cells deeper. `styles` are in order and apart.
    pub(super) fn broken(
        &mut self,
        indent: usize,
        hanging: usize,
        line: &str,
        styles: &[(Range<usize>, Style)],
    ) -> io::Result<()> {
        if line.trim().is_empty() {
            self.gap();
            return Ok(());
        }
        let room = self.width().saturating_sub(indent).max(NARROWEST / 2);
        let hanging = hanging.min(room / 2);
        for (number, piece) in wrap(line, room, room - hanging).into_iter().enumerate() {
            let before = if number == 0 { indent } else { indent + hanging };
            self.begin_line(before)?;
            self.piece(line, piece, styles)?;
            self.end_line()?;
        }
        Ok(())
    }

    fn piece(&mut self, line: &str, piece: Range<usize>, styles: &[(Range<usize>, Style)]) -> io::Result<()> {
        let mut at = piece.start;
        for (range, style) in styles {
            let (start, end) = (range.start.max(at), range.end.min(piece.end));
            if start < end {
                self.span(Style::new(), &line[at..start])?;
                self.span(*style, &line[start..end])?;
                at = end;
            }
        }
        self.span(Style::new(), &line[at..piece.end])
    }

    fn span(&mut self, style: Style, text: &str) -> io::Result<()> {
        if text.is_empty() {
            Ok(())
        } else if style.is_plain() {
            // Nearly everything is, and formatting it costs several times as much.
            self.out.write_all(text.as_bytes())
        } else {
            write!(self.out, "{style}{text}{style:#}")
        }
    }

    fn begin_line(&mut self, indent: usize) -> io::Result<()> {
        if std::mem::take(&mut self.gap_is_due) {
            writeln!(self.out)?;
        }
        self.is_begun = true;
        match SPACES.get(..indent) {
            Some(spaces) => self.out.write_all(spaces.as_bytes()),
            None => write!(self.out, "{:indent$}", ""),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }
}

/// A style for each meaning. Without colour, all of them are plain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Palette {
    /// Nothing special.
    pub plain: Style,
    /// Titles and headings.
    pub strong: Style,
    /// What may be skipped.
    pub dim: Style,
    /// The person.
    pub user: Style,
    /// The model.
    pub assistant: Style,
    /// Code.
    pub code: Style,
    /// Paths.
    pub path: Style,
    /// Ids.
    pub id: Style,
    /// What went well, and added lines.
    pub good: Style,
    /// What went wrong, and removed lines.
    pub bad: Style,
    /// What deserves a look.
    pub warning: Style,
}

impl Palette {
    /// The palette in colour, or a plain one.
    pub fn new(colour: bool) -> Self {
        if !colour {
            return Self::default();
        }
        Self {
            plain: Style::new(),
            strong: Style::new().bold(),
            dim: Style::new().dimmed(),
            user: AnsiColor::Cyan.on_default().bold(),
            assistant: AnsiColor::Green.on_default().bold(),
            code: AnsiColor::Yellow.on_default(),
            path: AnsiColor::Blue.on_default(),
            id: AnsiColor::Magenta.on_default(),
            good: AnsiColor::Green.on_default(),
            bad: AnsiColor::Red.on_default(),
            warning: AnsiColor::Yellow.on_default(),
        }
    }
}

named! {
    /// How much of a tool call is shown.
    #[derive(Default)]
    pub enum Tools {
        /// One line each.
        #[default]
        Line = "line",
        /// With arguments, result and diff.
        Full = "full",
        /// Only how many there were.
        None = "none",
    }
}

/// How a conversation is shown.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub struct View {
    /// The cells of a line.
    pub width: usize,
    /// In colour.
    pub colour: bool,
    /// The time zone of all times shown.
    pub time_zone: TimeZone,
    /// Thinking, summaries of context and system prompts in full, not folded to a line.
    pub thinking: bool,
    /// How much of tool calls.
    pub tools: Tools,
    /// Where each message and fact was read.
    pub origins: bool,
    /// Every finding, not only how many.
    pub findings: bool,
}

impl View {
    /// Plain text of this width, folded, times in UTC.
    pub fn plain(width: usize) -> Self {
        Self {
            width,
            colour: false,
            time_zone: TimeZone::UTC,
            thinking: false,
            tools: Tools::Line,
            origins: false,
            findings: false,
        }
    }
}
