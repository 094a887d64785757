//! What of a message is searched, and as which field: the one table that writing, snippets and exact search share.
//!
//! Text is handed over in pieces, in stored order. JSON that tools were given and answered is read as the text that it stands
//! for ([`payload_text`](crate::payload_text)), so that a line break inside of it is one.

use std::borrow::Cow;

use backscroll_model::json_strings::{JsonPiece, strings};
use backscroll_model::{Message, Part, Payload, TextKind, TextRef, json_strings, named};

named! {
    /// One field of the full text: a column of `words`, in the order of the columns.
    pub enum Field {
        /// A conversation's title.
        Title = "title",
        /// Text, summaries, errors, things to do.
        Said = "said",
        /// Thinking.
        Thinking = "thinking",
        /// What tools were given.
        Arguments = "arguments",
        /// What tools answered, and why they failed.
        Results = "results",
        /// Files and addresses.
        Paths = "paths",
        /// Code that stands apart from the text, and diffs.
        Code = "code",
        /// What stood beside the words.
        Attached = "attached",
    }
}

/// Hands every piece of text in `message` to `take`, with its field.
pub fn pieces(message: &Message, take: &mut dyn FnMut(Field, &str)) {
    message.parts.iter().for_each(|part| pieces_of_part(part, take));
}

/// Hands every piece of text in `part` to `take`, with its field.
pub fn pieces_of_part(part: &Part, take: &mut dyn FnMut(Field, &str)) {
    if let Part::ToolCall(call) = part
        && let Some((path, _)) = call.touches()
    {
        take(Field::Paths, &path);
    }
    part.visit_texts(|kind, text| {
        let Some(field) = field_of(kind) else { return };
        match text {
            TextRef::Payload(payload) => take(field, &payload_text(payload)),
            text => take(field, &text.as_str()),
        }
    });
}

/// The field in which a text is searched, if it is.
fn field_of(kind: TextKind) -> Option<Field> {
    Some(match kind {
        TextKind::Text | TextKind::Summary | TextKind::Error | TextKind::Todo => Field::Said,
        TextKind::Thinking => Field::Thinking,
        TextKind::Arguments => Field::Arguments,
        TextKind::Result | TextKind::ToolError => Field::Results,
        TextKind::ImagePath | TextKind::AttachmentPath | TextKind::CodePath => Field::Paths,
        TextKind::Code | TextKind::Diff => Field::Code,
        TextKind::ImageDescription | TextKind::AttachmentTitle | TextKind::AttachmentText => Field::Attached,
        TextKind::Title
        | TextKind::Workspace
        | TextKind::Mode
        | TextKind::Model
        | TextKind::Sender
        | TextKind::Branch
        | TextKind::PullRequest
        | TextKind::FileName
        | TextKind::Draft
        | TextKind::Plan
        | TextKind::Checkpoint
        | TextKind::Finding
        | TextKind::Origin
        | TextKind::TodoStatus
        | TextKind::ToolName
        | TextKind::RawToolName
        | TextKind::Decision
        | TextKind::MediaType
        | TextKind::ImageData
        | TextKind::Language
        | TextKind::CodeStatus => return None,
    })
}

/// The text of `payload`, as it is searched.
pub fn payload_text(payload: &Payload) -> Cow<'_, str> {
    match payload {
        Payload::Text(text) => Cow::Borrowed(text),
        Payload::Json(json) => Cow::Owned(json_text(json.get())),
    }
}

/// Strings are given without quotes and escapes, the marks between them as spaces. Names are left out: what a tool calls its
/// arguments is nobody's word.
fn json_text(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut at = 0;
    for string in strings(json) {
        outside(&json[at..string.start - 1], &mut text);
        at = (string.end + 1).min(json.len());
        if json[at..].trim_start().starts_with(':') {
            continue;
        }
        json_strings::pieces(&json[string.clone()], |_, piece| match piece {
            JsonPiece::Plain(plain) => text.push_str(plain),
            JsonPiece::Escape('\u{8}' | '\u{c}') => text.push(' '),
            JsonPiece::Escape(c) => text.push(c),
        });
    }
    outside(&json[at..], &mut text);
    text
}

/// Numbers between strings; brackets, colons and commas only part them, and `true`, `false` and `null` say nothing.
fn outside(json: &str, text: &mut String) {
    let is_kept = |c: char| !matches!(c, '{' | '}' | '[' | ']' | ':' | ',') && !c.is_ascii_lowercase();
    text.extend(json.chars().map(|c| if is_kept(c) { c } else { ' ' }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_as_the_text_it_stands_for() {
        let text_of = |json: &str| {
            let payload = Payload::from_text(json.to_owned());
            payload_text(&payload).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(text_of(r#"{"output":"a\nb \"c\" \\d","code":12,"is_ok":true}"#), r#"a b "c" \d 12"#);
        assert_eq!(text_of(r#"["é","\u00e9","\ud83d\ude00","\ud83d"]"#), "é é 😀 \u{fffd}");
        assert_eq!(text_of("plain \\n text"), "plain \\n text");
    }
}
