//! `backscroll sources`: every store that was found, and how it is.

use std::collections::BTreeSet;

use backscroll_model::{FindingKind, Source, Summary};
use backscroll_render::{SourceReport, json, list};
use clap::Args;

use crate::error::{CommandError, chain};
use crate::exit::Exit;
use crate::ui::Ui;
use crate::wiring::{self, Found, Where};

/// List the stores that were found
///
/// A table on a terminal; elsewhere tab-separated columns: layer, file, bytes, conversations, messages, first and last
/// activity, health.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SourcesArgs {
    /// One JSON object a line (backscroll.source/1)
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll sources
  backscroll sources --home /mnt/old-disk/home/me
  backscroll sources --json | jq 'select(.health != \"ok\")'";

/// Writes the listing.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    found: Found,
    args: &SourcesArgs,
    is_strict: bool,
) -> Result<Exit, CommandError> {
    let mut reports: Vec<SourceReport> = found.sources.iter().map(|source| report(&**source)).collect();
    // What could not even become a source still was found.
    reports.extend(found.findings.into_iter().map(|finding| SourceReport {
        layers: vec![finding.at.layer],
        file: finding.at.file.to_path_buf(),
        unreadable: Some(finding.says.clone()),
        findings: vec![finding],
        ..SourceReport::default()
    }));
    drop_echoes(&mut reports);
    if args.json {
        for report in &reports {
            json::source(report, ui.out())?;
            ui.out().write_all(b"\n")?;
        }
    } else if ui.is_terminal() && !reports.is_empty() {
        let view = list::ListView { width: ui.width(), now: ui.environment.now.clone(), colour: ui.colour() };
        list::sources_table(&reports, &view, ui.out())?;
    } else {
        list::sources_plain(&reports, ui.out())?;
    }
    ui.flush()?;
    Ok(conclude(ui, places, &reports, is_strict))
}

/// A single file may be read by two sources, as a global store and as a workspace's. The one that has nothing to tell
/// of it but what the other says is left out.
fn drop_echoes(reports: &mut Vec<SourceReport>) {
    let tells = |report: &SourceReport| {
        report.conversations > 0
            || report.unreadable.is_some()
            || report.findings.iter().any(|finding| finding.kind != FindingKind::Unreadable)
    };
    let telling: BTreeSet<_> =
        reports.iter().filter(|report| tells(report)).map(|report| report.file.clone()).collect();
    reports.retain(|report| tells(report) || !telling.contains(&report.file));
}

fn conclude(ui: &mut Ui<'_>, places: &Where, reports: &[SourceReport], is_strict: bool) -> Exit {
    if reports.is_empty() {
        ui.warning("no store was found");
        ui.hint(&format!("looked in: {}", wiring::looked_in(places)));
        return Exit::NothingMatched;
    }
    let is_named = |report: &&SourceReport| places.stores.contains(&report.file);
    let unreadable = || reports.iter().filter(|report| report.unreadable.is_some());
    if unreadable().count() == reports.len() || unreadable().any(|report| is_named(&report)) {
        Exit::Unreadable
    } else if is_strict && reports.iter().any(|report| report.health() != "ok") {
        Exit::Findings
    } else {
        Exit::Done
    }
}

fn report(source: &dyn Source) -> SourceReport {
    let file = source.place();
    let bytes =
        std::fs::metadata(&file).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    let empty = SourceReport { file, bytes, is_backup: source.is_backup(), ..SourceReport::default() };
    match source.summaries() {
        Ok((summaries, findings)) => told(empty, &summaries, findings),
        Err(error) => SourceReport { unreadable: Some(chain(&error)), ..empty },
    }
}

fn told(
    empty: SourceReport,
    summaries: &[Summary],
    findings: Vec<backscroll_model::Finding>,
) -> SourceReport {
    let layers: BTreeSet<_> =
        summaries.iter().flat_map(|summary| &summary.origins).map(|origin| origin.layer).collect();
    let times = || summaries.iter().flat_map(|summary| [summary.created_at, summary.updated_at]).flatten();
    SourceReport {
        layers: layers.into_iter().collect(),
        conversations: u64::try_from(summaries.len()).unwrap_or(u64::MAX),
        messages: summaries.iter().filter_map(|summary| summary.messages).sum(),
        first_at: times().min(),
        last_at: times().max(),
        findings,
        ..empty
    }
}
