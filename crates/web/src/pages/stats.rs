//! Numbers over everything, out of the search index.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use axum::response::Response;
use backscroll_history::{ModelCount, Statistics, StatisticsScope, TokenCount};
use backscroll_model::Workspace;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use maud::{Markup, html};

use super::{Frame, home, page};
use crate::app_state::App;
use crate::link;
use crate::pieces::{
    Bar, KINDS, Stacked, bars, calendar, columns, count, plural, ranked, stacked, without_gaps,
};
use crate::problem::Result;

/// Bars of one kind that are shown.
const MOST: usize = 12;

/// `GET /stats`.
pub(crate) async fn stats(State(app): App) -> Result<Response> {
    app.read(move |app, snapshot| {
        let now = app.clock.now();
        let frame = Frame::new("Statistics", "/stats", "stats", snapshot.number);
        if snapshot.summaries.is_empty() {
            return Ok(page(&frame, &home::nothing(&app.looked_in)));
        }
        let (told, note) = app.statistics(snapshot, &StatisticsScope::default());
        let content = html! {
            header.page-head { h1 { "Statistics" } @if let Some(note) = &note { p.note role="note" { (note) } } }
            @match &told { Some(told) => (content(told, &now)), None => p.empty { "There are no numbers before there is an index." } }
        };
        Ok(page(&frame, &content))
    })
    .await
}

fn content(told: &Statistics, now: &Zoned) -> Markup {
    let calls: u64 = told.tools.iter().map(|tool| tool.calls).sum();
    let failed: u64 = told.tools.iter().map(|tool| tool.failed).sum();
    let hours = by_hour(told, now.time_zone());
    let (added, removed) = told
        .lines
        .iter()
        .fold((0, 0), |(added, removed), month| (added + month.added, removed + month.removed));
    html! {
        dl.figures {
            div { dt { "Conversations" } dd { (count(told.conversations)) } }
            div { dt { "Messages" } dd { (count(told.messages)) span.besides { (count(told.prompts)) " of them yours" } } }
            div { dt { "Tool calls" } dd { (count(calls)) span.besides { (count(failed)) " failed" } } }
            div { dt { "Lines added" } dd { "+" (count(added)) span.besides { "−" (count(removed)) " removed, from stored diffs" } } }
            (tokens(told.tokens))
        }
        (calendar(&by_day(told, now.time_zone()), now.date(), "message", |day| link::with("/search", [("on", day.to_string().as_str())])))
        (columns("Messages by hour of the day", "Messages", &hours))
        (stacked("models", "Answers by month and model", &models_over_time(&told.models)))
        @if !told.lines.is_empty() { (stacked("changed-lines", "Lines changed by month", &lines_over_time(told))) }
        div.charts {
            section { h2 { "Models, by answers" } (bars(&model_bars(told.models.iter().map(answers), MOST))) }
            section { h2 { "Tools, by calls" } (bars(&tool_bars(told, MOST))) }
            section { h2 { "Workspaces, by messages" } (bars(&workspaces(told))) }
            section { h2 { "Files touched most" } (bars(&files(told))) }
        }
    }
}

/// Lines that were added and removed, by month.
fn lines_over_time(told: &Statistics) -> Stacked {
    let months = told.lines.iter().filter(|one| !one.month.is_empty());
    let months: BTreeMap<String, [u64; 2]> =
        months.map(|one| (one.month.clone(), [one.added, one.removed])).collect();
    let columns = without_gaps(months).into_iter().map(|(month, lines)| (month, lines.to_vec()));
    Stacked { kinds: vec!["added".to_owned(), "removed".to_owned()], columns: columns.collect() }
}

/// Measured, estimated and unknown are counted separately.
fn tokens(tokens: TokenCount) -> Markup {
    html! {
        div { dt { "Tokens, measured" } dd { (count(tokens.input.saturating_add(tokens.output)))
            span.besides { (count(tokens.input)) " in, " (count(tokens.output)) " out" (other_buckets(tokens)) ", of " (plural(tokens.measured, "conversation")) } } }
        div { dt { "Tokens, estimated" } dd { "≈\u{a0}" (count(tokens.guessed))
            span.besides { "by the text of " (plural(tokens.unmeasured.saturating_sub(tokens.unknown), "conversation")) " that store none" } } }
        div { dt { "Tokens, unknown" } dd { (count(tokens.unknown))
            span.besides { "conversations with neither numbers nor text" } } }
    }
}

/// What is measured besides input and output, where anything is.
fn other_buckets(tokens: TokenCount) -> Markup {
    let buckets = [
        (tokens.cache_read, "read from the cache"),
        (tokens.cache_write, "written to the cache"),
        (tokens.reasoning, "for thinking"),
    ];
    html! { @for (number, what) in buckets { @if number > 0 { ", " (count(number)) " " (what) } } }
}

fn local_hours(told: &Statistics, time_zone: &TimeZone) -> Vec<(Zoned, u64)> {
    let place = |(hour, number): &(i64, u64)| {
        let at = Timestamp::from_second(hour.checked_mul(3600)?).ok()?;
        Some((at.to_zoned(time_zone.clone()), *number))
    };
    told.hours.iter().filter_map(place).collect()
}

fn by_hour(told: &Statistics, time_zone: &TimeZone) -> Vec<Bar> {
    let mut hours = [0_u64; 24];
    for (at, number) in local_hours(told, time_zone) {
        if let Some(hour) = usize::try_from(at.hour()).ok().and_then(|hour| hours.get_mut(hour)) {
            *hour += number;
        }
    }
    hours.iter().enumerate().map(|(hour, number)| Bar::new(format!("{hour:02}"), *number)).collect()
}

fn by_day(told: &Statistics, time_zone: &TimeZone) -> BTreeMap<jiff::civil::Date, u64> {
    let mut days = BTreeMap::new();
    for (at, number) in local_hours(told, time_zone) {
        *days.entry(at.date()).or_default() += number;
    }
    days
}

/// Models and their numbers, the most used first.
pub(super) fn model_bars<'a>(models: impl Iterator<Item = (&'a str, u64)>, most: usize) -> Vec<Bar> {
    let bar = |(name, number): (&str, u64)| {
        Bar::new(name, number).leading_to(link::with("/search", [("model", name)]))
    };
    ranked(models).into_iter().take(most).map(bar).collect()
}

fn answers(count: &ModelCount) -> (&str, u64) {
    (&count.model, count.messages)
}

pub(super) fn tool_bars(told: &Statistics, most: usize) -> Vec<Bar> {
    let bar = |tool: &backscroll_history::ToolCount| {
        Bar::new(&tool.name, tool.calls).leading_to(link::with("/search", [("tool", tool.name.as_str())]))
    };
    told.tools.iter().take(most).map(bar).collect()
}

fn workspaces(told: &Statistics) -> Vec<Bar> {
    let bar = |place: &backscroll_history::WorkspaceCount| {
        let workspace = Workspace {
            path: place.path.clone(),
            uri: None,
            remote: place.remote.clone(),
            by: backscroll_model::Attribution::Record,
        };
        Bar::new(backscroll_render::list::short_workspace(&workspace), place.messages)
            .leading_to(link::workspace(&workspace))
    };
    told.workspaces.iter().take(MOST).map(bar).collect()
}

/// The files that were touched most, each leading to what was said about it.
pub(super) fn files(told: &Statistics) -> Vec<Bar> {
    let bar = |file: &backscroll_history::FileCount| {
        let name = file.path.rsplit(['/', '\\']).next().unwrap_or(&file.path);
        let query = format!("path:\"{}\"", file.path.replace('"', ""));
        Bar::new(name, file.touches).leading_to(link::with("/search", [("q", query.as_str())]))
    };
    told.files.iter().take(MOST).map(bar).collect()
}

/// What the months are made of, earliest first.
fn models_over_time(counts: &[ModelCount]) -> Stacked {
    let ranked = ranked(counts.iter().map(answers));
    // If all have a colour, nobody need stand among the others.
    let named = if ranked.len() <= KINDS { ranked.len() } else { KINDS - 1 };
    let mut kinds: Vec<String> = ranked.iter().take(named).map(|(model, _)| (*model).to_owned()).collect();
    if ranked.len() > named {
        kinds.push(format!("{} others", ranked.len() - named));
    }
    let places: HashMap<&str, usize> =
        ranked.iter().enumerate().map(|(at, (model, _))| (*model, at.min(named))).collect();
    let mut months: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for one in counts {
        let numbers = months.entry(one.month.clone()).or_insert_with(|| vec![0; kinds.len()]);
        if let Some(number) = places.get(one.model.as_str()).and_then(|at| numbers.get_mut(*at)) {
            *number += one.messages;
        }
    }
    let mut columns = without_gaps(months);
    for (_, numbers) in &mut columns {
        numbers.resize(kinds.len(), 0);
    }
    Stacked { kinds, columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &[(&str, &str, u64)]) -> Stacked {
        let counts: Vec<ModelCount> = counts
            .iter()
            .map(|(month, model, messages)| ModelCount {
                month: (*month).to_owned(),
                model: (*model).to_owned(),
                messages: *messages,
            })
            .collect();
        models_over_time(&counts)
    }

    #[test]
    fn each_month_has_a_number_of_each_model() {
        let told = counted(&[("2026-02", "b", 3), ("2026-01", "a", 1), ("2026-02", "a", 1)]);
        assert_eq!(told.kinds, ["b", "a"]);
        assert_eq!(told.columns, [("2026-01".to_owned(), vec![0, 1]), ("2026-02".to_owned(), vec![3, 1])]);
    }

    #[test]
    fn those_without_a_colour_stand_together() {
        let all = [9, 8, 7, 6, 5, 4, 3].map(|number| ("2026-01", number));
        let named: Vec<String> = all.iter().map(|(_, number)| format!("m{number}")).collect();
        let counts: Vec<_> =
            all.iter().zip(&named).map(|((month, number), name)| (*month, name.as_str(), *number)).collect();
        let told = counted(&counts);
        assert_eq!(told.kinds, ["m9", "m8", "m7", "m6", "m5", "2 others"]);
        assert_eq!(told.columns, [("2026-01".to_owned(), vec![9, 8, 7, 6, 5, 7])]);
        assert_eq!(counted(&counts[..6]).kinds.last().map(String::as_str), Some("m4"));
        assert_eq!(counted(&[]).columns, []);
    }
}
