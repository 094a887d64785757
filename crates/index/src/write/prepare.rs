//! Makes one conversation ready to be written: reads its messages and makes words of them. Runs on several threads at
//! once, beside the writer, and touches no table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use backscroll_model::{
    Conversation, ConversationId, Message, Origin, SourceError, Summary, ToolStatus, Touch, Workspace,
};
use rusqlite::Connection;

use super::writer::last_component;
use crate::codes::state;
use crate::feed::{Feed, Located};
use crate::fields::{Field, pieces};
use crate::tokens::Stream;
use crate::{IndexError, codes};

/// One conversation, ready to be written.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) summary: Summary,
    /// Whether these are prompts that were stored apart from conversations.
    pub(crate) is_prompts: bool,
    /// Where its head names no workspace: the one that its messages tell.
    pub(crate) told: Option<Workspace>,
    /// The names of files that it mentions.
    pub(crate) mentions: Vec<String>,
    pub(crate) title_words: String,
    /// What was typed and never sent.
    pub(crate) draft: Option<String>,
    pub(crate) draft_words: String,
    /// What its record says besides: to-dos, branches, files and the folder of its workspace, one a line.
    pub(crate) noted: Option<String>,
    pub(crate) noted_words: String,
    /// What its messages hold, without orphans.
    pub(crate) holds: i64,
    /// How many messages it has, without orphans.
    pub(crate) listed: usize,
    pub(crate) messages: Vec<PreparedMessage>,
    pub(crate) models: BTreeSet<String>,
    pub(crate) lines: Option<backscroll_model::Lines>,
    pub(crate) tokens: Option<backscroll_model::Tokens>,
    pub(crate) text_bytes: usize,
    pub(crate) losses: usize,
    /// Whether its messages could be read.
    pub(crate) is_loaded: bool,
    /// Why not.
    pub(crate) trouble: Option<SourceError>,
}

/// One message, ready to be written.
#[derive(Debug)]
pub(crate) struct PreparedMessage {
    pub(crate) fingerprint: i64,
    /// `None` if the index has the very same message at this place.
    pub(crate) new: Option<Box<NewMessage>>,
}

/// What is written of a message that is new or has changed.
#[derive(Debug)]
pub(crate) struct NewMessage {
    pub(crate) id: String,
    pub(crate) role: i64,
    pub(crate) at: Option<i64>,
    pub(crate) at_is: i64,
    pub(crate) model: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) holds: i64,
    pub(crate) state: i64,
    pub(crate) tokens: Option<backscroll_model::Tokens>,
    /// The stream of each column of `words`, in the order of [`Field`](crate::fields::Field).
    pub(crate) words: [String; 8],
    /// Tool calls by name, stored name and outcome, counted.
    pub(crate) calls: BTreeMap<(String, String, ToolStatus), i64>,
    pub(crate) touched: Vec<TouchedFile>,
}

/// One touch of a file.
#[derive(Debug, Clone)]
pub(crate) struct TouchedFile {
    pub(crate) part: usize,
    pub(crate) path: String,
    pub(crate) how: Touch,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) has_diff: bool,
}

impl Prepared {
    /// About how many bytes it takes in memory.
    pub(crate) fn weight(&self) -> usize {
        let words = |message: &PreparedMessage| {
            let new = message.new.as_deref();
            new.map_or(16, |new| 400 + new.words.iter().map(String::len).sum::<usize>())
        };
        1_000 + self.messages.iter().map(words).sum::<usize>()
    }
}

/// Loads a conversation, and makes ready what of it is not `known` yet.
pub(crate) fn prepare(
    feed: &dyn Feed,
    summary: Summary,
    is_prompts: bool,
    located: &[Located],
    known: Option<&Known>,
) -> Prepared {
    let loaded = feed.load_located(&summary.id, located);
    let mut prepared = Prepared {
        summary,
        is_prompts,
        told: None,
        mentions: Vec::new(),
        title_words: String::new(),
        draft: None,
        draft_words: String::new(),
        noted: None,
        noted_words: String::new(),
        holds: 0,
        listed: 0,
        messages: Vec::new(),
        models: BTreeSet::new(),
        lines: None,
        tokens: None,
        text_bytes: 0,
        losses: 0,
        is_loaded: false,
        trouble: None,
    };
    match loaded {
        Ok(Some(loaded)) => {
            if is_prompts {
                prepared.summary = loaded.conversation.summary.clone();
            }
            prepared.mentions = loaded.mentions;
            prepared.take(&loaded.conversation, known);
            // Paths in words are stripped by what heads say alone: what messages tell may change with each of them.
            if prepared.summary.workspace.is_none() {
                prepared.told = loaded.conversation.summary.workspace;
                prepared.summary.workspace.clone_from(&prepared.told);
            }
        }
        Ok(None) => {}
        Err(trouble) => prepared.trouble = Some(trouble),
    }
    let title = prepared.summary.title.as_deref();
    prepared.title_words = words_of(title);
    prepared.text_bytes += title.map_or(0, str::len);
    prepared.note_places();
    prepared.models.extend(prepared.summary.models.iter().cloned());
    prepared
}

/// The stream of tokens that `text` is.
pub(super) fn words_of(text: Option<&str>) -> String {
    let mut stream = Stream::default();
    if let Some(text) = text {
        stream.add(text);
    }
    stream.finish().to_owned()
}

impl Prepared {
    fn take(&mut self, conversation: &Conversation, known: Option<&Known>) {
        self.is_loaded = true;
        self.listed = conversation.messages.len();
        self.holds = conversation.messages.iter().fold(0, |bits, message| bits | codes::held(message));
        self.models.extend(conversation.summary.models.iter().cloned());
        let said = conversation.messages.iter().filter_map(|message| message.model.clone());
        self.models.extend(said);
        let facts = &conversation.facts;
        self.draft.clone_from(&facts.draft);
        self.draft_words = words_of(self.draft.as_deref());
        let folder = self.folder();
        let todos = facts.todos.iter().map(|todo| todo.content.clone());
        let branches = facts.branch.iter().chain(&facts.branches).chain(&facts.pull_requests).cloned();
        let files = facts.files.iter().map(|file| folder.strip(file).into_owned());
        let mut lines: Vec<String> = todos.chain(branches).chain(files).collect();
        lines.dedup();
        self.noted = Some(lines.join("\n"));
        self.text_bytes += self.draft.as_ref().map_or(0, String::len);
        self.lines = conversation.facts.lines;
        self.tokens = conversation.facts.tokens;
        self.losses = conversation.findings.iter().filter(|finding| finding.is_loss_within()).count();
        let mut touched = touched_by_message(conversation);
        let mut streams: [Stream; 8] = Default::default();
        for (number, message) in conversation.messages.iter().chain(&conversation.orphans).enumerate() {
            let orphan = if number < self.listed { 0 } else { state::ORPHAN };
            let touched = touched.remove(&number).unwrap_or_default();
            let fingerprint = fingerprint(message, orphan);
            self.text_bytes += text_bytes(message);
            let is_known = known.is_some_and(|known| known.get(number) == Some(fingerprint));
            let new =
                (!is_known).then(|| Box::new(new_message(message, orphan, touched, &folder, &mut streams)));
            self.messages.push(PreparedMessage { fingerprint, new });
        }
    }
}

impl Prepared {
    fn folder(&self) -> WorkspaceFolder {
        WorkspaceFolder::from_path(self.summary.workspace.as_ref().map(|workspace| workspace.path.as_str()))
    }

    /// The folder of its workspace is searched once for the conversation, not in each path of each call.
    fn note_places(&mut self) {
        let folder = self.summary.workspace.as_ref().map(|workspace| last_component(&workspace.path));
        let noted = self.noted.take().into_iter().chain(folder).filter(|lines| !lines.is_empty());
        let noted = noted.collect::<Vec<_>>().join("\n");
        self.noted_words = words_of(Some(&noted));
        self.noted = Some(noted).filter(|noted| !noted.is_empty());
        self.text_bytes += self.noted.as_ref().map_or(0, String::len);
    }
}

/// The path of a workspace. It begins the path of nearly every call, and says nothing there.
struct WorkspaceFolder(Vec<String>);

impl WorkspaceFolder {
    fn from_path(path: Option<&str>) -> Self {
        let path = path.map(|path| path.trim_end_matches(['/', '\\'])).filter(|path| path.len() > 1);
        Self(path.map(|path| ['/', '\\'].map(|end| format!("{path}{end}")).to_vec()).unwrap_or_default())
    }

    /// `text` with paths inside of the workspace as they are seen from it.
    fn strip<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for path in &self.0 {
            if text.contains(path.as_str()) {
                text = Cow::Owned(text.replace(path.as_str(), ""));
            }
        }
        text
    }
}

fn touched_by_message(conversation: &Conversation) -> BTreeMap<usize, Vec<TouchedFile>> {
    let mut by_message: BTreeMap<usize, Vec<TouchedFile>> = BTreeMap::new();
    for touched in conversation.touched() {
        let (added, removed) = touched.diff.map_or((0, 0), changed_lines);
        by_message.entry(touched.message).or_default().push(TouchedFile {
            part: touched.part,
            path: touched.path,
            how: touched.how,
            added,
            removed,
            has_diff: touched.diff.is_some(),
        });
    }
    by_message
}

/// The lines that a unified diff adds and removes.
fn changed_lines(diff: &str) -> (usize, usize) {
    let count = |sign: &str, head: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
    };
    (count("+", "+++ "), count("-", "--- "))
}

/// How much text a message has.
fn text_bytes(message: &Message) -> usize {
    let mut bytes = 0;
    pieces(message, &mut |_, text| bytes += text.len());
    bytes
}

/// A number that is another one as soon as anything of the message changes; `orphan` is a bit of its state.
fn fingerprint(message: &Message, orphan: i64) -> i64 {
    message.fingerprint().cast_signed() ^ orphan
}

fn new_message(
    message: &Message,
    orphan: i64,
    touched: Vec<TouchedFile>,
    folder: &WorkspaceFolder,
    streams: &mut [Stream; 8],
) -> NewMessage {
    streams.iter_mut().for_each(Stream::clear);
    pieces(message, &mut |field, text| match field {
        Field::Arguments | Field::Paths => streams[field as usize].add(&folder.strip(text)),
        _ => streams[field as usize].add(text),
    });
    let mut calls = BTreeMap::new();
    for call in message.tool_calls() {
        *calls.entry((call.name.clone(), call.raw_name.clone(), call.status)).or_insert(0) += 1;
    }
    let bit = |is: bool, bit: i64| if is { bit } else { 0 };
    NewMessage {
        id: message.id.as_str().to_owned(),
        role: codes::code(message.role),
        at: message.at.at.map(jiff::Timestamp::as_millisecond),
        at_is: codes::code(message.at.is),
        model: message.model.clone(),
        origin: message.origin.clone(),
        holds: codes::held(message),
        state: orphan | bit(message.deleted, state::DELETED) | codes::sender(message),
        tokens: message.tokens,
        words: streams.each_mut().map(|stream| stream.finish().to_owned()),
        calls,
        touched,
    }
}

/// The fingerprints of a conversation's messages, by their number.
#[derive(Debug, Default)]
pub(crate) struct Known {
    fingerprints: Vec<Option<i64>>,
}

impl Known {
    /// The fingerprint of the message with this number.
    pub(crate) fn get(&self, number: usize) -> Option<i64> {
        self.fingerprints.get(number).copied().flatten()
    }

    fn set(&mut self, number: usize, fingerprint: i64) {
        if self.fingerprints.len() <= number {
            self.fingerprints.resize(number + 1, None);
        }
        self.fingerprints[number] = Some(fingerprint);
    }
}

/// What the index has of these conversations.
pub(crate) fn known(
    connection: &Connection,
    ids: &BTreeSet<ConversationId>,
) -> Result<HashMap<ConversationId, Known>, IndexError> {
    let mut statement = connection.prepare_cached(
        "SELECT message.number, message.fingerprint FROM conversation
         JOIN message ON message.conversation = conversation.number
         WHERE conversation.id = ?1 ORDER BY message.number",
    )?;
    let mut all = HashMap::new();
    for id in ids {
        let mut known = Known::default();
        let mut rows = statement.query([id.as_str()])?;
        while let Some(row) = rows.next()? {
            // Numbers are written by us and count up from zero; anything else only means that it is written again.
            if let Ok(number) = usize::try_from(row.get::<_, i64>(0)?).map(|number| number.min(50_000_000)) {
                known.set(number, row.get(1)?);
            }
        }
        all.insert(id.clone(), known);
    }
    Ok(all)
}
