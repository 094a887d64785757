//! Follows conversations as they are written: reads those that changed, and reports what happened to them.
//!
//! A conversation is read when its stamp changes, but not so often that reading it takes most of the time. Of a conversation whose
//! messages are all in the editor's database only rows that changed are read; when it rests, it is read whole once, which is what counts in
//! the end.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backscroll_model::{
    Conversation, ConversationId, Event, EventKind, FragmentKind, Layer, Message, MessageStamps, Summary,
};

use super::difference::{Followed, GONE};
use super::{Library, Snapshot};
use crate::{Ask, AskError};

/// Of this many conversations that changed last, the messages are read before following begins. Of others only their number is known.
const READ_BEFORE: usize = 32;
/// Reading them takes at most this long.
const READING_BEFORE: Duration = Duration::from_millis(1500);
/// A conversation is not read again before this many times the time that reading took.
const PAUSE: u32 = 3;
/// A conversation of which only rows were read is read whole when it rested for this long.
const RESTED: Duration = Duration::from_millis(1500);
/// The same for a large one: after this many times the time that reading it takes.
const RESTED_TIMES: u32 = 10;
/// What could not be read is tried again after this long.
const AGAIN: Duration = Duration::from_millis(300);
/// After a change that no conversation is named for, those that changed within this time are looked at.
const LATELY: Duration = Duration::from_secs(60);

/// Which conversations are followed, and from where.
#[derive(Debug, Clone, Default)]
pub struct FollowOptions {
    /// Just these; empty for all that `ask` asks for.
    pub ids: Vec<ConversationId>,
    /// Those that this asks for.
    pub ask: Ask,
    /// First report everything that is there.
    pub from_start: bool,
}

/// Receives events.
pub type Events<'a> = &'a mut dyn FnMut(Event) -> io::Result<()>;

/// Follows conversations of a library.
#[derive(Debug)]
pub struct Follow<'a> {
    library: &'a Library,
    options: FollowOptions,
    begun: Instant,
    last: Arc<Snapshot>,
    /// What was there when following began.
    at_first: HashMap<ConversationId, AtFirst>,
    readings: HashMap<ConversationId, Reading>,
}

/// What is known of a conversation that was there when following began, and was not read then: how many messages it had, where an index
/// says.
type AtFirst = Option<u64>;

/// One conversation that is followed, or may be.
#[derive(Debug)]
struct Reading {
    followed: Option<Followed>,
    /// Only its head is known: its messages were never read.
    is_head_alone: bool,
    /// What was last known of it.
    summary: Option<Arc<Summary>>,
    /// The stamps of its messages, if only changed ones need be read.
    stamps: Option<MessageStamps>,
    changed_at: Instant,
    read_at: Option<Instant>,
    /// How long reading it took last time, and reading it whole.
    took: Duration,
    took_whole: Duration,
    /// When it is to be read.
    due: Option<Instant>,
    /// Whether only changed rows were read since it was last read whole.
    is_partial: bool,
    /// A store has something else of the conversation than at the last reading.
    is_other: bool,
}

impl Reading {
    fn new(followed: Option<Followed>, now: Instant) -> Self {
        Self {
            followed,
            is_head_alone: false,
            summary: None,
            stamps: None,
            changed_at: now,
            read_at: None,
            took: Duration::ZERO,
            took_whole: Duration::ZERO,
            due: None,
            is_partial: false,
            is_other: false,
        }
    }

    fn note_change(&mut self, now: Instant) {
        self.changed_at = now;
        let earliest = self.read_at.map_or(now, |read| read + self.took * PAUSE);
        self.due = Some(self.due.unwrap_or(now).min(now).max(earliest));
    }
}

impl<'a> Follow<'a> {
    /// Begins to follow: what is there now is known, or reported to `each` if that is asked for.
    pub fn begin(library: &'a Library, options: FollowOptions, each: Events<'_>) -> io::Result<Self> {
        let last = library.snapshot();
        let at_first = if options.from_start {
            HashMap::new()
        } else {
            last.summaries.iter().map(|summary| (summary.id.clone(), summary.messages)).collect()
        };
        let readings = HashMap::new();
        let mut follow = Self { library, options, begun: Instant::now(), last, at_first, readings };
        let snapshot = Arc::clone(&follow.last);
        if follow.options.from_start {
            // The latest last, as in a log.
            for summary in snapshot.summaries.iter().rev() {
                if !follow.is_wanted(&snapshot, summary) {
                    continue;
                }
                follow.readings.insert(summary.id.clone(), Reading::new(None, follow.begun));
                follow.read(&snapshot, &summary.id, each)?;
            }
        } else {
            follow.read_before(&snapshot);
        }
        snapshot.history.rest();
        Ok(follow)
    }

    /// How many conversations there are that are followed when they change.
    pub fn count(&self) -> usize {
        self.last.summaries.iter().filter(|summary| self.is_wanted(&self.last, summary)).count()
    }

    /// Reports what happened since the last call. To be called again after a short while.
    pub fn poll(&mut self, each: Events<'_>) -> io::Result<()> {
        let snapshot = self.library.snapshot();
        if !Arc::ptr_eq(&snapshot, &self.last) {
            self.note_changes(&snapshot);
            self.last = Arc::clone(&snapshot);
        }
        let now = Instant::now();
        let mut due: Vec<(Instant, ConversationId)> = self
            .readings
            .iter()
            .filter_map(|(id, reading)| Some((reading.due.filter(|due| *due <= now)?, id.clone())))
            .collect();
        due.sort();
        let is_idle = due.is_empty();
        due.into_iter().try_for_each(|(_, id)| self.read(&snapshot, &id, each))?;
        if !is_idle {
            snapshot.history.rest();
        }
        Ok(())
    }

    fn is_wanted(&self, snapshot: &Snapshot, summary: &Summary) -> bool {
        if self.options.ids.is_empty() {
            snapshot.has(summary, &self.options.ask)
        } else {
            self.options.ids.contains(&summary.id)
        }
    }

    /// Reads what may change first, so that every change of it can be reported.
    fn read_before(&mut self, snapshot: &Snapshot) {
        let mut wanted: Vec<&Summary> =
            snapshot.summaries.iter().filter(|summary| self.is_wanted(snapshot, summary)).collect();
        if self.options.ids.is_empty() {
            wanted.truncate(READ_BEFORE);
        }
        for summary in wanted {
            let now = Instant::now();
            if self.options.ids.is_empty() && now.duration_since(self.begun) > READING_BEFORE {
                break;
            }
            let mut reading = Reading::new(None, self.begun);
            if let Ok(conversation) = read_whole(snapshot, &summary.id, &mut reading) {
                reading.followed =
                    Some(Followed::already(summary, &conversation.messages, &conversation.orphans));
                (reading.took, reading.read_at) = (now.elapsed(), Some(Instant::now()));
                reading.took_whole = reading.took;
                reading.summary = Some(Arc::new(summary.clone()));
                self.readings.insert(summary.id.clone(), reading);
            }
        }
    }

    /// Notes which conversations are to be read.
    fn note_changes(&mut self, snapshot: &Snapshot) {
        let now = Instant::now();
        if snapshot.number == self.last.number {
            if snapshot.history.has_stores_of(&self.last.history) {
                return;
            }
            // Something was written that is no row of a conversation, as far as can be seen without reading all of them.
            for reading in self.readings.values_mut() {
                if reading.followed.is_some() && now.duration_since(reading.changed_at) < LATELY {
                    let changed_at = reading.changed_at;
                    reading.note_change(now);
                    reading.changed_at = changed_at;
                }
            }
            return;
        }
        for id in self.last.changed_in(&snapshot.stamps) {
            let is_followed = self.readings.contains_key(&id);
            let is_wanted_in =
                |one: &Snapshot| one.summary(&id).is_some_and(|summary| self.is_wanted(one, summary));
            if is_followed || is_wanted_in(snapshot) || is_wanted_in(&self.last) {
                let before =
                    self.last.summary(&id).filter(|_| !is_followed && self.at_first.contains_key(&id));
                let reading = self.readings.entry(id.clone()).or_insert_with(|| Reading::new(None, now));
                if let Some(before) = before {
                    (reading.followed, reading.is_head_alone) = (Some(Followed::head_alone(before)), true);
                    reading.summary = Some(Arc::new(before.clone()));
                }
                reading.is_other = true;
                reading.note_change(now);
            }
        }
    }

    /// Reads one conversation and reports what happened to it.
    fn read(&mut self, snapshot: &Snapshot, id: &ConversationId, each: Events<'_>) -> io::Result<()> {
        let Some(reading) = self.readings.get_mut(id) else { return Ok(()) };
        let (begun, since) = (Instant::now(), self.begun.elapsed());
        reading.due = None;
        let Some(summary) = snapshot.summary(id) else {
            // A store that cannot be read may have it.
            let is_certain = snapshot.unreadable.is_empty();
            let followed = reading.followed.as_mut().filter(|_| is_certain);
            let events = followed.map(|followed| followed.not_found(since)).unwrap_or_default();
            let is_waiting = reading.followed.as_ref().is_some_and(Followed::is_waiting);
            if is_waiting || !is_certain {
                reading.due = Some(begun + GONE);
            }
            return match &reading.summary {
                Some(summary) => report(summary, events, each),
                None => Ok(()),
            };
        };
        // Where no row of it changed, another place did that has something of it, such as the ledger of hooks.
        let is_other = std::mem::take(&mut reading.is_other);
        let rows = reading.changed_rows(snapshot, id, begun).filter(|rows| !rows.is_empty() || !is_other);
        let events = if let (Some(rows), Some(followed)) = (&rows, &mut reading.followed) {
            reading.is_partial |= !rows.is_empty();
            followed.read_some(summary, rows)
        } else {
            match read_whole(snapshot, id, reading) {
                Ok(whole) => {
                    (reading.is_partial, reading.took_whole) = (false, begun.elapsed());
                    let followed = reading.followed.get_or_insert_default();
                    if std::mem::take(&mut reading.is_head_alone) {
                        followed.know(known_at_first(&whole, self.at_first.get(id).copied().flatten()));
                    }
                    followed.read(summary, &whole, since)
                }
                Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => Vec::new(),
                Err(AskError::Source(_)) => {
                    reading.due = Some(begun + AGAIN);
                    Vec::new()
                }
            }
        };
        (reading.took, reading.read_at) = (begun.elapsed(), Some(Instant::now()));
        if reading.due.is_none() {
            if reading.followed.as_ref().is_some_and(Followed::is_waiting) {
                reading.due = Some(begun + GONE);
            } else if reading.is_partial {
                reading.due = Some(reading.changed_at + reading.rest());
            }
        }
        let summary = Arc::new(summary.clone());
        reading.summary = Some(Arc::clone(&summary));
        report(&summary, events, each)
    }
}

impl Reading {
    /// How long it has to rest before it is read whole.
    fn rest(&self) -> Duration {
        RESTED.max(self.took_whole * RESTED_TIMES)
    }

    /// The messages whose rows changed; `None` if the conversation has to be read whole.
    fn changed_rows(
        &mut self,
        snapshot: &Snapshot,
        id: &ConversationId,
        now: Instant,
    ) -> Option<Vec<Message>> {
        let has_rested = self.is_partial && now.duration_since(self.changed_at) >= self.rest();
        // Only the whole shows what is still gone.
        let is_waiting = self.followed.as_ref().is_some_and(Followed::is_waiting);
        let known = self.stamps.as_ref().filter(|_| !has_rested && !is_waiting)?;
        let changed = snapshot.history.load_changed(id, Some(known))?;
        if known.keys().any(|known| !changed.stamps.contains_key(known)) {
            return None;
        }
        self.stamps = Some(changed.stamps);
        Some(changed.messages)
    }
}

/// Reads a conversation whole. The stamps of its messages are taken before: what changes meanwhile is read again.
fn read_whole(
    snapshot: &Snapshot,
    id: &ConversationId,
    reading: &mut Reading,
) -> Result<Conversation, AskError> {
    let before = snapshot.history.load_changed(id, None);
    let whole = snapshot.history.load(id)?;
    // What other layers add to messages is not seen in their rows.
    let is_alone = |message: &Message| message.origin.layer == Layer::IdeGlobal && message.also.is_empty();
    reading.stamps = before.map(|before| before.stamps).filter(|_| whole.messages.iter().all(is_alone));
    Ok(whole)
}

/// The messages that a conversation had when following began: the first `count`; where their number is not known, all but those of
/// the last turn.
fn known_at_first(whole: &Conversation, count: AtFirst) -> &[Message] {
    let last_turn = || whole.messages.iter().rposition(Message::is_by_person).unwrap_or(0);
    let known = count.map_or_else(last_turn, |count| usize::try_from(count).unwrap_or(usize::MAX));
    &whole.messages[..known.min(whole.messages.len())]
}

fn report(summary: &Arc<Summary>, events: Vec<EventKind>, each: Events<'_>) -> io::Result<()> {
    events.into_iter().try_for_each(|kind| each(Event { summary: Arc::clone(summary), kind }))
}

impl crate::History {
    /// The messages of a conversation that are others than in `known`, where one source can tell; see
    /// [`Source::load_changed`](backscroll_model::Source::load_changed).
    fn load_changed(
        &self,
        id: &ConversationId,
        known: Option<&MessageStamps>,
    ) -> Option<backscroll_model::ChangedMessages> {
        let located = self.located(id);
        let mut accounts = located.iter().filter(|one| {
            let source = self.sources()[one.source].id();
            one.entry.kind == FragmentKind::Account && source.layer == Layer::IdeGlobal && !source.is_backup
        });
        let one = accounts.next().filter(|_| accounts.next().is_none())?;
        let mut changed = self.sources()[one.source].load_changed(&one.entry, known).ok().flatten()?;
        changed.messages.iter_mut().for_each(|message| self.clean_message(id, message));
        Some(changed)
    }
}
