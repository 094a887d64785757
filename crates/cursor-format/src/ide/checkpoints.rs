//! Checkpoints: the files of a conversation as the editor kept them before and after its messages.
//!
//! A bubble names them (`checkpointId`, `afterCheckpointId`); each is a row of its own, `checkpointId:<composer>:<id>`.
//! Every file in it is stored as changes against its text before any edit (V0), never against the checkpoint before.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use backscroll_model::{
    Checkpoint, ConversationId, Decoded, Finding, FindingKind, KeptFiles, KeptState, MessageId, Origin, Side,
};
use serde_json::value::RawValue;

use super::composer::{WireComposer, record};
use super::diffs::{Originals, WireChange, changed, read};
use super::keys::{RowKey, RowKind};
use crate::rows::{Row, Rows, RowsError};
use crate::uri::{place, place_of};
use crate::wire_json::{List, Text, Truth, parse, wire};

wire! { struct WireBubble<'a> { before: Text<'a> = "checkpointId", after: Text<'a> = "afterCheckpointId", } }
wire! {
    struct WireCheckpoint<'a> {
        files: List<WireFile<'a>> = "files",
        absent: List<WireFile<'a>> = "nonExistentFiles",
        /// Files with changes that the user has neither accepted nor rejected yet: they stand in the file.
        pending: List<WireFile<'a>> = "activeInlineDiffs",
    }
}
wire! {
    struct WireFile<'a> {
        uri: Option<&'a RawValue> = "uri",
        accepted: Option<&'a RawValue> = "originalModelDiffWrtV0",
        proposed: Option<&'a RawValue> = "newTextDiffWrtV0",
        is_new: Truth = "isNewlyCreated",
    }
}

/// All states together may hold this many bytes; what comes later is left out, and that is reported.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// The files that the checkpoints of the conversation `id` kept. `bytes` is its record.
pub fn kept_files(
    id: &ConversationId,
    bytes: &[u8],
    rows: &dyn Rows,
    at: &Origin,
) -> Result<Decoded<KeptFiles>, RowsError> {
    let named = named_checkpoints(id, rows)?;
    if named.is_empty() {
        return Ok(Decoded::clean(KeptFiles::default()));
    }
    let repaired = OnceCell::new();
    let composer: WireComposer<'_> = record(bytes, &repaired).unwrap_or_default();
    let mut keeper = Keeper::new(Originals::from_composer(&composer), rows);
    for (message, side, checkpoint) in named {
        let key = RowKey::new(RowKind::Checkpoint, id.as_str(), &checkpoint).to_string();
        let at = at.with_key(&key);
        let Some(bytes) = rows.value(&key)?.flatten() else {
            let says = "a checkpoint that a message names is not there";
            keeper.findings.push(Finding::new(FindingKind::DanglingReference, at, says));
            continue;
        };
        let states = keeper.take(&bytes, &at)?;
        keeper.kept.checkpoints.push(Checkpoint { message, side, states });
    }
    Ok(Decoded { value: keeper.kept, findings: keeper.findings })
}

/// The checkpoints that bubbles name, those before a bubble first.
fn named_checkpoints(
    id: &ConversationId,
    rows: &dyn Rows,
) -> Result<Vec<(MessageId, Side, String)>, RowsError> {
    let prefix = RowKind::Bubble.under(id);
    let mut named = Vec::new();
    rows.under(&prefix, &mut |Row { key, value, .. }| {
        let key = String::from_utf8_lossy(key);
        let bubble = key.strip_prefix(&prefix).unwrap_or(&key);
        // A damaged bubble is reported where its words are read.
        let wire: WireBubble<'_> =
            value.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        for (side, checkpoint) in [(Side::Before, wire.before), (Side::After, wire.after)] {
            named.extend(checkpoint.owned().map(|checkpoint| (MessageId::new(bubble), side, checkpoint)));
        }
    })?;
    Ok(named)
}

/// Builds states, each once.
struct Keeper<'r> {
    originals: Originals,
    /// The URI under which V0 of a file stands, by its path: URIs of one file are spelled in several ways.
    uris: HashMap<String, String>,
    rows: &'r dyn Rows,
    files: HashMap<String, KnownFile>,
    bytes: usize,
    troubled: HashSet<String>,
    kept: KeptFiles,
    findings: Vec<Finding>,
}

/// What is known of one file so far.
struct KnownFile {
    v0: Option<String>,
    /// All its states.
    states: Vec<usize>,
    /// The changes that were stored last, as stored, and the state that they gave: mostly nothing happened in between.
    last: Option<(String, usize)>,
}

impl<'r> Keeper<'r> {
    fn new(originals: Originals, rows: &'r dyn Rows) -> Self {
        let uris = originals.uris().filter_map(|uri| Some((place(uri)?.path, uri.to_owned()))).collect();
        Self {
            originals,
            uris,
            rows,
            files: HashMap::new(),
            bytes: 0,
            troubled: HashSet::new(),
            kept: KeptFiles::default(),
            findings: Vec::new(),
        }
    }

    /// The states that one checkpoint has.
    fn take(&mut self, bytes: &[u8], at: &Origin) -> Result<Vec<usize>, RowsError> {
        let repaired = OnceCell::new();
        let wire: WireCheckpoint<'_> = match parse(bytes, &repaired) {
            Ok(wire) => wire,
            Err(error) => {
                let says = format!("a checkpoint is not JSON: {error}");
                self.findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
                return Ok(Vec::new());
            }
        };
        let mut states: Vec<(String, usize)> = Vec::new();
        let accepted = wire.files.0.iter().map(|file| (file, file.accepted, true));
        let pending = wire.pending.0.iter().map(|file| (file, file.proposed, true));
        let absent = wire.absent.0.iter().map(|file| (file, None, false));
        for (file, changes, exists) in accepted.chain(pending).chain(absent) {
            let Some(path) = file.uri.and_then(place_of).map(|place| place.path) else { continue };
            let state =
                if exists { self.state(&path, changes, file.is_new.0, at)? } else { self.gone(&path) };
            let Some(state) = state else { continue };
            // What is in the file wins over what was accepted in it.
            states.retain(|(known, _)| *known != path);
            states.push((path, state));
        }
        Ok(states.into_iter().map(|(_, state)| state).collect())
    }

    fn gone(&mut self, path: &str) -> Option<usize> {
        self.files.entry(path.to_owned()).or_insert_with(KnownFile::unknown);
        self.put(path, None)
    }

    /// The state of the file at `path`, which `changes` make of V0.
    fn state(
        &mut self,
        path: &str,
        changes: Option<&RawValue>,
        is_new: bool,
        at: &Origin,
    ) -> Result<Option<usize>, RowsError> {
        let stored = changes.map_or("[]", RawValue::get);
        if let Some((last, state)) = self.files.get(path).and_then(|file| file.last.as_ref())
            && last == stored
        {
            return Ok(Some(*state));
        }
        let Some(v0) = self.v0(path, is_new)? else {
            if self.troubled.insert(path.to_owned()) {
                let says = format!("checkpoints tell {path} against a text that is not there");
                self.findings.push(Finding::new(FindingKind::DanglingReference, at.clone(), says));
            }
            return Ok(None);
        };
        let lines: Vec<&str> = v0.split('\n').collect();
        let changes: List<WireChange<'_>> = read(changes);
        let text = changed(&lines, &changes.0).join("\n");
        if self.bytes + text.len() > MOST_BYTES {
            if self.troubled.insert(String::new()) {
                let says = "the checkpoints are too large; later ones are left out";
                self.findings.push(Finding::new(FindingKind::TooLarge, at.clone(), says));
            }
            return Ok(None);
        }
        let state = self.put(path, Some(text));
        if let (Some(file), Some(state)) = (self.files.get_mut(path), state) {
            file.last = Some((stored.to_owned(), state));
        }
        Ok(state)
    }

    /// The text of a file before any edit; a file that was just made had none.
    fn v0(&mut self, path: &str, is_new: bool) -> Result<Option<String>, RowsError> {
        let known = self.files.get(path).and_then(|file| file.v0.clone());
        if known.is_some() {
            return Ok(known);
        }
        let stored = match self.uris.get(path) {
            Some(uri) => self.originals.text(uri, self.rows)?.map(std::borrow::Cow::into_owned),
            None => None,
        };
        let v0 = stored.or_else(|| is_new.then(String::new));
        self.files.entry(path.to_owned()).or_insert_with(KnownFile::unknown).v0.clone_from(&v0);
        Ok(v0)
    }

    /// The number of the state of `path` with this text.
    fn put(&mut self, path: &str, text: Option<String>) -> Option<usize> {
        let file = self.files.get_mut(path)?;
        let states = &mut self.kept.states;
        let is_it = |number: &&usize| states.get(**number).is_some_and(|state| state.text == text);
        if let Some(known) = file.states.iter().rev().find(is_it) {
            return Some(*known);
        }
        self.bytes += text.as_ref().map_or(0, String::len);
        states.push(KeptState { path: path.to_owned(), text });
        file.states.push(states.len() - 1);
        Some(states.len() - 1)
    }
}

impl KnownFile {
    fn unknown() -> Self {
        Self { v0: None, states: Vec::new(), last: None }
    }
}
