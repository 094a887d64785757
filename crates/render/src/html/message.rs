//! One message: who speaks, when, with which model; then its parts.

use std::collections::BTreeSet;

use backscroll_model::{AtIs, Message, Moment, Origin, Part, Role};
use maud::{Markup, html};

use super::stored::in_a_line;
use super::{Look, figure, image, part};

/// The message with this number, counted from one; it can be linked to as `#m1`. `has_heading` says whether the speaker
/// is named, see [`begins_anew`].
pub fn message(message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    article('m', message, number, has_heading, look)
}

/// A stored message that its conversation does not list; it can be linked to as `#o1`.
pub fn orphan(message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    article('o', message, number, has_heading, look)
}

/// Whether the speaker of `message` must be named after `before`: at each prompt, and where speaker or model change.
pub fn begins_anew(before: Option<&Message>, message: &Message) -> bool {
    before.is_none_or(|before| {
        message.role == Role::User
            || before.role != message.role
            || before.deleted != message.deleted
            || (message.model.is_some() && before.model != message.model)
    })
}

fn article(list: char, message: &Message, number: usize, has_heading: bool, look: &Look) -> Markup {
    let role = message.role.name();
    html! {
        article.message.begins[has_heading] id={ (list) (number) } data-role=(role) data-kinds=(kinds(message)) tabindex="-1" {
            @if has_heading { (heading(message, look)) }
            p.handles {
                (figure::copy_button("message", "Copy text"))
                a.anchor href={ "#" (list) (number) } aria-label={ "Link to message " (number) } { "#" (number) }
            }
            @for (at, shown) in message.parts.iter().enumerate().filter(|(_, part)| look.detail.shows_part(part)) {
                @match shown {
                    Part::Image(picture) if look.pictures.is_some() => {
                        @let place = look.pictures.as_deref().unwrap_or_default();
                        (image::fetched(picture, format!("{place}/{list}{number}/{at}")))
                    }
                    // A system prompt is long, and nobody said it.
                    Part::Text(text) if message.role == Role::System => (part::folded("summary", &html! { "Prompt" }, text, look)),
                    shown => (part(shown, look)),
                }
            }
            @if look.detail.shows_origins() { (origins(&message.origin, &message.also)) }
        }
    }
}

fn heading(message: &Message, look: &Look) -> Markup {
    let speaker = match message.role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::System => "System",
        Role::Tool => "Tool",
    };
    html! {
        header {
            h2 { (speaker) }
            @if let Some(model) = message.model.as_deref().filter(|_| message.role == Role::Assistant) {
                span.model { (in_a_line(model, 80)) }
            }
            (time(message.at, look))
            @if message.simulated { span.tag { "simulated" } }
            @if message.deleted { span.tag { "deleted" } }
        }
    }
}

/// When it was said; `≈` where it is not known exactly.
fn time(moment: Moment, look: &Look) -> Markup {
    html! {
        @if let Some(at) = moment.at {
            @let zoned = at.to_zoned(look.time_zone.clone());
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
    if message.role == Role::User {
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
