//! Where conversations are kept, and how each place is.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use backscroll_model::Finding;
use backscroll_render::SourceReport;
use backscroll_render::list::relative;
use jiff::Zoned;
use maud::{Markup, html};

use super::{Frame, home, page};
use crate::desk::Desk;
use crate::pieces::{bytes, count, plural};
use crate::problem::Problem;

/// Findings are told one by one up to here.
const TOLD: usize = 50;

/// `GET /stores`.
pub(crate) async fn stores(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let now = desk.clock.now();
        let reports = desk.stores.reports(&edition.history);
        let content =
            if reports.is_empty() { home::nothing(&desk.looked_in) } else { content(&reports, &now) };
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

fn content(reports: &[SourceReport], now: &Zoned) -> Markup {
    let size: u64 = reports.iter().filter_map(|report| report.bytes).sum();
    let ill = reports.iter().filter(|report| report.health() != "ok").count();
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
            tbody { @for report in reports { (row(report, now)) } }
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
            }
            td.number { (report.bytes.map(bytes).unwrap_or_default()) (log(report)) }
            td.number data-name="conversations" { (count(report.conversations)) }
            td.number data-name="messages" { (report.messages.map(count).unwrap_or_default()) }
            td { @if let Some(at) = report.last_at { time datetime=(at) { (relative(at, now)) } } }
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
            Some(why) => { span.health data-is="unreadable" { "cannot be read" } p.why { (why) } }
            None if report.findings.is_empty() => span.health data-is="ok" { "ok" },
            None => {
                details.findings {
                    summary { span.health data-is="findings" { (plural(report.findings.len(), "finding")) } }
                    ul { @for finding in report.findings.iter().take(TOLD) { (told(finding)) } }
                    @if report.findings.len() > TOLD { p { "… and " (count(report.findings.len() - TOLD)) " more" } }
                }
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
