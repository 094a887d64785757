//! The one mouth: data goes to standard output, everything else to standard error, and nothing commands the terminal.

use std::io::{self, Write};

use anstyle::Style;
use backscroll_render::terminal::Palette;
use backscroll_render::text::sanitise;

use crate::args::Color;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::pager;

/// Where output goes. Tests keep it.
pub struct Streams {
    /// Standard output.
    pub out: Box<dyn Write + Send>,
    /// Standard error.
    pub err: Box<dyn Write + Send>,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Streams")
    }
}

/// Lines longer than this are hard to read, however wide the terminal is.
const COMFORTABLE: usize = 120;

/// What a width is taken for when nobody tells.
const USUAL: usize = 80;

/// The mouth.
pub(crate) struct Ui<'a> {
    streams: Streams,
    pub(crate) environment: &'a Environment,
    colour: Color,
    is_quiet: bool,
}

impl<'a> Ui<'a> {
    pub(crate) fn new(streams: Streams, environment: &'a Environment, colour: Color, is_quiet: bool) -> Self {
        Self { streams, environment, colour, is_quiet }
    }

    /// Where data goes.
    pub(crate) fn out(&mut self) -> &mut (dyn Write + Send) {
        &mut *self.streams.out
    }

    /// Whether people are reading the data.
    pub(crate) fn is_terminal(&self) -> bool {
        self.environment.out_is_terminal
    }

    /// Whether progress may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        self.environment.err_is_terminal && !self.is_quiet
    }

    /// Whether data is in colour.
    pub(crate) fn colour(&self) -> bool {
        self.in_colour(self.environment.out_is_terminal)
    }

    /// Whether what is not data is in colour.
    pub(crate) fn asides_in_colour(&self) -> bool {
        self.in_colour(self.environment.err_is_terminal)
    }

    /// The cells of a table's line.
    pub(crate) fn width(&self) -> usize {
        self.environment.width.unwrap_or(USUAL)
    }

    /// The cells of a line of prose.
    pub(crate) fn reading_width(&self) -> usize {
        self.width().min(COMFORTABLE)
    }

    /// Hands a writer to `write`: a pager where people are reading, else standard output.
    pub(crate) fn paged(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        self.streams.out.flush()?;
        match pager::start(self.environment) {
            Some(pager) => Ok(pager.fill(write)?),
            None => Ok(write(&mut self.streams.out)?),
        }
    }

    /// Says something that may be missed.
    pub(crate) fn warning(&mut self, text: &str) {
        if !self.is_quiet {
            let style = self.palette().warning;
            self.say(style, "warning", text);
        }
    }

    /// Says that something was done.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.is_quiet {
            let style = self.palette().good;
            self.say(style, "note", text);
        }
    }

    /// Says what to do next.
    pub(crate) fn hint(&mut self, text: &str) {
        if !self.is_quiet {
            let style = self.palette().user;
            self.say(style, "hint", text);
        }
    }

    /// Says what went wrong, quiet or not.
    pub(crate) fn error(&mut self, text: &str) {
        let style = self.palette().bad;
        self.say(style, "error", text);
    }

    /// Writes lines to standard error as they are.
    pub(crate) fn aside(&mut self, text: &str) {
        if !self.is_quiet {
            // There is nobody left to tell if standard error is closed.
            let _ = self.streams.err.write_all(text.as_bytes());
            let _ = self.streams.err.flush();
        }
    }

    /// Everything said so far leaves the house.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.streams.out.flush()
    }

    fn say(&mut self, style: Style, kind: &str, text: &str) {
        let _ = writeln!(self.streams.err, "{style}{kind}:{style:#} {}", sanitise(text));
    }

    fn palette(&self) -> Palette {
        Palette::new(self.asides_in_colour())
    }

    fn in_colour(&self, is_terminal: bool) -> bool {
        match self.colour {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !self.environment.no_color,
        }
    }
}
