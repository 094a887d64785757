//! Code: blocks of Markdown, proposed changes, contents of files.

use backscroll_model::Code;
use maud::{Markup, html};
use syntect::parsing::SyntaxReference;

use super::stored::{bounded, in_a_line, shown};
use super::{Look, diff, figure, language};

/// A fenced block of Markdown, under the tag of its fence.
pub(super) fn fenced(tag: &str, code: &str, look: &Look) -> Markup {
    if let Some(place) = Quoted::parse(tag) {
        let caption = html! { span.path { (in_a_line(place.path, 200)) } " " (place.lines) };
        return figure::block(
            "code",
            &caption,
            &look.highlighting.colour(code, language::of_file(place.path)),
        );
    }
    let name = tag.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    if name.eq_ignore_ascii_case("diff") || name.eq_ignore_ascii_case("patch") {
        return diff::block(code, "diff");
    }
    let syntax = language::named(name);
    let caption = syntax.map_or_else(|| in_a_line(name, 40), |syntax| readable_name(syntax).to_owned());
    figure::block("code", &caption, &look.highlighting.colour(code, syntax))
}

/// The content of the file `path`.
pub(super) fn of_file(path: Option<&str>, text: &str, look: &Look) -> Markup {
    let (kept, lines) = bounded(text, look.longest());
    let syntax = path.and_then(language::of_file);
    let caption = path.map(|path| in_a_line(path, 200)).unwrap_or_default();
    html! {
        (figure::block("code", &caption, &look.highlighting.colour(&shown(kept), syntax)))
        (figure::left_out(lines))
    }
}

/// Code that the agent proposed apart from its words.
pub(super) fn proposed(code: &Code, look: &Look) -> Markup {
    let path = code.path.as_deref();
    let syntax =
        code.language.as_deref().and_then(language::named).or_else(|| path.and_then(language::of_file));
    let caption = html! {
        @if let Some(path) = path { span.path { (in_a_line(path, 200)) } }
        @else if let Some(language) = &code.language { (in_a_line(language, 40)) }
        @else { "code" }
        @if let Some(status) = &code.status { " " span.tag { (in_a_line(status, 40)) } }
    };
    match &code.diff {
        Some(changed) => diff::captioned(changed, &caption),
        None => figure::block("code", &caption, &look.highlighting.colour(&shown(&code.text), syntax)),
    }
}

/// What people call the language.
fn readable_name(syntax: &SyntaxReference) -> &str {
    match syntax.name.as_str() {
        "Bourne Again Shell (bash)" => "Shell",
        "TypeScriptReact" => "TSX",
        "JavaScript (Babel)" => "JavaScript",
        name => name,
    }
}

/// The tag with which the editor's agents quote a stretch of a file: `12:15:src/main.rs`.
struct Quoted<'a> {
    lines: String,
    path: &'a str,
}

impl<'a> Quoted<'a> {
    fn parse(tag: &'a str) -> Option<Self> {
        let mut pieces = tag.trim().splitn(3, ':');
        let (first, last, path) = (pieces.next()?, pieces.next()?, pieces.next()?);
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        (!path.is_empty()).then(|| Self { lines: format!("{first}–{last}"), path })
    }
}
