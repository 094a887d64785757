//! `backscroll list`: conversations at a glance.

use backscroll_render::{json, list};
use clap::Args;

use crate::config::RedactionArgs;
use crate::error::{Exit, Result};
use crate::filters::FilterArgs;
use crate::program::Context;
use crate::ui::Ui;

/// List conversations, latest first
///
/// A table on a terminal; elsewhere tab-separated columns: id, last change, surface, mode, messages, workspace, title.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// One JSON object a line (backscroll.summary/1)
    #[arg(long)]
    json: bool,

    /// Read the stores themselves, even where the index could answer, and keep nothing
    #[arg(long)]
    pub(crate) no_index: bool,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll list --workspace . --since monday
  backscroll list --tool shell --has diff --model opus
  backscroll list --all --sort messages --limit 20
  backscroll list --json | jq -r .title
  backscroll list --store /backup/state.vscdb";

pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &ListArgs) -> Result<Exit> {
    let Context { history, mut outcome, .. } = context;
    let summaries = outcome.ask(history, &args.filters.ask(ui.environment));
    outcome.matched = summaries.len();
    if args.json {
        for summary in &summaries {
            ui.json(|out| json::summary(summary, out))?;
        }
    } else if ui.is_terminal() {
        if !summaries.is_empty() {
            list::table(&summaries, &ui.list_view(), ui.out())?;
        }
    } else {
        list::plain(&summaries, ui.out())?;
    }
    ui.flush()?;
    Ok(outcome.conclude(ui))
}
