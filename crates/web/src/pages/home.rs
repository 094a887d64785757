//! The start page: search, what was said last, where, when, and with whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use backscroll_render::list::{relative, short_workspace};
use jiff::Zoned;
use jiff::civil::Date;
use maud::{Markup, html};

use super::{Frame, stats, when_made};
use crate::app_state::{App, AppState};
use crate::link;
use crate::pieces::{Row, bars, calendar, count, plural, summary_list};
use backscroll_history::live::Snapshot;

const RECENT: usize = 12;
const PLACES: usize = 12;
const MODELS: usize = 8;

/// `GET /`.
pub(crate) async fn home(State(app): App) -> Response {
    let content = |app: &AppState, snapshot: &Arc<Snapshot>| {
        let now = app.clock.now();
        Ok(if snapshot.summaries.is_empty() { nothing(&app.looked_in) } else { content(app, snapshot, &now) })
    };
    when_made(&Frame::new("", "/", "home", app.library.number()), |_| app.read(content))
}

fn content(app: &AppState, snapshot: &Arc<Snapshot>, now: &Zoned) -> Markup {
    let recent: Vec<Row<'_>> = snapshot.shown().take(RECENT).map(Row::new).collect();
    let shown = snapshot.shown().count();
    html! {
        section.hero {
            h1.spoken { "Backscroll" }
            form.big role="search" action="/search" {
                input #q type="search" name="q" placeholder="Search everything said" aria-label="Search everything that was said"
                    autocomplete="off" spellcheck="false" autofocus data-instant="here";
                button type="submit" { "Search" }
            }
            p.hint { (plural(shown, "conversation")) " in " (plural(snapshot.workspaces.len(), "workspace")) ", all of it on this machine. "
                a href="/help" { "What may be typed?" } }
            div #instant.instant hidden {}
        }
        div.columns-2 {
            section.recent aria-labelledby="recent" {
                h2 #recent { "Recent conversations" }
                div data-live="recent" { (summary_list(&recent, now)) }
                @if shown > RECENT { p.more { a href="/search" { "All " (count(shown)) " conversations" } } }
            }
            div.side {
                (places(snapshot, now))
                (models(snapshot))
                (tools(app, snapshot))
            }
        }
        section.activity aria-labelledby="activity" {
            h2 #activity { "Activity" }
            (calendar(&per_day(snapshot, now), now.date(), "conversation", |day| link::with("/search", [("on", day.to_string().as_str())])))
        }
    }
}

fn places(snapshot: &Snapshot, now: &Zoned) -> Markup {
    html! {
        section aria-labelledby="places" {
            h2 #places { "Workspaces" }
            ul.places data-live="places" {
                @for place in snapshot.workspaces.iter().take(PLACES) {
                    li {
                        a href=(link::workspace(&place.workspace)) title=(place.workspace.path) { bdi { (short_workspace(&place.workspace)) } }
                        span.number { (count(place.conversations)) }
                        @if let Some(at) = place.last_at { time datetime=(at) { (relative(at, now)) } }
                    }
                }
            }
            @if snapshot.workspaces.len() > PLACES { p.more { a href="/workspaces" { "All " (count(snapshot.workspaces.len())) " workspaces" } } }
            @if snapshot.workspaces.is_empty() { p.empty { "No conversation names a folder." } }
        }
    }
}

fn models(snapshot: &Snapshot) -> Markup {
    let named = snapshot.shown().flat_map(|summary| &summary.models);
    let drawn = stats::model_bars(named.map(|model| (model.as_str(), 1)), MODELS);
    html! {
        @if !drawn.is_empty() {
            section aria-labelledby="models" { h2 #models { "Most used models" } (bars(&drawn)) }
        }
    }
}

/// Only if they are counted already: the start page waits for nothing.
fn tools(app: &AppState, snapshot: &Arc<Snapshot>) -> Markup {
    let counted = app.statistics_at_hand(snapshot);
    let drawn = counted.map(|counted| stats::tool_bars(&counted, MODELS)).unwrap_or_default();
    html! { @if !drawn.is_empty() { section aria-labelledby="tools" { h2 #tools { "Most used tools" } (bars(&drawn)) } } }
}

/// How many conversations were last changed on each day.
pub(super) fn per_day(snapshot: &Snapshot, now: &Zoned) -> BTreeMap<Date, u64> {
    let mut days = BTreeMap::new();
    for at in snapshot.shown().filter_map(backscroll_model::Summary::recency) {
        *days.entry(at.to_zoned(now.time_zone().clone()).date()).or_default() += 1;
    }
    days
}

pub(super) fn nothing(looked_in: &str) -> Markup {
    html! {
        section.problem {
            h1 { "No conversation was found" }
            p { "Looked in: " code { (looked_in) } }
            p { "If Cursor keeps its files elsewhere, stop this server and start it with " code { "--home DIR" } " or " code { "--store PATH" }
                ". To see what it looks like with something in it, run " code { "backscroll demo" } "." }
            p { a.button href="/stores" { "Which stores were found" } }
        }
    }
}
