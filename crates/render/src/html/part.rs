//! The parts of a message, one way of showing each.

use backscroll_model::Part;
use maud::{Markup, html};

use super::stored::shown;
use super::{Look, attachment, code, image, markdown, todos, tool_call};
use crate::terminal::folded::duration;

/// One part of a message.
pub fn part(part: &Part, look: &Look) -> Markup {
    match part {
        Part::Text(text) => html! { div.part.text { (markdown(text, look)) } },
        Part::Thinking { text, duration_ms } => thinking(text, *duration_ms, look),
        Part::ToolCall(call) => tool_call(call, look),
        Part::Image(image) => image::image(image),
        Part::Attachment(attachment) => attachment::attachment(attachment, look),
        Part::Code(code) => html! { div.part.proposal { (code::proposed(code, look)) } },
        Part::Summary(text) => folded("summary", &html! { "Summary of what was said before" }, text, look),
        Part::Error(text) => {
            html! { p.part.error role="note" { span.spoken { "Error: " } (shown(text.trim())) } }
        }
        Part::Todos(list) => todos::todos(list),
    }
}

fn thinking(text: &str, duration_ms: Option<u64>, look: &Look) -> Markup {
    let heading =
        html! { "Thought" @if let Some(milliseconds) = duration_ms { " for " (duration(milliseconds)) } };
    folded("thinking", &heading, text, look)
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
