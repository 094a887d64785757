//! Events as they happen: each message as `show` writes it, and text that is still being written grows in its place.
//!
//! A terminal can take back the last lines, so a message that changes is written again from the first line that differs. Anything else
//! that is written to cannot: there the last line of a text waits until it is complete.

use std::collections::VecDeque;
use std::io::{self, Write};

use backscroll_model::{
    ConversationId, Event, EventKind, Flag, HeadChange, Message, MessageId, Part, Summary,
};

use super::message::{heading, write};
use super::page::Page;
use super::{Palette, View};
use crate::detail::starts_heading;
use crate::phrases::{grouped, other_tokens};
use crate::text::{cut, one_line};

/// Of this many messages the lines are remembered, to see what changed in them.
const REMEMBERED: usize = 64;
/// At most this many lines are taken back: more may not be on the screen.
const MOST_TAKEN_BACK: usize = 16;

/// Events, written for people.
#[derive(Debug)]
pub struct LiveView {
    view: View,
    /// Whether lines can be taken back.
    is_terminal: bool,
    /// The conversation that was last written of.
    conversation: Option<ConversationId>,
    /// The message that was last written, without its parts.
    before: Option<Message>,
    /// The messages that were written, the last one last.
    shown: VecDeque<Shown>,
}

#[derive(Debug)]
struct Shown {
    id: MessageId,
    /// How many of the lines are the heading, and the empty one before it.
    heading: usize,
    lines: Vec<String>,
    /// How many of the lines were written.
    written: usize,
}

impl LiveView {
    /// Writes as `view` says.
    pub fn new(view: View, is_terminal: bool) -> Self {
        Self { view, is_terminal, conversation: None, before: None, shown: VecDeque::new() }
    }

    /// Writes what happened.
    pub fn event(&mut self, event: &Event, out: &mut dyn Write) -> io::Result<()> {
        match &event.kind {
            EventKind::Conversation => self.turn_to(&event.summary, out),
            EventKind::Message(message) => self.message(&event.summary, message, out),
            EventKind::MessageChanged { message, .. } => self.changed(&event.summary, message, out),
            EventKind::ConversationChanged(changes) if changes.is_empty() => {
                self.note(&event.summary, "the conversation is stored again", out)
            }
            EventKind::ConversationChanged(changes) => {
                let notes: Vec<String> = changes.iter().filter_map(note_of).collect();
                notes.iter().try_for_each(|note| self.note(&event.summary, note, out))
            }
            EventKind::Usage { tokens, .. } => {
                let (input, output) = (grouped(tokens.input), grouped(tokens.output));
                let note = format!("{input} tokens in, {output} out{}", other_tokens(*tokens));
                self.note(&event.summary, &note, out)
            }
            EventKind::Deleted(None) => {
                self.note(&event.summary, "the conversation is no longer stored", out)
            }
            EventKind::Deleted(Some(_)) => self.note(&event.summary, "a message is no longer stored", out),
        }
    }

    /// Writes what still waits: nothing happened for a while, or nothing more will.
    pub fn rest(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(last) = self.shown.back_mut() {
            last.write_up_to(last.lines.len(), out)?;
        }
        Ok(())
    }

    /// Names the conversation that is written of next, if it is another one.
    fn turn_to(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if self.conversation.as_ref() == Some(&summary.id) {
            return Ok(());
        }
        self.rest(out)?;
        self.shown.clear();
        self.before = None;
        let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
        let id = cut(&one_line(summary.id.as_str()), 13);
        let palette = Palette::new(self.view.colour);
        if self.conversation.replace(summary.id.clone()).is_some() {
            writeln!(out)?;
        }
        let spans = [
            (palette.dim, "── "),
            (palette.strong, title.as_deref().unwrap_or("(untitled)")),
            (palette.dim, " · "),
            (palette.id, id.as_str()),
            (palette.dim, " ──"),
        ];
        Page::new(&self.view, out).line(0, &spans)
    }

    fn message(&mut self, summary: &Summary, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        self.turn_to(summary, out)?;
        self.rest(out)?;
        let mut lines = Vec::new();
        if starts_heading(self.before.as_ref(), message) {
            lines.push(String::new());
            lines.extend(self.lines(|page| heading(page, message))?);
        }
        let heading = lines.len();
        lines.extend(self.lines(|page| write(page, message))?);
        self.before = Some(Message { parts: Vec::new(), ..message.clone() });
        self.show(Shown { id: message.id.clone(), heading, lines, written: 0 }, message, out)
    }

    /// Writes the lines of a message that are not written yet, as far as they will not change.
    fn show(&mut self, mut shown: Shown, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        let waiting = usize::from(!self.is_terminal && may_grow(message));
        shown.write_up_to(shown.lines.len().saturating_sub(waiting), out)?;
        if self.shown.len() == REMEMBERED {
            self.shown.pop_front();
        }
        self.shown.push_back(shown);
        Ok(())
    }

    fn changed(&mut self, summary: &Summary, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        self.turn_to(summary, out)?;
        let body = self.lines(|page| write(page, message))?;
        let Some(at) = self.shown.iter().position(|shown| shown.id == message.id) else {
            self.say_changed(message, out)?;
            return self.show(
                Shown { id: message.id.clone(), heading: 0, lines: body, written: 0 },
                message,
                out,
            );
        };
        let known = &mut self.shown[at];
        let lines = [&known.lines[..known.heading], &body].concat();
        let same = known.lines.iter().zip(&lines).take_while(|(before, now)| before == now).count();
        let taken_back = known.written.saturating_sub(same);
        known.lines = lines;
        let is_last = at + 1 == self.shown.len();
        if !is_last || (taken_back > 0 && (!self.is_terminal || taken_back > MOST_TAKEN_BACK)) {
            // What was written stays as it is; what is other now follows.
            self.shown[at].written = same;
            self.say_changed(message, out)?;
            return self.shown[at].write_up_to(usize::MAX, out);
        }
        if taken_back > 0 {
            write!(out, "\x1b[{taken_back}A\x1b[J")?;
        }
        match self.shown.pop_back() {
            Some(last) => self.show(Shown { written: last.written.min(same), ..last }, message, out),
            None => Ok(()),
        }
    }

    /// Says that a message that was written before is another one now.
    fn say_changed(&mut self, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        if self.shown.back().is_some_and(|last| last.id != message.id) {
            self.rest(out)?;
        }
        let palette = Palette::new(self.view.colour);
        let heading = format!("↻ {} · changed", one_line(&message.speaker()));
        Page::new(&self.view, out).line(0, &[(palette.dim, &heading)])
    }

    fn note(&mut self, summary: &Summary, note: &str, out: &mut dyn Write) -> io::Result<()> {
        self.turn_to(summary, out)?;
        self.rest(out)?;
        self.shown.clear();
        let palette = Palette::new(self.view.colour);
        Page::new(&self.view, out).line(0, &[(palette.dim, "· "), (palette.dim, &one_line(note))])
    }

    fn lines(&self, write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> io::Result<Vec<String>> {
        let mut text = Vec::new();
        write(&mut Page::new(&self.view, &mut text))?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }
}

impl Shown {
    fn write_up_to(&mut self, end: usize, out: &mut dyn Write) -> io::Result<()> {
        for line in self.lines.iter().take(end).skip(self.written) {
            writeln!(out, "{line}")?;
            self.written += 1;
        }
        Ok(())
    }
}

/// Whether more may be written to the last line of a message.
fn may_grow(message: &Message) -> bool {
    matches!(message.parts.last(), Some(Part::Text(_) | Part::Thinking { .. }))
}

fn note_of(change: &HeadChange) -> Option<String> {
    match change {
        HeadChange::Title(_, Some(title)) => Some(format!("now called {title}")),
        HeadChange::Title(_, None) => None,
        HeadChange::Flags(before, now) => {
            // That it is no longer empty shows by its messages.
            let shown = |flags: &std::collections::BTreeSet<Flag>| {
                let shown = flags.iter().filter(|flag| **flag != Flag::Empty).map(|flag| flag.name());
                shown.collect::<Vec<_>>().join(", ")
            };
            let (before, now) = (shown(before), shown(now));
            (before != now)
                .then(|| if now.is_empty() { format!("no longer {before}") } else { format!("now {now}") })
        }
        HeadChange::Workspace(_, now) => Some(format!("now in {}", now.as_ref()?.path)),
    }
}
