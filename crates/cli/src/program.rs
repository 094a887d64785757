//! From the command line to an exit code. Each command is in its own file.

use std::ffi::OsString;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::{io, panic};

use backscroll_history::{Cleaner, History, discard, live};
use backscroll_render::list;
use backscroll_render::text::sanitise;
use clap::FromArgMatches;

use crate::args::{self, Cli, Command, GlobalArgs};
use crate::commands;
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Outcome, Result};
use crate::fresh_index;
use crate::ui::{Streams, Ui};
use crate::wiring::{self, Finder, PlacesHere};

/// What a command that asks the history is given.
pub(crate) struct Context<'a> {
    pub(crate) history: &'a History,
    /// What takes the secrets out of all that the history gives out.
    pub(crate) cleaner: Option<&'a Cleaner>,
    /// The folder of the search index, if there is a place for it.
    pub(crate) index: Option<&'a Path>,
    pub(crate) global: &'a GlobalArgs,
    pub(crate) outcome: Outcome<'a>,
}

/// How many conversations are named when several may be meant.
const CANDIDATES: usize = 10;

/// Runs the program of this process.
pub fn main() -> Exit {
    panic::set_hook(Box::new(|what| {
        let mut ui = std::io::stderr();
        let _ = io::Write::write_fmt(
            &mut ui,
            format_args!(
                "\nbackscroll {} has a bug, and your data is untouched. Please report it with these lines:\n{what}\n",
                env!("CARGO_PKG_VERSION")
            ),
        );
    }));
    wiring::announce_waits(|database| {
        let _ = writeln!(
            io::stderr(),
            "waiting for the program that is writing {} …",
            sanitise(&database.to_string_lossy())
        );
    });
    let run_here = || {
        let streams = Streams {
            out: Box::new(BufWriter::with_capacity(64 * 1024, io::stdout())),
            err: Box::new(io::stderr()),
        };
        run(std::env::args_os(), &Environment::of_this_process(), streams, &wiring::find_with)
    };
    let arguments: Vec<OsString> = std::env::args_os().collect();
    panic::catch_unwind(run_here).unwrap_or_else(|_| {
        if args::is_hook(&arguments) { commands::hook::answer(&mut io::stdout()) } else { Exit::Bug }
    })
}

/// Does what `arguments` ask for, in these surroundings; `find` looks for the sources.
pub fn run(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    environment: &Environment,
    mut streams: Streams,
    find: Finder<'_>,
) -> Exit {
    let width = environment.width.unwrap_or(100);
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let matches = args::command().term_width(width.min(100)).try_get_matches_from(&arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Cursor takes the code of a wrong usage for a no to whatever the user is doing.
        Err(error) if error.use_stderr() && args::is_hook(&arguments) => {
            let _ = help_or_usage(&error, environment, &mut streams);
            return commands::hook::answer(&mut streams.out);
        }
        Err(error) => return help_or_usage(&error, environment, &mut streams),
    };
    let mut ui = Ui::new(streams, environment, cli.global.color, cli.global.quiet);
    let ended = match dispatch(&mut ui, &cli, find) {
        // It was discarded, and is made anew when it is asked again.
        Err(error) if error.is_damaged_index() => dispatch(&mut ui, &cli, find),
        ended => ended,
    };
    let ended = ended.and_then(|exit| Ok(ui.flush().map(|()| exit)?));
    ended.unwrap_or_else(|error| told(&mut ui, &error))
}

/// Help that was asked for is data; anything else is an error.
fn help_or_usage(error: &clap::Error, environment: &Environment, streams: &mut Streams) -> Exit {
    let (stream, is_terminal) = if error.use_stderr() {
        (&mut streams.err, environment.err_is_terminal)
    } else {
        (&mut streams.out, environment.out_is_terminal)
    };
    let text = error.render();
    let shown = if is_terminal && !environment.no_color { text.ansi().to_string() } else { text.to_string() };
    // The reader closed the pipe and does not want the help.
    let _ = stream.write_all(shown.as_bytes()).and_then(|()| stream.flush());
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

fn told(ui: &mut Ui<'_>, error: &CommandError) -> Exit {
    if error.is_closed_pipe {
        return Exit::Done;
    }
    // What was written before the error still belongs to the reader.
    let _ = ui.flush();
    ui.error(&error.told());
    if !error.candidates.is_empty() {
        let shown = &error.candidates[..error.candidates.len().min(CANDIDATES)];
        let view = list::ListView {
            width: ui.width(),
            now: ui.environment.now.clone(),
            colour: ui.asides_in_colour(),
        };
        let mut table = Vec::new();
        if list::table(shown, &view, &mut table).is_ok() {
            ui.aside(&String::from_utf8_lossy(&table));
        }
        let more = error.candidates.len() - shown.len();
        if more > 0 {
            ui.aside(&format!("… and {more} more\n"));
        }
    }
    error.hints.iter().for_each(|hint| ui.hint(hint));
    error.exit
}

/// True if a command keeps what it learns of the stores in the index at `folder`.
fn keeps_heads(command: &Command, folder: &Path) -> bool {
    match command {
        Command::List(args) => !args.no_index,
        // It looks at the stores themselves, whatever is remembered of them.
        Command::Sources(_) => false,
        // To look whether there is an index makes none.
        Command::Index(args) if args.is_status() => folder.is_dir(),
        _ => true,
    }
}

fn dispatch(ui: &mut Ui<'_>, cli: &Cli, find: Finder<'_>) -> Result<Exit> {
    match &cli.command {
        Command::Demo(args) => return commands::demo::run(ui, args, find),
        Command::Hook(args) => return Ok(commands::hook::run(ui, &cli.global, args)),
        Command::Hooks(args) => return commands::hooks::run(ui, &cli.global, args),
        _ => {}
    }
    let places = wiring::places(&cli.global, ui.environment)?;
    let index = fresh_index::index_folder(&cli.global, &places, ui.environment);
    // These stay, and open a library of their own.
    match &cli.command {
        Command::Serve(args) => return commands::serve::run(ui, &places, index, &cli.global, args),
        Command::Mcp(args) => return commands::mcp::run(ui, &places, index, &cli.global, args),
        Command::Tail(args) => return commands::tail::run(ui, &places, index, &cli.global, args),
        Command::Watch(args) => return commands::watch::run(ui, &places, index, &cli.global, args),
        _ => {}
    }
    let now = ui.environment.now.timestamp();
    let here = PlacesHere::new(&places, find);
    let is_agent = ui.environment.is_agent;
    let redaction = cli.command.redaction(is_agent);
    let cleaner = redaction.map(|redaction| redaction.cleaner(is_agent, &cli.global, ui.environment));
    let cleaner = cleaner.transpose()?.flatten();
    let index = index.map(|folder| fresh_index::folder_for(&folder, cleaner.as_deref()));
    let kept_in = index.as_deref().filter(|folder| keeps_heads(&cli.command, folder));
    let history = live::open(&here, kept_in, now, cleaner.as_ref());
    let begun = || Outcome::new(&places, cli.global.strict, &history);
    let (index, global) = (index.as_deref(), &cli.global);
    let cleaner = cleaner.as_deref();
    let context = Context { history: &history, cleaner, index, global, outcome: begun() };
    let done = match &cli.command {
        Command::List(args) => commands::list::run(ui, context, args),
        Command::Search(args) => commands::search::run(ui, context, args),
        Command::Related(args) => commands::related::run(ui, context, args),
        Command::Files(args) => commands::files::run(ui, context, args),
        Command::Index(args) => commands::index::run(ui, context, args),
        Command::Show(args) => commands::show::run(ui, context, args),
        Command::Replay(args) => commands::replay::run(ui, context, args),
        Command::Export(args) => commands::export::run(ui, context, args),
        Command::Handoff(args) => commands::handoff::run(ui, context, args),
        Command::Redact(args) => commands::redact::run(ui, context, args),
        Command::Sources(args) => commands::sources::run(ui, context, args),
        Command::Serve(_)
        | Command::Mcp(_)
        | Command::Tail(_)
        | Command::Watch(_)
        | Command::Hook(_)
        | Command::Hooks(_)
        | Command::Demo(_) => Ok(Exit::Done),
    };
    match done {
        Err(error) if error.exit == Exit::NothingMatched => {
            Err(CommandError { exit: begun().unfound(ui, &history), ..error })
        }
        Err(error) if error.is_damaged_index() => {
            if let Some(folder) = index {
                discard(folder);
            }
            Err(error)
        }
        done => done,
    }
}
