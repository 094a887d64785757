//! Messages and the parts they consist of, one way of showing each.

use std::collections::BTreeSet;

use backscroll_model::{AtIs, Attachment, Image, Message, Moment, Origin, Part, Role, Todo, TodoStatus};
use maud::{Markup, html};

use super::stored::{followable, in_a_line, shown};
use super::{Look, code, markdown, tool_call};
use crate::Detail;
use crate::phrases::{duration, line_range};

/// The message with this number, counted from one; it can be linked to as `#m1`. `has_heading` says whether the speaker
/// is named, see [`starts_heading`](crate::starts_heading).
pub fn message(message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    article('m', message, number, has_heading, look)
}

/// A stored message that its conversation does not list; it can be linked to as `#o1`.
pub fn orphan(message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    article('o', message, number, has_heading, look)
}

fn article(list: char, message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    let role = message.role.name();
    html! {
        article.message.begins[has_heading] id={ (list) (number) } data-role=(role) data-kinds=(kinds(message)) tabindex="-1" {
            @if has_heading { (heading(message, look)) }
            p.handles {
                (code::copy_button("message", "Copy text"))
                a.anchor href={ "#" (list) (number) } aria-label={ "Link to message " (number) } { "#" (number) }
            }
            @for (at, shown) in message.parts.iter().enumerate().filter(|(_, part)| look.options.detail.shows_part(part)) {
                @match shown {
                    Part::Image(picture) if look.pictures.is_some() => {
                        @let place = look.pictures.as_deref().unwrap_or_default();
                        (picture_figure(picture, picture_source(picture).map(|_| format!("{place}/{list}{number}/{at}"))))
                    }
                    // A system prompt is long, and nobody said it.
                    Part::Text(text) if message.role == Role::System => (folded("summary", &html! { "Prompt" }, text, look)),
                    shown => (part(shown, look)),
                }
            }
            @if look.options.detail.shows_origins() { (origins(&message.origin, &message.also)) }
        }
    }
}

fn heading(message: &Message, look: &Look) -> Markup {
    let speaker = in_a_line(&message.speaker(), 80);
    html! {
        header {
            h2 { (speaker) }
            @if let Some(model) = message.model.as_deref().filter(|_| message.role == Role::Assistant) {
                span.model { (in_a_line(model, 80)) }
            }
            (time(message.at, look))
            @if message.deleted { span.tag { "deleted" } }
        }
    }
}

/// When it was said; `≈` where it is not known exactly.
fn time(moment: Moment, look: &Look) -> Markup {
    html! {
        @if let Some(at) = moment.at {
            @let zoned = at.to_zoned(look.options.time_zone.clone());
            time datetime=(at) {
                @if moment.is != AtIs::Exact { "≈ " }
                (zoned.strftime("%-d %b %Y, %H:%M"))
            }
        }
    }
}

/// Where a message was read.
fn origins(origin: &Origin, also: &[Origin]) -> Markup {
    html! {
        details.origins {
            summary { "Origin" }
            ul {
                @for origin in std::iter::once(origin).chain(also) {
                    li { (origin.layer.name()) " " (in_a_line(&origin.file.display().to_string(), 400)) " " (in_a_line(&origin.key, 200)) }
                }
            }
        }
    }
}

/// What the message can be filtered by, in our own words.
fn kinds(message: &Message) -> String {
    let mut kinds = BTreeSet::new();
    if message.is_by_person() {
        kinds.insert("prompt");
    }
    for part in &message.parts {
        let kind = match part {
            Part::Text(_) if message.role == Role::Assistant => "answer",
            Part::Thinking { .. } => "thinking",
            Part::ToolCall(call) => {
                if call.diff.is_some() {
                    kinds.insert("edit");
                }
                if call.name == "shell" {
                    kinds.insert("command");
                }
                if call.error.is_some() || call.status == backscroll_model::ToolStatus::Error {
                    kinds.insert("error");
                }
                "tool"
            }
            Part::Error(_) => "error",
            Part::Code(_) => "edit",
            _ => continue,
        };
        kinds.insert(kind);
    }
    kinds.into_iter().collect::<Vec<_>>().join(" ")
}

/// One part of a message.
pub fn part(part: &Part, look: &Look) -> Markup {
    match part {
        Part::Text(text) => html! { div.part.text { (markdown(text, look)) } },
        Part::Thinking { text, duration_ms } => {
            let took =
                html! { @if let Some(milliseconds) = duration_ms { " for " (duration(*milliseconds)) } };
            folded("thinking", &html! { "Thought" (took) }, text, look)
        }
        Part::ToolCall(call) => tool_call(call, look),
        Part::Image(image) => picture_figure(image, picture_source(image)),
        Part::Attachment(attachment) => attached(attachment, look),
        Part::Code(code) => html! { div.part.proposal { (code::proposed(code, look)) } },
        Part::Summary(text) => folded("summary", &html! { "Summary of what was said before" }, text, look),
        Part::Error(text) => {
            html! { p.part.error role="note" { span.spoken { "Error: " } (shown(text.trim())) } }
        }
        Part::Todos(list) => todo_list(list),
    }
}

/// Long text that is folded below `heading`.
pub(super) fn folded(kind: &'static str, heading: &Markup, text: &str, look: &Look) -> Markup {
    html! {
        details class={ "part " (kind) } {
            summary { (heading) }
            div.inside.text { (markdown(text, look)) }
        }
    }
}

/// One attachment: a line, which unfolds where its content is stored.
pub(super) fn attached(attachment: &Attachment, look: &Look) -> Markup {
    let text = attachment.text.as_deref().filter(|text| !text.trim().is_empty());
    html! {
        @match text {
            Some(text) if look.options.detail >= Detail::Normal => {
                details.part.attachment {
                    summary { (attachment_line(attachment)) }
                    div.inside {
                        @if attachment.kind.is_of_a_file() { (code::of_file(attachment.path.as_deref(), text, look)) }
                        @else { (tool_call::payload_text("", text, None, look)) }
                    }
                }
            }
            _ => { p.part.attachment { (attachment_line(attachment)) } }
        }
    }
}

fn attachment_line(attachment: &Attachment) -> Markup {
    let lines = line_range(attachment.lines, '–');
    html! {
        span.kind { (attachment.kind.name()) }
        @if let Some(path) = &attachment.path {
            " "
            @match followable(path) {
                Some(address) => { a.path href=(address) rel="noopener noreferrer" { (in_a_line(path, 300)) } }
                None => { span.path { (in_a_line(path, 300)) (lines) } }
            }
        } @else if !lines.is_empty() { " " span.path { (lines) } }
        @if let Some(title) = &attachment.title { " " span.words { (in_a_line(title, 300)) } }
    }
}

/// Kinds of pictures that hold dots and no program, and how their base64 begins.
const PICTURES: &[(&str, &str)] =
    &[("image/png", "iVBORw0KGgo"), ("image/jpeg", "/9j/"), ("image/gif", "R0lGOD"), ("image/webp", "UklGR")];

/// The picture at `source`, or what is known of it.
fn picture_figure(image: &Image, source: Option<String>) -> Markup {
    let words = image.description.as_deref().map(|words| in_a_line(words, 500));
    html! {
        figure.part.image {
            @if let Some(source) = source {
                img src=(source) alt=(words.as_deref().unwrap_or("a picture without description")) loading="lazy";
            }
            figcaption {
                span.kind { "image" }
                @if let Some(path) = &image.path { " " span.path { (in_a_line(path, 300)) } }
                @if let Some(kind) = &image.media_type { " " span.media-type { (in_a_line(kind, 60)) } }
                @if let Some(words) = &words { " " span.words { (words) } }
            }
        }
    }
}

/// The picture as an address, if its data are what they should be. What it is, its first bytes tell, not a label.
fn picture_source(image: &Image) -> Option<String> {
    let stored = image.data.as_deref()?;
    let data = stored.rsplit_once("base64,").map_or(stored, |(_, data)| data).trim();
    let (kind, _) = PICTURES.iter().find(|(_, beginning)| data.starts_with(beginning))?;
    let is_base64 =
        data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    is_base64.then(|| format!("data:{kind};base64,{data}"))
}

pub(super) fn todo_list(todos: &[Todo]) -> Markup {
    html! {
        ul.part.todos {
            @for todo in todos {
                @let (word, sign) = match todo.progress() {
                    TodoStatus::Pending => ("open", "○"),
                    TodoStatus::InProgress => ("begun", "◐"),
                    TodoStatus::Completed => ("done", "✓"),
                    TodoStatus::Cancelled => ("dropped", "✗"),
                };
                li class=(word) {
                    span.sign aria-hidden="true" { (sign) }
                    span { span.spoken { (word) ": " } (shown(todo.content.trim())) }
                }
            }
        }
    }
}
