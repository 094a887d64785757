//! The answer to a question with words, out of the search index.

use std::ops::Range;

use backscroll_history::{
    Ask, DRAFT, Facets, Filter, Found, FoundHit, Note, Order, QueryError, Request, Showing, parse,
};
use backscroll_model::{Role, Summary};
use jiff::Zoned;
use jiff::civil::Date;
use maud::{Markup, html};

use super::asked::{days_of, surface_named};
use super::{Answer, Asked, Choice, Facet, Hit};
use crate::link;

/// Conversations that are shown at once. Of each, messages are read back from the stores; more come while one scrolls.
pub(super) const PAGE: usize = 10;
/// Choices of one facet that are shown.
const CHOICES: usize = 12;
/// Characters of a snippet.
const ROOM: usize = 220;

/// The request that `asked` means.
pub(super) fn request(asked: &Asked, now: &Zoned) -> Result<Request, QueryError> {
    let ask: Ask = parse(&asked.q, now)?;
    Ok(Request {
        all: !asked.all.is_empty(),
        order: if asked.sort == "newest" { Order::Newest } else { Order::Relevance },
        limit: asked.limit_of(PAGE),
        offset: asked.from,
        facets: true,
        zone: now.time_zone().clone(),
        ..Request::new(ask.with(filters(asked, now)), now.timestamp())
    })
}

/// How much of each hit is shown.
pub(super) fn showing() -> Showing {
    Showing { room: ROOM, context: 0 }
}

fn filters(asked: &Asked, now: &Zoned) -> Vec<Filter> {
    let one = |text: &str, filter: fn(Vec<String>) -> Filter| {
        (!text.is_empty()).then(|| filter(vec![text.to_owned()]))
    };
    let day = |text: &str| text.parse::<Date>().ok();
    let on = days_of(&asked.on);
    let begin = |day: Date| day.to_zoned(now.time_zone().clone()).ok().map(|at| at.timestamp());
    let role = [Role::User, Role::Assistant, Role::System, Role::Tool]
        .into_iter()
        .find(|role| role.name() == asked.role);
    [
        one(&asked.workspace, Filter::Workspace),
        one(&asked.model, Filter::Model),
        one(&asked.mode, Filter::Mode),
        one(&asked.tool, Filter::Tool),
        surface_named(&asked.surface).map(|surface| Filter::Surface(vec![surface])),
        role.map(|role| Filter::Role(vec![role])),
        day(&asked.after).or(on.as_ref().map(|on| on.start)).and_then(begin).map(Filter::From),
        day(&asked.before).or(on.map(|on| on.end)).and_then(begin).map(Filter::Before),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What was found, as the page shows it.
pub(super) fn answer(found: Found, asked: &Asked, limit: usize) -> Answer {
    let end = asked.from.saturating_add(limit);
    let note = found.notes.iter().map(note).collect::<Vec<_>>().join(" ");
    Answer {
        total: found.total.conversations,
        is_at_least: found.total.at_least,
        next: (end < found.total.conversations).then_some(end),
        facets: found.facets.map(facets).unwrap_or_default(),
        note: Some(note).filter(|note| !note.is_empty()),
        hits: found.conversations.into_iter().map(|one| hit(one.summary, &one.hits, one.more)).collect(),
        ..Answer::default()
    }
}

fn hit(summary: Summary, hits: &[FoundHit], more: usize) -> Hit {
    let mut found: Vec<Markup> = hits
        .iter()
        .filter(|hit| !hit.hit.is_title || is_draft(hit))
        .map(|hit| shown(&summary, hit))
        .collect();
    if more > 0 {
        let address = link::conversation(&summary.id);
        found.push(html! { a.hit href=(address) { span.who {} span.words { "… and " (more) " more" } } });
    }
    Hit { summary, found }
}

/// Whether it is what stands in the input box: the head of the conversation tells it.
fn is_draft(hit: &FoundHit) -> bool {
    hit.snippet.as_ref().is_some_and(|snippet| snippet.part == DRAFT)
}

fn shown(summary: &Summary, hit: &FoundHit) -> Markup {
    let number = usize::try_from(hit.hit.number).unwrap_or(usize::MAX);
    let part = hit.snippet.as_ref().map_or("text", |snippet| snippet.part);
    let who = if part == "text" { hit.hit.role.name() } else { part };
    let address = if is_draft(hit) {
        link::conversation(&summary.id)
    } else if hit.hit.is_orphan {
        link::orphan(&summary.id, number)
    } else {
        link::message(&summary.id, number)
    };
    html! {
        a.hit href=(address) {
            span.who { (who.replace('_', " ")) }
            span.words { @if let Some(snippet) = &hit.snippet { (marked(&snippet.text, &snippet.marks)) } @else { "gone since" } }
        }
    }
}

fn marked(text: &str, marks: &[Range<usize>]) -> Markup {
    let mut at = 0;
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    for mark in marks {
        let (Some(before), Some(found)) = (text.get(at..mark.start), text.get(mark.clone())) else {
            continue;
        };
        pieces.extend([(before, false), (found, true)]);
        at = mark.end;
    }
    pieces.push((text.get(at..).unwrap_or_default(), false));
    html! { @for (piece, is_found) in pieces { @if is_found { mark { (piece) } } @else { (piece) } } }
}

fn note(note: &Note) -> String {
    match note {
        Note::NewestOnly(number) => {
            format!("These words stand nearly everywhere: the newest {number} messages were ranked.")
        }
        Note::ConversationWide => "No single message holds all the words; these conversations do.".to_owned(),
        Note::Unread(number) => format!("{number} messages could not be read back and may hold it."),
    }
}

fn facets(told: Facets) -> Vec<Facet> {
    let facet = |name, title, values: Vec<backscroll_history::Facet>| {
        let value = |facet: backscroll_history::Facet| {
            Choice::new(name, facet.value, u64::try_from(facet.count).unwrap_or(u64::MAX))
        };
        Facet { name, title, choices: values.into_iter().take(CHOICES).map(value).collect() }
    };
    vec![
        facet("role", "Said by", told.roles),
        facet("surface", "Held in", told.surfaces),
        facet("tool", "Tool", told.tools),
        facet("model", "Model", told.models),
        facet("workspace", "Workspace", told.workspaces),
        facet("on", "Month", told.months),
    ]
}
