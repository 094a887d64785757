//! Where conversations are kept, and how each place is: all of them, and what one is made of.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_history::live::Snapshot;
use backscroll_model::{Contents, Finding, SourceReport, StoredKind};
use backscroll_render::list::relative;
use jiff::Zoned;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Frame, home, page, when_made};
use crate::app_state::{App, AppState};
use crate::link;
use crate::pieces::{bytes, count, plural};
use crate::problem::{Problem, Result};

/// The maximum number of findings listed one by one.
const TOLD: usize = 50;

/// Stores on one page.
const PAGE: usize = 200;

#[derive(Debug, Deserialize)]
pub(crate) struct PageParameters {
    #[serde(default)]
    from: usize,
}

/// `GET /stores`.
pub(crate) async fn stores(State(app): App, Query(asked): Query<PageParameters>) -> Response {
    let frame = Frame::new("Stores", "/stores", "stores", app.library.number());
    let content = move |app: &AppState, snapshot: &Arc<Snapshot>| {
        let reports = app.reports(snapshot);
        Ok(if reports.is_empty() {
            home::nothing(&app.looked_in)
        } else {
            content(&reports, asked.from, &app.clock.now())
        })
    };
    when_made(&frame, |_| app.study(content))
}

fn content(reports: &[SourceReport], from: usize, now: &Zoned) -> Markup {
    let size: u64 = reports.iter().filter_map(|report| report.bytes).sum();
    let mut sorted: Vec<&SourceReport> = reports.iter().collect();
    // What somebody should know about comes first, else the order in which they were found.
    sorted.sort_by_key(|report| report.health() == "ok");
    let ill = sorted.iter().take_while(|report| report.health() != "ok").count();
    let next = from.saturating_add(PAGE);
    html! {
        header.page-head {
            h1 { "Stores" }
            p { (plural(reports.len(), "store")) ", " (bytes(size)) ". "
                @if ill == 0 { "All of them could be read without a finding." } @else { (plural(ill, "store")) " with something to know about." } }
        }
        table.wide.stores {
            thead { tr {
                th scope="col" { "Store" } th.number scope="col" { "Size" } th.number scope="col" { "Conversations" }
                th.number scope="col" { "Messages" } th scope="col" { "Last change" } th scope="col" { "Health" }
            } }
            tbody { @for report in sorted.iter().skip(from).take(PAGE) { (row(report, now)) } }
        }
        @if next < reports.len() {
            p.more { a rel="next" href=(link::with("/stores", [("from", next.to_string().as_str())])) { "More stores (" (count(reports.len() - next)) ")" } }
        }
    }
}

fn row(report: &SourceReport, now: &Zoned) -> Markup {
    let file = report.file.to_string_lossy();
    let name = report.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let layers: Vec<&str> = report.layers.iter().map(|layer| layer.name()).collect();
    html! {
        tr {
            th scope="row" {
                span.layer { (if layers.is_empty() { "nothing yet".to_owned() } else { layers.join(", ") }) }
                @if report.is_backup { " " span.tag { "backup" } }
                span.path title=(file) { (file) }
                @if name.as_deref() == Some("state.vscdb") { span.note { "the editor's own database" } }
                @if report.bytes.is_some() && report.unreadable.is_none() {
                    a.made-of-link href=(address(report)) { "What is in it" }
                }
                (findings(report))
            }
            td.number { (report.bytes.map(bytes).unwrap_or_default()) (log(report)) }
            td.number data-name="conversations" { (count(report.conversations)) }
            td.number data-name="messages" { (report.messages.map(count).unwrap_or_default()) }
            td.when { @if let Some(at) = report.last_at { time datetime=(at) { (relative(at, now)) } } }
            td { (health(report)) }
        }
    }
}

/// What the editor has not yet written into the file itself.
fn log(report: &SourceReport) -> Markup {
    html! { @if report.log_bytes > 0 { span.besides title="Written, but not yet moved into the file itself" { (bytes(report.log_bytes)) " in its log (WAL)" } } }
}

fn health(report: &SourceReport) -> Markup {
    html! {
        @match &report.unreadable {
            Some(_) => span.health data-is="unreadable" { "cannot be read" },
            None if report.findings.is_empty() => span.health data-is="ok" { "ok" },
            None => span.health data-is="findings" { (plural(report.findings.len(), "finding")) },
        }
    }
}

/// Why it cannot be read, or what was not as it should be.
fn findings(report: &SourceReport) -> Markup {
    let kinds = report.findings_by_kind();
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, number)| format!("{} {kind}", count(number))).collect();
    html! {
        @if let Some(why) = &report.unreadable { p.why { (why) } }
        @else if !report.findings.is_empty() {
            details.of-store {
                summary { "What was found: " (kinds.join(", ")) }
                ul { @for finding in report.findings.iter().take(TOLD) { (told(finding)) } }
                @if report.findings.len() > TOLD { p { "… and " (count(report.findings.len() - TOLD)) " more" } }
            }
        }
    }
}

fn told(finding: &Finding) -> Markup {
    html! { li { strong { (finding.kind.name()) } " " (finding.says) @if !finding.at.key.is_empty() { " " code { (finding.at.key) } } } }
}

#[derive(Debug, Deserialize)]
pub(crate) struct StoreParameters {
    file: Option<String>,
}

/// The address of this page for a store.
pub(super) fn address(report: &SourceReport) -> String {
    link::with("/stores/contents", [("file", &*report.file.to_string_lossy())])
}

/// `GET /stores/contents?file=…`.
pub(crate) async fn store_contents(
    State(app): App,
    Query(wanted): Query<StoreParameters>,
) -> Result<Response> {
    app.study(move |app, snapshot| {
        // Only what was found is read, never what an address names.
        let reports = app.reports(snapshot);
        let asked = wanted.file.as_deref();
        let report = reports.iter().find(|report| Some(&*report.file.to_string_lossy()) == asked);
        let report = report.ok_or_else(|| Problem::no_store(asked))?;
        let contents = app.library.contents(snapshot, &report.file);
        let name = report.file.file_name().unwrap_or(report.file.as_os_str()).to_string_lossy();
        let title = format!("What is in {name}");
        let frame = Frame::new(&title, "/stores", "store-contents", snapshot.number);
        Ok(page(&frame, &contents_page(report, &contents)))
    })
    .await
}

fn contents_page(report: &SourceReport, contents: &Result<Contents, String>) -> Markup {
    html! {
        header.page-head {
            p.crumb { a href="/stores" { "Stores" } }
            h1 { "What is in this store" }
            p.path { (report.file.to_string_lossy()) }
        }
        div.made-of {
            @match contents {
                Ok(contents) => (counted_kinds(report, contents)),
                Err(why) => p.note role="note" { "Its rows cannot be counted: " (why) },
            }
        }
    }
}

fn counted_kinds(report: &SourceReport, contents: &Contents) -> Markup {
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
                tbody { @for kind in &contents.kinds { (kind_row(kind, most)) } }
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

fn kind_row(kind: &StoredKind, most: u64) -> Markup {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_told_where_there_is_one() {
        let told = |log_bytes| {
            let report = SourceReport { bytes: Some(9_000_000), log_bytes, ..SourceReport::default() };
            log(&report).into_string()
        };
        assert_eq!(told(0), "");
        assert!(told(4_120_032).contains("in its log (WAL)"), "{}", told(4_120_032));
    }
}
