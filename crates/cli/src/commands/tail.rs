//! `backscroll tail`: conversations as they are written.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use backscroll_history::live::{Clock, Follow, FollowOptions};
use backscroll_history::{Ask, AskError};
use backscroll_model::{Event, named};
use backscroll_render::json;
use backscroll_render::terminal::{LiveView, Tools, View};
use clap::Args;

use crate::args::GlobalArgs;
use crate::config::RedactionArgs;
use crate::error::{Exit, Result};
use crate::filters::{WhichArgs, names, names_with_help};
use crate::ui::{Ui, counted};
use crate::wiring::{self, Where};

/// Follow conversations as Cursor writes them
///
/// Prints new messages and tool results as they come, from the editor, the command line agent, the SDK and transcripts, like `tail -f`.
/// Without ids or filters it follows every conversation that `list` would show, new ones too. Reading changes nothing and never makes
/// Cursor wait. Ends with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TailArgs {
    /// The conversations; all that the filters ask for, if none is named
    ids: Vec<String>,

    /// One JSON object a line (backscroll.event/1)
    #[arg(long)]
    json: bool,

    /// Where to begin
    #[arg(long, value_name = "WHERE", value_parser = names::<From>(), default_value = "now")]
    from: From,

    /// End by itself after this time: 10s, 2m, 1h
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,

    /// Run this command for each event, with the event as JSON on its standard input; with --json, what it prints goes to standard
    /// error
    #[arg(long, value_name = "COMMAND")]
    exec: Option<String>,

    /// Thinking, summaries and system prompts in full
    #[arg(long)]
    thinking: bool,

    /// How much of tool calls
    #[arg(long, value_name = "HOW", value_parser = names_with_help::<Tools>(super::show::TOOLS_HELP), default_value = "line")]
    tools: Tools,

    #[command(flatten)]
    which: WhichArgs,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

named! {
    /// Where to begin.
    pub(crate) enum From {
        /// With what happens from now on.
        Now = "now",
        /// With everything that is there.
        Start = "start",
    }
}

const EXAMPLES: &str = "\
Examples:
  backscroll tail
  backscroll tail @1
  backscroll tail --workspace . --tools full
  backscroll tail --json --for 10s | jq -r .event
  backscroll tail --all --json --exec 'notify-send Cursor'";

/// How often stores are looked at.
const BEAT: Duration = Duration::from_millis(100);
/// A line that waits for its end is written when nothing happened for this long.
const REST: Duration = Duration::from_millis(1500);

pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    args: &TailArgs,
) -> Result<Exit> {
    let begun = Instant::now();
    let cleaner = args.redaction.cleaner(ui.environment.is_agent, global, ui.environment)?;
    let library = wiring::library(places, index, cleaner).without_words(BEAT);
    let snapshot = library.snapshot();
    for place in &snapshot.unreadable {
        ui.warning(place);
    }
    if snapshot.summaries.is_empty() && !snapshot.unreadable.is_empty() {
        return Ok(Exit::Unreadable);
    }
    let ids = args.ids.iter().map(|asked| snapshot.history.resolve(asked));
    let options = FollowOptions {
        ids: ids.collect::<Result<_, AskError>>()?,
        ask: Ask { all: args.which.all || !args.ids.is_empty(), ..args.which.ask(ui.environment) },
        from_start: args.from == From::Start,
    };
    drop(snapshot);
    let mut printer = Printer::new(ui, args, library.clock());
    let mut follow = Follow::begin(&library, options, &mut |event| printer.print(&event))?;
    printer.ui.flush()?;
    let many = counted(follow.count(), "conversation");
    printer.ui.note(&format!("following {many} and new ones; Ctrl-C ends it"));
    let mut last_event = Instant::now();
    loop {
        let before = printer.seq;
        follow.poll(&mut |event| printer.print(&event))?;
        if printer.seq != before {
            last_event = Instant::now();
        } else if last_event.elapsed() >= REST {
            printer.rest()?;
        }
        printer.ui.flush()?;
        let left = args.duration.map(|wanted| wanted.saturating_sub(begun.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            printer.rest()?;
            return Ok(Exit::Done);
        }
        sleep(left.unwrap_or(BEAT).min(BEAT));
    }
}

/// Writes events in the asked way.
struct Printer<'u, 'e> {
    ui: &'u mut Ui<'e>,
    clock: &'u Clock,
    live: Option<LiveView>,
    exec: Option<&'u str>,
    /// The number of the last event.
    seq: u64,
}

impl<'u, 'e> Printer<'u, 'e> {
    fn new(ui: &'u mut Ui<'e>, args: &'u TailArgs, clock: &'u Clock) -> Self {
        let view = View {
            colour: ui.colour(),
            time_zone: ui.environment.now.time_zone().clone(),
            thinking: args.thinking,
            tools: args.tools,
            ..View::plain(ui.reading_width())
        };
        let live = (!args.json).then(|| LiveView::new(view, ui.is_terminal()));
        Self { ui, clock, live, exec: args.exec.as_deref(), seq: 0 }
    }

    fn print(&mut self, event: &Event) -> io::Result<()> {
        self.seq += 1;
        let mut line = Vec::new();
        if self.live.is_none() || self.exec.is_some() {
            json::event(event, self.seq, self.clock.now().timestamp(), &mut line)?;
            line.push(b'\n');
        }
        match &mut self.live {
            Some(view) => view.event(event, self.ui.out())?,
            None => self.ui.data(&line)?,
        }
        match self.exec {
            Some(command) => self.execute(command, &line),
            None => Ok(()),
        }
    }

    fn rest(&mut self) -> io::Result<()> {
        self.live.as_mut().map_or(Ok(()), |live| live.rest(self.ui.out()))
    }

    /// Runs the command with this line on its standard input, and waits for it: events come in order.
    fn execute(&mut self, command: &str, line: &[u8]) -> io::Result<()> {
        self.ui.flush()?;
        let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        let mut run = Command::new(shell[0]);
        run.args([shell[1], command]).stdin(Stdio::piped());
        if self.live.is_none() {
            // Standard output has events and nothing else.
            run.stdout(io::stderr());
        }
        let mut child = run.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // A command need not read what it is given.
            let _ = input.write_all(line);
        }
        let status = child.wait()?;
        if !status.success() {
            self.ui.warning(&format!("`{command}` failed: {status}"));
        }
        Ok(())
    }
}

/// A time such as `10s` or `1h 30m`.
fn duration(typed: &str) -> Result<Duration, String> {
    let parsed = typed.parse::<jiff::SignedDuration>().map_err(|error| error.to_string())?;
    Duration::try_from(parsed).map_err(|_| "a time cannot be negative".to_owned())
}
