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
    page.places = Places::of(conversation);
    for (number, (layer, file)) in page.places.files.clone().into_iter().enumerate() {
        let line = format!("[{}] {} {}", number + 1, layer.name(), one_line(&file.to_string_lossy()));
        page.broken(INDENT, 4, &line, &[(0..line.len(), page.palette.dim)])?;
    }
    if let Some((first, others)) = conversation.summary.origins.split_first() {
        spots(page, first, others)?;
    }
    let route = conversation.summary.workspace.as_ref().map(|workspace| workspace.by.name());
    facts(page, &conversation.fact_origins, route)?;
    let is_placed = conversation.fact_origins.iter().any(|told| told.fact == Fact::Workspace);
    match route.filter(|_| !is_placed) {
        Some(route) => dim(page, &format!("workspace by {route}")),
        None => Ok(()),
    }
}

/// Writes where a message was read, and which of its facts were read elsewhere.
pub(super) fn message<W: Write>(page: &mut Page<'_, W>, message: &Message) -> io::Result<()> {
    let is_named = |origin: &Origin| message.fact_origins.iter().any(|told| told.origin == *origin);
    let also: Vec<Origin> = message.also.iter().filter(|origin| !is_named(origin)).cloned().collect();
    spots(page, &message.origin, &also)?;
    facts(page, &message.fact_origins, None)
}

fn spots<W: Write>(page: &mut Page<'_, W>, origin: &Origin, also: &[Origin]) -> io::Result<()> {
    let mut line = format!("from {}", page.places.spot(origin));
    for origin in also {
        line = format!("{line} · also {}", page.places.spot(origin));
    }
    dim(page, &line)
}

/// `title, workspace (by header) from [1] composerData:… · result of call_1 from [3] run_events/r/4`.
fn facts<W: Write>(page: &mut Page<'_, W>, told: &[FactOrigin], route: Option<&str>) -> io::Result<()> {
    let mut spots: Vec<(&Origin, Vec<String>)> = Vec::new();
    for one in told {
        let name = fact(one, route);
        match spots.iter_mut().find(|(origin, _)| **origin == one.origin) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => spots.push((&one.origin, vec![name])),
        }
    }
    let told =
        spots.iter().map(|(origin, names)| format!("{} from {}", names.join(", "), page.places.spot(origin)));
    let line = told.collect::<Vec<_>>().join(" · ");
    if line.is_empty() { Ok(()) } else { dim(page, &line) }
}

fn dim<W: Write>(page: &mut Page<'_, W>, line: &str) -> io::Result<()> {
    page.broken(INDENT, 5, line, &[(0..line.len(), page.palette.dim)])
}

fn fact(told: &FactOrigin, route: Option<&str>) -> String {
    let of = told.call.as_deref().map(|call| format!(" of {}", one_line(call))).unwrap_or_default();
    let by = route.filter(|_| told.fact == Fact::Workspace).map(|route| format!(" (by {route})"));
    format!("{}{of}{}", told.fact.name(), by.unwrap_or_default())
}
