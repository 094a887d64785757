//! The page of a replay: the conversation as any page shows it, the player around it, the play as data at its end.

use std::collections::HashMap;
use std::io::{self, Write};

use backscroll_model::{Conversation, KeptFiles, Message, MessageId, Side};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use super::script::{Chapter, Play, play};
use crate::html::{self, Look, beginning, content_policy, end, facts, help, markdown, message, write};
use crate::phrases::counted;
use crate::{Detail, Options};

/// How many messages lie on one leaf: the player leaps by leaves, and browsers leave far ones aside.
const LEAF: usize = 12;

/// What the player needs besides the play.
#[derive(Serialize)]
struct Data<'a> {
    schema: &'static str,
    zone: Option<&'a str>,
    play: &'a Play,
}

/// Writes `conversation` as a page that plays it, behind `notes` in Markdown. Hide and redact first: all that is in it may be in the
/// page.
pub fn page(
    mut conversation: Conversation,
    options: &Options,
    notes: Option<&str>,
    mut out: impl Write,
) -> io::Result<()> {
    let look = &Look::new(options);
    keep_shown(&mut conversation, options.detail);
    let play = play(&conversation);
    let title = conversation.summary.title.clone().filter(|title| !title.trim().is_empty());
    let title = crate::text::one_line(title.as_deref().unwrap_or("Untitled conversation"));
    write(&mut out, &beginning(&title, "replays", &policy(), &[html::STYLE, STYLE]))?;
    write(&mut out, &bar(&title))?;
    out.write_all(b"<div class=\"stage\">")?;
    write(&mut out, &chapter_list(&play))?;
    out.write_all(b"<main id=\"conversation\" tabindex=\"-1\">")?;
    write(&mut out, &facts(&conversation, look))?;
    if let Some(notes) = notes {
        write(&mut out, &html! { section.notes.text aria-label="Notes" { (markdown(notes, look)) } })?;
    }
    messages(&conversation, &play, look, &mut out)?;
    out.write_all(b"<div class=\"runway\" aria-hidden=\"true\"></div></main>")?;
    write(&mut out, &files())?;
    out.write_all(b"</div>")?;
    write(&mut out, &player())?;
    write(&mut out, &help("replay-help", KEYS))?;
    let zone = options.time_zone.iana_name();
    write_data(&Data { schema: "backscroll.replay/1", zone, play: &play }, &mut out)?;
    write(&mut out, &end(&[html::SCRIPT, SCRIPT]))
}

/// The content security policy of the page, for the server.
pub fn policy() -> String {
    content_policy(&[STYLE], &[SCRIPT])
}

/// Leaves only what is shown, so that a step's numbers are those of the elements on the page.
fn keep_shown(conversation: &mut Conversation, detail: Detail) {
    for message in &mut conversation.messages {
        message.parts.retain(|part| detail.shows_part(part));
    }
    let is_shown = |message: &Message| detail.shows_message(message) && !message.parts.is_empty();
    hand_over(&mut conversation.kept_files, &conversation.messages, is_shown);
    conversation.messages.retain(is_shown);
}

fn messages(conversation: &Conversation, play: &Play, look: &Look, out: &mut impl Write) -> io::Result<()> {
    let mut pauses = vec![None; conversation.messages.len()];
    for step in play.steps.iter().filter(|step| step.idle.is_some()) {
        if let Some(pause) = pauses.get_mut(step.message) {
            *pause = pause.or(step.idle);
        }
    }
    for (shown, pause) in Detail::Full.shown(&conversation.messages).zip(pauses) {
        if shown.number % LEAF == 1 {
            out.write_all(if shown.number == 1 {
                b"<div class=\"leaf\">"
            } else {
                b"</div><div class=\"leaf\">"
            })?;
        }
        if let Some(pause) = pause {
            write(out, &html! { p.pause-between { (rough(pause)) " later" } })?;
        }
        write(out, &message(shown.message, shown.number, shown.has_heading, look))?;
    }
    out.write_all(if conversation.messages.is_empty() { b"" } else { b"</div>" })
}

const SPEEDS: &[&str] = &["0.5", "1", "1.5", "2", "4", "8"];

const KEYS: &[(&[&str], &str)] = &[
    (&["Space"], "play or pause"),
    (&["←", "→"], "previous and next step"),
    (&["↑", "↓"], "previous and next chapter (also p and n)"),
    (&["Home", "End"], "beginning and end"),
    (&["<", ">"], "slower and faster"),
    (&["e"], "next edit"),
    (&["s"], "next command"),
    (&["x"], "next error"),
    (&["f"], "files: shown or hidden"),
    (&["l"], "follow the play again"),
    (&["d"], "light or dark"),
    (&["?"], "this help"),
];

pub(super) fn bar(title: &str) -> Markup {
    html! {
        a.skip href="#conversation" { "Skip to the conversation" }
        div.bar {
            span.name { (title) }
            div.controls role="group" aria-label="View" {
                button.sheet-button type="button" data-sheet="chapters" aria-expanded="false" aria-controls="chapters" { "Chapters" }
                button.sheet-button type="button" data-sheet="files" aria-expanded="false" aria-controls="files" { "Files" }
                button.icon #theme type="button" title="Light or dark (d)" aria-label="Light or dark" { "◐" }
                button.icon #ask-replay-help type="button" title="Keys (?)" aria-label="Keys" { "?" }
            }
        }
    }
}

pub(super) fn files() -> Markup {
    html! {
        aside.shelf #files aria-label="Files at this moment" hidden {
            div.tabs #tabs role="tablist" aria-label="Touched files" {}
            div.file-head {
                span.path #file-path {}
                span.file-kept #file-kept hidden title="Cursor's own checkpoint says that the file stood just so" { "✓ checkpoint" }
                span.file-change #file-change {}
                button #unpin type="button" hidden title="Show the file of the step again" { "Follow edits" }
            }
            p.trouble #file-trouble role="note" hidden {}
            div.file-view #file-view role="tabpanel" tabindex="0" aria-labelledby="file-path" { div.file-rows #file-rows {} }
        }
    }
}

pub(super) fn player() -> Markup {
    html! {
        p.later-toast #later hidden aria-live="polite" {}
        button.follow #follow type="button" hidden { "Follow ↓" }
        section.player #player aria-label="Player" {
            div.scrub {
                canvas #marks aria-hidden="true" {}
                input #position type="range" min="0" max="1000" value="0" step="1" aria-label="Position";
                output.tip #tip hidden {}
            }
            div.buttons {
                (button("previous-chapter", "Previous chapter (↑)", "M6 5v14M19 5 9 12l10 7z"))
                (button("previous-step", "Previous step (←)", "M15 5 6 12l9 7z"))
                button.play #play-pause type="button" title="Play or pause (space)" aria-label="Play" aria-pressed="false" {
                    (raw(r#"<svg viewBox="0 0 24 24" aria-hidden="true"><path class="is-paused" d="M7 4v16l13-8z"/><path class="is-playing" d="M6 4h4v16H6zM14 4h4v16h-4z"/></svg>"#))
                }
                (button("next-step", "Next step (→)", "m9 5 9 7-9 7z"))
                (button("next-chapter", "Next chapter (↓)", "M18 5v14M5 5l10 7-10 7z"))
                span.clock { span #elapsed { "0:00" } " / " span #total { "0:00" } }
                span.now { time #real {} span #turn {} }
                span.caption #caption {}
                span.legend #legend role="group" aria-label="Go to the next" {}
                label.speed {
                    span.spoken { "Speed" }
                    select #speed {
                        @for speed in SPEEDS { option value=(speed) selected[*speed == "1"] { (speed) "×" } }
                    }
                }
            }
        }
    }
}

fn button(id: &'static str, says: &'static str, shape: &'static str) -> Markup {
    html! {
        button.icon id=(id) type="button" title=(says) aria-label=(says) {
            (raw(r#"<svg viewBox="0 0 24 24" aria-hidden="true"><path d=""#)) (raw(shape)) (raw(r#""/></svg>"#))
        }
    }
}

fn chapter_list(play: &Play) -> Markup {
    html! {
        nav.chapters #chapters aria-label="Chapters" {
            h2 { "Chapters" }
            ol {
                @for chapter in &play.chapters {
                    @if let Some(step) = play.steps.get(chapter.step) {
                        li {
                            a href={ "#m" (step.message + 1) } data-step=(chapter.step) {
                                @if let Some(idle) = step.idle { span.pause { (rough(idle)) " later" } }
                                span.title { (chapter.title) }
                                span.meta { (about(chapter)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `gpt-5 · 3 min · 2 edits · 1 command`.
fn about(chapter: &Chapter) -> String {
    let counted = |count: usize, one: &str| (count > 0).then(|| counted(count, one));
    let told = [
        chapter.model.clone(),
        chapter.took.map(rough),
        counted(chapter.edits, "edit"),
        counted(chapter.commands, "command"),
        counted(chapter.errors, "error"),
    ];
    told.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// `45 s`, `12 min`, `3 h`, `2 days`.
fn rough(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Where the player finds its data.
const DATA_BEGINNING: &str = r#"<script type="application/json" id="play">"#;

/// Writes `value` as a block of data. Within JSON `<`, `>` and `&` stand only in strings, so they can be spelled
/// otherwise everywhere; the separators of lines that old JavaScript did not know are spelled out too.
fn write_data(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(DATA_BEGINNING.as_bytes())?;
    serde_json::to_writer(Escaping(&mut *out), value)?;
    out.write_all(b"</script>")
}

/// Spells out what could be taken for markup.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let spelled: &[u8] = match byte {
                b'<' => b"\\u003c",
                b'>' => b"\\u003e",
                b'&' => b"\\u0026",
                _ => continue,
            };
            self.0.write_all(&bytes[from..at])?;
            self.0.write_all(spelled)?;
            from = at + 1;
        }
        self.0.write_all(&bytes[from..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Markup that was written by hand.
pub(super) fn raw(text: &'static str) -> PreEscaped<&'static str> {
    PreEscaped(text)
}

/// Hands the checkpoints of all `messages` that are not shown to the next one that is, or else to the last.
fn hand_over(kept: &mut KeptFiles, messages: &[Message], is_shown: impl Fn(&Message) -> bool) {
    if kept.checkpoints.is_empty() {
        return;
    }
    let mut order: HashMap<&MessageId, usize> = HashMap::new();
    let mut next_shown: Vec<Option<&Message>> = vec![None; messages.len()];
    let mut next = None;
    for (at, message) in messages.iter().enumerate().rev() {
        next = if is_shown(message) { Some(message) } else { next };
        next_shown[at] = next;
        order.insert(&message.id, at);
    }
    let last_shown = messages.iter().rev().find(|message| is_shown(message));
    kept.checkpoints.retain(|checkpoint| order.contains_key(&checkpoint.message));
    kept.checkpoints.sort_by_key(|checkpoint| (order.get(&checkpoint.message).copied(), checkpoint.side));
    for checkpoint in &mut kept.checkpoints {
        let Some(at) = order.get(&checkpoint.message).copied().filter(|at| !is_shown(&messages[*at])) else {
            continue;
        };
        let heir = match (next_shown[at], last_shown) {
            (Some(next), _) => Some((next, Side::Before)),
            (None, last) => last.map(|last| (last, Side::After)),
        };
        if let Some((message, side)) = heir {
            (checkpoint.message, checkpoint.side) = (message.id.clone(), side);
        }
    }
}

pub(super) const STYLE: &str = include_str!("../../assets/replay.css");

/// The player, behind what colours its files.
pub(super) const SCRIPT: &str =
    concat!(include_str!("../../assets/code-colour.js"), include_str!("../../assets/replay.js"));

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Checkpoint, Layer, Origin, Role};

    use super::*;

    #[test]
    fn spans_are_rough() {
        let table = [
            (400, "400 ms"),
            (45_000, "45 s"),
            (720_000, "12 min"),
            (10_900_000, "3 h"),
            (259_200_000, "3 days"),
        ];
        for (milliseconds, expected) in table {
            assert_eq!(rough(milliseconds), expected);
        }
    }

    #[test]
    fn data_cannot_end_its_element() {
        let text = "</script><!--<script>&amp;\u{2028}é";
        let mut page = Vec::new();
        write_data(&text, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let data = page.strip_prefix(DATA_BEGINNING).unwrap().strip_suffix("</script>").unwrap();
        assert!(!data.contains(['<', '>', '&']), "{data}");
        assert_eq!(serde_json::from_str::<String>(data).unwrap(), text);
    }

    #[test]
    fn checkpoints_of_the_unseen_go_to_their_neighbours() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), "key");
        let message = |id: &str| Message::new(id, Role::Assistant, origin.clone());
        let messages: Vec<Message> = ["a", "hidden-1", "b", "hidden-2"].map(message).into();
        let checkpoint =
            |message: &str, side| Checkpoint { message: message.into(), side, states: Vec::new() };
        let mut kept = KeptFiles {
            states: Vec::new(),
            checkpoints: vec![
                checkpoint("hidden-2", Side::Before),
                checkpoint("b", Side::Before),
                checkpoint("hidden-1", Side::After),
                checkpoint("elsewhere", Side::After),
                checkpoint("a", Side::After),
            ],
        };
        hand_over(&mut kept, &messages, |message| !message.id.as_str().starts_with("hidden"));
        let told: Vec<(&str, Side)> =
            kept.checkpoints.iter().map(|one| (one.message.as_str(), one.side)).collect();
        let expected = [("a", Side::After), ("b", Side::Before), ("b", Side::Before), ("b", Side::After)];
        assert_eq!(told, expected);
    }
}
