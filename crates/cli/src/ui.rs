//! Everything the user sees: data goes to standard output, everything else to standard error, and nothing commands the
//! terminal. Also the pager for long views, the line that says how far a command is, and the browser.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anstyle::Style;
pub(crate) use backscroll_render::counted;
use backscroll_render::list::{ListView, size};
use backscroll_render::terminal::Palette;
use backscroll_render::text::{DIRECTION_MARKS, escape_controls, sanitise};

use crate::args::Color;
use crate::environment::Environment;
use crate::error::Result;

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

pub(crate) struct Ui<'a> {
    streams: Streams,
    pub(crate) environment: &'a Environment,
    colour: Color,
    is_quiet: bool,
}

impl<'a> Ui<'a> {
    pub(crate) fn new(
        mut streams: Streams,
        environment: &'a Environment,
        colour: Color,
        is_quiet: bool,
    ) -> Self {
        if environment.out_is_terminal {
            streams.out = Box::new(Unmarked(streams.out));
        }
        if environment.err_is_terminal {
            streams.err = Box::new(Unmarked(streams.err));
        }
        Self { streams, environment, colour, is_quiet }
    }

    pub(crate) fn out(&mut self) -> &mut (dyn Write + Send) {
        &mut *self.streams.out
    }

    /// Writes data for programs, or stored text as it is. On a terminal, its control characters are escaped.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal() {
            let text = String::from_utf8_lossy(bytes);
            self.streams.out.write_all(escape_controls(&text).as_bytes())
        } else {
            self.streams.out.write_all(bytes)
        }
    }

    /// Writes one line of JSON, see [`Ui::data`].
    pub(crate) fn json(&mut self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let mut line = Vec::new();
        write(&mut line)?;
        line.push(b'\n');
        self.data(&line)
    }

    /// Whether people are reading the data.
    pub(crate) fn is_terminal(&self) -> bool {
        self.environment.out_is_terminal
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.environment.err_is_terminal && !self.environment.is_agent && !self.is_quiet
    }

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

    /// How tables are drawn here and now.
    pub(crate) fn list_view(&self) -> ListView {
        ListView { width: self.width(), now: self.environment.now.clone(), colour: self.colour() }
    }

    /// The cells of a line of prose.
    pub(crate) fn reading_width(&self) -> usize {
        self.width().min(COMFORTABLE)
    }

    /// Hands a writer to `write`: a pager where people are reading, else standard output.
    pub(crate) fn paged(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        self.streams.out.flush()?;
        match start_pager(self.environment) {
            Some(pager) => Ok(fill_pager(pager, write)?),
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

    /// Writes one line for programs to standard error, quiet or not.
    pub(crate) fn announce(&mut self, line: &str) {
        let _ = writeln!(self.streams.err, "{line}");
        let _ = self.streams.err.flush();
    }

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

/// A terminal, or a pager before it, without the three invisible marks of direction. They command nothing, but move the words
/// beside them. Right-to-left scripts use them, so files have them as they are stored.
struct Unmarked<W>(W);

impl<W: Write> Write for Unmarked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Text is written in whole characters.
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(DIRECTION_MARKS) => {
                self.0.write_all(text.replace(DIRECTION_MARKS, "").as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Starts the user's pager; `None` where none is wanted or none starts.
fn start_pager(environment: &Environment) -> Option<Child> {
    if !environment.out_is_terminal {
        return None;
    }
    let asked = environment.pager.as_deref().unwrap_or("less");
    let mut words = asked.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if !environment.less_is_set_up {
        // Colours as they are, leave at once if it fits, leave the text on the screen.
        command.env("LESS", "RFX");
    }
    command.spawn().ok()
}

/// Lets `write` fill the pager, and waits until the reader is done. Leaving early is not an error.
fn fill_pager(mut pager: Child, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let written = match pager.stdin.take() {
        Some(stdin) => {
            let mut stdin = Unmarked(BufWriter::new(stdin));
            write(&mut stdin).and_then(|()| stdin.flush())
        }
        None => Ok(()),
    };
    pager.wait()?;
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Asks the system to open an address or a file, and does not wait for it.
pub(crate) fn open(what: impl AsRef<OsStr>) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(what).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Whatever is done sooner needs no line.
const PATIENCE: Duration = Duration::from_millis(300);

/// The line is written anew no more often than this.
const PACE: Duration = Duration::from_millis(100);

/// The cells of the bar.
const BAR: usize = 20;

/// How far a command is.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    bytes: u64,
    /// What is done with them, if it is not what was asked for.
    doing: Option<&'static str>,
    next: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// Nothing of `total` is done yet.
    pub(crate) fn new(total: usize, is_wanted: bool) -> Self {
        let next = is_wanted.then(|| Instant::now() + PATIENCE);
        Self { total, done: 0, bytes: 0, doing: None, next, is_shown: false }
    }

    /// Says what is done with them, and starts again if that is something else than before.
    pub(crate) fn switch_to(&mut self, doing: Option<&'static str>) {
        if self.doing != doing {
            (self.doing, self.done, self.bytes) = (doing, 0, 0);
        }
    }

    /// How many are done, of how many.
    pub(crate) fn stands(&mut self, done: usize, total: usize, write: &mut dyn FnMut(&str)) {
        (self.done, self.total) = (done.saturating_sub(1), total);
        self.step(0, write);
    }

    /// One more is done, with its size in bytes.
    pub(crate) fn step(&mut self, bytes: usize, write: &mut dyn FnMut(&str)) {
        self.done += 1;
        self.bytes += bytes as u64;
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            let filled = BAR * self.done / self.total.max(1);
            let bar = "█".repeat(filled) + &"░".repeat(BAR - filled.min(BAR));
            let (done, total) = (self.done, self.total);
            let size = if self.bytes > 0 { format!(" · {}", size(self.bytes)) } else { String::new() };
            let doing = self.doing.map(|doing| format!(", {doing}")).unwrap_or_default();
            write(&format!("\r\u{1b}[K{bar} {done} of {total} conversations{size}{doing}"));
            self.next = Some(now + PACE);
            self.is_shown = true;
        }
    }

    pub(crate) fn clear(&mut self, write: &mut dyn FnMut(&str)) {
        if std::mem::take(&mut self.is_shown) {
            write("\r\u{1b}[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_and_goes_away() {
        let mut told = String::new();
        let mut progress = Progress { next: Some(Instant::now()), ..Progress::new(4, true) };
        progress.step(2_500_000, &mut |line| told.push_str(line));
        progress.clear(&mut |line| told.push_str(line));
        assert_eq!(told, "\r\u{1b}[K█████░░░░░░░░░░░░░░░ 1 of 4 conversations · 2.5 MB\r\u{1b}[K");
    }

    #[test]
    fn the_line_tells_what_is_done() {
        let mut told = String::new();
        let mut progress = Progress { next: Some(Instant::now()), ..Progress::new(2, true) };
        progress.switch_to(Some("looking for secrets"));
        progress.step(0, &mut |line| told.push_str(line));
        assert_eq!(told, "\r\u{1b}[K██████████░░░░░░░░░░ 1 of 2 conversations, looking for secrets");
    }

    #[test]
    fn what_is_soon_done_or_unwanted_needs_no_line() {
        for is_wanted in [true, false] {
            let mut told = String::new();
            let is_far = is_wanted.then(|| Instant::now() + Duration::from_secs(3_600));
            let mut progress = Progress { next: is_far, ..Progress::new(1, is_wanted) };
            progress.step(1, &mut |line| told.push_str(line));
            progress.clear(&mut |line| told.push_str(line));
            assert_eq!(told, "");
        }
    }
}
