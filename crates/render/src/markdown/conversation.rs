//! A conversation as a document: its facts in front matter, its messages in order, its findings; and the index of many.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use backscroll_model::{Conversation, Finding, Flag, Image, Origin, Tokens, Touch};
use jiff::tz::TimeZone;

use super::blocks::{self, Blocks};
use super::message::{self, Turns};
use super::prose;
use crate::html::{IndexEntry, by_workspace};
use crate::phrases::{counted, finding_counts};
use crate::{Detail, Options};

/// The title of a conversation may be a whole prompt; a heading need not.
const LONGEST_TITLE: usize = 120;

/// Writes `conversation` as a Markdown document: its facts in front matter, or in a list if it shares its file. `picture` gives the
/// address of a picture that lies beside the document.
pub fn conversation(
    conversation: &Conversation,
    options: &Options,
    picture: &dyn Fn(&Image) -> Option<String>,
    mut out: impl Write,
) -> io::Result<()> {
    let look = &Look { options, picture };
    let mut blocks = Blocks::new(&mut out);
    if !look.options.is_shared {
        blocks.block(&front_matter(conversation, look))?;
    }
    let title = conversation.summary.title.as_deref().unwrap_or_default();
    let title = Some(blocks::first_words(title, LONGEST_TITLE)).filter(|title| !title.is_empty());
    blocks.block(&format!("# {}", title.as_deref().unwrap_or("Untitled conversation")))?;
    if look.options.is_shared {
        list(&mut blocks, conversation, look)?;
    }
    started(&mut blocks, conversation, look)?;
    if look.options.detail >= Detail::Normal && !conversation.facts.todos.is_empty() {
        blocks.block("**To do**")?;
        message::todos(&mut blocks, &conversation.facts.todos)?;
    }
    read_from(&mut blocks, &conversation.summary.origins, look)?;
    Turns::new(look, &conversation.summary.origins).write(&mut blocks, &conversation.messages)?;
    unsent(&mut blocks, conversation)?;
    orphans(&mut blocks, conversation, look)?;
    write_findings(&mut blocks, &conversation.findings, look)
}

/// Where the conversations before and behind this one are.
fn started(blocks: &mut Blocks<'_>, conversation: &Conversation, look: &Look<'_>) -> io::Result<()> {
    if let Some(link) = conversation.summary.parent.as_ref().and_then(|parent| look.link_to(parent.as_str()))
    {
        blocks.block(&format!("Started by {link}."))?;
    }
    let children: Vec<String> =
        conversation.summary.children.iter().filter_map(|child| look.link_to(child.as_str())).collect();
    if children.is_empty() { Ok(()) } else { blocks.block(&format!("Started {}.", children.join(", "))) }
}

/// Which places tell of the conversation.
fn read_from(blocks: &mut Blocks<'_>, origins: &[Origin], look: &Look<'_>) -> io::Result<()> {
    if !look.options.detail.shows_origins() || origins.is_empty() {
        return Ok(());
    }
    blocks.block("**Read from**")?;
    origins.iter().try_for_each(|origin| blocks.item(&message::place(origin)))
}

fn unsent(blocks: &mut Blocks<'_>, conversation: &Conversation) -> io::Result<()> {
    match conversation.facts.draft.as_deref().map(prose::typed).filter(|draft| !draft.is_empty()) {
        Some(draft) => {
            blocks.block("## Never sent")?;
            blocks.block(&blocks::quoted(&draft))
        }
        None => Ok(()),
    }
}

fn orphans(blocks: &mut Blocks<'_>, conversation: &Conversation, look: &Look<'_>) -> io::Result<()> {
    let orphans = &conversation.orphans;
    if orphans.is_empty() {
        return Ok(());
    }
    if look.options.detail.shows_orphans() {
        blocks.block("## Stored, but not listed")?;
        return Turns::of_orphans(look, &conversation.summary.origins).write(blocks, orphans);
    }
    let number = counted(orphans.len(), "stored message");
    blocks.block(&format!("*{number} that the conversation does not list: see `--detail full`*"))
}

/// How a Markdown document is written.
pub(super) struct Look<'a> {
    pub(super) options: &'a Options,
    /// Gives the address of a picture that lies beside the document.
    pub(super) picture: &'a dyn Fn(&Image) -> Option<String>,
}

/// A title may be a whole prompt.
const LONGEST_LINK: usize = 80;

impl Look<'_> {
    /// A link to another conversation, if it has an address.
    pub(super) fn link_to(&self, id: &str) -> Option<String> {
        let address = blocks::destination(self.options.links.get(id)?);
        let title = self.options.titles.get(id).map(|title| blocks::first_words(title, LONGEST_LINK));
        let called = title.filter(|title| !title.is_empty()).unwrap_or_else(|| blocks::words(id));
        Some(format!("[{called}]({address})"))
    }
}

pub(super) enum FrontFact {
    /// Stored text.
    Text(String),
    /// A time, a number: nothing that needs quoting.
    Plain(String),
    /// Several texts.
    Texts(Vec<String>),
}

/// All facts under their names. Names are those of the outer contract where it has one.
fn facts_of(conversation: &Conversation) -> Vec<(&'static str, FrontFact)> {
    let (summary, facts) = (&conversation.summary, &conversation.facts);
    let text = |text: &Option<String>| text.clone().map(FrontFact::Text);
    let plain = |value: Option<String>| value.map(FrontFact::Plain);
    let texts = |texts: Vec<String>| (!texts.is_empty()).then_some(FrontFact::Texts(texts));
    let workspace = summary.workspace.as_ref();
    let (changed, read) = files(conversation);
    let ids = |ids: &[backscroll_model::ConversationId]| ids.iter().map(ToString::to_string).collect();
    let of_tokens = |bucket: fn(Tokens) -> Option<u64>| {
        plain(facts.tokens.and_then(bucket).map(|count| count.to_string()))
    };
    let told = [
        ("id", Some(FrontFact::Text(summary.id.to_string()))),
        ("title", text(&summary.title)),
        ("workspace", workspace.map(|workspace| FrontFact::Text(workspace.path.clone()))),
        ("remote", workspace.and_then(|workspace| text(&workspace.remote))),
        ("created_at", plain(summary.created_at.map(|at| at.to_string()))),
        ("updated_at", plain(summary.updated_at.map(|at| at.to_string()))),
        ("surface", Some(FrontFact::Plain(summary.surface.name().to_owned()))),
        ("mode", text(&summary.mode)),
        ("models", texts(summary.models.clone())),
        ("messages", Some(FrontFact::Plain(conversation.messages.len().to_string()))),
        ("tokens_input", of_tokens(|tokens| Some(tokens.input))),
        ("tokens_output", of_tokens(|tokens| Some(tokens.output))),
        ("tokens_cache_read", of_tokens(|tokens| tokens.cache_read)),
        ("tokens_cache_write", of_tokens(|tokens| tokens.cache_write)),
        ("tokens_reasoning", of_tokens(|tokens| tokens.reasoning)),
        ("lines_added", plain(facts.lines.map(|lines| lines.added.to_string()))),
        ("lines_removed", plain(facts.lines.map(|lines| lines.removed.to_string()))),
        ("cost_cents", plain(facts.cost_cents.map(|cents| cents.to_string()))),
        ("branches", texts(branches(conversation))),
        ("pull_requests", texts(facts.pull_requests.clone())),
        ("plans", texts(facts.plans.clone())),
        ("flags", texts(summary.flags.iter().map(|flag| flag.name().to_owned()).collect())),
        ("parent", summary.parent.as_ref().map(|parent| FrontFact::Text(parent.to_string()))),
        ("children", texts(ids(&conversation.summary.children))),
        ("files_changed", texts(changed.into_iter().collect())),
        ("files_read", texts(read.into_iter().collect())),
    ];
    told.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

fn branches(conversation: &Conversation) -> Vec<String> {
    let facts = &conversation.facts;
    let last = facts.branch.iter().filter(|branch| !facts.branches.contains(branch));
    facts.branches.iter().chain(last).cloned().collect()
}

/// The files that were changed, and those that were only read or attached.
fn files(conversation: &Conversation) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut changed, mut read) = (BTreeSet::new(), BTreeSet::new());
    for touched in conversation.touched() {
        match touched.how {
            Touch::Edited | Touch::Deleted => changed.insert(touched.path),
            Touch::Read | Touch::Attached => read.insert(touched.path),
            Touch::TriedToEdit => false,
        };
    }
    read.retain(|path| !changed.contains(path));
    (changed, read)
}

/// Writes the facts as a list, for a conversation that is one of several in a document.
pub(super) fn list(blocks: &mut Blocks<'_>, conversation: &Conversation, look: &Look<'_>) -> io::Result<()> {
    for (name, fact) in facts_of(conversation) {
        let told = match fact {
            FrontFact::Text(_) if name == "title" => continue,
            FrontFact::Text(text) => blocks::words(&text),
            FrontFact::Plain(text) => text,
            FrontFact::Texts(texts) => {
                texts.iter().map(|text| blocks::words(text)).collect::<Vec<_>>().join(", ")
            }
        };
        blocks.item(&format!("{}: {told}", name.replace('_', " ")))?;
    }
    blocks.item(&format!("times in: {}", zone(look)))
}

/// The front matter of `conversation`, with its marks.
fn front_matter(conversation: &Conversation, look: &Look<'_>) -> String {
    let mut text = "---\n".to_owned();
    for (name, fact) in facts_of(conversation) {
        let written = match fact {
            FrontFact::Text(value) => writeln!(text, "{name}: {}", yaml_quoted(&value)),
            FrontFact::Plain(value) => writeln!(text, "{name}: {value}"),
            FrontFact::Texts(values) => {
                let item = |text: &mut String, value: &String| writeln!(text, "  - {}", yaml_quoted(value));
                writeln!(text, "{name}:")
                    .and_then(|()| values.iter().try_for_each(|value| item(&mut text, value)))
            }
        };
        written.expect("writing to a string cannot fail");
    }
    text + &format!("times_in: {}\n---\n", yaml_quoted(&zone(look)))
}

pub(super) fn zone(look: &Look<'_>) -> String {
    look.options.time_zone.iana_name().unwrap_or("local time").to_owned()
}

/// `text` as a double-quoted YAML scalar on one line.
fn yaml_quoted(text: &str) -> String {
    let mut scalar = String::with_capacity(text.len() + 2);
    scalar.push('"');
    for c in text.chars() {
        match c {
            '"' => scalar.push_str("\\\""),
            '\\' => scalar.push_str("\\\\"),
            '\n' => scalar.push_str("\\n"),
            '\r' => scalar.push_str("\\r"),
            '\t' => scalar.push_str("\\t"),
            c if is_unprintable(c) => {
                // All of these lie in the plane that four digits name.
                write!(scalar, "\\u{:04X}", u32::from(c)).expect("writing to a string cannot fail");
            }
            c => scalar.push(c),
        }
    }
    scalar.push('"');
    scalar
}

/// What YAML does not allow, takes for a line break, or an editor would obey.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn write_findings(blocks: &mut Blocks<'_>, findings: &[Finding], look: &Look<'_>) -> io::Result<()> {
    if findings.is_empty() || look.options.detail == Detail::Talk {
        return Ok(());
    }
    if look.options.detail == Detail::Full {
        blocks.block("## Findings")?;
        return findings.iter().try_for_each(|finding| {
            let place = message::place(&finding.at);
            blocks.item(&format!("**{}**: {} ({place})", finding.kind.name(), blocks::words(&finding.says)))
        });
    }
    let (total, kinds) = finding_counts(findings);
    blocks.block(&format!("*{total} ({kinds}): see `--detail full`*"))
}

/// How much of a title stands in the list.
const LONGEST_ENTRY: usize = 100;

/// Writes the list of `entries`, days in `time_zone`.
pub fn index(entries: &[IndexEntry], time_zone: &TimeZone, mut out: impl Write) -> io::Result<()> {
    let mut blocks = Blocks::new(&mut out);
    blocks.block("# Conversations")?;
    blocks.block(&format!("{}, by workspace, latest first.", counted(entries.len(), "conversation")))?;
    for (name, path, entries) in by_workspace(entries) {
        blocks.block(&format!("## {}", blocks::escaped(&name)))?;
        if let Some(path) = path {
            blocks.block(&blocks::code(path))?;
        }
        for entry in entries {
            blocks.item(&line(entry, time_zone))?;
        }
    }
    Ok(())
}

fn line(entry: &IndexEntry, time_zone: &TimeZone) -> String {
    let summary = &entry.summary;
    let title = blocks::first_words(summary.title.as_deref().unwrap_or_default(), LONGEST_ENTRY);
    let title = if title.is_empty() { "Untitled conversation".to_owned() } else { title };
    let mut line = format!("[{title}]({})", blocks::destination(&entry.address));
    if let Some(at) = summary.recency() {
        line = format!("{} · {line}", at.to_zoned(time_zone.clone()).strftime("%Y-%m-%d"));
    }
    let messages = summary.messages.map(|messages| format!(" · {}", counted(messages, "message")));
    let deleted = if summary.flags.contains(&Flag::Deleted) { " · deleted" } else { "" };
    format!("{line}{}{deleted}", messages.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::yaml_quoted;

    #[test]
    fn every_text_is_one_quoted_line() {
        let table = [
            ("yes", "\"yes\""),
            ("a: b # c", "\"a: b # c\""),
            ("---\nb: c", "\"---\\nb: c\""),
            ("\"\\", "\"\\\"\\\\\""),
            ("\u{0}\u{85}\u{202e}\u{2028}", "\"\\u0000\\u0085\\u202E\\u2028\""),
            ("日本", "\"日本\""),
        ];
        for (text, expected) in table {
            assert_eq!(yaml_quoted(text), expected);
        }
    }
}
