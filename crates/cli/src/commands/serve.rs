//! `backscroll serve`: the whole history in a browser, for this machine alone.

use std::path::PathBuf;

use backscroll_web::{Server, Settings, Token};
use clap::Args;

use crate::args::GlobalArgs;
use crate::config::{self, RedactionArgs};
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Result};
use crate::ui::{self, Ui};
use crate::wiring::{self, Where};

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

pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    args: &ServeArgs,
) -> Result<Exit> {
    // Without an index nothing is written, not even the key of placeholders.
    let cache = ui.environment.cache.clone().filter(|_| !args.no_index);
    let environment = Environment { cache, ..ui.environment.clone() };
    let settings = Settings {
        port: args.port,
        token: Token::from_random(config::random()?),
        looked_in: wiring::looked_in(places),
    };
    let cleaner = args.redaction.cleaner(true, global, &environment)?;
    let library = wiring::library(places, index.filter(|_| !args.no_index), cleaner);
    let cannot_listen = |error| CommandError::cannot_listen(args.port, error);
    let server = Server::bind(library, settings)
        .map_err(|error| cannot_listen(error).hinted("`--port 0` takes any that is free"))?;
    let address = server.url();
    // The address is what a program that starts us wants; the rest is for people.
    writeln!(ui.out(), "{address}")?;
    ui.flush()?;
    ui.note("serving to this machine alone; Ctrl-C ends it");
    if args.open && ui::open(&address).is_err() {
        ui.warning("no browser could be started; open the address above");
    }
    server.run().map_err(cannot_listen)?;
    Ok(Exit::Done)
}
