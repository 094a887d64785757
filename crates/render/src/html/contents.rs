//! The table of contents: the prompts of the user, for these are what people remember.

use backscroll_model::{Message, Part, Role};
use maud::{Markup, html};

use super::Look;
use super::stored::in_a_line;

/// Links to every prompt among `messages`.
pub fn contents(messages: &[Message], look: &Look) -> Markup {
    let prompts = messages.iter().enumerate().filter(|(_, message)| {
        message.role == Role::User && !message.simulated && look.detail.shows_message(message)
    });
    html! {
        nav.contents #contents popover aria-label="Prompts" {
            h2 { "Prompts" }
            ol {
                @for (at, message) in prompts {
                    li { a href={ "#m" (at + 1) } { span { (words(message)) } } }
                }
            }
        }
    }
}

/// What a prompt begins with, or what it brings along.
fn words(message: &Message) -> String {
    let text = message.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(in_a_line(text, 90)).filter(|line| !line.is_empty()),
        _ => None,
    });
    let other = || match message.parts.first() {
        Some(Part::Image(_)) => "A picture",
        Some(Part::Attachment(attachment)) => attachment.kind.name(),
        _ => "Without words",
    };
    text.unwrap_or_else(|| other().to_owned())
}
