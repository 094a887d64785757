//! What stood beside the words: files, selections, links, rules, context of the editor.

use backscroll_model::{Attachment, LineRange};
use maud::{Markup, html};

use super::address::followable;
use super::stored::in_a_line;
use super::{Look, code, payload};
use crate::Detail;

/// One attachment: a line, which unfolds where its content is stored.
pub(super) fn attachment(attachment: &Attachment, look: &Look) -> Markup {
    let text = attachment.text.as_deref().filter(|text| !text.trim().is_empty());
    html! {
        @match text {
            Some(text) if look.detail >= Detail::Normal => {
                details.part.attachment {
                    summary { (line(attachment)) }
                    div.inside {
                        @if attachment.kind.is_of_a_file() { (code::of_file(attachment.path.as_deref(), text, look)) }
                        @else { (payload::text("", text, None, look)) }
                    }
                }
            }
            _ => { p.part.attachment { (line(attachment)) } }
        }
    }
}

fn line(attachment: &Attachment) -> Markup {
    let lines = match attachment.lines {
        Some(LineRange { first, last }) if first == last => format!(":{first}"),
        Some(LineRange { first, last }) => format!(":{first}–{last}"),
        None => String::new(),
    };
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
