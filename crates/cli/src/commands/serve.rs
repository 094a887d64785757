//! `backscroll serve`: the whole history in a browser, for this machine alone.

use std::io;
use std::path::PathBuf;

use backscroll_own_files::{OwnFolder, temporary_folder};
use backscroll_web::{Server, Settings, Token};
use clap::Args;
use tempfile::TempDir;

use crate::args::GlobalArgs;
use crate::config::{self, RedactionArgs};
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Result};
use crate::ui::{self, Ui};
use crate::wiring::{self, Where};

/// Read and search everything in a browser
///
/// Serves pages on this machine's own address, to nobody else: the printed address holds a token, and without it
/// nothing is shown. A browser is sent on to a random name below `.localhost`, so that no other server of this machine is given
/// its cookie. Reading changes nothing. Pages show everything; what leaves them (exports, replays, "Copy as Markdown",
/// the API) has no keys, tokens and passwords unless --no-redact is given. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// The port; 0 takes any that is free
    #[arg(short, long, value_name = "NUMBER", default_value_t = 0)]
    port: u16,

    /// Open it in your browser, through a file that only you can read (a browser in a sandbox may need the printed address)
    #[arg(short, long)]
    open: bool,

    /// Use 127.0.0.1 instead of a name below .localhost, for a browser that does not find that; other servers of this machine
    /// are then given the cookie, too
    #[arg(long)]
    by_address: bool,

    /// Without the search index: nothing is kept anywhere, and only titles and facts can be listed
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
        name: name(args)?,
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
    let page = if args.open { Some(entrance(ui, &server.entrance())) } else { None };
    if let Some(Err(why)) = &page {
        ui.warning(&format!("no browser could be started; open the address above: {why}"));
    }
    server.run().map_err(cannot_listen)?;
    Ok(Exit::Done)
}

/// The host that browsers ask for.
fn name(args: &ServeArgs) -> Result<String> {
    if args.by_address {
        return Ok("127.0.0.1".to_owned());
    }
    let random = Token::from_random(config::random()?);
    Ok(format!("backscroll-{}.localhost", &random.as_str()[..16]))
}

/// Opens the browser on a page that leads to `address`, and gives the folder of that page, which goes when the server ends. All
/// users of this machine can read the command line of the browser, but not this folder.
fn entrance(ui: &Ui<'_>, address: &str) -> io::Result<TempDir> {
    let folder = temporary_folder(&ui.environment.surroundings.temp, "backscroll-open-")?;
    let page = format!(
        "<!DOCTYPE html><title>Backscroll</title><meta name=referrer content=no-referrer>\
         <meta http-equiv=refresh content=\"0;url={address}\"><a href=\"{address}\">Backscroll</a>\n"
    );
    OwnFolder::open(folder.path())?.write("open.html", page.as_bytes())?;
    ui::open(folder.path().join("open.html"))?;
    Ok(folder)
}
