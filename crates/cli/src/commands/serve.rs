//! `backscroll serve`: the whole history in a browser, for this machine alone.

use std::io;
use std::path::PathBuf;

use backscroll_history::live::Library;
use backscroll_web::{Server, Settings};
use clap::Args;

use crate::args::GlobalArgs;
use crate::config::RedactionArgs;
use crate::environment::{self, Environment};
use crate::error::{CommandError, Exit};
use crate::token::token;
use crate::ui::{self, Ui};
use crate::wiring::{self, PlacesHere, Where};

/// Read and search everything in a browser
///
/// Serves pages on this machine's own address, to nobody else: the printed address holds a token, and without it
/// nothing is shown. Reading changes nothing. Pages show everything; what leaves them (exports, replays, "Copy as Markdown",
/// the API) has no keys, tokens and passwords unless --no-redact is given. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// The port; 0 takes any that is free
    #[arg(short, long, value_name = "NUMBER", default_value_t = 0)]
    port: u16,

    /// Open it in your browser
    #[arg(short, long)]
    open: bool,

    /// Without the search index: nothing is written anywhere, and only titles and facts can be listed
    #[arg(long)]
    no_index: bool,

    #[command(flatten)]
    redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll serve --open
  backscroll serve --port 7878
  backscroll serve --home /mnt/old-disk/home/me --open

Programs may ask the same server, with the token from the printed address:
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:7878/api/v1/conversations";

/// Serves until it is stopped.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    args: &ServeArgs,
) -> Result<Exit, CommandError> {
    // Without an index nothing is written, not even the key of placeholders.
    let cache = ui.environment.cache.clone().filter(|_| !args.no_index);
    let environment = Environment { cache, ..ui.environment.clone() };
    let settings = Settings {
        port: args.port,
        token: token()?,
        looked_in: wiring::looked_in(places),
        redactor: args.redaction.redactor(true, global, &environment)?,
    };
    let here = Box::new(PlacesHere::new(places, wiring::find_with));
    let library = Library::new(here, index.filter(|_| !args.no_index), environment::clock());
    let server = Server::bind(library, settings).map_err(|error| {
        CommandError::new(Exit::Refused, CannotListen(args.port, error))
            .hinted("`--port 0` takes any that is free")
    })?;
    let address = server.url();
    // The address is what a program that starts us wants; the rest is for people.
    writeln!(ui.out(), "{address}")?;
    ui.flush()?;
    ui.note("serving to this machine alone; Ctrl-C ends it");
    if args.open && ui::open_address(&address).is_err() {
        ui.warning("no browser could be started; open the address above");
    }
    server.run().map_err(|error| CommandError::new(Exit::Refused, CannotListen(args.port, error)))?;
    Ok(Exit::Done)
}

#[derive(Debug, thiserror::Error)]
#[error("cannot listen on port {0}")]
struct CannotListen(u16, #[source] io::Error);
