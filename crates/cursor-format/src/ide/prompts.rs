//! `aiService.prompts` and `aiService.generations`: what the user asked in a workspace, without answers.
//!
//! This is what is left when nothing else is. Prompts have neither time nor id; generations have a time and, at
//! times, a description, but nothing joins the two.

use std::cell::OnceCell;

use backscroll_model::{
    ConversationId, Finding, FindingKind, Fragment, FragmentKind, Message, Moment, Origin, Part, Role,
    Summary, Surface,
};
use jiff::Timestamp;

use super::assemble::has_content;
use crate::user_text::title_line;
use crate::wire_json::{List, Text, When, parse, wire};

wire! { struct WirePrompt<'a> { text: Text<'a> = "text", } }
wire! {
    struct WireGeneration<'a> {
        at: When = "unixMs",
        id: Text<'a> = "generationUUID",
        kind: Text<'a> = "type",
        says: Text<'a> = "textDescription",
    }
}

/// The conversation that a workspace's prompts make, or `None` if there are none.
pub fn prompts(
    id: ConversationId,
    prompts: Option<&[u8]>,
    generations: Option<&[u8]>,
    at: &Origin,
) -> (Option<Fragment>, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut fragment = Fragment::new(Summary::new(id, Surface::IdeChat, at.clone()));
    fragment.kind = FragmentKind::Prompts;
    let repaired = OnceCell::new();
    let prompts: List<WirePrompt<'_>> =
        prompts.map(|b| read(b, &repaired, at, &mut findings)).unwrap_or_default();
    for (place, prompt) in prompts.0.iter().enumerate() {
        fragment.messages.push(message(
            format!("prompt-{place}"),
            prompt.text.owned(),
            None,
            &element(at, place),
        ));
    }
    let repaired = OnceCell::new();
    let at = at.with_key(super::keys::GENERATIONS);
    let generations: List<WireGeneration<'_>> =
        generations.map(|b| read(b, &repaired, &at, &mut findings)).unwrap_or_default();
    let times: Vec<Timestamp> = generations.0.iter().filter_map(|generation| generation.at.0).collect();
    add_described(&generations.0, &at, &mut fragment);
    let read = fragment.messages.iter().filter(|message| has_content(message)).count() as u64;
    if read == 0 {
        return (None, findings);
    }
    let coverage = &mut fragment.coverage;
    coverage.listed = fragment.messages.len() as u64;
    coverage.read = read;
    coverage.empty = coverage.listed - read;
    let summary = &mut fragment.summary;
    summary.messages = Some(coverage.listed);
    summary.created_at = times.iter().min().copied();
    summary.updated_at = times.iter().max().copied();
    summary.title = fragment.messages.iter().find_map(|message| title_line(&message.text()));
    super::assemble::fill_times(&mut fragment);
    (Some(fragment), findings)
}

/// Generations whose description is no prompt that we have.
fn add_described(generations: &[WireGeneration<'_>], at: &Origin, fragment: &mut Fragment) {
    for (place, generation) in generations.iter().enumerate() {
        let Some(text) = generation.says.owned() else {
            continue;
        };
        let mut same = fragment.messages.iter_mut().filter(|message| message.text() == text).peekable();
        if same.peek().is_some() {
            if let Some(untimed) = same.find(|message| message.at.at.is_none()) {
                untimed.at = Moment::exact_or_unknown(generation.at.0);
            }
            continue;
        }
        let id = generation.id.owned().unwrap_or_else(|| format!("generation-{}", fragment.messages.len()));
        fragment.messages.push(message(id, Some(text), generation.at.0, &element(at, place)));
    }
}

/// Where an element of the list at `at` stands: each message has an origin of its own, by which it is found again.
fn element(at: &Origin, place: usize) -> Origin {
    at.with_key(format!("{}[{place}]", at.key))
}

fn message(id: String, text: Option<String>, at: Option<Timestamp>, origin: &Origin) -> Message {
    let mut message = Message::new(id, Role::User, origin.clone());
    message.at = Moment::exact_or_unknown(at);
    message.parts.extend(text.map(Part::Text));
    message
}

fn read<'a, T: serde::de::Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> List<T> {
    parse(bytes, repaired).unwrap_or_else(|error| {
        let says = format!("the list of prompts is not JSON: {error}");
        findings.push(Finding::new(FindingKind::Undecodable, at.clone(), says));
        List::default()
    })
}
