//! A conversation as one file: nothing is fetched, nothing foreign runs. Written message by message.

use std::io::{self, Write};

use backscroll_model::{Conversation, Message};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    Look, PageLook, SCRIPT, STYLE, begins_anew, content_policy, contents, controls, facts, findings, help,
    message, orphan,
};
use crate::terminal::folded::counted;

/// Writes `conversation` as a page of its own.
pub fn page(conversation: &Conversation, look: &PageLook, mut out: impl Write) -> io::Result<()> {
    let inner = &look.look;
    let title = facts::title(conversation);
    out.write_all(beginning(&title, "reads").0.as_bytes())?;
    write(&mut out, &bar(&title, look.index.as_deref()))?;
    out.write_all(b"<div class=\"layout\">")?;
    write(&mut out, &contents(&conversation.messages, inner))?;
    out.write_all(b"<main id=\"conversation\" tabindex=\"-1\">")?;
    write(&mut out, &facts(conversation, inner))?;
    messages(&conversation.messages, inner, message, &mut out)?;
    if inner.detail.shows_orphans() && !conversation.orphans.is_empty() {
        let number = counted(u64::try_from(conversation.orphans.len()).unwrap_or(u64::MAX), "stored message");
        write(&mut out, &html! { h2.apart { (number) " that the conversation does not list" } })?;
        messages(&conversation.orphans, inner, orphan, &mut out)?;
    }
    write(&mut out, &findings(conversation, inner))?;
    out.write_all(b"</main></div>")?;
    write(&mut out, &help())?;
    out.write_all(end().0.as_bytes())
}

/// Everything up to and including `<body>`.
pub(super) fn beginning(title: &str, kind: &'static str) -> Markup {
    html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(content_policy(&[], &[]));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content="Backscroll";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
        (PreEscaped("<body class=\"")) (kind) (PreEscaped("\">"))
    }
}

/// The script and the end of the file.
pub(super) fn end() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } (PreEscaped("</body></html>\n")) }
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
    let mut before: Option<&Message> = None;
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| look.detail.shows_message(message))
    {
        write(out, &template(message, at + 1, begins_anew(before, message), look))?;
        before = Some(message);
    }
    Ok(())
}

fn write(out: &mut impl Write, markup: &Markup) -> io::Result<()> {
    out.write_all(markup.0.as_bytes())
}
