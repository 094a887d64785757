//! What of a message is searched, and as which field: the one table that writing, snippets and exact search share.
//!
//! Text is handed over in pieces, in stored order. JSON that tools were given and answered is told as the text that it stands
//! for ([`payload_text`](crate::payload_text)), so that a line break inside of it is one.

use backscroll_model::{Attachment, Code, Image, Message, Part, Payload, ToolCall};

use crate::payload_text::payload_text;

/// One field of the full text: a column of `words`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// A conversation's title.
    Title,
    /// Text, summaries, errors, things to do.
    Said,
    /// Thinking.
    Thinking,
    /// What tools were given.
    Arguments,
    /// What tools answered, and why they failed.
    Results,
    /// Files and addresses.
    Paths,
    /// Code that stands apart from the text, and diffs.
    Code,
    /// What stood beside the words.
    Attached,
}

impl Field {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 8] = [
        Self::Title,
        Self::Said,
        Self::Thinking,
        Self::Arguments,
        Self::Results,
        Self::Paths,
        Self::Code,
        Self::Attached,
    ];

    /// The name of its column.
    pub fn name(self) -> &'static str {
        crate::schema::WORD_COLUMNS[self as usize]
    }
}

/// Hands every piece of text in `message` to `take`, with its field.
pub fn pieces(message: &Message, take: &mut dyn FnMut(Field, &str)) {
    message.parts.iter().for_each(|part| pieces_of_part(part, take));
}

/// Hands every piece of text in `part` to `take`, with its field.
pub fn pieces_of_part(part: &Part, take: &mut dyn FnMut(Field, &str)) {
    match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) => take(Field::Said, text),
        Part::Thinking { text, .. } => take(Field::Thinking, text),
        Part::ToolCall(call) => of_call(call, take),
        Part::Image(image) => of_image(image, take),
        Part::Attachment(attachment) => of_attachment(attachment, take),
        Part::Code(code) => of_code(code, take),
        Part::Todos(todos) => todos.iter().for_each(|todo| take(Field::Said, &todo.content)),
    }
}

fn of_call(call: &ToolCall, take: &mut dyn FnMut(Field, &str)) {
    if let Some((path, _)) = call.touches() {
        take(Field::Paths, &path);
    }
    of_payload(Field::Arguments, call.arguments.as_ref(), take);
    of_payload(Field::Results, call.result.as_ref(), take);
    if let Some(error) = &call.error {
        take(Field::Results, error);
    }
    if let Some(diff) = &call.diff {
        take(Field::Code, diff);
    }
}

fn of_payload(field: Field, payload: Option<&Payload>, take: &mut dyn FnMut(Field, &str)) {
    if let Some(payload) = payload {
        take(field, &payload_text(payload));
    }
}

fn of_image(image: &Image, take: &mut dyn FnMut(Field, &str)) {
    if let Some(path) = &image.path {
        take(Field::Paths, path);
    }
    if let Some(description) = &image.description {
        take(Field::Attached, description);
    }
}

fn of_attachment(attachment: &Attachment, take: &mut dyn FnMut(Field, &str)) {
    if let Some(path) = &attachment.path {
        take(Field::Paths, path);
    }
    for text in [&attachment.title, &attachment.text].into_iter().flatten() {
        take(Field::Attached, text);
    }
}

fn of_code(code: &Code, take: &mut dyn FnMut(Field, &str)) {
    if let Some(path) = &code.path {
        take(Field::Paths, path);
    }
    take(Field::Code, &code.text);
    if let Some(diff) = &code.diff {
        take(Field::Code, diff);
    }
}
