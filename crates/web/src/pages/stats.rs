//! Numbers over everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use jiff::Zoned;
use maud::{Markup, html};

use super::{Frame, home, page};
use crate::desk::Desk;
use crate::edition::Edition;
use crate::pieces::{Bar, bars, columns, count};
use crate::problem::Problem;

/// `GET /stats`.
pub(crate) async fn stats(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let now = desk.clock.now();
        let content = if edition.summaries.is_empty() {
            home::nothing(&desk.looked_in)
        } else {
            content(edition, &now)
        };
        let frame = Frame {
            title: "Statistics",
            way: "/stats",
            edition: edition.number,
            kind: "stats",
            ..Frame::default()
        };
        Ok(page(&frame, &content))
    })
    .await
}

fn content(edition: &Edition, now: &Zoned) -> Markup {
    let messages: u64 = edition.shown().filter_map(|summary| summary.messages).sum();
    let mut months: BTreeMap<String, u64> = BTreeMap::new();
    for at in edition.shown().filter_map(backscroll_model::Summary::recency) {
        *months.entry(at.to_zoned(now.time_zone().clone()).strftime("%Y-%m").to_string()).or_default() += 1;
    }
    let months: Vec<Bar> = months.into_iter().map(|(month, number)| Bar::new(month, number)).collect();
    let models: Vec<Bar> = edition
        .counted(|summary| summary.models.iter().map(String::as_str))
        .into_iter()
        .take(15)
        .map(|(name, number)| Bar::new(name, u64::try_from(number).unwrap_or(u64::MAX)))
        .collect();
    html! {
        header.page-head { h1 { "Statistics" } }
        dl.figures {
            div { dt { "Conversations" } dd { (count(edition.shown().count())) } }
            div { dt { "Messages" } dd { (count(messages)) } }
            div { dt { "Workspaces" } dd { (count(edition.workspaces.len())) } }
        }
        (columns("Conversations by month", "Conversations", &months))
        section { h2 { "Models" } (bars(&models)) }
    }
}
