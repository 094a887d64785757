//! Code, diffs and output: a block under its caption, coloured where its language is known.
//!
//! What a tag says is never written into the page: only classes of our own are.

use std::cell::Cell;
use std::sync::LazyLock;

use backscroll_model::Code;
use maud::{Markup, PreEscaped, Render, html};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::Look;
use super::stored::{bounded, in_a_line, shown};
use crate::terminal::{DiffLine, diff_lines, diff_stat};

/// A fenced block of Markdown, under the tag of its fence.
pub(super) fn fenced(tag: &str, code: &str, look: &Look) -> Markup {
    if let Some(place) = Quoted::parse(tag) {
        let caption = html! { span.path { (in_a_line(place.path, 200)) } " " (place.lines) };
        return block("code", &caption, &look.highlighting.colour(code, language_of_file(place.path)));
    }
    let name = tag.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    if name.eq_ignore_ascii_case("diff") || name.eq_ignore_ascii_case("patch") {
        return diff_block(code, "diff");
    }
    let syntax = language_named(name);
    let caption = syntax.map_or_else(|| in_a_line(name, 40), |syntax| readable_name(syntax).to_owned());
    block("code", &caption, &look.highlighting.colour(code, syntax))
}

pub(super) fn of_file(path: Option<&str>, text: &str, look: &Look) -> Markup {
    let (kept, lines) = bounded(text, look.longest());
    let syntax = path.and_then(language_of_file);
    let caption = path.map(|path| in_a_line(path, 200)).unwrap_or_default();
    html! {
        (block("code", &caption, &look.highlighting.colour(&shown(kept), syntax)))
        (left_out(lines))
    }
}

/// Code that the agent proposed apart from its words.
pub(super) fn proposed(code: &Code, look: &Look) -> Markup {
    let path = code.path.as_deref();
    let syntax =
        code.language.as_deref().and_then(language_named).or_else(|| path.and_then(language_of_file));
    let caption = html! {
        @if let Some(path) = path { span.path { (in_a_line(path, 200)) } }
        @else if let Some(language) = &code.language { (in_a_line(language, 40)) }
        @else { "code" }
        @if let Some(status) = &code.status { " " span.tag { (in_a_line(status, 40)) } }
    };
    match &code.diff {
        Some(changed) => captioned(changed, &caption),
        None => block("code", &caption, &look.highlighting.colour(&shown(&code.text), syntax)),
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

/// A block whose content is `inside`, under `caption`. `kind` is one of our own classes.
pub(super) fn block(kind: &'static str, caption: &impl Render, inside: &Markup) -> Markup {
    html! {
        figure class={ "block " (kind) } {
            figcaption {
                span.caption { (caption) }
                (copy_button("block", "Copy"))
            }
            pre tabindex="0" { code { (inside) } }
        }
    }
}

/// A button that copies; it is shown only where the script runs.
pub(super) fn copy_button(what: &'static str, label: &'static str) -> Markup {
    html! { button.copy type="button" data-copy=(what) { (label) } }
}

pub(super) fn left_out(lines: usize) -> Markup {
    html! {
        @if lines > 0 {
            p.left-out { "… " (lines) @if lines == 1 { " more line" } @else { " more lines" } ", not shown at this level of detail" }
        }
    }
}

/// A diff in colour, under how much it changes.
pub fn diff(changed: &str) -> Markup {
    captioned(changed, &"diff")
}

/// A diff under `caption` and how much it changes.
pub(super) fn captioned(changed: &str, caption: &impl Render) -> Markup {
    diff_block(changed, html! { (caption) " " (stat(changed)) })
}

/// How much a diff changes: `+3 −1`.
pub(super) fn stat(changed: &str) -> Markup {
    let stat = diff_stat(changed);
    html! { span.stat { span.added { "+" (stat.added) } " " span.removed { "−" (stat.removed) } } }
}

/// A diff in colour under just `caption`.
fn diff_block(changed: &str, caption: impl Render) -> Markup {
    let changed = shown(changed);
    let lines = html! {
        @for (kind, line) in diff_lines(&changed) { span class=[line_class(kind)] { (line) } }
    };
    block("diff", &caption, &lines)
}

fn line_class(kind: DiffLine) -> Option<&'static str> {
    match kind {
        DiffLine::Added => Some("added"),
        DiffLine::Removed => Some("removed"),
        DiffLine::Heading => Some("heading"),
        DiffLine::Hunk => Some("hunk"),
        DiffLine::Same => None,
    }
}

/// Every language that we can colour.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// What a fence or an editor calls a language, where the syntaxes call it something else.
const ALSO_CALLED: &[(&str, &str)] = &[
    ("shell", "bash"),
    ("console", "bash"),
    ("shellscript", "bash"),
    ("zsh", "bash"),
    ("terminal", "bash"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("jsonl", "json"),
    ("typescriptreact", "tsx"),
    ("javascriptreact", "js"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("mts", "ts"),
    ("cts", "ts"),
    ("golang", "go"),
    ("csharp", "cs"),
    ("vscdb", ""),
];

/// Words that name no language, though a syntax is called so.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "output"];

pub(super) fn language_named(name: &str) -> Option<&'static SyntaxReference> {
    let name = name.trim();
    // No language has a longer name, and stored ones can be a page long.
    if name.len() > 40 || PLAIN.iter().any(|plain| name.eq_ignore_ascii_case(plain)) {
        return None;
    }
    let other = ALSO_CALLED.iter().find(|(called, _)| name.eq_ignore_ascii_case(called));
    SYNTAXES.find_syntax_by_token(other.map_or(name, |(_, other)| other))
}

/// The language that files such as `path` are written in.
fn language_of_file(path: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit(['/', '\\']).next()?;
    language_named(name.rsplit('.').next()?).or_else(|| language_named(name))
}

const LONGEST_BLOCK: usize = 64 * 1024;

/// Lines longer than this are nobody's handwriting, and grammars take their time over them.
const LONGEST_LINE: usize = 2_000;

/// How many bytes are coloured on one page.
const LONGEST_PAGE: usize = 96 * 1024;

/// What may still be coloured.
#[derive(Debug)]
pub(super) struct Highlighting {
    left: Cell<usize>,
}

impl Default for Highlighting {
    fn default() -> Self {
        Self { left: Cell::new(LONGEST_PAGE) }
    }
}

impl Highlighting {
    /// `code` in the colours of `syntax`, or plain where that would take too long.
    pub(super) fn colour(&self, code: &str, syntax: Option<&SyntaxReference>) -> Markup {
        let is_short = code.len() <= LONGEST_BLOCK && code.lines().all(|line| line.len() <= LONGEST_LINE);
        let left = self.left.get().checked_sub(code.len()).filter(|_| is_short);
        let coloured = syntax.zip(left).and_then(|(syntax, left)| {
            self.left.set(left);
            coloured(code, syntax)
        });
        coloured.map_or_else(|| code.render(), PreEscaped)
    }
}

/// `code` with a span around each run of one class; `None` where the grammar gives up.
fn coloured(code: &str, syntax: &SyntaxReference) -> Option<String> {
    let mut spans = Spans { html: String::with_capacity(code.len() * 2), class: "" };
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    for line in code.split_inclusive('\n') {
        // The grammars want every line to end.
        let ended = if line.ends_with('\n') { line.to_owned() } else { format!("{line}\n") };
        let changes = state.parse_line(&ended, &SYNTAXES).ok()?;
        let mut from = 0;
        for (at, change) in changes {
            spans.write(line.get(from..at.min(line.len())).unwrap_or_default(), class_of(&stack));
            from = at.min(line.len()).max(from);
            stack.apply(&change).ok()?;
        }
        spans.write(line.get(from..).unwrap_or_default(), class_of(&stack));
    }
    Some(spans.end())
}

/// Spans as they are written, neighbours of one class as one.
struct Spans {
    html: String,
    class: &'static str,
}

impl Spans {
    fn write(&mut self, text: &str, class: &'static str) {
        // White space needs no colour, so it does not end a span.
        let is_seen = text.contains(|c: char| !c.is_whitespace());
        if is_seen && class != self.class {
            self.close();
            if !class.is_empty() {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
            }
            self.class = class;
        }
        text.render_to(&mut self.html);
    }

    fn close(&mut self) {
        if !self.class.is_empty() {
            self.html.push_str("</span>");
        }
        self.class = "";
    }

    fn end(mut self) -> String {
        self.close();
        self.html
    }
}

/// Scopes and the class of what stands in them; longer scopes stand before their beginnings.
const CLASSES: &[(&str, &str)] = &[
    ("comment", "c"),
    ("constant.character.escape", "n"),
    ("string", "s"),
    ("constant", "n"),
    ("keyword.operator", ""),
    ("keyword", "k"),
    ("storage", "k"),
    ("variable.language", "k"),
    ("entity.name.function", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.name.tag", "k"),
    ("entity.other.attribute-name", "f"),
    ("entity.name", "t"),
    ("entity.other.inherited-class", "t"),
    ("support.type", "t"),
    ("support.class", "t"),
    ("markup.inserted", "i"),
    ("markup.deleted", "d"),
    ("markup.heading", "k"),
];

static SCOPES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    CLASSES.iter().filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, *class))).collect()
});

/// The class of what stands in `stack`, the innermost scope first; empty for plain text.
fn class_of(stack: &ScopeStack) -> &'static str {
    let known = |scope: &Scope| SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope));
    stack.scopes.iter().rev().find_map(known).map_or("", |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::{language_named, *};

    #[test]
    fn languages_are_found_by_the_names_people_use() {
        let table = [
            ("rust", Some("Rust")),
            ("TS", Some("TypeScript")),
            ("typescriptreact", Some("TypeScriptReact")),
            ("toml", Some("TOML")),
            ("shell", Some("Bourne Again Shell (bash)")),
            ("text", None),
            ("\"><script>", None),
        ];
        for (name, expected) in table {
            assert_eq!(language_named(name).map(|syntax| syntax.name.as_str()), expected, "{name}");
        }
        assert_eq!(language_of_file("C:\\a\\b.py").map(|syntax| syntax.name.as_str()), Some("Python"));
        assert_eq!(language_of_file("app/Dockerfile").map(|syntax| syntax.name.as_str()), Some("Dockerfile"));
        assert!(language_of_file("notes").is_none());
    }

    #[test]
    fn code_is_coloured_by_a_few_classes_and_keeps_its_text() {
        let html =
            Highlighting::default().colour("fn a() { \"<b>\" } // x", language_named("rust")).into_string();
        insta::assert_snapshot!(html, @r#"<span class="k">fn </span><span class="f">a</span>() { <span class="s">&quot;&lt;b&gt;&quot; </span>} <span class="c">// x</span>"#);
    }

    #[test]
    fn what_is_too_long_stays_plain() {
        let highlighting = Highlighting::default();
        let block = "let a = 1;\n".repeat(LONGEST_BLOCK / 11);
        assert!(highlighting.colour(&block, language_named("rust")).into_string().contains("<span"));
        let second = highlighting.colour(&block, language_named("rust")).into_string();
        assert!(!second.contains("<span"), "the page's share is used up");
        assert!(
            highlighting.colour("let a = 1;", language_named("rust")).into_string().contains("<span"),
            "but for little"
        );
        let long_line = format!("let a = {};", "1".repeat(LONGEST_LINE));
        assert!(
            !Highlighting::default()
                .colour(&long_line, language_named("rust"))
                .into_string()
                .contains("<span")
        );
    }
}
