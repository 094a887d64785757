//! What a store holds beyond [`known`](crate::known): each unknown thing is counted for its place, with the key of a row that has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use backscroll_model::{Drift, DriftKind, Finding, FindingKind, Layer, Origin, Payload};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::agent::{GraphLocation, Piece, ProtoKind, TypedMessage, each_message, message, root};
use crate::ide::{RowKey, RowKind, kind_of_key};
use crate::known::{self, Fields, ObjectKind};
use crate::sdk::calls_in;
use crate::tool_names::{self, handler_name};
use crate::wire_json::{Entries, Int, List, Text, elements, wire};

/// What is not known, by kind, name and place.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct DriftLog {
    noted: BTreeMap<(DriftKind, String, String), (u64, String)>,
    /// The names of tools that some call of the store marks as those of a server or of a user: they may be any.
    custom: BTreeSet<String>,
}

/// Names are no longer, and are made of the letters of identifiers: others may be somebody's words.
const LONGEST: usize = 80;

impl DriftLog {
    /// Counts `name`, met in `place` of the row `example`.
    pub fn note(&mut self, kind: DriftKind, name: &str, place: &str, example: &str) {
        let is_identifier = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | ':');
        let is_name = !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_identifier);
        let name = if is_name { name } else { "(no identifier)" };
        let entry = self.noted.entry((kind, name.to_owned(), place.to_owned()));
        entry.or_insert_with(|| (0, example.to_owned())).0 += 1;
    }

    /// Everything that was counted in `file`, in order of kind, name and place.
    pub fn each(&self, file: &Path, layer: Layer) -> impl Iterator<Item = Drift> {
        let is_drift =
            |kind: DriftKind, name: &String| kind != DriftKind::Tool || !self.custom.contains(name);
        let noted = self.noted.iter().filter(move |((kind, name, _), _)| is_drift(*kind, name));
        noted.map(move |((kind, name, place), (count, example))| Drift {
            file: file.to_owned(),
            layer,
            kind: *kind,
            name: name.clone(),
            place: place.clone(),
            count: *count,
            example: example.clone(),
        })
    }

    /// One finding for each, in the file of `at`.
    pub fn findings(&self, at: &Origin) -> Vec<Finding> {
        let finding = |drift: Drift| {
            let Drift { kind, name, place, count, example, .. } = drift;
            let says = format!("unknown {} `{name}` in {place}, {count} times", kind.name());
            Finding::new(FindingKind::Drift, at.with_key(example), says)
        };
        self.each(&at.file, at.layer).map(finding).collect()
    }

    /// Notes the unknown fields of a JSON object, and of objects in it where their fields are known.
    pub fn json_object(&mut self, place: ObjectKind, object: &[u8], example: &str) {
        if let Ok(object) = serde_json::from_slice::<&RawValue>(object) {
            self.fields_below(Fields::known_in(place), place.name(), object, example);
        }
    }

    fn fields_below(&mut self, known: &Fields, path: &str, object: &RawValue, example: &str) {
        let fields: Entries<&RawValue> = serde_json::from_str(object.get()).unwrap_or_default();
        for (name, value) in fields.0 {
            match known.inside(&name) {
                None => self.note(DriftKind::JsonField, &name, path, example),
                Some(None) => {}
                Some(Some(inside)) => {
                    let is_list = value.get().starts_with('[');
                    let objects = if is_list { elements(value) } else { vec![value] };
                    for object in objects.into_iter().filter(|one| one.get().starts_with('{')) {
                        self.fields_below(inside, &format!("{path}.{name}"), object, example);
                    }
                }
            }
        }
    }

    /// Notes the unknown fields of a JSON object, without those of objects in it.
    pub fn json_fields(&mut self, place: ObjectKind, object: &[u8], example: &str) {
        let fields: Entries<IgnoredAny> = serde_json::from_slice(object).unwrap_or_default();
        for (name, _) in fields.0 {
            self.json_field(place, &name, example);
        }
    }

    /// Notes a field of a JSON object, if it is not known.
    pub fn json_field(&mut self, place: ObjectKind, name: &str, example: &str) {
        if !known::is_known(place, name) {
            self.note(DriftKind::JsonField, name, place.name(), example);
        }
    }

    /// Notes the unknown fields of a protobuf message, and the unknown tools of a call.
    pub(crate) fn message(&mut self, kind: ProtoKind, numbers: impl Iterator<Item = u32>, example: &str) {
        for number in numbers.filter(|number| !known::is_known_number(kind, *number)) {
            let drift = if kind == ProtoKind::ToolCall { DriftKind::Tool } else { DriftKind::ProtoField };
            self.note(drift, &number.to_string(), kind.name(), example);
        }
    }

    /// Notes what is unknown in a row of `cursorDiskKV`: its key, and its value where is of a kind that is read.
    pub fn row(&mut self, key: &[u8], value: Option<&[u8]>, graph: &GraphLocation<'_>) {
        let text = String::from_utf8_lossy(key);
        if !known::is_known_key(&text) {
            let family = kind_of_key(key).unwrap_or_default();
            self.note(DriftKind::Key, family, "cursorDiskKV", &text);
            return;
        }
        let (Some(row), Some(value)) = (RowKey::parse(&text), value) else { return };
        match row.kind {
            RowKind::Record => self.record(value, &text, graph),
            RowKind::Bubble => self.bubble(value, &text),
            RowKind::AgentBlob => self.message_blob(value, &text),
            _ => {}
        }
    }

    /// Notes the key of a row of `ItemTable`, if it is about conversations and not known.
    pub fn item_key(&mut self, key: &str) {
        if let Some(name) = known::unknown_item(key) {
            self.note(DriftKind::Key, &name, "ItemTable", key);
        }
    }

    fn record(&mut self, value: &[u8], key: &str, graph: &GraphLocation<'_>) {
        wire! { struct WireRecord<'a> { inline: List<&'a RawValue> = "conversation", } }
        self.json_object(ObjectKind::Record, value, key);
        let wire: WireRecord<'_> = serde_json::from_slice(value).unwrap_or_default();
        for bubble in wire.inline.0 {
            self.bubble(bubble.get().as_bytes(), key);
        }
        let state =
            crate::ide::agent_state(value).and_then(|state| crate::agent::conversation_state(&state).ok()?);
        if let Some(bytes) = state {
            self.graph(&bytes, key, graph);
        }
    }

    /// Notes what is unknown in a graph of blobs, from its root on.
    pub fn graph(&mut self, bytes: &[u8], key: &str, place: &GraphLocation<'_>) {
        let root = root(bytes, &place.root).value;
        each_message(bytes, &root, place, &mut |TypedMessage { kind, numbers, custom_tools, blob }| {
            self.message(kind, numbers.iter().copied(), blob.unwrap_or(key));
            self.custom.extend(custom_tools.iter().cloned());
        });
    }

    fn bubble(&mut self, value: &[u8], key: &str) {
        wire! { struct WireCalled<'a> { tool: WireTool<'a> = "toolFormerData", } }
        wire! {
            struct WireTool<'a> {
                tool: Int = "tool",
                name: Text<'a> = "name" | "toolName",
                sent: Text<'a> = "rawArgs",
                normalised: Text<'a> = "params",
            }
        }
        const PLACE: &str = "bubbleId.toolFormerData";
        self.json_object(ObjectKind::Bubble, value, key);
        let called = serde_json::from_slice::<WireCalled<'_>>(value).unwrap_or_default().tool;
        let number = called.tool.count().filter(|number| *number != 0);
        if let Some(number) = number.filter(|number| handler_name(*number).is_none()) {
            self.note(DriftKind::Tool, &number.to_string(), PLACE, key);
        }
        if let Some(name) = called.name.filled() {
            let arguments = [called.sent.filled(), called.normalised.filled()];
            self.tool(name, number, arguments.into_iter().flatten(), PLACE, key);
        }
    }

    /// Notes the name of a tool, if it is not known. What a call to a server names is that server's.
    fn tool<'a>(
        &mut self,
        name: &str,
        handler: Option<u64>,
        arguments: impl IntoIterator<Item = &'a str>,
        place: &str,
        key: &str,
    ) {
        if tool_names::may_be_relay(name, handler) {
            self.custom.extend(arguments.into_iter().flat_map(tool_names::relayed_names));
        }
        if !name.is_empty() && !tool_names::is_known(name, handler) {
            self.note(DriftKind::Tool, name, place, key);
        }
    }

    /// Notes what is unknown in a blob, if it is a JSON message.
    pub fn message_blob(&mut self, value: &[u8], key: &str) {
        wire! { struct WireRole<'a> { role: Option<&'a RawValue> = "role", } }
        let is_message =
            || serde_json::from_slice::<WireRole<'_>>(value).is_ok_and(|wire| wire.role.is_some());
        if value.first() != Some(&b'{') || !is_message() {
            return;
        }
        self.json_object(ObjectKind::MessageBlob, value, key);
        let at = Origin::new(Layer::AgentBlobs, Path::new(""), key);
        for piece in message(value, &at).value.into_iter().flat_map(|message| message.pieces) {
            let (name, arguments) = match piece {
                Piece::Call(call) => (call.raw_name, call.arguments),
                Piece::Result(result) => (result.tool_name.unwrap_or_default(), None),
                _ => continue,
            };
            let arguments = arguments.as_ref().map(Payload::as_str);
            self.tool(&name, None, arguments, ObjectKind::MessageBlob.name(), key);
        }
    }

    /// Notes the unknown fields of a record of a transcript, and its type if that is not known.
    pub fn transcript_record(&mut self, line: &[u8], key: &str) {
        wire! { struct WireRecord<'a> { kind: Text<'a> = "type", role: Option<&'a RawValue> = "role", } }
        self.json_object(ObjectKind::TranscriptRecord, line, key);
        let wire: WireRecord<'_> = serde_json::from_slice(line).unwrap_or_default();
        if let Some(kind) =
            wire.kind.filled().filter(|kind| wire.role.is_none() && !known::is_known_record(kind))
        {
            self.note(DriftKind::Event, kind, ObjectKind::TranscriptRecord.name(), key);
        }
    }

    /// Notes what is unknown in a head.
    pub fn head(&mut self, json: &[u8], key: &str) {
        self.json_object(ObjectKind::Head, json, key);
    }

    /// Notes what is unknown in a list of heads, `{"allComposers":[…]}`.
    pub fn head_list(&mut self, json: &[u8], key: &str) {
        wire! { struct WireHeads<'a> { all: List<&'a RawValue> = "allComposers", } }
        let wire: WireHeads<'_> = serde_json::from_slice(json).unwrap_or_default();
        for head in wire.all.0 {
            self.head(head.get().as_bytes(), key);
        }
    }

    /// Notes what is unknown in the tabs of the old chat pane.
    pub fn chat_tabs(&mut self, json: &[u8], key: &str) {
        wire! { struct WireTabs<'a> { tabs: List<&'a RawValue> = "tabs", } }
        let wire: WireTabs<'_> = serde_json::from_slice(json).unwrap_or_default();
        for tab in wire.tabs.0 {
            self.json_object(ObjectKind::ChatTab, tab.get().as_bytes(), key);
        }
    }

    /// Notes what is unknown in an event of an SDK run: fields, its type, the tools that it names.
    pub fn event(&mut self, payload: &str, key: &str) {
        wire! { struct WireEvent<'a> { kind: Text<'a> = "type", message: Option<&'a RawValue> = "message", } }
        self.json_object(ObjectKind::Event, payload.as_bytes(), key);
        let wire: WireEvent<'_> = serde_json::from_str(payload).unwrap_or_default();
        let inner = wire
            .message
            .map(|message| serde_json::from_str::<WireEvent<'_>>(message.get()).unwrap_or_default());
        for kind in [Some(wire.kind), inner.map(|inner| inner.kind)].into_iter().flatten() {
            if let Some(kind) = kind.filled().filter(|kind| !known::is_known_event(kind)) {
                self.note(DriftKind::Event, kind, ObjectKind::Event.name(), key);
            }
        }
        for call in calls_in(payload) {
            let arguments = call.arguments.as_ref().map(Payload::as_str);
            self.tool(&call.name, None, arguments, ObjectKind::Event.name(), key);
        }
    }
}
