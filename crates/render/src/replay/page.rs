//! The page of a replay: the conversation as any page shows it, the player around it, the play as data at its end.

use std::io::{self, Write};

use backscroll_model::{Conversation, Message};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use super::chapter_list::chapter_list;
use super::data_block;
use super::kept_files::hand_over;
use super::script::{Play, play};
use super::spans::rough;
use super::{assets, panels};
use crate::html::{self, Look, begins_anew, content_policy, facts, markdown, message};

/// How a replay looks.
#[derive(Debug)]
pub struct ReplayLook {
    /// How its messages look.
    pub look: Look,
    /// Words in front of it, in Markdown.
    pub notes: Option<String>,
}

/// How many messages lie on one leaf: the player leaps by leaves, and browsers leave far ones aside.
const LEAF: usize = 12;

/// What the player is told besides the play.
#[derive(Serialize)]
struct Data<'a> {
    schema: &'static str,
    zone: Option<&'a str>,
    play: &'a Play,
}

/// Writes `conversation` as a page that plays it. Hide and redact first: all that is in it may be in the page.
pub fn page(mut conversation: Conversation, look: &ReplayLook, mut out: impl Write) -> io::Result<()> {
    let inner = &look.look;
    keep_shown(&mut conversation, inner);
    let play = play(&conversation);
    let title = conversation.summary.title.clone().filter(|title| !title.trim().is_empty());
    let title = crate::text::one_line(title.as_deref().unwrap_or("Untitled conversation"));
    write(&mut out, &beginning(&title))?;
    write(&mut out, &panels::bar(&title))?;
    out.write_all(b"<div class=\"stage\">")?;
    write(&mut out, &chapter_list(&play))?;
    out.write_all(b"<main id=\"conversation\" tabindex=\"-1\">")?;
    write(&mut out, &facts(&conversation, inner))?;
    if let Some(notes) = &look.notes {
        write(&mut out, &html! { section.notes.text aria-label="Notes" { (markdown(notes, inner)) } })?;
    }
    messages(&conversation, &play, inner, &mut out)?;
    out.write_all(b"<div class=\"runway\" aria-hidden=\"true\"></div></main>")?;
    write(&mut out, &panels::files())?;
    out.write_all(b"</div>")?;
    write(&mut out, &panels::player())?;
    write(&mut out, &panels::help())?;
    let zone = inner.time_zone.iana_name();
    data_block::write(&Data { schema: "backscroll.replay/1", zone, play: &play }, &mut out)?;
    write(&mut out, &end())
}

/// The content security policy of the page, for whoever serves it.
pub fn policy() -> String {
    content_policy(&[assets::STYLE], &[assets::SCRIPT])
}

/// Leaves only what is shown, so that a step's numbers are those of the elements on the page.
fn keep_shown(conversation: &mut Conversation, look: &Look) {
    let detail = look.detail;
    for message in &mut conversation.messages {
        message.parts.retain(|part| detail.shows_part(part));
    }
    let is_shown = |message: &Message| detail.shows_message(message) && !message.parts.is_empty();
    hand_over(&mut conversation.kept_files, &conversation.messages, is_shown);
    conversation.messages.retain(is_shown);
}

fn beginning(title: &str) -> Markup {
    html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content="Backscroll";
            title { (title) }
            style { (PreEscaped(html::STYLE)) }
            style { (PreEscaped(assets::STYLE)) }
        }
        (PreEscaped("<body class=\"replays\">"))
    }
}

fn end() -> Markup {
    html! {
        script { (PreEscaped(html::SCRIPT)) }
        script { (PreEscaped(assets::SCRIPT)) }
        (PreEscaped("</body></html>\n"))
    }
}

fn messages(conversation: &Conversation, play: &Play, look: &Look, out: &mut impl Write) -> io::Result<()> {
    let mut pauses = vec![None; conversation.messages.len()];
    for step in play.steps.iter().filter(|step| step.idle.is_some()) {
        if let Some(pause) = pauses.get_mut(step.message) {
            *pause = pause.or(step.idle);
        }
    }
    let mut before: Option<&Message> = None;
    for ((at, told), pause) in conversation.messages.iter().enumerate().zip(pauses) {
        if at % LEAF == 0 {
            out.write_all(if at == 0 { b"<div class=\"leaf\">" } else { b"</div><div class=\"leaf\">" })?;
        }
        if let Some(pause) = pause {
            write(out, &html! { p.pause-between { (rough(pause)) " later" } })?;
        }
        write(out, &message(told, at + 1, begins_anew(before, told), look))?;
        before = Some(told);
    }
    out.write_all(if conversation.messages.is_empty() { b"" } else { b"</div>" })
}

fn write(out: &mut impl Write, markup: &Markup) -> io::Result<()> {
    out.write_all(markup.0.as_bytes())
}
