//! `backscroll index`: how the search index is, and bringing it up to date by hand.

use std::path::Path;
use std::time::Duration;

use backscroll_history::{Became, History, Index, Manner, status};
use backscroll_render::{json, list};
use clap::{Args, Subcommand};

use crate::error::{CommandError, Exit, Outcome, Result};
use crate::fresh_index::{bring_up_to_date, no_folder};
use crate::program::Context;
use crate::ui::Ui;

/// See, refresh or rebuild the search index
///
/// A search brings the index up to date by itself. It is a cache: deleting its folder loses nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IndexArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Where it is, what it holds, and whether it is fresh
    Status {
        /// One JSON object (backscroll.index/1)
        #[arg(long)]
        json: bool,
    },
    /// Bring it up to date
    Refresh,
    /// Make it anew, whatever is there
    Rebuild,
}

const EXAMPLES: &str = "\
Examples:
  backscroll index status
  backscroll index refresh
  backscroll index rebuild --index /mnt/fast/backscroll";

impl IndexArgs {
    /// Whether it is only looked at.
    pub(crate) fn is_status(&self) -> bool {
        matches!(self.what, What::Status { .. })
    }
}

/// How long somebody waits who asked for it by hand.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &IndexArgs) -> Result<Exit> {
    let Context { history, index, outcome, .. } = context;
    let folder = index.ok_or_else(no_folder)?;
    match args.what {
        What::Status { json: as_json } => tell(ui, folder, as_json),
        What::Refresh => write(ui, history, folder, outcome, false),
        What::Rebuild => write(ui, history, folder, outcome, true),
    }
}

fn write(
    ui: &mut Ui<'_>,
    history: &History,
    folder: &Path,
    mut outcome: Outcome<'_>,
    anew: bool,
) -> Result<Exit> {
    let manner = Manner { anew, patience: PATIENCE, ..Manner::ordinary(ui.environment.now.timestamp()) };
    let refreshed = bring_up_to_date(ui, history, folder, manner)?;
    outcome.unreadable.extend(refreshed.unreadable);
    outcome.note_losses(refreshed.losses);
    match refreshed.became {
        Became::Fresh => ui.note("the index is up to date"),
        Became::Updated(count) => ui.note(&format!("{} brought up to date", conversations(count as u64))),
        Became::Built(count) => ui.note(&format!("{} indexed", conversations(count as u64))),
        Became::Busy => {
            let error = "another backscroll is still writing the index";
            return Err(CommandError::new(Exit::Refused, error));
        }
    }
    let Some(index) = Index::open(folder)? else { return Ok(Exit::Done) };
    outcome.matched = index.conversations()?;
    // An index of nothing is as good as any, unless it is empty because nothing could be read.
    Ok(match outcome.conclude_unfound(ui, history) {
        Exit::NothingMatched => Exit::Done,
        exit => exit,
    })
}

fn tell(ui: &mut Ui<'_>, folder: &Path, as_json: bool) -> Result<Exit> {
    let status = status(folder)?;
    if as_json {
        ui.json(|out| json::index(&status, out))?;
    } else {
        let now = ui.environment.now.clone();
        list::index(&status, &now, ui.out())?;
    }
    Ok(if status.holds.is_some() { Exit::Done } else { Exit::NothingMatched })
}

fn conversations(count: u64) -> String {
    if count == 1 { "1 conversation".to_owned() } else { format!("{count} conversations") }
}
