//! The pieces that a message blob is made of.

use backscroll_model::{Image, Payload, ToolCall, ToolStatus};
use serde_json::value::RawValue;

use super::message::tool_call;
use super::message_option::{HighLevel, cursor_options};
use crate::wire_json::{Text, Truth, elements, text, wire};

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
    Image(Box<Image>),
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

wire! {
    struct WirePiece<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        call_id: Text<'a> = "toolCallId",
        tool_name: Text<'a> = "toolName",
        args: Option<&'a RawValue> = "args",
        input: Option<&'a RawValue> = "input",
        result: Option<&'a RawValue> = "result",
        output: Option<&'a RawValue> = "output",
        content: Option<&'a RawValue> = "experimental_content",
        is_error: Truth = "isError",
        data: Text<'a> = "data",
        image: Text<'a> = "image",
        media_type: Text<'a> = "mimeType" | "mediaType",
        image_url: Option<&'a RawValue> = "image_url",
        options: Option<&'a RawValue> = "providerOptions",
    }
}
wire! { struct WireKind<'a> { kind: Text<'a> = "type", } }
wire! { struct WireAddress<'a> { url: Text<'a> = "url", } }

/// The piece, unless there is nothing in it; its kind, if that is unknown.
pub(super) fn known(stored: WirePiece<'_>) -> Result<Option<Piece>, String> {
    Ok(match stored.kind.filled().unwrap_or_default() {
        "text" | "input_text" | "output_text" => stored.text.into_owned().map(Piece::Text),
        "reasoning" | "redacted-reasoning" | "thinking" => Some(Piece::Thought {
            text: stored.text.into_owned().unwrap_or_default(),
            model: stored.options.and_then(cursor_options).and_then(|options| options.model),
        }),
        "tool-call" => {
            let name = stored.tool_name.filled().unwrap_or_default();
            Some(tool_call(stored.call_id.owned(), name, stored.args.or(stored.input)))
        }
        "tool-result" => Some(Piece::Result(Box::new(result(&stored)))),
        "image" | "file" | "image_url" | "media" => Some(Piece::Image(Box::new(image(&stored)))),
        kind => return Err(kind.to_owned()),
    })
}

fn result(stored: &WirePiece<'_>) -> ToolResult {
    let output = stored.result.or(stored.output).map(|raw| {
        let text = told_words(raw);
        text.map_or_else(|| Payload::from_raw(raw), Payload::Text)
    });
    let output = output
        .filter(|output| !output.is_hollow())
        .or_else(|| stored.content.and_then(told_words).map(Payload::Text));
    ToolResult {
        call_id: stored.call_id.owned(),
        tool_name: stored.tool_name.owned(),
        output: output.or_else(|| stored.result.map(Payload::from_raw)),
        is_error: stored.is_error.0,
        images: stored.content.map(told_images).unwrap_or_default(),
        ..ToolResult::default()
    }
}

/// The words of a list of content; none if it is no such list.
fn told_words(raw: &RawValue) -> Option<String> {
    let texts = content_list(raw).into_iter().filter_map(|item| {
        let stored: WirePiece<'_> = serde_json::from_str(item.get()).unwrap_or_default();
        stored.text.into_owned().filter(|_| stored.kind.filled() == Some("text"))
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The pictures in a list of content. Most hold none, so kinds are looked at before anything else is read.
fn told_images(raw: &RawValue) -> Vec<Image> {
    let is_image = |item: &&RawValue| {
        let stored: WireKind<'_> = serde_json::from_str(item.get()).unwrap_or_default();
        matches!(stored.kind.filled(), Some("image" | "media" | "file"))
    };
    let images = content_list(raw).into_iter().filter(is_image);
    images.map(|item| image(&serde_json::from_str(item.get()).unwrap_or_default())).collect()
}

fn content_list(raw: &RawValue) -> Vec<&RawValue> {
    if raw.get().starts_with('[') { elements(raw) } else { Vec::new() }
}

fn image(stored: &WirePiece<'_>) -> Image {
    let address = stored.image_url.and_then(|raw| {
        let inside: WireAddress<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
        inside.url.into_owned().or_else(|| text(raw))
    });
    let source = address.or_else(|| stored.image.owned()).or_else(|| stored.data.owned()).unwrap_or_default();
    let mut image = Image { media_type: stored.media_type.owned(), ..Image::default() };
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
