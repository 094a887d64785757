//! The pieces that a message blob is made of.

use backscroll_model::{Finding, FindingKind, Image, Origin, Payload, ToolCall, ToolStatus};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::tool_call;
use super::message_option::{HighLevel, cursor_options};

/// One piece of a stored message.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A thought; without words if it is stored encrypted only.
    Thought {
        /// The thought.
        text: String,
        /// The model that thought.
        model: Option<String>,
    },
    /// A picture.
    Image(Image),
    /// What the model asked of a tool.
    Call(Box<ToolCall>),
    /// What a tool answered.
    Result(Box<ToolResult>),
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: Option<String>,
    /// The tool's name as stored.
    pub tool_name: Option<String>,
    /// What the model was told.
    pub output: Option<Payload>,
    /// Whether it failed.
    pub is_error: bool,
    /// The user said no.
    pub is_rejected: bool,
    /// Pictures in the answer.
    pub images: Vec<Image>,
    /// What it changed.
    pub diff: Option<String>,
    /// The agent it started.
    pub child: Option<String>,
}

impl ToolResult {
    /// How the call ended.
    pub fn status(&self) -> ToolStatus {
        match (self.is_rejected, self.is_error) {
            (true, _) => ToolStatus::Cancelled,
            (false, true) => ToolStatus::Error,
            (false, false) => ToolStatus::Completed,
        }
    }

    /// Takes over what Cursor's structured copy of the result knows besides.
    pub(super) fn enrich(&mut self, high_level: &HighLevel) {
        self.is_error |= high_level.is_error;
        self.is_rejected |= high_level.is_rejected;
        self.diff = self.diff.take().or_else(|| high_level.diff.clone());
        self.child = self.child.take().or_else(|| high_level.child.clone());
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Stored<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow, rename = "experimental_content")]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    image: Option<&'a RawValue>,
    #[serde(borrow)]
    mime_type: Option<&'a RawValue>,
    #[serde(borrow)]
    media_type: Option<&'a RawValue>,
    #[serde(borrow, rename = "image_url")]
    image_url: Option<&'a RawValue>,
    #[serde(borrow)]
    provider_options: Option<&'a RawValue>,
}

/// The pieces of a message's content: a text, or a list.
pub(super) fn pieces(content: Option<&RawValue>, at: &Origin, findings: &mut Vec<Finding>) -> Vec<Piece> {
    let Some(content) = content else {
        return Vec::new();
    };
    if let Some(text) = text_of(content) {
        return if text.is_empty() { Vec::new() } else { vec![Piece::Text(text)] };
    }
    let items = match serde_json::from_str::<Vec<&RawValue>>(content.get()) {
        Ok(items) => items,
        Err(_) => vec![content],
    };
    items.into_iter().filter_map(|item| piece(item, at, findings)).collect()
}

fn piece(item: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Option<Piece> {
    if let Some(text) = text_of(item) {
        return Some(Piece::Text(text));
    }
    let stored: Stored<'_> = object(item).unwrap_or_default();
    let kind = plain(stored.kind).unwrap_or_default();
    match kind.as_str() {
        "text" | "input_text" | "output_text" => plain(stored.text).map(Piece::Text),
        "reasoning" | "redacted-reasoning" | "thinking" => Some(Piece::Thought {
            text: plain(stored.text).unwrap_or_default(),
            model: stored.provider_options.and_then(cursor_options).and_then(|options| options.model),
        }),
        "tool-call" => {
            let name = plain(stored.tool_name).unwrap_or_default();
            Some(tool_call(plain(stored.tool_call_id), &name, stored.args.or(stored.input)))
        }
        "tool-result" => Some(Piece::Result(Box::new(result(&stored)))),
        "image" | "file" | "image_url" | "media" => Some(Piece::Image(image(&stored))),
        _ => {
            let says = format!("a message has a part of the unknown type {kind:?}");
            findings.push(Finding::new(FindingKind::Unknown, at.clone(), says));
            // Its source is kept as words, so that nothing is lost.
            Some(Piece::Text(item.get().to_owned()))
        }
    }
}

fn result(stored: &Stored<'_>) -> ToolResult {
    let (content_text, images) = stored.content.map(told).unwrap_or_default();
    let output = stored.result.or(stored.output).map(|raw| {
        let (text, _) = told(raw);
        text.map_or_else(|| Payload::from_raw(raw), Payload::Text)
    });
    let output = output.filter(|output| !output.is_hollow()).or_else(|| content_text.map(Payload::Text));
    ToolResult {
        call_id: plain(stored.tool_call_id),
        tool_name: plain(stored.tool_name),
        output: output.or_else(|| stored.result.map(Payload::from_raw)),
        is_error: flag(stored.is_error),
        images,
        ..ToolResult::default()
    }
}

/// The words and pictures of a list of content; no words if it is no such list.
fn told(raw: &RawValue) -> (Option<String>, Vec<Image>) {
    if !raw.get().starts_with('[') {
        return (None, Vec::new());
    }
    let items: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for item in items {
        let Some(stored) = object::<Stored<'_>>(item) else {
            continue;
        };
        match plain(stored.kind).as_deref() {
            Some("text") => texts.extend(plain(stored.text)),
            Some("image" | "media" | "file") => images.push(image(&stored)),
            _ => {}
        }
    }
    ((!texts.is_empty()).then(|| texts.join("\n")), images)
}

fn image(stored: &Stored<'_>) -> Image {
    #[derive(Deserialize)]
    struct Address<'a> {
        #[serde(borrow)]
        url: Option<&'a RawValue>,
    }
    let address = stored.image_url.and_then(|raw| plain(object::<Address<'_>>(raw)?.url));
    let source = address
        .or_else(|| plain(stored.image_url))
        .or_else(|| plain(stored.image))
        .or_else(|| plain(stored.data))
        .unwrap_or_default();
    let media_type = plain(stored.mime_type).or_else(|| plain(stored.media_type));
    let mut image = Image { media_type, ..Image::default() };
    if let Some((head, data)) = source.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        image.media_type.get_or_insert_with(|| head.to_owned());
        image.data = Some(data.to_owned());
    } else if source.contains("://") || source.starts_with('/') && source.len() < 4096 && source.contains('.')
    {
        image.path = Some(source);
    } else if !source.is_empty() {
        image.data = Some(source);
    }
    image
}

/// A JSON object's fields, if it is an object.
pub(super) fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// A JSON text's content, unless empty.
pub(super) fn plain(raw: Option<&RawValue>) -> Option<String> {
    text_of(raw?).filter(|text| !text.is_empty())
}

/// A JSON text's content. Trying to read something else as text makes an error out of it, which costs more than all
/// the rest; so the first letter decides.
fn text_of(raw: &RawValue) -> Option<String> {
    raw.get().starts_with('"').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// Whether a JSON value says yes.
pub(super) fn flag(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| matches!(raw.get(), "true" | "\"true\""))
}
