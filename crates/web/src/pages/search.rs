//! The search page: what was asked, what it can be narrowed by, what was found.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use jiff::Zoned;
use maud::{Markup, html};

use super::{Frame, home, when_made};
use crate::app_state::{App, AppState};
use crate::pieces::{Row, count, plural, summary_list};
use crate::search::{Answer, Facet, SearchParameters, Wrong, answer};
use backscroll_history::live::Snapshot;

/// `GET /search`.
pub(crate) async fn search(State(app): App, Query(asked): Query<SearchParameters>) -> Response {
    let frame = Frame {
        title: if asked.q().is_empty() { "Conversations" } else { asked.q() },
        way: "/search",
        query: asked.q(),
        snapshot: app.library.number(),
        kind: "search",
        ..Frame::default()
    };
    let (answered, again) = (asked.clone(), asked.clone());
    when_made(&frame, |_| async move {
        // What is known, or needs no search, does not wait for those that do.
        let at_hand = move |app: &AppState, snapshot: &Arc<Snapshot>| Ok(at_hand(app, snapshot, &answered));
        if let Some(content) = Arc::clone(&app).read(at_hand).await? {
            return Ok(content);
        }
        let searched = move |app: &AppState, snapshot: &Arc<Snapshot>| {
            let now = app.clock.now();
            Ok(content(&again, &answer(app, snapshot, &again), &now))
        };
        app.study(searched).await
    })
}

/// The content, as far as no search is needed for it.
fn at_hand(app: &AppState, snapshot: &Arc<Snapshot>, asked: &SearchParameters) -> Option<Markup> {
    if snapshot.summaries.is_empty() {
        return Some(home::nothing(&app.looked_in));
    }
    let now = app.clock.now();
    let known = app.answers.known(snapshot.number, &(asked.clone(), now.date()));
    let found = known.or_else(|| (!asked.needs_index(&now)).then(|| answer(app, snapshot, asked)))?;
    Some(content(asked, &found, &now))
}

fn content(asked: &SearchParameters, found: &Answer, now: &Zoned) -> Markup {
    let rows: Vec<Row<'_>> =
        found.hits.iter().map(|hit| Row { summary: &hit.summary, found: hit.found.clone() }).collect();
    html! {
        div.search-page {
            aside.facets aria-label="Narrow the results" { (facets(asked, &found.facets, found.is_at_least)) }
            section.results aria-labelledby="results" {
                header.page-head {
                    h1 #results { @if asked.q().is_empty() { "Conversations" } @else { "Results for " q { (asked.q()) } } }
                    @if found.wrong.is_none() && !(found.is_growing && rows.is_empty()) { p.summary-line { span { @if found.is_at_least { "at least " } (plural(found.total, "conversation")) } @if found.total > 1 && asked.get("how").is_empty() { (order(asked)) } (ways(asked)) (chosen(asked)) } }
                    @if let Some(note) = &found.note { p.note role="note" { (note) } }
                }
                @if let Some(wrong) = &found.wrong { (wrong_question(asked.q(), wrong)) }
                @else if rows.is_empty() && found.is_growing { (not_yet()) }
                @else if rows.is_empty() { (nothing(asked)) } @else {
                    div data-live="results" { (summary_list(&rows, now)) }
                    @if let Some(next) = found.next { p.more { a.next rel="next" href=(asked.address_under("/search", next)) { "More results" } } }
                }
            }
        }
    }
}

/// Words, these very characters, or a pattern.
fn ways(asked: &SearchParameters) -> Markup {
    let ways = [("", "words"), ("exact", "these characters"), ("regex", "pattern")];
    html! {
        @if !asked.q().is_empty() {
            span.order { @for (value, name) in ways {
                @if asked.get("how") == value { strong aria-current="true" { (name) } } @else { a href=(asked.address_with("how", value)) { (name) } }
            } }
        }
    }
}

/// Newest or best first; only where there are words does it make a difference.
fn order(asked: &SearchParameters) -> Markup {
    let orders = [("", "best first"), ("newest", "newest first")];
    html! {
        @if asked.q().is_empty() { span.order { "last changed first" } } @else {
            span.order { @for (value, name) in orders {
                @if asked.get("sort") == value { strong aria-current="true" { (name) } } @else { a href=(asked.address_with("sort", value)) { (name) } }
            } }
        }
    }
}

/// What was chosen, each with a way back.
fn chosen(asked: &SearchParameters) -> Markup {
    html! {
        @if asked.is_narrowed() || !asked.get("all").is_empty() {
            span.chosen { @for (name, value) in asked.narrowing() {
                a.chip href=(asked.address_with(name, "")) title="Remove" { @if name == "all" { "with hidden ones" } @else { (name) ": " bdi { (value) } } span aria-hidden="true" { " ×" } span.spoken { " remove" } }
            } }
        }
    }
}

fn facets(asked: &SearchParameters, facets: &[Facet], is_at_least: bool) -> Markup {
    html! {
        details.facet-box {
            summary { "Filters" }
            @for facet in facets.iter().filter(|facet| !facet.choices.is_empty()) {
                section {
                    h2 { (facet.title) }
                    ul { @for value in &facet.choices {
                        @let is_chosen = value.value == asked.get(facet.name);
                        li { a href=(asked.address_with(facet.name, if is_chosen { "" } else { &value.value })) title=(value.value) aria-current=[is_chosen.then_some("true")] {
                            bdi.name { (value.shown) } span.number { @if is_at_least { "≥ " } (count(value.count)) }
                        } }
                    } }
                }
            }
            section {
                h2 { "Time" }
                form.dates action="/search" {
                    @for (name, value) in asked.pairs() { @if !value.is_empty() && !matches!(name, "after" | "before" | "on") { input type="hidden" name=(name) value=(value); } }
                    label { "from " input type="date" name="after" value=(asked.get("after")); }
                    label { "before " input type="date" name="before" value=(asked.get("before")); }
                    button type="submit" { "Apply" }
                }
            }
            section { a href=(asked.address_with("all", if asked.get("all").is_empty() { "1" } else { "" })) {
                @if asked.get("all").is_empty() { "Show hidden ones too" } @else { "Hide empty, archived and the like" } } }
        }
    }
}

/// What is wrong with a question, where, and what would be right.
fn wrong_question(query: &str, wrong: &Wrong) -> Markup {
    let piece = |at: Range<usize>| query.get(at).unwrap_or_default();
    let (before, place, after) =
        (piece(0..wrong.at.start), piece(wrong.at.clone()), piece(wrong.at.end..query.len()));
    html! {
        div.wrong role="alert" {
            p { strong { "This cannot be understood: " (words(&wrong.says)) "." } }
            p.query { code { (before) mark { (place) } (after) } }
            p.hint { (words(&wrong.hint)) }
            p { a href="/help" { "What may be typed" } }
        }
    }
}

/// Words in which code stands between backticks.
fn words(text: &str) -> Markup {
    html! { @for (at, piece) in text.split('`').enumerate() { @if at % 2 == 1 { code { (piece) } } @else { (piece) } } }
}

/// What is said while the index is still being made. The script looks again by itself.
fn not_yet() -> Markup {
    html! {
        div.empty.growing {
            p { strong { "Nothing is found yet." } }
            p { "The search index is still being made. Here it will be as soon as it is found; the "
                a href="/search" { "list of conversations" } " is whole already." }
        }
    }
}

fn nothing(asked: &SearchParameters) -> Markup {
    html! {
        div.empty {
            p { strong { "Nothing is found." } }
            ul {
                @if asked.is_narrowed() { li { a href=(crate::link::with("/search", [("q", asked.q())])) { "Ask the same without narrowing" } } }
                @if asked.get("all").is_empty() { li { a href=(asked.address_with("all", "1")) { "Look among hidden ones too" } ": empty, draft, archived, deleted, subagents" } }
                li { a href="/help" { "What may be typed" } }
            }
        }
    }
}
