//! `backscroll serve`: the whole history in a browser, for this machine alone.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_store::ContentsKept;
use backscroll_history::History;
use backscroll_index::{Index, IndexError, Manner, refresh};
use backscroll_model::Contents;
use backscroll_render::SourceReport;
use backscroll_web::{Server, Settings, Stores, Token};
use clap::Args;

use crate::args::GlobalArgs;
use crate::config::RedactionArgs;
use crate::environment::Environment;
use crate::error::{CommandError, Exit, chain};
use crate::ui::{self, Ui};
use crate::wiring::{self, Where};
use crate::{environment, source_reports};

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
        clock: environment::clock(),
        looked_in: wiring::looked_in(places),
        redactor: args.redaction.redactor(true, global, &environment)?,
    };
    let stores = Arc::new(StoresHere {
        places: places.clone(),
        index: index.filter(|_| !args.no_index),
        contents: ContentsKept::default(),
    });
    let server = Server::bind(stores, settings).map_err(|error| {
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

/// The stores of this machine, as the other commands find and report them.
struct StoresHere {
    places: Where,
    /// The folder of the search index; without one there is no search by words.
    index: Option<PathBuf>,
    contents: ContentsKept,
}

impl Stores for StoresHere {
    fn open(&self, before: Option<&History>) -> History {
        let now = environment::clock().now().timestamp();
        wiring::history(&self.places, self.index.as_deref(), &wiring::find_with, now, before)
    }

    fn reports(&self, history: &History) -> Vec<SourceReport> {
        source_reports::reports(history.sources(), history.findings())
    }

    fn contents(&self, file: &Path) -> Result<Contents, String> {
        self.contents.of(file).map(|told| (*told).clone()).map_err(|error| chain(&error))
    }

    fn refresh_index(
        &self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IndexError> {
        let Some(folder) = &self.index else { return Ok(()) };
        let manner = Manner::ordinary(environment::clock().now().timestamp());
        refresh(folder, history, manner, progress).map(drop)
    }

    fn index(&self) -> Result<Option<Index>, IndexError> {
        self.index.as_deref().map_or(Ok(None), Index::open)
    }
}

fn token() -> Result<Token, CommandError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::new(Exit::Refused, NoRandomNumbers(error)))?;
    Ok(Token::from_random(bytes))
}

#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers: {0}")]
struct NoRandomNumbers(getrandom::Error);

#[derive(Debug, thiserror::Error)]
#[error("cannot listen on port {0}")]
struct CannotListen(u16, #[source] io::Error);
