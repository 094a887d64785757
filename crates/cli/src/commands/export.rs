//! `backscroll export`: many conversations, for other programs. Streams: memory does not grow with their number.

use std::io::{self, Write};
use std::path::PathBuf;

use backscroll_history::{History, Query};
use backscroll_model::ConversationId;
use clap::{Args, ValueEnum};

use crate::error::{CommandError, chain};
use crate::exit::Exit;
use crate::export_pipeline::{self, Rendered};
use crate::filters::FilterArgs;
use crate::outcome::Outcome;
use crate::output_file::OutputFile;
use crate::progress::Progress;
use crate::ui::Ui;

/// Export conversations, in the order of `list`
///
/// Without ids or filters, every conversation that `list` would show.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// Just these: beginnings of ids, `@1`, parts of titles
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// How to write them
    #[arg(short, long, default_value = "jsonl")]
    format: Format,

    /// Write to FILE, readable by you alone, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite FILE
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    filters: FilterArgs,
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line (backscroll.conversation/1)
    Jsonl,
    /// One JSON array of the same objects
    Json,
}

const EXAMPLES: &str = "\
Examples:
  backscroll export -o everything.jsonl
  backscroll export --all --since 2026-01 --until 2026-03 -o quarter.jsonl
  backscroll export @1 @2 --format json
  backscroll export --workspace . | jq -c '.messages[] | select(.role==\"user\")'";

/// Writes the conversations.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    history: &History,
    mut outcome: Outcome<'_>,
    args: &ExportArgs,
) -> Result<Exit, CommandError> {
    let to_file = args.output.as_deref().filter(|path| *path != "-");
    let mut file = to_file.map(|path| OutputFile::create(path, args.force)).transpose()?;
    let query =
        Query { all: args.filters.which.all || !args.ids.is_empty(), ..args.filters.query(ui.environment) };
    let ids = asked(history, &mut outcome, args, &query)?;
    let mut progress = Progress::of(ids.len(), ui.shows_progress());
    // Listing has looked at the messages already, unless the user named the conversations.
    let filter = (!args.ids.is_empty()).then_some(&query);
    let mut troubles = Vec::new();
    let mut matched = 0;
    let mut frame = Frame::of(args.format);
    export_pipeline::run(history, &ids, filter, |rendered| {
        match rendered {
            Rendered::Written { bytes, findings } => {
                matched += 1;
                outcome.in_conversations += findings;
                let out: &mut dyn Write = match &mut file {
                    Some(file) => file,
                    None => ui.out(),
                };
                frame.item(&bytes, out)?;
            }
            Rendered::NotWanted => {}
            Rendered::Failed(error) => troubles.push(error),
        }
        progress.step(&mut |line| ui.aside(line));
        Ok(())
    })?;
    progress.clear(&mut |line| ui.aside(line));
    match &mut file {
        Some(file) => frame.end(file)?,
        None => frame.end(ui.out())?,
    }
    outcome.matched = matched;
    finish(ui, &outcome, file, &troubles)
}

/// The conversations that are asked for, in order, each once.
fn asked(
    history: &History,
    outcome: &mut Outcome<'_>,
    args: &ExportArgs,
    query: &Query,
) -> Result<Vec<ConversationId>, CommandError> {
    if args.ids.is_empty() {
        let summaries = outcome.ask(history, query);
        return Ok(summaries.into_iter().map(|summary| summary.id).collect());
    }
    let mut ids = Vec::new();
    for asked in &args.ids {
        let id = history.resolve(asked)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(query.limit.unwrap_or(usize::MAX));
    Ok(ids)
}

fn finish(
    ui: &mut Ui<'_>,
    outcome: &Outcome<'_>,
    file: Option<OutputFile>,
    troubles: &[backscroll_history::AskError],
) -> Result<Exit, CommandError> {
    ui.flush()?;
    match file {
        // A file without a single conversation would only be mistaken for a result.
        Some(file) if outcome.matched > 0 => {
            let place = file.keep()?;
            ui.note(&format!("{} written to {}", counted(outcome.matched), place.display()));
        }
        _ => {}
    }
    for error in troubles {
        ui.warning(&format!("left out: {}", chain(error)));
    }
    let exit = outcome.conclude(ui);
    Ok(match exit {
        Exit::Done if !troubles.is_empty() && outcome.is_strict => Exit::Findings,
        Exit::NothingMatched if !troubles.is_empty() => Exit::Unreadable,
        exit => exit,
    })
}

fn counted(conversations: usize) -> String {
    if conversations == 1 { "1 conversation".to_owned() } else { format!("{conversations} conversations") }
}

/// What stands around and between the conversations.
struct Frame {
    format: Format,
    is_begun: bool,
}

impl Frame {
    fn of(format: Format) -> Self {
        Self { format, is_begun: false }
    }

    fn item(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let before: &[u8] = match (self.format, self.is_begun) {
            (Format::Jsonl, _) => b"",
            (Format::Json, false) => b"[\n",
            (Format::Json, true) => b",\n",
        };
        self.is_begun = true;
        out.write_all(before)?;
        out.write_all(bytes)?;
        if self.format == Format::Jsonl { out.write_all(b"\n") } else { Ok(()) }
    }

    fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        match (self.format, self.is_begun) {
            (Format::Jsonl, _) => Ok(()),
            (Format::Json, false) => out.write_all(b"[]\n"),
            (Format::Json, true) => out.write_all(b"\n]\n"),
        }
    }
}
