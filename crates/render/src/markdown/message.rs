//! Messages under their headings: a turn begins with what the user said, an answer where the speaker or model changes.

use std::io::{self, Write};

use backscroll_model::{AtIs, Message, Origin, Part, Role};

use super::blocks::Blocks;
use super::{Look, inline, part};

/// How much of a prompt stands in its heading.
const IN_HEADING: usize = 70;

/// The turns of a conversation.
pub(super) struct Turns<'a> {
    look: &'a Look<'a>,
    /// Where the conversation was read: its files are told once, at the beginning.
    read_from: &'a [Origin],
    /// The prompts so far; `None` where they are not counted.
    prompts: Option<usize>,
    before: Option<&'a Message>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(look: &'a Look<'a>, read_from: &'a [Origin]) -> Self {
        Self { look, read_from, prompts: Some(0), before: None }
    }

    /// Turns that stand below a heading of their own.
    pub(super) fn of_orphans(look: &'a Look<'a>, read_from: &'a [Origin]) -> Self {
        Self { prompts: None, ..Self::new(look, read_from) }
    }

    /// Writes `messages` in order.
    pub(super) fn write<W: Write>(
        mut self,
        blocks: &mut Blocks<W>,
        messages: &'a [Message],
    ) -> io::Result<()> {
        for message in messages.iter().filter(|message| self.look.detail.shows_message(message)) {
            if self.before.is_none_or(|before| begins_anew(before, message)) {
                blocks.block(&self.heading(message))?;
            }
            if message.role == Role::User || message.deleted {
                blocks.block(&about(message, self.look))?;
            }
            if self.look.detail.shows_origins() {
                blocks.block(&self.origins(message))?;
            }
            for part in message.parts.iter().filter(|part| self.look.detail.shows_part(part)) {
                part::write(blocks, part, message.role, self.look)?;
            }
            self.before = Some(message);
        }
        Ok(())
    }

    /// Where a message was read, in one line.
    fn origins(&self, message: &Message) -> String {
        let is_told = |origin: &Origin| self.read_from.iter().any(|known| known.file == origin.file);
        let told = |origin: &Origin| {
            if is_told(origin) {
                format!("{} {}", origin.layer.name(), inline::code(&origin.key)).trim_end().to_owned()
            } else {
                place(origin)
            }
        };
        let also = message.also.iter().map(|origin| format!(" · *also* {}", told(origin)));
        format!("*From* {}{}", told(&message.origin), also.collect::<Vec<_>>().concat())
    }

    fn heading(&mut self, message: &Message) -> String {
        match (message.role, self.prompts.as_mut()) {
            (Role::User, Some(prompts)) => {
                *prompts += 1;
                format!("## {prompts} · {}", prompt(message))
            }
            (Role::User, None) => format!("### {}", prompt(message)),
            (Role::Assistant, _) => match message.model.as_deref().map(inline::words) {
                Some(model) if !model.is_empty() => format!("### Assistant · {model}"),
                _ => "### Assistant".to_owned(),
            },
            (Role::System, _) => "### System".to_owned(),
            (Role::Tool, _) => "### Tool".to_owned(),
        }
    }
}

fn begins_anew(before: &Message, message: &Message) -> bool {
    message.role == Role::User
        || before.role != message.role
        || before.deleted != message.deleted
        || (message.model.is_some() && before.model != message.model)
}

/// The first words of a prompt; what else stands in it where there are none.
fn prompt(message: &Message) -> String {
    let words = message.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(inline::first_words(text, IN_HEADING)).filter(|words| !words.is_empty()),
        _ => None,
    });
    words.unwrap_or_else(|| "(no words)".to_owned())
}

/// Who said it and when; `≈` where the time is not known exactly.
fn about(message: &Message, look: &Look<'_>) -> String {
    let who = match message.role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::System => "System",
        Role::Tool => "Tool",
    };
    let mut about = format!("**{who}**");
    if let Some(at) = message.at.at {
        let sign = if message.at.is == AtIs::Exact { "" } else { "≈ " };
        let at = at.to_zoned(look.time_zone.clone());
        about = format!("{about} · {sign}{}", at.strftime("%Y-%m-%d %H:%M"));
    }
    for (is, word) in [(message.simulated, "simulated"), (message.deleted, "deleted")] {
        if is {
            about = format!("{about} · {word}");
        }
    }
    about
}

/// Where a fact was read, as spans of code.
pub(super) fn place(origin: &Origin) -> String {
    let file = inline::code(&origin.file.display().to_string());
    format!("{} {file} {}", origin.layer.name(), inline::code(&origin.key)).trim_end().to_owned()
}
