//! What a tool was given or answered, field by field.

use backscroll_model::Payload;
use maud::{Markup, html};
use syntect::parsing::SyntaxReference;

use super::stored::{bounded, in_a_line, shown};
use super::{Look, figure, language};
use crate::terminal::payload::{Fields, fields, readable};

/// All of `payload` under `name`, without the fields that are shown elsewhere.
pub(super) fn whole(name: &'static str, payload: &Payload, without: &[&str], look: &Look) -> Markup {
    let Some(Fields(mut fields)) = fields(payload) else {
        return html! { @if !payload.is_hollow() { (text(name, payload.as_str(), None, look)) } };
    };
    fields.retain(|(key, value)| {
        !without.contains(&key.as_str()) && !matches!(value.get(), "null" | "\"\"" | "[]" | "{}")
    });
    let (long, short): (Vec<_>, Vec<_>) =
        fields.into_iter().map(|(key, value)| (key, readable(value))).partition(|(_, text)| is_long(text));
    html! {
        @if !short.is_empty() {
            dl.fields {
                @for (key, value) in &short {
                    div { dt { (in_a_line(key, 80)) } dd { (shown(value)) } }
                }
            }
        }
        @for (key, value) in &long {
            (text(&in_a_line(key, 80), value, json(value), look))
        }
    }
}

/// A block of text under `name`.
pub(super) fn text(name: &str, text: &str, syntax: Option<&SyntaxReference>, look: &Look) -> Markup {
    let (kept, lines) = bounded(text, look.longest());
    html! {
        (figure::block("output", &name, &look.highlighting.colour(&shown(kept), syntax)))
        (figure::left_out(lines))
    }
}

/// The field of `payload` that is called one of `names`, if it is text with anything in it.
pub(super) fn field(payload: Option<&Payload>, names: &[&str]) -> Option<String> {
    let fields = payload?.text_fields();
    let found = names.iter().find_map(|name| fields.iter().find(|(key, _)| key == name));
    found.map(|(_, text)| text.clone()).filter(|text| !text.trim().is_empty())
}

fn is_long(text: &str) -> bool {
    text.len() > 160 || text.trim_end().contains('\n')
}

fn json(text: &str) -> Option<&'static SyntaxReference> {
    language::named("json").filter(|_| text.starts_with(['{', '[']))
}
