//! `backscroll sources`: every store that was found, and how it is.

use std::collections::BTreeSet;

use crate::wiring::{contents, drift};
use backscroll_history::{Cleaner, stored_reports};
use backscroll_model::{SourceReport, error_chain};
use backscroll_render::{json, list};
use clap::Args;

use crate::config::RedactionArgs;
use crate::error::{Exit, Outcome, Result};
use crate::program::Context;
use crate::ui::Ui;
use crate::wiring;

/// List the stores that were found
///
/// A table on a terminal; elsewhere tab-separated columns: layer, file, bytes, conversations, messages, first and last
/// activity, health, and what it holds besides (lines of code that it tracks, commits that it scored, spilled output).
/// With `--kinds` what each store is made of: file, table, kind, rows, bytes, orphaned rows. With `--drift` what is stored
/// beyond everything that is known: file, layer, kind, name, where, count, example.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SourcesArgs {
    /// One JSON object a line (backscroll.source/1)
    #[arg(long)]
    json: bool,

    /// Count rows and bytes of each kind, which takes a while in a large store
    #[arg(long)]
    kinds: bool,

    /// What the stores hold that this version does not know: names and counts, never words. With `--json`
    /// backscroll.drift/1
    #[arg(long, conflicts_with = "kinds")]
    drift: bool,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll sources
  backscroll sources --home /mnt/old-disk/home/me
  backscroll sources --kinds
  backscroll sources --drift
  backscroll sources --json | jq 'select(.health != \"ok\")'";

#[expect(
    clippy::disallowed_methods,
    reason = "the stores are opened before the secrets are taken out of their names"
)]
pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &SourcesArgs) -> Result<Exit> {
    let Context { history, cleaner, outcome, .. } = context;
    let mut reports = stored_reports(history);
    if args.drift {
        return drifted(ui, &reports, cleaner, args.json, outcome.is_strict);
    }
    let exit = exit(&outcome, &reports);
    if args.kinds {
        reports.iter_mut().for_each(count_kinds);
    }
    if let Some(cleaner) = cleaner {
        for report in &mut reports {
            cleaner.report(report);
        }
    }
    if args.json {
        for report in &reports {
            ui.json(|out| json::source(report, out))?;
        }
    } else if ui.is_terminal() && !reports.is_empty() {
        let view = ui.list_view();
        if args.kinds {
            list::kinds_tables(&reports, &view, ui.out())?;
        } else {
            list::sources_table(&reports, &view, ui.out())?;
        }
    } else if args.kinds {
        list::kinds_plain(&reports, ui.out())?;
    } else {
        list::sources_plain(&reports, ui.out())?;
    }
    ui.flush()?;
    if reports.is_empty() {
        ui.warning("no store was found");
        ui.hint(&format!("looked in: {}", wiring::looked_in(outcome.places)));
        return Ok(exit);
    }
    Ok(outcome.conclude_lost_databases(ui).max(exit))
}

/// Writes what the stores hold that is not known. It reads every row.
fn drifted(
    ui: &mut Ui<'_>,
    reports: &[SourceReport],
    cleaner: Option<&Cleaner>,
    as_json: bool,
    is_strict: bool,
) -> Result<Exit> {
    let mut found = 0;
    let mut seen = BTreeSet::new();
    for report in reports.iter().filter(|report| report.bytes.is_some() && report.unreadable.is_none()) {
        let Some(layer) = report.layers.first().filter(|_| seen.insert(&report.file)) else { continue };
        match drift(&report.file, *layer) {
            Ok(drift) => {
                found += drift.len();
                for mut one in drift {
                    if let Some(cleaner) = cleaner {
                        cleaner.drift(&mut one);
                    }
                    if as_json {
                        ui.json(|out| json::drift(&one, out))?;
                    } else {
                        list::drift_plain(&one, ui.out())?;
                    }
                }
            }
            Err(error) => ui.warning(&error_chain(&error)),
        }
    }
    ui.flush()?;
    if found == 0 {
        ui.note("everything that is stored is known");
    }
    Ok(if is_strict && found > 0 { Exit::Findings } else { Exit::Done })
}

/// Adds what the place is made of, if it is a file that can be read at all.
fn count_kinds(report: &mut SourceReport) {
    if report.bytes.is_none() || report.unreadable.is_some() {
        return;
    }
    report.take_contents(contents(&report.file).map_err(|error| error_chain(&error)));
}

fn exit(outcome: &Outcome<'_>, reports: &[SourceReport]) -> Exit {
    let is_named = |report: &&SourceReport| outcome.places.stores.contains(&report.file);
    let unreadable = || reports.iter().filter(|report| report.unreadable.is_some());
    if reports.is_empty() {
        Exit::NothingMatched
    } else if unreadable().count() == reports.len() || unreadable().any(|report| is_named(&report)) {
        Exit::Unreadable
    } else if outcome.is_strict && reports.iter().any(|report| report.health() != "ok") {
        Exit::Findings
    } else {
        Exit::Done
    }
}
