//! From what was typed to the command that does it.

use crate::args::{Cli, Command};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::outcome::Outcome;
use crate::ui::Ui;
use crate::wiring::{self, Finder};

/// Does what was asked for.
pub(crate) fn run(ui: &mut Ui<'_>, cli: &Cli, find: Finder<'_>) -> Result<Exit, CommandError> {
    if let Command::Demo(args) = &cli.command {
        return super::demo::run(ui, args, find);
    }
    let places = wiring::places(&cli.global, ui.environment)?;
    if let Command::Serve(args) = &cli.command {
        let index = crate::index_place::folder(&cli.global, &places, ui.environment);
        return super::serve::run(ui, &places, index, &cli.global, args);
    }
    let found = find(&places);
    if let Command::Sources(args) = &cli.command {
        return super::sources::run(ui, &places, &found, args, cli.global.strict);
    }
    let history = wiring::history(found);
    let index = crate::index_place::folder(&cli.global, &places, ui.environment);
    let begun = || Outcome::of(&places, cli.global.strict, &history);
    let outcome = begun();
    let done = match &cli.command {
        Command::List(args) => super::list::run(ui, &history, index.as_deref(), outcome, args),
        Command::Search(args) => super::search::run(ui, &history, index.as_deref(), outcome, args),
        Command::Related(args) => super::related::run(ui, &history, index.as_deref(), outcome, args),
        Command::Files(args) => super::files::run(ui, &history, index.as_deref(), outcome, args),
        Command::Index(args) => super::index::run(ui, &history, index.as_deref(), outcome, args),
        Command::Show(args) => super::show::run(ui, &history, outcome, args),
        Command::Replay(args) => super::replay::run(ui, &history, outcome, &cli.global, args),
        Command::Export(args) => super::export::run(ui, &history, outcome, &cli.global, args),
        Command::Redact(args) => super::redact::run(ui, &history, &cli.global, args),
        Command::Sources(_) | Command::Serve(_) | Command::Demo(_) => Ok(Exit::Done),
    };
    match done {
        Err(error) if error.exit == Exit::NothingMatched => {
            Err(CommandError { exit: begun().unfound(&history), ..error })
        }
        done => done,
    }
}
