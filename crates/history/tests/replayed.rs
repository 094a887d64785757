//! Recorded stores, replayed state by state as whoever follows them saw them: blobs are never overwritten and events only added, so
//! that a store still holds every state it ever had. No message is told twice, none is deleted, and the last words of each are right.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backscroll_cursor_format::agent::{self, Reference, Root};
use backscroll_fixtures::{create_database, recorded_named};
use backscroll_history::live::Followed;
use backscroll_model::{Conversation, ConversationId, EventKind, Layer, Message, MessageId, Origin, Part};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::home::history_of;

/// One thing that a program wrote.
enum Step {
    /// It ran this in a database.
    Ran(PathBuf, String),
    /// It did the one and then the other.
    Both(Box<[Self; 2]>),
    /// It wrote this line behind a file.
    Line(PathBuf, String),
}

impl Step {
    fn take(&self) {
        match self {
            Self::Ran(file, statements) => {
                let db = open(file);
                // Nobody pulls the plug.
                db.execute_batch("PRAGMA synchronous = OFF").unwrap();
                db.execute_batch(statements).unwrap();
            }
            Self::Both(steps) => steps.iter().for_each(Self::take),
            Self::Line(file, line) => {
                let before = fs::read_to_string(file).unwrap();
                fs::write(file, format!("{before}{line}\n")).unwrap();
            }
        }
    }
}

/// What was written in each turn by one program, in order.
type Turns = Vec<Vec<Step>>;

/// Which of the programs that write at once is ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ahead {
    Events,
    Blobs,
    /// Each writes as far as the others have come.
    Nobody,
}

/// A recorded conversation that can be written again.
struct Replay {
    home: TempDir,
    /// The home as it was recorded: what is written again is taken from there.
    whole: TempDir,
    id: ConversationId,
    /// The last state.
    last: Conversation,
}

fn read(home: &Path, id: &ConversationId) -> Option<Conversation> {
    history_of(home).load(id).ok()
}

fn open(file: &Path) -> Connection {
    create_database(file).unwrap()
}

impl Replay {
    /// Every conversation of the recorded store `name`.
    fn all(name: &str) -> Vec<Self> {
        let copy = recorded_named(name).unwrap().copy_to_temp().unwrap();
        let ids: Vec<ConversationId> =
            crate::home::all(&history_of(copy.path())).into_iter().map(|one| one.id).collect();
        let one = |id: ConversationId| {
            let copy = || recorded_named(name).unwrap().copy_to_temp().unwrap();
            let (home, whole) = (copy(), copy());
            let last = read(home.path(), &id).unwrap();
            Self { home, whole, id, last }
        };
        ids.into_iter().map(one).collect()
    }

    /// The file that has the conversation in this layer.
    fn file(&self, layer: Layer) -> Option<PathBuf> {
        let messages = self.last.messages.iter();
        let mut origins = messages.flat_map(|message| std::iter::once(&message.origin).chain(&message.also));
        origins.find(|origin| origin.layer == layer).map(|origin| origin.file.to_path_buf())
    }

    fn recorded(&self, file: &Path) -> PathBuf {
        self.whole.path().join(file.strip_prefix(self.home.path()).unwrap())
    }

    /// Takes away what is of other projects and agents: to read them each time would only take long.
    fn leave_alone(&self, index: &Path) {
        for project in fs::read_dir(self.home.path().join(".cursor/projects")).unwrap() {
            let project = project.unwrap().path();
            if !index.starts_with(&project) {
                fs::remove_dir_all(project).unwrap();
            }
        }
        for table in ["run_events", "runs", "agents"] {
            let others = format!(
                "DELETE FROM {table} WHERE {} IN (SELECT {0} FROM {1} WHERE agent_id <> ?1)",
                if table == "agents" { "agent_id" } else { "run_id" },
                if table == "agents" { "agents" } else { "runs" },
            );
            open(index).execute(&others, [self.id.as_str()]).unwrap();
        }
    }

    /// The roots, in order, with their names.
    fn roots(store: &Path, is_in_order: bool) -> Vec<(String, Root)> {
        let db = open(store);
        let mut rows = db.prepare("SELECT id, data FROM blobs ORDER BY rowid").unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?));
        let blobs: Vec<(String, Vec<u8>)> = rows.query_map([], row).unwrap().map(Result::unwrap).collect();
        let messages: BTreeSet<&str> =
            blobs.iter().filter(|(_, data)| data.first() == Some(&b'{')).map(|(id, _)| id.as_str()).collect();
        let at = Origin::new(Layer::CliStore, store, "");
        let is_message =
            |one: &Reference| one.id().is_some_and(|id| messages.contains(id.to_string().as_str()));
        let mut roots: Vec<(String, Root)> = blobs
            .iter()
            .filter(|(id, _)| !messages.contains(id.as_str()))
            .map(|(id, data)| (id.clone(), agent::root(data, &at).value))
            .filter(|(_, root)| !root.messages.is_empty() && root.messages.iter().all(is_message))
            // What was summarised away has the form of a root, but for its turns.
            .filter(|(_, root)| !root.turns.is_empty() || !is_in_order)
            .collect();
        if !is_in_order {
            roots.sort_by_key(|(_, root)| (root.messages.len(), root.turns.len(), root.pending.len()));
        }
        roots
    }

    /// The states of a session of the command line. Its rows are in no order, but it never forgot a message.
    fn session(store: &Path) -> Vec<Step> {
        let meta: String = open(store).query_one("SELECT value FROM meta", [], |row| row.get(0)).unwrap();
        let roots = Self::roots(store, false);
        let hex = |text: &str| {
            text.bytes()
                .flat_map(|byte| format!("{byte:02x}").into_bytes())
                .map(char::from)
                .collect::<String>()
        };
        let (last, _) = roots.last().unwrap();
        assert!(meta.contains(&hex(last)), "the last state is the one that is named");
        let named = |id: &str| format!("UPDATE meta SET value = '{}'", meta.replace(&hex(last), &hex(id)));
        roots.iter().map(|(id, _)| Step::Ran(store.to_owned(), named(id))).collect()
    }

    /// The states of the blobs of an agent of the SDK, which are in the order in which they were written. Begins with none of them.
    fn checkpoints(&self, store: &Path, index: &Path, turns: usize) -> Turns {
        let (whole, id) = (self.recorded(store), &self.id);
        let mut steps: Turns = (0..turns).map(|_| Vec::new()).collect();
        for (root, read) in Self::roots(store, true) {
            let add = format!(
                "ATTACH '{}' AS whole; INSERT INTO blobs SELECT * FROM whole.blobs WHERE id = '{root}';",
                whole.display()
            );
            let name = format!(
                "UPDATE agents SET latest_checkpoint_ref_json = '{{\"blobId\":\"{root}\"}}' WHERE agent_id = '{id}'"
            );
            let (add, name) = (Step::Ran(store.to_owned(), add), Step::Ran(index.to_owned(), name));
            steps[read.turns.len() - 1].push(Step::Both(Box::new([add, name])));
            open(store).execute("DELETE FROM blobs WHERE id = ?1", [&root]).unwrap();
        }
        let forget = "UPDATE agents SET latest_checkpoint_ref_json = NULL WHERE agent_id = ?1";
        open(index).execute(forget, [id.as_str()]).unwrap();
        steps
    }

    /// The runs of an agent of the SDK, event by event. Begins with none of them.
    fn events(&self, index: &Path) -> Turns {
        let (whole, id) = (self.recorded(index), self.id.as_str());
        let step = |statements: String| {
            let attached = format!("ATTACH '{}' AS whole; {statements}", whole.display());
            Step::Ran(index.to_owned(), attached)
        };
        let db = open(&whole);
        let list = |sql: &str, of: &str| -> Vec<String> {
            let mut rows = db.prepare(sql).unwrap();
            rows.query_map([of], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let runs = list("SELECT run_id FROM runs WHERE agent_id = ?1 ORDER BY turn_number", id);
        let of_run = |run: &String| {
            let begins = format!(
                "INSERT INTO runs SELECT * FROM whole.runs WHERE run_id = '{run}';
                 UPDATE runs SET status = 'RUNNING', error_code = NULL, usage_json = NULL, result = NULL, finished_at = NULL,
                 cancelled_at = NULL, expired_at = NULL, updated_at = started_at WHERE run_id = '{run}' AND started_at NOTNULL"
            );
            let mut steps = vec![step(begins)];
            for seq in list("SELECT CAST(seq AS TEXT) FROM run_events WHERE run_id = ?1 ORDER BY seq", run) {
                let add = format!(
                    "INSERT INTO run_events SELECT * FROM whole.run_events WHERE run_id = '{run}' AND seq = {seq}"
                );
                steps.push(step(add));
            }
            steps.push(step(format!(
                "INSERT OR REPLACE INTO runs SELECT * FROM whole.runs WHERE run_id = '{run}'"
            )));
            steps
        };
        let turns = runs.iter().map(of_run).collect();
        let db = open(index);
        for table in ["run_events", "runs"] {
            let of_agent =
                format!("DELETE FROM {table} WHERE run_id IN (SELECT run_id FROM runs WHERE agent_id = ?1)");
            db.execute(&of_agent, [id]).unwrap();
        }
        turns
    }

    /// The lines of a transcript, by turn. Begins with none.
    fn lines(file: &Path) -> Turns {
        let mut turns = Turns::new();
        for line in fs::read_to_string(file).unwrap().lines() {
            if turns.is_empty() || line.contains("\"role\":\"user\"") {
                turns.push(Vec::new());
            }
            turns.last_mut().unwrap().push(Step::Line(file.to_owned(), line.to_owned()));
        }
        fs::write(file, "").unwrap();
        turns
    }

    /// All steps of an agent of the SDK, whose programs write at once.
    fn agent(&self, ahead: Ahead) -> Option<Vec<Step>> {
        let index = self.file(Layer::SdkIndex).filter(|file| file.ends_with("index.db"))?;
        self.leave_alone(&index);
        let blobs = self.file(Layer::CliStore);
        let lines = self.file(Layer::TranscriptJsonl).as_deref().map(Self::lines).unwrap_or_default();
        let events = self.events(&index);
        let turns = events.len();
        let blobs = blobs.map(|store| self.checkpoints(&store, &index, turns)).unwrap_or_default();
        let mut steps: Vec<(usize, usize, Step)> = Vec::new();
        // A line is written when what it tells has been done.
        for (writer, written) in [(Some(Ahead::Events), events), (Some(Ahead::Blobs), blobs), (None, lines)] {
            for (turn, written) in written.into_iter().enumerate() {
                let many = written.len();
                for (at, step) in written.into_iter().enumerate() {
                    let place = match ahead {
                        Ahead::Nobody => (at + 1) * 1000 / many,
                        _ => usize::from(writer != Some(ahead)),
                    };
                    steps.push((turn, place, step));
                }
            }
        }
        steps.sort_by_key(|(turn, place, _)| (*turn, *place));
        Some(steps.into_iter().map(|(_, _, step)| step).collect())
    }

    /// Takes all steps, and tells what was heard of them that should not have been.
    fn troubles(&self, steps: &[Step]) -> Vec<String> {
        let (mut followed, mut heard) = (Followed::default(), Heard::default());
        let mut now = Duration::ZERO;
        for step in steps {
            step.take();
            let Some(conversation) = read(self.home.path(), &self.id) else { continue };
            // The second time it is certain that what is gone stays away.
            for _ in 0..2 {
                now += Duration::from_secs(10);
                heard.events(followed.read(&conversation.summary, &conversation, now));
            }
        }
        let last = read(self.home.path(), &self.id).unwrap();
        assert_eq!(
            said(&last.messages),
            said(&self.last.messages),
            "{}: all of it was written again",
            self.id
        );
        heard.troubles(&last)
    }
}

/// What somebody knows who has only the events.
#[derive(Default)]
struct Heard {
    messages: BTreeMap<MessageId, Message>,
    /// All that messages ever said, whatever they say now.
    ever: HashMap<String, BTreeSet<MessageId>>,
    troubles: Vec<String>,
}

/// Words without blanks, and calls by their id.
fn said(messages: &[Message]) -> Vec<String> {
    let of = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::ToolCall(call) => call.id.clone(),
        _ => None,
    };
    let bare = |text: String| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let parts = messages.iter().flat_map(|message| message.parts.iter().filter_map(of));
    parts.map(bare).filter(|text| !text.is_empty()).collect()
}

impl Heard {
    fn events(&mut self, events: Vec<EventKind>) {
        for event in events {
            let (message, is_new) = match event {
                EventKind::Message(message) => (message, true),
                EventKind::MessageChanged { message, .. } => (message, false),
                EventKind::Deleted(id) => {
                    let was = id.and_then(|id| self.messages.remove(&id));
                    self.troubles
                        .push(format!("deleted: {:?}", was.map(|was| (was.id.clone(), said(&[was])))));
                    continue;
                }
                _ => continue,
            };
            for one in said(&[(*message).clone()]) {
                self.ever.entry(one).or_default().insert(message.id.clone());
            }
            let before = self.messages.insert(message.id.clone(), *message);
            if before.is_some() == is_new {
                self.troubles.push(format!("new: {is_new}, but before it was {before:?}"));
            }
        }
    }

    fn troubles(mut self, last: &Conversation) -> Vec<String> {
        let mut times: HashMap<String, usize> = HashMap::new();
        for one in said(&last.messages) {
            *times.entry(one).or_default() += 1;
        }
        for (one, ids) in &self.ever {
            if ids.len() > times.get(one).copied().unwrap_or(1) {
                self.troubles.push(format!("told as {ids:?}: {one}"));
            }
        }
        let parts = |messages: &mut dyn Iterator<Item = &Message>| {
            let mut parts: Vec<String> =
                messages.map(|message| format!("{:?} {:?}", message.role, message.parts)).collect();
            parts.sort();
            parts
        };
        // What the conversation no longer lists is still stored.
        let is_listed = |one: &&Message| last.orphans.iter().all(|apart| apart.id != one.id);
        let heard = parts(&mut self.messages.values().filter(is_listed));
        let stored = parts(&mut last.messages.iter());
        let lacking = stored.iter().filter(|one| !heard.contains(one)).map(|one| format!("not heard: {one}"));
        let wrong = heard.iter().filter(|one| !stored.contains(one)).map(|one| format!("not there: {one}"));
        self.troubles.extend(lacking.chain(wrong));
        self.troubles
    }
}

#[test]
fn a_transcript_is_followed_line_by_line() {
    let mut files = 0;
    for name in ["transcripts-parent-subagent", "transcripts-jsonl-txt-pairs", "sdk-real-1.1"] {
        for mut replay in Replay::all(name) {
            let Some(file) = replay.file(Layer::TranscriptJsonl) else { continue };
            files += 1;
            // Nothing else tells of it.
            let alone = TempDir::new().unwrap();
            let name = file.strip_prefix(replay.home.path()).unwrap();
            let alone_file = alone.path().join(name);
            fs::create_dir_all(alone_file.parent().unwrap()).unwrap();
            fs::copy(&file, &alone_file).unwrap();
            let Some(last) = read(alone.path(), &replay.id) else { continue };
            (replay.home, replay.last) = (alone, last);
            let steps: Vec<Step> = Replay::lines(&alone_file).into_iter().flatten().collect();
            assert_eq!(replay.troubles(&steps), Vec::<String>::new(), "{}", replay.id);
        }
    }
    assert!(files > 10, "{files}");
}

/// Sessions of the command line, and how many states they had.
#[test]
fn every_state_of_a_session_is_followed() {
    for (name, states) in [("cli-pending-call", 35), ("cli-many-stale-blobs", 110)] {
        for replay in Replay::all(name) {
            let steps = Replay::session(&replay.file(Layer::CliStore).unwrap());
            assert_eq!(steps.len(), states, "{name}");
            assert_eq!(replay.troubles(&steps), Vec::<String>::new(), "{name}");
        }
    }
}

fn follow_agents(ahead: Ahead) {
    let (mut agents, mut troubles) = (0, Vec::new());
    for replay in Replay::all("sdk-real-1.1") {
        let Some(steps) = replay.agent(ahead) else { continue };
        agents += 1;
        let of_agent = replay.troubles(&steps).into_iter();
        troubles.extend(of_agent.map(|trouble| format!("{}: {trouble}", replay.id)));
    }
    assert!(agents > 8, "{agents}");
    assert!(troubles.is_empty(), "{ahead:?}: {} of {agents}\n{}", troubles.len(), troubles.join("\n"));
}

#[test]
fn an_agent_whose_events_come_first_is_followed() {
    follow_agents(Ahead::Events);
}

#[test]
fn an_agent_whose_blobs_come_first_is_followed() {
    follow_agents(Ahead::Blobs);
}

#[test]
fn an_agent_that_is_written_in_all_places_at_once_is_followed() {
    follow_agents(Ahead::Nobody);
}
