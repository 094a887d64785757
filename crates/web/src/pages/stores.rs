//! Where conversations are kept, and how each place is.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_model::Finding;
use backscroll_render::SourceReport;
use backscroll_render::list::relative;
use jiff::Zoned;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Frame, home, page, store_contents};
use crate::desk::Desk;
use crate::link;
use crate::pieces::{bytes, count, plural};
use crate::problem::Problem;

/// Findings are told one by one up to here.
const TOLD: usize = 50;

/// Stores on one page.
const PAGE: usize = 200;

/// Which of them.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    from: usize,
}

/// `GET /stores`.
pub(crate) async fn stores(
    State(desk): State<Arc<Desk>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let now = desk.clock.now();
        let reports = desk.reports(edition);
        let content = if reports.is_empty() {
            home::nothing(&desk.looked_in)
        } else {
            content(&reports, asked.from, &now)
        };
        let frame = Frame {
            title: "Stores",
            way: "/stores",
            edition: edition.number,
            kind: "stores",
            ..Frame::default()
        };
        Ok(page(&frame, &content))
    })
    .await
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
                    a.made-of-link href=(store_contents::address(report)) { "What is in it" }
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
