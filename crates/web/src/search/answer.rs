//! What is found, wherever it was looked for: in the search index where words are asked for, otherwise in the listing;
//! and what an answer can be narrowed by.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use backscroll_history::live::{IndexState, Snapshot};
use backscroll_history::{
    Ask, DRAFT, Exact, ExactError, Facets, Found, Note, QueryError, RECORD, Request, Showing, parse,
};
use backscroll_model::{FoundHit, Named as _, Snippet, Summary, Surface};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use maud::{Markup, html};

use super::SearchParameters;
use crate::app_state::AppState;
use crate::cache::Weighed;
use crate::link;
use crate::pieces::{ranked, surface_name};
use crate::problem::Problem;

/// One conversation of the answer, and what was found in it.
#[derive(Debug)]
pub(crate) struct AnswerEntry {
    pub(crate) summary: Summary,
    pub(crate) found: Vec<Markup>,
}

#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) hits: Vec<AnswerEntry>,
    /// How many conversations there are in all.
    pub(crate) total: usize,
    /// There are more: not all were looked at.
    pub(crate) is_at_least: bool,
    pub(crate) facets: Vec<Facet>,
    /// Where to go on, if there is more.
    pub(crate) next: Option<usize>,
    /// What the reader should know of the answer.
    pub(crate) note: Option<String>,
    /// The question cannot be understood.
    pub(crate) wrong: Option<Wrong>,
    /// The index is still catching up: there may be more in a moment.
    pub(crate) is_growing: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The question cannot be understood.
    Wrong(Wrong),
    /// There is no index that could be asked.
    NoIndex(IndexState),
    /// A store, or the index, cannot be read.
    Broken(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) says: String,
    /// What would be right.
    pub(crate) hint: String,
    /// Where, in bytes of the query.
    pub(crate) at: Range<usize>,
}

impl From<Wrong> for Problem {
    fn from(wrong: Wrong) -> Self {
        NoAnswer::Wrong(wrong).into()
    }
}

impl From<NoAnswer> for Problem {
    fn from(why: NoAnswer) -> Self {
        match &why {
            NoAnswer::Wrong(_) => Self::bad_request(why.to_string()),
            NoAnswer::NoIndex(_) | NoAnswer::Broken(_) => Self::no_search(why.to_string()),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(Wrong { says, hint, .. }) => write!(f, "{says}; {hint}"),
            Self::NoIndex(state) => {
                f.write_str(state.note().as_deref().unwrap_or("There is no search index."))
            }
            Self::Broken(why) => f.write_str(why),
        }
    }
}

/// The answer to `asked`: out of the index where there are words or facts of messages, else out of the listing.
pub(crate) fn answer(app: &AppState, snapshot: &Arc<Snapshot>, asked: &SearchParameters) -> Arc<Answer> {
    let question = (asked.clone(), app.clock.now().date());
    app.answers.get(snapshot.number, &question, || {
        let (answer, is_whole) = newly_found(app, snapshot, asked);
        let answer = Arc::new(answer);
        if is_whole { Ok(Weighed { answer, bytes: 1 }) } else { Err(answer) }
    })
}

/// The answer, and whether it will stay the same: what an index finds that is still catching up is not the whole.
fn newly_found(app: &AppState, snapshot: &Arc<Snapshot>, asked: &SearchParameters) -> (Answer, bool) {
    let now = app.clock.now();
    if !asked.needs_index(&now) {
        return match listing(snapshot, asked, &now) {
            Ok(answer) => (answer, true),
            Err(wrong) => (Answer { wrong: Some(wrong), ..Answer::default() }, false),
        };
    }
    match found(app, snapshot, asked, true) {
        Ok((found, state)) => {
            let mut answer = full_text(found, asked, asked.limit_of(PAGE));
            let notes = [state.note(), taken_as_text(asked, &now), answer.note];
            let notes = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");
            answer.note = Some(notes).filter(|notes| !notes.is_empty());
            answer.is_growing = state.is_behind();
            (answer, state == IndexState::Fresh)
        }
        Err(NoAnswer::Wrong(wrong)) => (Answer { wrong: Some(wrong), ..Answer::default() }, false),
        Err(why) => {
            let is_growing = matches!(&why, NoAnswer::NoIndex(state) if state.is_behind());
            (Answer { note: Some(why.to_string()), is_growing, ..Answer::default() }, false)
        }
    }
}

/// What the index finds, and how far it is; or why there is no answer. Facets are counted only for those
/// who show them.
pub(crate) fn found(
    app: &AppState,
    snapshot: &Arc<Snapshot>,
    asked: &SearchParameters,
    has_facets: bool,
) -> Result<(Found, IndexState), NoAnswer> {
    let now = app.clock.now();
    let ask = asked.ask(&now).map_err(NoAnswer::Wrong)?;
    let ask = Ask { limit: Some(asked.limit_of(PAGE)), offset: asked.from(), ..ask };
    let mut request = Request { zone: now.time_zone().clone(), ..Request::new(ask, now.timestamp()) };
    let showing = Showing { room: ROOM, ..Showing::default() };
    let (index, state) = app.library.index(snapshot);
    let Some(index) = index else {
        return Err(NoAnswer::NoIndex(state));
    };
    if let Some(exact) = exact(asked)? {
        let found = snapshot.history.search_exact(&index, &exact, &request, showing, &mut |_| {});
        return Ok((found.map_err(|error| NoAnswer::Broken(error.to_string()))?, state));
    }
    request.facets = has_facets;
    let found = snapshot.history.search(&index, &request, showing);
    Ok((found.map_err(|error| NoAnswer::Broken(error.to_string()))?, state))
}

/// What of the words looked like more and was taken as text.
fn taken_as_text(asked: &SearchParameters, now: &Zoned) -> Option<String> {
    if asked.is_literal() {
        return None;
    }
    let ask = parse(asked.q(), now).ok()?;
    let told = ask.taken_as_text.iter().map(|(at, trouble)| {
        let text = asked.q().get(at.clone()).unwrap_or_default();
        format!("“{text}” was taken as text: {trouble}.")
    });
    Some(told.collect::<Vec<_>>().join(" ")).filter(|told| !told.is_empty())
}

/// What is looked for to the letter, if that is asked for.
fn exact(asked: &SearchParameters) -> Result<Option<Exact>, NoAnswer> {
    let made = match asked.get("how") {
        "exact" => Exact::text(asked.q(), true),
        "regex" => Exact::pattern(asked.q(), true),
        _ => return Ok(None),
    };
    let wrong = |error: ExactError| Wrong {
        says: error.to_string(),
        hint: "upper and lower case are the same here; `--regex` on the command line tells them apart"
            .to_owned(),
        at: 0..asked.q().len(),
    };
    made.map(Some).map_err(|error| NoAnswer::Wrong(wrong(error)))
}

impl From<QueryError> for Wrong {
    fn from(error: QueryError) -> Self {
        Self { says: error.trouble.to_string(), hint: error.trouble.hint(), at: error.at }
    }
}

/// Conversations that are shown at once. Of each, messages are read back from the stores; more come while one scrolls.
pub(super) const PAGE: usize = 10;
/// Choices of one facet that are shown.
const CHOICES: usize = 12;
/// Characters of a snippet.
const ROOM: usize = 220;

/// What was found, as the page shows it.
fn full_text(found: Found, asked: &SearchParameters, limit: usize) -> Answer {
    let end = asked.from().saturating_add(limit);
    let note = found.notes.iter().map(note).collect::<Vec<_>>().join(" ");
    Answer {
        total: found.total.conversations,
        is_at_least: found.total.at_least,
        next: (end < found.total.conversations).then_some(end),
        facets: found.facets.map(full_text_facets).unwrap_or_default(),
        note: Some(note).filter(|note| !note.is_empty()),
        hits: found
            .conversations
            .into_iter()
            .map(|one| full_text_hit(one.summary, &one.hits, one.more))
            .collect(),
        ..Answer::default()
    }
}

fn full_text_hit(summary: Summary, hits: &[FoundHit], more: usize) -> AnswerEntry {
    let mut found: Vec<Markup> = hits
        .iter()
        .filter(|hit| !hit.hit.is_title || is_draft(hit))
        .map(|hit| shown_words(&summary, hit))
        .collect();
    if more > 0 {
        let address = link::conversation(&summary.id);
        found.push(html! { a.hit href=(address) { span.who {} span.words { "… and " (more) " more" } } });
    }
    AnswerEntry { summary, found }
}

/// Whether it is what stands in the input box or in the record: the head of the conversation tells it.
fn is_draft(hit: &FoundHit) -> bool {
    hit.snippet.as_ref().is_some_and(|snippet| [DRAFT, RECORD].contains(&snippet.part))
}

fn shown_words(summary: &Summary, hit: &FoundHit) -> Markup {
    let number = usize::try_from(hit.hit.number).unwrap_or(usize::MAX);
    let part = hit.part();
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
            span.words { @if let Some(snippet) = &hit.snippet { (marked(snippet)) } @else { "gone since" } }
        }
    }
}

fn marked(snippet: &Snippet) -> Markup {
    html! { @for (is_found, piece) in snippet.pieces() { @if is_found { mark { (piece) } } @else { (piece) } } }
}

fn note(note: &Note) -> String {
    match note {
        Note::NewestOnly(number) => {
            format!("These words stand nearly everywhere: the newest {number} messages were ranked.")
        }
        Note::ConversationWide => "No single message has all the words; these conversations do.".to_owned(),
        Note::SomeWords => {
            "Nothing has all the words; these conversations have the rarest of them.".to_owned()
        }
        Note::Corrected(typed, meant) => format!("Nothing has “{typed}”; “{meant}” was looked for."),
        Note::Unread(number) => format!("{number} messages could not be read back and may hold it."),
    }
}

fn full_text_facets(told: Facets) -> Vec<Facet> {
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

/// How many conversations of a listing are shown at once.
const LISTING_PAGE: usize = 40;

/// The conversations that `asked` asks for.
pub(crate) fn listing(snapshot: &Snapshot, asked: &SearchParameters, now: &Zoned) -> Result<Answer, Wrong> {
    let wanted = snapshot.list(&asked.ask(now)?);
    let (total, limit) = (wanted.len(), asked.limit_of(LISTING_PAGE));
    let end = asked.from().saturating_add(limit);
    let hits = wanted.into_iter().skip(asked.from()).take(limit);
    Ok(Answer {
        hits: hits.map(|summary| AnswerEntry { summary, found: Vec::new() }).collect(),
        total,
        facets: listing_facets(snapshot, asked, now)?,
        next: (end < total).then_some(end),
        ..Answer::default()
    })
}

/// Each facet is counted over what the others leave, so that another choice of the same can be seen. A choice counts what a click
/// on it finds.
fn listing_facets(snapshot: &Snapshot, asked: &SearchParameters, now: &Zoned) -> Result<Vec<Facet>, Wrong> {
    type Names = fn(&Summary) -> Vec<&str>;
    let facets: [(&'static str, &'static str, Names); 4] = [
        ("surface", "Held in", |summary| vec![summary.surface.name()]),
        ("model", "Model", |summary| summary.models.iter().map(String::as_str).collect()),
        ("mode", "Mode", |summary| summary.mode.as_deref().into_iter().collect()),
        ("workspace", "Workspace", |summary| {
            summary.workspace.iter().map(|workspace| workspace.path.as_str()).collect()
        }),
    ];
    let without = |name: &str| Ok::<_, Wrong>(snapshot.list(&asked.with(name, "").ask(now)?));
    let mut counted = Vec::new();
    for (name, title, names) in facets {
        let others = without(name)?;
        let mut choices = Vec::new();
        let named = ranked(others.iter().flat_map(names).map(|value| (value, 1)));
        for (value, _) in named.into_iter().take(CHOICES) {
            let meant = Ask::everything().given([(name, value)], now)?;
            let count = others.iter().filter(|summary| snapshot.has(summary, &meant)).count();
            choices.push(Choice::new(name, value, count as u64));
        }
        counted.push(Facet { name, title, choices });
    }
    let choices = months_of(&without("on")?, now.time_zone());
    counted.push(Facet { name: "on", title: "Month", choices });
    Ok(counted)
}

/// The months that conversations fall into, from their beginning to their last change, latest first.
fn months_of(summaries: &[Summary], time_zone: &TimeZone) -> Vec<Choice> {
    let mut counts: BTreeMap<Date, u64> = BTreeMap::new();
    for summary in summaries {
        let times = || [summary.created_at, summary.updated_at].into_iter().flatten();
        let month = |at: Timestamp| at.to_zoned(time_zone.clone()).date().first_of_month();
        let (Some(first), Some(last)) = (times().min().map(month), times().max().map(month)) else {
            continue;
        };
        let mut month = first;
        while month <= last {
            *counts.entry(month).or_default() += 1;
            let Ok(next) = month.checked_add(1.month()) else { break };
            month = next;
        }
    }
    let choice = |(month, count): (Date, u64)| Choice::new("on", month.strftime("%Y-%m").to_string(), count);
    counts.into_iter().rev().take(CHOICES).map(choice).collect()
}

/// One way of narrowing.
#[derive(Debug, Clone)]
pub(crate) struct Facet {
    /// The parameter's name.
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// The choices, most first.
    pub(crate) choices: Vec<Choice>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What the parameter is set to.
    pub(crate) value: String,
    /// What people read.
    pub(crate) shown: String,
    pub(crate) count: u64,
}

impl Choice {
    /// The choice of `value` for the parameter `name`, which leaves `count`.
    pub(crate) fn new(name: &str, value: impl Into<String>, count: u64) -> Self {
        let value = value.into();
        Self { shown: shown(name, &value).unwrap_or_else(|| value.clone()), value, count }
    }
}

/// What people read for a value, where that is not the value itself.
fn shown(name: &str, value: &str) -> Option<String> {
    match name {
        "surface" => Surface::from_name(value).map(|surface| surface_name(surface).to_owned()),
        // What tells folders apart stands at the end, and would be cut off.
        "workspace" => {
            let mut names: Vec<&str> =
                value.rsplit(['/', '\\']).filter(|name| !name.is_empty()).take(2).collect();
            names.reverse();
            (!names.is_empty()).then(|| names.join("/"))
        }
        "on" => {
            let first: Date = format!("{value}-01").parse().ok()?;
            Some(first.strftime("%B %Y").to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_names() {
        let table = [
            ("surface", "ide", "editor"),
            ("surface", "new", "new"),
            ("workspace", "/home/a/app", "a/app"),
            ("workspace", "c:\\work\\app\\", "work/app"),
            ("workspace", "/", "/"),
            ("on", "2026-07", "July 2026"),
            ("on", "2026-07-01", "2026-07-01"),
            ("model", "gpt-4", "gpt-4"),
        ];
        for (name, value, expected) in table {
            let choice = Choice::new(name, value, 1);
            assert_eq!((choice.shown.as_str(), choice.value.as_str()), (expected, value));
        }
    }
}
