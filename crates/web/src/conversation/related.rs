//! Conversations about the same.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use backscroll_history::{Reason, Related};
use jiff::Zoned;
use maud::{Markup, html};

use super::address;
use crate::desk::Desk;
use crate::link;
use crate::pages::{Frame, page};
use crate::pieces::{Row, summary_list};
use crate::problem::Problem;

const MOST: usize = 20;

/// `GET /c/{id}/related`.
pub(crate) async fn related(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    desk.study(move |desk, edition| {
        let conversation = address::load(desk, edition, &id)?;
        let (index, standing) = desk.finder.index(&desk.stores, edition);
        let found =
            index.map(|index| edition.history.related(&index, &conversation, false, MOST)).transpose();
        let (found, note) = match found {
            Ok(found) => (found.unwrap_or_default(), standing.note()),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let title = address::title(&conversation.summary);
        let frame = Frame { title, edition: edition.number, kind: "related", ..Frame::default() };
        let content = html! {
            header.page-head {
                p.crumb { a href=(link::conversation(&conversation.summary.id)) { bdi { (title) } } }
                h1 { "Related conversations" }
                @if let Some(note) = &note { p.note role="note" { (note) } }
            }
            (list(&found, &desk.clock.now()))
        };
        Ok(page(&frame, &content))
    })
    .await
}

fn list(found: &[Related], now: &Zoned) -> Markup {
    let rows: Vec<Row<'_>> =
        found.iter().map(|one| Row { summary: &one.summary, found: vec![why(&one.reason)] }).collect();
    html! {
        @if rows.is_empty() { p.empty { "No other conversation shares rare words or files with this one." } }
        @else { (summary_list(&rows, now)) }
    }
}

/// What the two share.
fn why(reason: &Reason) -> Markup {
    html! {
        p.meta {
            @if !reason.files.is_empty() { span { "files: " (reason.files.iter().take(4).cloned().collect::<Vec<_>>().join(", ")) } }
            @if !reason.words.is_empty() { span { "words: " (reason.words.iter().take(8).cloned().collect::<Vec<_>>().join(", ")) } }
            @if reason.same_workspace { span { "same workspace" } }
        }
    }
}
