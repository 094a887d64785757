//! The files that a conversation was read from, numbered once, so that messages and facts name theirs by a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{Conversation, Fact, FactOrigin, Layer, Message, Origin};

use super::page::Page;
use super::part::INDENT;
use crate::text::one_line;

/// The files of one conversation, in the order in which they are first named.
#[derive(Debug, Default)]
pub(super) struct Places {
    numbers: HashMap<(Layer, Arc<Path>), usize>,
    files: Vec<(Layer, Arc<Path>)>,
}

impl Places {
    /// Every file that something of `conversation` was read from.
    pub(super) fn of(conversation: &Conversation) -> Self {
        let messages = || conversation.messages.iter().chain(&conversation.orphans);
        let of_message = |message: &Message| {
            let facts = message.fact_origins.iter().map(|told| told.origin.clone()).collect::<Vec<_>>();
            [vec![message.origin.clone()], message.also.clone(), facts].concat()
        };
        let facts = conversation.fact_origins.iter().map(|told| told.origin.clone());
        let mut places = Self::default();
        for origin in conversation.summary.origins.iter().cloned().chain(facts) {
            places.add(&origin);
        }
        for origin in messages().flat_map(of_message) {
            places.add(&origin);
        }
        places
    }

    fn add(&mut self, origin: &Origin) {
        let place = (origin.layer, Arc::clone(&origin.file));
        let next = self.files.len() + 1;
        if let Entry::Vacant(free) = self.numbers.entry(place.clone()) {
            free.insert(next);
            self.files.push(place);
        }
    }

    /// An origin by its file's number, and the spot in it.
    fn spot(&self, origin: &Origin) -> String {
        let number = self.numbers.get(&(origin.layer, Arc::clone(&origin.file)));
        let file =
            number.map_or_else(|| one_line(&origin.file.to_string_lossy()), |number| format!("[{number}]"));
        let key = one_line(&origin.key);
        if key.is_empty() { file } else { format!("{file} {key}") }
    }
}

/// Writes the numbered files of `conversation`, and which fact was read in which.
pub(super) fn header<W: Write>(page: &mut Page<'_, W>, conversation: &Conversation) -> io::Result<()> {
    let places = Places::of(conversation);
    let widest = places.files.iter().map(|(layer, _)| layer.name().len()).max().unwrap_or_default();
    for (number, (layer, file)) in places.files.iter().enumerate() {
        let lead = format!("[{}] {:widest$} ", number + 1, layer.name());
        let line = format!("{lead}{}", one_line(&file.to_string_lossy()));
        page.broken(INDENT, lead.len(), &line, &[(0..line.len(), page.palette.dim)])?;
    }
    page.places = places;
    if let Some((first, others)) = conversation.summary.origins.split_first() {
        spots(page, first, others)?;
    }
    let route = conversation.summary.workspace.as_ref().map(|workspace| workspace.by.name());
    let mut told: Vec<String> =
        conversation.fact_origins.iter().map(|told| fact(&page.places, told, route)).collect();
    let is_placed = conversation.fact_origins.iter().any(|told| told.fact == Fact::Workspace);
    told.extend(route.filter(|_| !is_placed).map(|route| format!("workspace by {route}")));
    facts(page, &told)
}

/// Writes where a message was read, and which of its facts were read elsewhere.
pub(super) fn message<W: Write>(page: &mut Page<'_, W>, message: &Message) -> io::Result<()> {
    spots(page, &message.origin, &message.also)?;
    let told: Vec<String> = message.fact_origins.iter().map(|told| fact(&page.places, told, None)).collect();
    facts(page, &told)
}

fn spots<W: Write>(page: &mut Page<'_, W>, origin: &Origin, also: &[Origin]) -> io::Result<()> {
    let mut line = format!("from {}", page.places.spot(origin));
    for origin in also {
        line = format!("{line} · also {}", page.places.spot(origin));
    }
    page.broken(INDENT, 5, &line, &[(0..line.len(), page.palette.dim)])
}

fn facts<W: Write>(page: &mut Page<'_, W>, told: &[String]) -> io::Result<()> {
    let line = told.join(" · ");
    if line.is_empty() { Ok(()) } else { page.broken(INDENT, 5, &line, &[(0..line.len(), page.palette.dim)]) }
}

/// `title [1] composerData:…`, `workspace [2] by header`, `result of call_1 [3] run_events/r/4`.
fn fact(places: &Places, told: &FactOrigin, route: Option<&str>) -> String {
    let of = told.call.as_deref().map(|call| format!(" of {}", one_line(call))).unwrap_or_default();
    let by = route.filter(|_| told.fact == Fact::Workspace).map(|route| format!(" by {route}"));
    format!("{}{of} {}{}", told.fact.name(), places.spot(&told.origin), by.unwrap_or_default())
}
