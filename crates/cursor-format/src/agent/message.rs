//! Message blobs: JSON in the manner of the AI SDK or of `OpenAI`. Must not fold results into calls.

use std::cell::OnceCell;

use backscroll_model::{
    Attachment, AttachmentKind, Decoded, Finding, FindingKind, Image, Origin, Payload, Role, ToolCall,
    ToolStatus,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::diff;
use crate::hex;
use crate::placeholders::known_model;
use crate::tool_names::call_name;
use crate::wire_json::{List, Text, Truth, elements, numbers_give, parse, text, wire};

/// A message blob, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// Who it is from.
    pub speaker: Role,
    /// What it is made of, in stored order.
    pub pieces: Vec<Piece>,
    /// The request it belongs to.
    pub request_id: Option<String>,
    /// The model that spoke.
    pub model: Option<String>,
}

wire! {
    struct WireMessage<'a> {
        role: Text<'a> = "role",
        content: Content = "content",
        id: Text<'a> = "id",
        tool_calls: List<WireOpenAiCall<'a>> = "tool_calls",
        openai_call_id: Text<'a> = "tool_call_id",
        tool_call_id: Text<'a> = "toolCallId",
        tool_name: Text<'a> = "toolName",
        args: Option<&'a RawValue> = "args",
        options: Option<&'a RawValue> = "providerOptions",
    }
}
wire! { struct WireContent<'a> { content: Option<&'a RawValue> = "content", } }
wire! { struct WireOpenAiCall<'a> { id: Text<'a> = "id", function: WireFunction<'a> = "function", } }
wire! {
    struct WireFunction<'a> { name: Text<'a> = "name", arguments: Option<&'a RawValue> = "arguments", }
}

/// Reads a message blob; `None`, with a finding, if it is none.
pub fn message(bytes: &[u8], at: &Origin) -> Decoded<Option<StoredMessage>> {
    let mut findings = Vec::new();
    let repaired = OnceCell::new();
    let value = match parse::<WireMessage<'_>>(bytes, &repaired) {
        Ok(mut stored) => {
            let pieces = match std::mem::take(&mut stored.content) {
                Content::Absent => Vec::new(),
                Content::Known(pieces) => pieces,
                Content::Odd => {
                    let again: WireContent<'_> = parse(bytes, &repaired).unwrap_or_default();
                    again.content.map(|raw| odd_pieces(raw, at, &mut findings)).unwrap_or_default()
                }
            };
            taken_apart(&stored, pieces, at, &mut findings)
        }
        Err(error) => {
            let says = format!("a message is no JSON object that we know: {error}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            None
        }
    };
    Decoded { value, findings }
}

fn taken_apart(
    stored: &WireMessage<'_>,
    mut pieces: Vec<Piece>,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Option<StoredMessage> {
    let role = stored.role.filled().unwrap_or_default();
    let speaker = match role {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => {
            // Nobody will see its parts, so nobody has to know what is odd about them.
            findings.clear();
            let says = format!("a message has the unknown role {role:?}");
            findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
            return None;
        }
    };
    let options = stored.options.and_then(cursor_options);
    match speaker {
        Role::Assistant => pieces.extend(calls(stored)),
        Role::Tool => pieces = results(stored, pieces),
        Role::System | Role::User => {}
    }
    if let Some(high_level) = options.as_ref().and_then(|options| options.high_level.as_ref()) {
        for piece in &mut pieces {
            if let Piece::Result(result) = piece {
                result.enrich(high_level);
            }
        }
    }
    let thinker = pieces.iter().find_map(|piece| match piece {
        Piece::Thought { model, .. } => model.clone(),
        _ => None,
    });
    let named = options.as_ref().and_then(|options| options.model.clone());
    Some(StoredMessage {
        speaker,
        pieces,
        request_id: options.and_then(|options| options.request_id),
        model: named.or(thinker),
    })
}

/// Calls that stand beside the content: `OpenAI`'s list, or the bare form with one call per message.
fn calls(stored: &WireMessage<'_>) -> Vec<Piece> {
    let listed = stored.tool_calls.0.iter().filter_map(|call| {
        let function = &call.function;
        Some(tool_call(call.id.owned(), function.name.filled()?, function.arguments))
    });
    let alone = stored.tool_name.filled().map(|name| {
        let id = stored.tool_call_id.owned().or_else(|| stored.openai_call_id.owned());
        tool_call(id, name, stored.args)
    });
    listed.chain(alone).collect()
}

/// A tool call as the model asked for it.
pub(super) fn tool_call(id: Option<String>, raw_name: &str, arguments: Option<&RawValue>) -> Piece {
    let arguments = arguments.map(|raw| match Payload::from_raw(raw) {
        Payload::Text(text) => Payload::from_text(text),
        json @ Payload::Json(_) => json,
    });
    let name = call_name(raw_name, None, arguments.as_ref());
    let raw_name = raw_name.to_owned();
    Piece::Call(Box::new(ToolCall { id, name, raw_name, arguments, ..ToolCall::default() }))
}

/// A tool's message is made of results; words in it are a result, too.
fn results(stored: &WireMessage<'_>, pieces: Vec<Piece>) -> Vec<Piece> {
    let named = stored.openai_call_id.owned().or_else(|| stored.tool_call_id.owned());
    let call_id = named.or_else(|| stored.id.owned());
    pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Result(Box::new(ToolResult {
                call_id: call_id.clone(),
                tool_name: stored.tool_name.owned(),
                output: Some(Payload::from_text(text)),
                ..ToolResult::default()
            })),
            Piece::Result(mut result) => {
                result.call_id = result.call_id.take().or_else(|| call_id.clone());
                Piece::Result(result)
            }
            other => other,
        })
        .collect()
}

/// What a message is made of.
#[derive(Debug, Default)]
pub(super) enum Content {
    /// Nothing.
    #[default]
    Absent,
    /// Pieces, all of kinds that we know. That is how nearly all messages are.
    Known(Vec<Piece>),
    /// Something else, to be looked at again.
    Odd,
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;
    numbers_give!(Content::Odd);

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Absent)
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Known(words(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut pieces = Vec::with_capacity(1);
        while let Some(stored) = seq.next_element::<WirePiece<'_>>()? {
            let Ok(piece) = known(stored) else {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Content::Odd);
            };
            pieces.extend(piece);
        }
        Ok(Content::Known(pieces))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::Odd)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ContentVisitor)
    }
}

fn words(text: String) -> Vec<Piece> {
    if text.is_empty() { Vec::new() } else { vec![Piece::Text(text)] }
}

/// The pieces of content of which not everything is known.
fn odd_pieces(content: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Vec<Piece> {
    let items = if content.get().starts_with('[') { elements(content) } else { vec![content] };
    items.into_iter().filter_map(|item| piece(item, at, findings)).collect()
}

fn piece(item: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Option<Piece> {
    if let Some(text) = text(item) {
        return Some(Piece::Text(text));
    }
    known(serde_json::from_str(item.get()).unwrap_or_default()).unwrap_or_else(|kind| {
        let says = format!("a message has a part of the unknown type {kind:?}");
        findings.push(Finding::new(FindingKind::Unknown, at.clone(), says));
        // Its source is kept as words, so that nothing is lost.
        Some(Piece::Text(item.get().to_owned()))
    })
}

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
    /// A file that is no picture.
    Attachment(Box<Attachment>),
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
    /// What the model was given.
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
    fn enrich(&mut self, high_level: &Self) {
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
        image: Option<&'a RawValue> = "image",
        name: Text<'a> = "name" | "filename",
        held: Text<'a> = "content",
        address: Text<'a> = "uri",
        media_type: Text<'a> = "mimeType" | "mediaType",
        image_url: Option<&'a RawValue> = "image_url",
        options: Option<&'a RawValue> = "providerOptions",
    }
}
wire! { struct WireKind<'a> { kind: Text<'a> = "type", } }
wire! { struct WireAddress<'a> { url: Text<'a> = "url", } }
wire! { struct WireBytes<'a> { hex: Text<'a> = "hex", } }

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
        "file" if is_attached(&stored) => Some(Piece::Attachment(Box::new(attached_file(&stored)))),
        "image" | "file" | "image_url" | "media" => Some(Piece::Image(Box::new(image(&stored)))),
        kind => return Err(kind.to_owned()),
    })
}

fn result(stored: &WirePiece<'_>) -> ToolResult {
    let output = stored.result.or(stored.output).map(|raw| {
        let text = result_text(raw);
        text.map_or_else(|| Payload::from_raw(raw), Payload::Text)
    });
    let output = output
        .filter(|output| !output.is_hollow())
        .or_else(|| stored.content.and_then(result_text).map(Payload::Text));
    ToolResult {
        call_id: stored.call_id.owned(),
        tool_name: stored.tool_name.owned(),
        output: output.or_else(|| stored.result.map(Payload::from_raw)),
        is_error: stored.is_error.0,
        images: stored.content.map(result_images).unwrap_or_default(),
        ..ToolResult::default()
    }
}

/// The words of a list of content; none if it is no such list.
fn result_text(raw: &RawValue) -> Option<String> {
    let texts = content_list(raw).into_iter().filter_map(|item| {
        let stored: WirePiece<'_> = serde_json::from_str(item.get()).unwrap_or_default();
        stored.text.into_owned().filter(|_| stored.kind.filled() == Some("text"))
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The pictures in a list of content. Most hold none, so kinds are looked at before anything else is read.
fn result_images(raw: &RawValue) -> Vec<Image> {
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

/// Whether a `file` is one by its name or its words: one that holds nothing but data is a picture in older builds.
fn is_attached(stored: &WirePiece<'_>) -> bool {
    let is_picture = stored.media_type.filled().is_some_and(|kind| kind.starts_with("image/"));
    let is_named = [&stored.name, &stored.held, &stored.address].iter().any(|text| text.filled().is_some());
    !is_picture && is_named
}

fn attached_file(stored: &WirePiece<'_>) -> Attachment {
    Attachment {
        path: stored.address.owned().or_else(|| stored.name.owned()),
        title: stored.name.owned(),
        text: stored.held.owned(),
        ..Attachment::new(AttachmentKind::File)
    }
}

/// A picture's bytes as a JavaScript array that was written as JSON, in base64.
fn written_bytes(raw: &RawValue) -> Option<String> {
    let written: WireBytes<'_> = serde_json::from_str(raw.get()).ok()?;
    Some(STANDARD.encode(hex::decode(written.hex.filled()?.as_bytes())?))
}

fn image(stored: &WirePiece<'_>) -> Image {
    if let Some(data) = stored.image.and_then(written_bytes) {
        return Image { media_type: stored.media_type.owned(), data: Some(data), ..Image::default() };
    }
    let address = stored.image_url.and_then(|raw| {
        let inside: WireAddress<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
        inside.url.into_owned().or_else(|| text(raw))
    });
    let named = || stored.image.and_then(text).filter(|text| !text.is_empty());
    let source = address.or_else(named).or_else(|| stored.data.owned()).unwrap_or_default();
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

/// What Cursor says beside a message.
struct CursorOptions {
    pub(super) request_id: Option<String>,
    pub(super) model: Option<String>,
    /// What is of use in Cursor's structured copy of a result.
    high_level: Option<ToolResult>,
}

wire! { struct WireOptions<'a> { cursor: WireCursor<'a> = "cursor", } }
wire! {
    struct WireCursor<'a> {
        request_id: Text<'a> = "requestId",
        model: Text<'a> = "modelName",
        high_level: Option<&'a RawValue> = "highLevelToolCallResult",
    }
}
wire! { struct WireHighLevel<'a> { is_error: Truth = "isError", output: WireOutcome<'a> = "output", } }
wire! {
    struct WireOutcome<'a> {
        success: WireSuccess<'a> = "success",
        rejected: Option<&'a RawValue> = "rejected",
    }
}
wire! {
    struct WireSuccess<'a> {
        path: Text<'a> = "path",
        diff: Text<'a> = "diffString",
        before: Text<'a> = "beforeFullFileContent",
        after: Text<'a> = "afterFullFileContent",
        agent_id: Text<'a> = "agentId",
    }
}

/// `providerOptions.cursor`.
fn cursor_options(raw: &RawValue) -> Option<CursorOptions> {
    let WireOptions { cursor } = serde_json::from_str(raw.get()).ok()?;
    Some(CursorOptions {
        request_id: cursor.request_id.owned(),
        model: cursor.model.filled().and_then(known_model).map(str::to_owned),
        high_level: cursor.high_level.and_then(high_level),
    })
}

fn high_level(raw: &RawValue) -> Option<ToolResult> {
    let stored: WireHighLevel<'_> = serde_json::from_str(raw.get()).ok()?;
    let success = stored.output.success;
    let computed = || {
        let before = success.before.filled().unwrap_or_default();
        diff::unified(success.path.filled().unwrap_or_default(), before, success.after.filled()?)
    };
    Some(ToolResult {
        is_error: stored.is_error.0,
        is_rejected: stored.output.rejected.is_some(),
        diff: success.diff.owned().or_else(computed),
        child: success.agent_id.owned(),
        ..ToolResult::default()
    })
}
