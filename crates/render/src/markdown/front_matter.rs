//! YAML front matter: the facts of a conversation, for Obsidian's properties and for whoever searches a folder.

use std::fmt::Write;

use backscroll_model::Conversation;

use super::facts::{self, Fact};
use super::{Look, yaml};

/// The front matter of `conversation`, with its marks.
pub(super) fn of(conversation: &Conversation, look: &Look<'_>) -> String {
    let mut text = "---\n".to_owned();
    for (name, fact) in facts::of(conversation) {
        let written = match fact {
            Fact::Text(value) => writeln!(text, "{name}: {}", yaml::quoted(&value)),
            Fact::Plain(value) => writeln!(text, "{name}: {value}"),
            Fact::Texts(values) => {
                let item = |text: &mut String, value: &String| writeln!(text, "  - {}", yaml::quoted(value));
                writeln!(text, "{name}:")
                    .and_then(|()| values.iter().try_for_each(|value| item(&mut text, value)))
            }
        };
        written.expect("writing to a string cannot fail");
    }
    text + &format!("times_in: {}\n---\n", yaml::quoted(&zone(look)))
}

/// The name of the zone in which times are told.
pub(super) fn zone(look: &Look<'_>) -> String {
    look.time_zone.iana_name().unwrap_or("local time").to_owned()
}
