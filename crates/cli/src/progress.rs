//! One line on a terminal that says how far a long command is.

use std::time::{Duration, Instant};

use backscroll_render::list::size;

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
    pub(crate) fn of(total: usize, is_wanted: bool) -> Self {
        let next = is_wanted.then(|| Instant::now() + PATIENCE);
        Self { total, done: 0, bytes: 0, doing: None, next, is_shown: false }
    }

    /// The same, and says what is done with them.
    pub(crate) fn doing(self, doing: &'static str) -> Self {
        Self { doing: Some(doing), ..self }
    }

    /// So many of so many are done.
    pub(crate) fn stands(&mut self, done: usize, total: usize, write: &mut dyn FnMut(&str)) {
        (self.done, self.total) = (done.saturating_sub(1), total);
        self.step(0, write);
    }

    /// One more is done, of so many bytes.
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

    /// The line goes away.
    pub(crate) fn clear(&mut self, write: &mut dyn FnMut(&str)) {
        if self.is_shown {
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
        let mut progress = Progress { next: Some(Instant::now()), ..Progress::of(4, true) };
        progress.step(2_500_000, &mut |line| told.push_str(line));
        progress.clear(&mut |line| told.push_str(line));
        assert_eq!(told, "\r\u{1b}[K█████░░░░░░░░░░░░░░░ 1 of 4 conversations · 2.5 MB\r\u{1b}[K");
    }

    #[test]
    fn the_line_tells_what_is_done() {
        let mut told = String::new();
        let mut progress =
            Progress { next: Some(Instant::now()), ..Progress::of(2, true).doing("looking for secrets") };
        progress.step(0, &mut |line| told.push_str(line));
        assert_eq!(told, "\r\u{1b}[K██████████░░░░░░░░░░ 1 of 2 conversations, looking for secrets");
    }

    #[test]
    fn what_is_soon_done_or_unwanted_needs_no_line() {
        for is_wanted in [true, false] {
            let mut told = String::new();
            let mut progress = Progress::of(1, is_wanted);
            progress.step(1, &mut |line| told.push_str(line));
            progress.clear(&mut |line| told.push_str(line));
            assert_eq!(told, "");
        }
    }
}
