//! What one store is made of: rows and bytes by kind. Counted when somebody asks, because a large store takes a while.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_model::{Contents, StoredKind};
use backscroll_render::SourceReport;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Frame, page};
use crate::desk::Desk;
use crate::link;
use crate::pieces::{bytes, count, plural};
use crate::problem::Problem;

/// Which store.
#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    file: Option<String>,
}

/// The address of this page for a store.
pub(super) fn address(report: &SourceReport) -> String {
    link::with("/stores/contents", [("file", &*report.file.to_string_lossy())])
}

/// `GET /stores/contents?file=…`.
pub(crate) async fn store_contents(
    State(desk): State<Arc<Desk>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    desk.survey(move |desk, edition| {
        // Only what was found is looked into, never what an address names.
        let reports = desk.reports(edition);
        let asked = wanted.file.as_deref();
        let report = reports.iter().find(|report| Some(&*report.file.to_string_lossy()) == asked);
        let report = report.ok_or_else(|| Problem::no_store(asked))?;
        let contents = desk.stores.contents(&report.file);
        let name = report.file.file_name().unwrap_or(report.file.as_os_str()).to_string_lossy();
        let frame = Frame {
            title: &format!("What is in {name}"),
            way: "/stores",
            edition: edition.number,
            kind: "store-contents",
            ..Frame::default()
        };
        Ok(page(&frame, &content(report, &contents)))
    })
    .await
}

fn content(report: &SourceReport, contents: &Result<Contents, String>) -> Markup {
    html! {
        header.page-head {
            p.crumb { a href="/stores" { "Stores" } }
            h1 { "What is in this store" }
            p.path { (report.file.to_string_lossy()) }
        }
        div.made-of {
            @match contents {
                Ok(contents) => (told(report, contents)),
                Err(why) => p.note role="note" { "Its rows cannot be counted: " (why) },
            }
        }
    }
}

fn told(report: &SourceReport, contents: &Contents) -> Markup {
    let most = contents.kinds.iter().map(|kind| kind.bytes).max().unwrap_or(0).max(1);
    html! {
        @if contents.rows() == 0 { p.empty { "There is nothing in it." } }
        @else {
            table.kinds {
                caption { (summary(report, contents)) }
                thead { tr {
                    th scope="col" { "Kind" } th.share-head scope="col" { span.hidden { "Share" } } th.number scope="col" { "Bytes" }
                    th.number scope="col" { "Rows" } th.number scope="col" title="Rows of a conversation that has no record any more" { "Orphaned" }
                } }
                tbody { @for kind in &contents.kinds { (row(kind, most)) } }
            }
        }
    }
}

fn summary(report: &SourceReport, contents: &Contents) -> Markup {
    let stored = contents.bytes();
    let rest = report.bytes.unwrap_or(stored).saturating_sub(stored).saturating_sub(contents.free_bytes);
    let what = if contents.kinds.iter().any(|kind| kind.table.is_some()) { "row" } else { "line" };
    html! {
        (plural(contents.rows(), what)) ", " (bytes(stored)) " of keys and values"
        @if rest > 0 && what == "row" { ", " (bytes(rest)) " for indexes and pages" @if report.log_bytes > 0 { " and the log" } }
        @if contents.free_bytes > 0 { ", " (bytes(contents.free_bytes)) " free" }
        "."
        @if contents.orphaned() > 0 {
            " " (plural(contents.orphaned(), what)) " of conversations that have no record any more."
        }
    }
}

fn row(kind: &StoredKind, most: u64) -> Markup {
    let table = kind.table.as_deref().filter(|table| *table != kind.name);
    let share = u64::try_from(u128::from(kind.bytes) * 100 / u128::from(most)).unwrap_or(100).max(1);
    html! {
        tr {
            th scope="row" { span.name { (kind.name) } @if let Some(table) = table { " " span.in-table { (table) } } }
            td.share { svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                rect.ground width="100" height="6" {}
                rect.filled width=(share) height="6" {}
            } }
            td.number { (bytes(kind.bytes)) }
            td.number { (count(kind.rows)) }
            td.number { @if kind.orphaned > 0 { (count(kind.orphaned)) } }
        }
    }
}
