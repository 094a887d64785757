//! The page of one conversation and that of many: how they look, their controls, their table of contents and the policy
//! that they are shown under.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backscroll_model::{Conversation, Flag, Message, Part, Summary};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::code::Highlighting;
use super::stored::in_a_line;
use super::{facts, findings, message, orphan};
use crate::list::short_workspace;
use crate::phrases::counted;
use crate::{Detail, Options, Shown};

/// Writes `conversation` as a page of its own.
pub fn page(conversation: &Conversation, options: &Options, mut out: impl Write) -> io::Result<()> {
    let look = &Look::new(options);
    let title = facts::title(conversation);
    write(&mut out, &beginning(&title, "reads", &content_policy(&[], &[]), &[STYLE]))?;
    write(&mut out, &bar(&title, options.index.as_deref()))?;
    out.write_all(b"<div class=\"layout\">")?;
    write(&mut out, &contents(&conversation.messages, look))?;
    out.write_all(b"<main id=\"conversation\" tabindex=\"-1\">")?;
    write(&mut out, &facts(conversation, look))?;
    messages(&conversation.messages, look, message, &mut out)?;
    if look.options.detail.shows_orphans() && !conversation.orphans.is_empty() {
        let number = counted(conversation.orphans.len(), "stored message");
        write(&mut out, &html! { h2.apart { (number) " that the conversation does not list" } })?;
        messages(&conversation.orphans, look, orphan, &mut out)?;
    }
    write(&mut out, &findings(conversation, look))?;
    out.write_all(b"</main></div>")?;
    write(&mut out, &help("help", KEYS))?;
    write(&mut out, &end(&[SCRIPT]))
}

/// Everything up to and including `<body>`, of a page with these styles inside.
pub(crate) fn beginning(title: &str, kind: &'static str, policy: &str, styles: &[&'static str]) -> Markup {
    html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content="Backscroll";
            title { (title) }
            @for style in styles { style { (PreEscaped(style)) } }
        }
        (PreEscaped("<body class=\"")) (kind) (PreEscaped("\">"))
    }
}

/// The scripts and the end of the file.
pub(crate) fn end(scripts: &[&'static str]) -> Markup {
    html! { @for script in scripts { script { (PreEscaped(script)) } } (PreEscaped("</body></html>\n")) }
}

fn bar(title: &str, index: Option<&str>) -> Markup {
    html! {
        a.skip href="#conversation" { "Skip to the conversation" }
        div.bar {
            @if let Some(address) = index { a.up href=(address) { "All conversations" } }
            span.name { (title) }
            // Where the window is narrow, the table of contents is called up.
            button.prompts-button type="button" popovertarget="contents" { "Prompts" }
            (controls())
        }
    }
}

type Template = fn(&Message, usize, bool, &Look) -> Markup;

fn messages(messages: &[Message], look: &Look, template: Template, out: &mut impl Write) -> io::Result<()> {
    look.options.detail.shown(messages).try_for_each(|Shown { message, number, has_heading }| {
        write(out, &template(message, number, has_heading, look))
    })
}

pub(crate) fn write(out: &mut impl Write, markup: &Markup) -> io::Result<()> {
    out.write_all(markup.0.as_bytes())
}

/// The title of another conversation may be a whole prompt.
const LONGEST_TITLE: usize = 60;

/// How much of an id tells conversations apart.
const SHORT_ID: usize = 12;

/// How messages look. One `Look` serves one page: what may still be coloured on it is counted here.
#[derive(Debug)]
pub struct Look<'a> {
    pub(crate) options: &'a Options,
    /// Where pictures are fetched from, as `<here>/m<message>/<part>`; without it they stand in the page itself.
    pub pictures: Option<String>,
    /// How much code may still be coloured.
    pub(super) highlighting: Highlighting,
}

impl<'a> Look<'a> {
    /// As `options` say.
    pub fn new(options: &'a Options) -> Self {
        Self { options, pictures: None, highlighting: Highlighting::default() }
    }

    pub(super) fn called(&self, id: &str) -> String {
        match self.options.titles.get(id).filter(|title| !title.trim().is_empty()) {
            Some(title) => in_a_line(title, LONGEST_TITLE),
            None => in_a_line(id, SHORT_ID),
        }
    }

    /// How many characters of one result or attachment are shown; `None` for all of them.
    pub(super) fn longest(&self) -> Option<usize> {
        (self.options.detail < Detail::Full).then_some(12_000)
    }
}

/// What messages can be filtered by: the word in the markup, the word for people.
const KINDS: &[(&str, &str)] = &[
    ("", "Everything"),
    ("prompt", "Prompts"),
    ("answer", "Answers"),
    ("thinking", "Thinking"),
    ("tool", "Tools"),
    ("edit", "Edits"),
    ("command", "Commands"),
    ("error", "Errors"),
];

const KEYS: &[(&[&str], &str)] = &[
    (&["j", "k"], "next and previous message"),
    (&["n", "p"], "next and previous prompt"),
    (&["t"], "thinking: folded, open, hidden"),
    (&["o"], "tools: folded, open, hidden"),
    (&["r"], "results of tools: shown or hidden"),
    (&["/"], "filter"),
    (&["c"], "copy the link to this message"),
    (&["d"], "light or dark"),
    (&["?"], "this help"),
    (&["Esc"], "close, or clear the filter"),
];

/// The bar: filter, folding, light and dark, help.
pub fn controls() -> Markup {
    html! {
        div.controls role="group" aria-label="View" {
            label.filter {
                span.spoken { "Filter messages" }
                input #filter type="search" placeholder="Filter  /" autocomplete="off" spellcheck="false";
            }
            label.kinds {
                span.spoken { "Kind of message" }
                select #kind { @for (value, name) in KINDS { option value=(value) { (name) } } }
            }
            output #found aria-live="polite" {}
            span.folding {
                (toggle("thinking", "Thinking", "t"))
                (toggle("tools", "Tools", "o"))
                (toggle("results", "Results", "r"))
            }
            button.icon #theme type="button" title="Light or dark (d)" aria-label="Light or dark" { "◐" }
            button.icon #ask-help type="button" title="Keys (?)" aria-label="Keys" { "?" }
        }
    }
}

fn toggle(what: &'static str, label: &'static str, key: &'static str) -> Markup {
    html! {
        button.toggle type="button" data-toggle=(what) title={ (label) " (" (key) ")" } {
            (label) span.state { "" }
        }
    }
}

pub(crate) fn help(id: &str, keys: &[(&[&str], &str)]) -> Markup {
    html! {
        dialog id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { "Keys" }
            dl {
                @for (keys, does) in keys {
                    div { dt { @for key in *keys { kbd { (key) } " " } } dd { (does) } }
                }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}

/// Links to every prompt among `messages`.
pub fn contents(messages: &[Message], look: &Look) -> Markup {
    let prompts = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message.is_by_person() && look.options.detail.shows_message(message));
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

/// One conversation of the list.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// Where its page lies: a relative address, encoded as one.
    pub address: String,
    /// What is known of it.
    pub summary: Summary,
}

/// Writes the list of `entries` as a page of its own, times in `time_zone`.
pub fn index_page(entries: &[IndexEntry], time_zone: &TimeZone, mut out: impl Write) -> io::Result<()> {
    write(&mut out, &beginning("Conversations", "lists", &content_policy(&[], &[]), &[STYLE]))?;
    let number = counted(entries.len(), "conversation");
    let head = html! {
        header.about {
            h1 { "Conversations" }
            p.place { (number) }
            label.filter { span.spoken { "Filter conversations" } input #filter type="search" placeholder="Filter  /" autocomplete="off"; }
            output #found aria-live="polite" {}
        }
    };
    out.write_all(b"<main id=\"conversation\">")?;
    write(&mut out, &head)?;
    for (name, path, entries) in by_workspace(entries) {
        write(&mut out, &group(&name, path, &entries, time_zone))?;
    }
    out.write_all(b"</main>")?;
    write(&mut out, &end(&[SCRIPT]))
}

/// The name of a workspace, its path, its conversations.
type Group<'a> = (String, Option<&'a str>, Vec<&'a IndexEntry>);

/// The entries of each workspace, latest first. Two workspaces may share their short name, but not their path and host.
/// What belongs to none comes last.
pub(crate) fn by_workspace(entries: &[IndexEntry]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<_, Vec<&IndexEntry>> = BTreeMap::new();
    for entry in entries {
        let workspace = entry.summary.workspace.as_ref();
        let name = workspace.map_or_else(|| "No workspace".to_owned(), short_workspace);
        let key = workspace.map(|workspace| (workspace.path.as_str(), workspace.remote.as_deref()));
        groups.entry((key.is_none(), name, key)).or_default().push(entry);
    }
    let groups = groups.into_iter().map(|((_, name, key), mut entries)| {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.summary.recency()));
        (name, key.map(|(path, _)| path), entries)
    });
    groups.collect()
}

fn group(name: &str, path: Option<&str>, entries: &[&IndexEntry], time_zone: &TimeZone) -> Markup {
    html! {
        section.group {
            h2 { (in_a_line(name, 120)) @if let Some(path) = path { " " span.path { (in_a_line(path, 300)) } } }
            ul { @for entry in entries { (entry_line(entry, time_zone)) } }
        }
    }
}

fn entry_line(entry: &IndexEntry, time_zone: &TimeZone) -> Markup {
    let summary = &entry.summary;
    let title = summary.title.as_deref().map(|title| in_a_line(title, 160)).filter(|title| !title.is_empty());
    html! {
        li.entry {
            a href=(entry.address) { (title.as_deref().unwrap_or("Untitled conversation")) }
            p {
                @if let Some(at) = summary.recency() {
                    time datetime=(at) { (at.to_zoned(time_zone.clone()).strftime("%-d %b %Y")) }
                }
                span { (summary.surface.name()) }
                @if let Some(number) = summary.messages { span { (counted(number, "message")) } }
                @for model in summary.models.iter().take(3) { span { (in_a_line(model, 60)) } }
                @if summary.flags.contains(&Flag::Deleted) { span { "deleted" } }
            }
        }
    }
}

/// The source expression that allows exactly `content`: `'sha256-…'`.
pub fn hash_source(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// The policy of a page with our style and script inside. What else a page brings along, it names by
/// [`hash_source`]s in `more_styles` and `more_scripts`.
pub fn content_policy(more_styles: &[&str], more_scripts: &[&str]) -> String {
    let sources = |ours: &str, more: &[&str]| {
        let hashes = std::iter::once(ours).chain(more.iter().copied()).map(hash_source);
        hashes.collect::<Vec<_>>().join(" ")
    };
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        sources(STYLE, more_styles),
        sources(SCRIPT, more_scripts),
    )
}

/// The style sheet, for light and dark, screen and paper.
pub const STYLE: &str = include_str!("../../assets/page.css");

/// The script: filter, folding, copying, keys. Pages can be read without it.
pub const SCRIPT: &str = include_str!("../../assets/page.js");
