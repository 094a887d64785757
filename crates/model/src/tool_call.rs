//! One use of a tool by the agent: what it was given and what it answered (JSON kept verbatim, or text), and the files that
//! a conversation read, changed or was given. Paths are as stored.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use jiff::Timestamp;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json_strings::end_of_string;
use crate::wire::time;
use crate::{Conversation, Message, Part, argument};

named! {
    /// How a tool call ended, or that it did not.
    #[derive(Default)]
    pub enum ToolStatus {
        /// It ran and answered.
        Completed = "completed",
        /// It failed.
        Error = "error",
        /// The user or the editor stopped it.
        Cancelled = "cancelled",
        /// It was still running when the store was last written.
        Running = "running",
        /// It had not begun.
        Pending = "pending",
        /// The store does not say.
        #[default]
        Unknown = "unknown",
    }
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct ToolCall {
    /// The call's id; opaque, may hold a newline.
    pub id: Option<String>,
    /// The name in our one vocabulary over all surfaces.
    pub name: String,
    /// The name as stored.
    pub raw_name: String,
    /// What the tool was given.
    pub arguments: Option<Payload>,
    /// What it answered.
    pub result: Option<Payload>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it ended.
    pub status: ToolStatus,
    /// What the user decided when asked, as stored (`accepted`, `rejected`).
    pub decision: Option<String>,
    /// When it began.
    #[serde(with = "time")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(with = "time")]
    pub ended_at: Option<Timestamp>,
    /// What it changed, as a unified diff.
    pub diff: Option<String>,
    /// The conversation that this call started, where it is known.
    pub child: Option<String>,
    /// What Cursor notes about it beside arguments and result, in words: repaired arguments, a lack of memory, the file of a plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ToolCall {
    /// The names of all `.txt` files in what it was given and answered.
    pub fn text_files(&self) -> impl Iterator<Item = &str> {
        let said = [&self.arguments, &self.result].into_iter().flatten().map(Payload::as_str);
        said.chain(self.error.as_deref()).flat_map(|text| {
            let ends = text.match_indices(".txt").map(|(at, found)| at + found.len());
            let is_outside = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            ends.map(move |end| text[..end].rsplit(is_outside).next().unwrap_or_default())
        })
    }

    /// The kind of tool. Layers call the same change of a file writing or editing.
    pub fn kind(&self) -> &str {
        match self.name.as_str() {
            "write" | "multi_edit" => "edit",
            name => name,
        }
    }

    /// What it is about: a command, a pattern, or the name of a file without its folders, which layers spell differently;
    /// else all of its arguments. `None` without any.
    pub fn about(&self) -> Option<String> {
        let arguments = self.given()?;
        let about = match arguments.first_of(ABOUT) {
            Some((key, value)) if is_path(key) => file_name(&value).to_owned(),
            Some((_, value)) => bare(&value),
            None => bare(arguments.as_str()),
        };
        Some(about).filter(|about| !about.is_empty())
    }

    /// What it is about, as it was given: a command, a pattern, a question, a file. `None` if no argument says so.
    pub fn subject(&self) -> Option<String> {
        self.given()?.first_of(ABOUT).map(|(_, value)| value)
    }

    /// What it was given, if that says anything.
    fn given(&self) -> Option<&Payload> {
        self.arguments.as_ref().filter(|given| !given.is_hollow())
    }

    /// Whether two calls of different layers are one, by what they are: the kind of tool, its arguments or its result.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let has_result = self.result.as_ref().is_some_and(|result| !result.is_hollow());
        let is_alike = match (self.given(), other.given()) {
            (None, None) => true,
            (Some(_), Some(_)) => {
                self.about() == other.about() || self.is_wrapped_in(other) || other.is_wrapped_in(self)
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        self.may_be(other) && (is_alike || (has_result && self.result == other.result))
    }

    /// Whether nothing says that two calls are not one.
    pub fn may_be(&self, other: &Self) -> bool {
        self.kind() == other.kind() && !self.contradicts(other)
    }

    /// Whether both have the same argument with another value.
    pub fn contradicts(&self, other: &Self) -> bool {
        let fields = |call: &Self| call.arguments.as_ref().map(Payload::text_fields).unwrap_or_default();
        let known = fields(self);
        let differs = |(key, value): &(String, String)| {
            let own = known.iter().find(|(name, _)| name == key);
            own.is_some_and(|(_, own)| {
                if is_path(key) { file_name(value) != file_name(own) } else { !is_one_value(value, own) }
            })
        };
        fields(other).iter().filter(|(key, _)| !COMMENTS.contains(&key.as_str())).any(differs)
    }

    /// Whether an argument is among those of the other, wherever it stands there: some layers wrap arguments, and a patch
    /// names its file in its text.
    fn is_wrapped_in(&self, other: &Self) -> bool {
        let fields = self.arguments.as_ref().map(Payload::text_fields).unwrap_or_default();
        let given = other.arguments.as_ref().map_or("", Payload::as_str);
        let names_file =
            other.arguments.as_ref().is_some_and(|given| given.first_of(&[argument::FILE]).is_some());
        fields.iter().filter(|(_, value)| !value.is_empty()).any(|(key, value)| {
            given.contains(&format!("\"{value}\""))
                || (!names_file && argument::FILE.contains(&key.as_str()) && given.contains(file_name(value)))
        })
    }

    /// The file that this call worked on, and how; `None` for tools that do not work on one file.
    pub fn touches(&self) -> Option<(String, Touch)> {
        let how = match self.name.as_str() {
            "read" | "lints" => Touch::Read,
            "write" | "edit" | "multi_edit" | "notebook_edit" => Touch::Edited,
            "delete" => Touch::Deleted,
            _ => self.diff.as_ref().map(|_| Touch::Edited)?,
        };
        let how = if how.is_change() && self.was_refused() { Touch::TriedToEdit } else { how };
        let path = self.arguments.as_ref().and_then(path_among).or_else(|| {
            let diff = self.diff.as_deref().or_else(|| self.arguments.as_ref().map(Payload::as_str))?;
            path_of_diff(diff)
        })?;
        Some((path, how))
    }

    /// Whether it was to do something, and did not: it failed, was stopped, or the user said no.
    pub fn was_refused(&self) -> bool {
        matches!(self.status, ToolStatus::Error | ToolStatus::Cancelled)
            || matches!(self.decision.as_deref(), Some("rejected" | "reject"))
    }
}

/// Arguments that say what a call is about, most specific first.
const ABOUT: &[&[&str]] = &[
    argument::COMMAND,
    argument::PATTERN,
    argument::QUERY,
    argument::ADDRESS,
    argument::PROMPT,
    argument::FILE,
    argument::FOLDER,
];

/// What the model says of a call; it is in some layers only, and in other words.
const COMMENTS: [&str; 2] = ["description", "explanation"];

fn is_path(key: &str) -> bool {
    argument::FILE.contains(&key) || argument::FOLDER.contains(&key)
}

/// The name of a file without its folders.
pub fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Words without white space, which layers treat differently.
pub fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether two values may be one. Layers cut values short, and plain text does not say for sure where one ends; so half of
/// the lines of the shorter one are enough.
fn is_one_value(left: &str, right: &str) -> bool {
    let lines = |text: &str| text.lines().map(bare).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let (left, right) = (lines(left), lines(right));
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let begins = long.concat().starts_with(&short.concat()) || short.concat().starts_with(&long.concat());
    begins || short.iter().filter(|line| long.contains(line)).count() * 2 >= short.len()
}

/// A tool's arguments or result, as stored.
#[derive(Debug, Clone)]
pub enum Payload {
    /// Valid JSON, kept to the letter.
    Json(Box<RawValue>),
    /// Anything else: plain text, or JSON that was cut off.
    Text(String),
}

/// JSON nested deeper than this is kept as text, so that nobody's reader falls over it.
const DEEPEST: usize = 100;

impl Payload {
    /// JSON if `text` is valid and reasonably shallow JSON other than a plain string, else the text itself.
    pub fn from_text(text: String) -> Self {
        let begins_like_json = text
            .trim_start()
            .starts_with(|c: char| matches!(c, '{' | '[' | '-' | '0'..='9' | 't' | 'f' | 'n'));
        if !begins_like_json || depth(text.as_bytes()) > DEEPEST {
            return Self::Text(text);
        }
        match serde_json::from_str::<Box<RawValue>>(&text) {
            Ok(json) => Self::Json(json),
            Err(_) => Self::Text(text),
        }
    }

    /// The payload that a JSON value stands for: a JSON string is taken for its content.
    pub fn from_raw(raw: &RawValue) -> Self {
        let is_text = raw.get().starts_with('"');
        match is_text.then(|| serde_json::from_str::<String>(raw.get()).ok()).flatten() {
            Some(text) => Self::Text(text),
            None if depth(raw.get().as_bytes()) > DEEPEST => Self::Text(raw.get().to_owned()),
            None => Self::Json(raw.to_owned()),
        }
    }

    /// The payload as it stands: JSON source, or the text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Json(json) => json.get(),
            Self::Text(text) => text,
        }
    }

    /// The fields of a JSON object whose values are text, in stored order; none for anything else.
    pub fn text_fields(&self) -> Vec<(String, String)> {
        let Self::Json(json) = self else { return Vec::new() };
        let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(json.get()) else {
            return Vec::new();
        };
        let texts = fields.into_iter().filter_map(|(key, value)| match value {
            serde_json::Value::String(text) => Some((key, text)),
            _ => None,
        });
        texts.collect()
    }

    /// Whether there is nothing in it: empty text, `null`, `{}` or `[]`.
    pub fn is_hollow(&self) -> bool {
        matches!(self.as_str().trim(), "" | "null" | "{}" | "[]" | "\"\"")
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Json(_), Self::Json(_)) | (Self::Text(_), Self::Text(_)))
            && self.as_str() == other.as_str()
    }
}

impl Eq for Payload {}

impl Hash for Payload {
    fn hash<H: Hasher>(&self, state: &mut H) {
        matches!(self, Self::Json(_)).hash(state);
        self.as_str().hash(state);
    }
}

/// JSON as it was stored, or text as a JSON string.
impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Json(json) => match on_one_line(json.get()) {
                Cow::Borrowed(_) => json.serialize(serializer),
                Cow::Owned(line) => {
                    RawValue::from_string(line).map_err(S::Error::custom)?.serialize(serializer)
                }
            },
        }
    }
}

/// Stored JSON may be spread over lines, which would break JSON Lines. A line break in valid JSON always stands
/// between tokens, never in a string, so taking it away changes nothing.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_some() {
        Cow::Owned(json.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(json)
    }
}

/// How deep brackets nest in `json`, strings left out.
fn depth(json: &[u8]) -> usize {
    let (mut deepest, mut here, mut at) = (0_usize, 0_usize, 0_usize);
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' | b'[' => {
                here += 1;
                deepest = deepest.max(here);
            }
            b'}' | b']' => here = here.saturating_sub(1),
            b'"' => at = end_of_string(json, at + 1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

named! {
    /// What was done to a file.
    pub enum Touch {
        /// It stood beside the user's words.
        Attached = "attached",
        /// A tool read it.
        Read = "read",
        /// A tool wrote or changed it.
        Edited = "edited",
        /// A tool deleted it.
        Deleted = "deleted",
        /// A tool was to change or delete it, and did not.
        TriedToEdit = "tried to edit",
    }
}

impl Touch {
    /// Whether the file is another one afterwards.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Edited | Self::Deleted)
    }
}

/// One touch of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched<'a> {
    /// The file, as stored.
    pub path: String,
    /// What was done to it.
    pub how: Touch,
    /// The number of the message, counted from zero.
    pub message: usize,
    /// The number of its part, counted from zero.
    pub part: usize,
    /// What changed, as a unified diff.
    pub diff: Option<&'a str>,
}

impl Conversation {
    /// Every touch of every file, in the order of the messages.
    pub fn touched(&self) -> Vec<Touched<'_>> {
        let messages = self.messages.iter().enumerate();
        messages.flat_map(|(number, message)| of_message(number, message)).collect()
    }
}

fn of_message(message: usize, from: &Message) -> Vec<Touched<'_>> {
    let touched = from.parts.iter().enumerate().filter_map(|(part, of)| {
        let (path, how, diff) = match of {
            Part::ToolCall(call) => {
                let (path, how) = call.touches()?;
                (path, how, call.diff.as_deref().filter(|_| how != Touch::TriedToEdit))
            }
            Part::Attachment(attached) if attached.kind.is_of_a_file() => {
                (attached.path.clone()?, Touch::Attached, None)
            }
            Part::Code(code) if code.diff.is_some() => {
                (code.path.clone()?, Touch::Edited, code.diff.as_deref())
            }
            _ => return None,
        };
        Some(Touched { path, how, message, part, diff })
    });
    touched.collect()
}

fn path_among(arguments: &Payload) -> Option<String> {
    let (_, path) = arguments.first_of(&[argument::FILE, argument::PERHAPS_FILE])?;
    Some(path).filter(|path| !path.is_empty() && !path.contains('\n'))
}

/// The file that a unified diff or a patch names first.
fn path_of_diff(diff: &str) -> Option<String> {
    const BEFORE_PATH: &[&str] =
        &["+++ b/", "+++ ", "*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let line_path =
        |line: &str| BEFORE_PATH.iter().find_map(|before| line.strip_prefix(before).map(str::to_owned));
    diff.lines().find_map(line_path).map(|path| path.trim().to_owned()).filter(|path| path != "/dev/null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json_and_the_rest_stays_text() {
        assert!(matches!(Payload::from_text("{\"a\":1}".into()), Payload::Json(_)));
        assert!(matches!(Payload::from_text("{\"a\":".into()), Payload::Text(_)));
        assert!(matches!(Payload::from_text("total 8".into()), Payload::Text(_)));
        assert!(matches!(Payload::from_text("\"quoted\"".into()), Payload::Text(_)));
    }

    #[test]
    fn bottomless_json_is_kept_as_text() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Payload::from_text(deep.clone()).as_str(), deep);
        assert!(matches!(Payload::from_text(deep), Payload::Text(_)));
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        let arguments = Some(Payload::from_text(arguments.to_owned()));
        ToolCall { name: name.to_owned(), arguments, ..ToolCall::default() }
    }

    #[test]
    fn the_file_of_a_call_is_found_under_every_name() {
        let read = call("read", r#"{"limit":5,"target_file":"src/auth.py"}"#);
        assert_eq!(read.touches(), Some(("src/auth.py".to_owned(), Touch::Read)));
        let patch = call("edit", "*** Begin Patch\n*** Update File: a/b.rs\n@@\n-x\n+y\n");
        assert_eq!(patch.touches(), Some(("a/b.rs".to_owned(), Touch::Edited)));
        assert_eq!(call("shell", r#"{"command":"ls","path":"x"}"#).touches(), None);
        assert_eq!(call("write", r#"{"file_path":""}"#).touches(), None);
    }

    #[test]
    fn an_edit_that_was_refused_is_none() {
        let edit = || ToolCall {
            diff: Some("--- a\n+++ a\n@@\n+x\n".to_owned()),
            ..call("edit", r#"{"path":"a"}"#)
        };
        let said_no = || ToolCall { decision: Some("rejected".to_owned()), ..edit() };
        let ended = |call: ToolCall, status| ToolCall { status, ..call };
        let table = [
            (ended(edit(), ToolStatus::Completed), Touch::Edited),
            (edit(), Touch::Edited),
            (ended(edit(), ToolStatus::Error), Touch::TriedToEdit),
            (ended(edit(), ToolStatus::Cancelled), Touch::TriedToEdit),
            (ended(said_no(), ToolStatus::Completed), Touch::TriedToEdit),
            (ended(call("delete", r#"{"path":"a"}"#), ToolStatus::Error), Touch::TriedToEdit),
            (ended(call("read", r#"{"path":"a"}"#), ToolStatus::Error), Touch::Read),
        ];
        for (call, expected) in table {
            let mut message = Message::new(
                "m",
                crate::Role::Assistant,
                crate::Origin::new(crate::Layer::IdeGlobal, std::path::Path::new("f"), "k"),
            );
            message.parts.push(Part::ToolCall(Box::new(call)));
            let touched = of_message(0, &message);
            assert_eq!(touched[0].how, expected);
            assert_eq!(touched[0].diff.is_some(), expected == Touch::Edited);
        }
    }
}
