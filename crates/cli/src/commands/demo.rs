//! `backscroll demo`: a made-up home in a temporary folder, listed and shown, so that a newcomer sees real output.

use std::io;
use std::path::{Path, PathBuf};

use backscroll_history::Ask;
use backscroll_history::live;
use backscroll_own_files::{OwnFolder, temporary_folder};
use backscroll_render::terminal::View;
use backscroll_render::{list, terminal};
use clap::Args;
use tempfile::TempDir;

use crate::error::{CommandError, Exit, Result};
use crate::ui::Ui;
use crate::wiring::{self, Finder, PlacesHere, Where};

/// Make a demo home and look at it
///
/// Writes a small home such as Cursor leaves behind, lists it, shows one conversation, and says what to try next.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Make the home in this new or empty folder, instead of a temporary one
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  backscroll demo
  backscroll demo ./demo-home";

pub(crate) fn run(ui: &mut Ui<'_>, args: &DemoArgs, find: Finder<'_>) -> Result<Exit> {
    let folder = make_folder(ui, args)?;
    backscroll_fixtures::demo_home(&folder).map_err(|error| cannot_make(&folder, error))?;
    let places = Where {
        home: Some(folder.clone()),
        stores: Vec::new(),
        data: None,
        environment: wiring::Surroundings {
            temp: ui.environment.surroundings.temp.clone(),
            ..wiring::Surroundings::default()
        },
    };
    let history = live::open(&PlacesHere::new(&places, find), None, ui.environment.now.timestamp(), None);
    let summaries = history.list(&Ask::default()).summaries;
    let home = folder.display().to_string();
    let view = ui.list_view();
    writeln!(ui.out(), "$ backscroll list --home {home}")?;
    list::table(&summaries, &view, ui.out())?;
    if let Some(first) = summaries.first() {
        let conversation = history.load(&first.id)?;
        let view = View {
            colour: ui.colour(),
            time_zone: ui.environment.now.time_zone().clone(),
            ..View::plain(ui.reading_width())
        };
        writeln!(ui.out(), "\n$ backscroll show @1 --home {home}")?;
        terminal::conversation(&conversation, &view, ui.out())?;
    }
    writeln!(ui.out(), "\nTry next:")?;
    for next in [
        "list --all",
        "show @1 --thinking --tools full",
        "show @1 --origins",
        "export --format jsonl",
        "sources",
    ] {
        writeln!(ui.out(), "  backscroll {next} --home {home}")?;
    }
    Ok(if summaries.is_empty() { Exit::NothingMatched } else { Exit::Done })
}

/// A folder with nothing in it.
fn make_folder(ui: &Ui<'_>, args: &DemoArgs) -> Result<PathBuf> {
    let Some(folder) = &args.folder else {
        let temp = &ui.environment.surroundings.temp;
        let made = temporary_folder(temp, "backscroll-demo-").map(TempDir::keep);
        return made.map_err(|error| cannot_make(temp, error));
    };
    let is_empty = OwnFolder::make(folder).and_then(|folder| folder.is_empty());
    if is_empty.map_err(|error| cannot_make(folder, error))? {
        Ok(folder.clone())
    } else {
        let error = CommandError::new(Exit::Refused, format!("{} is not empty", folder.display()));
        Err(error.hinted(format!(
            "name a folder that is new or empty; if a demo home is in it already, look at it with `backscroll list --home {}`",
            folder.display()
        )))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot make a demo home in {}", .0.display())]
struct CannotMake(PathBuf, #[source] io::Error);

fn cannot_make(folder: &Path, error: io::Error) -> CommandError {
    CommandError::new(Exit::Refused, CannotMake(folder.to_owned(), error))
}
