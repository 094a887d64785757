//! What may be typed. Each command's own arguments stand in its file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::commands::{
    demo, export, files, handoff, hook, hooks, index, list, mcp, redact, related, replay, search, serve,
    show, sources, tail, watch,
};
use crate::config::RedactionArgs;

/// Find, read and export every conversation that Cursor ever stored on this machine.
///
/// Reading never changes a byte of what Cursor owns. Data goes to standard output, everything else to standard error.
#[derive(Debug, Parser)]
#[command(name = "backscroll", version, arg_required_else_help = true, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  backscroll demo                          See it work on a made-up home
  backscroll list --since 7d               What was said this week
  backscroll show @1                       The latest conversation
  backscroll search parser error           Where it was said
  backscroll export -o everything.jsonl    All of it, for other programs
  backscroll serve --open                  All of it, in your browser
  backscroll tail                          New messages, as they are written

Exit codes:
  0 done   1 nothing matched   2 wrong usage   3 a store could not be read
  4 refused   5 findings, under --strict   70 a bug in backscroll";

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Related(related::RelatedArgs),
    Files(files::FilesArgs),
    Export(export::ExportArgs),
    Handoff(handoff::HandoffArgs),
    Redact(redact::RedactArgs),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Tail(tail::TailArgs),
    Watch(watch::WatchArgs),
    Replay(replay::ReplayArgs),
    Sources(sources::SourcesArgs),
    Index(index::IndexArgs),
    Hooks(hooks::HooksArgs),
    Hook(hook::HookArgs),
    Demo(demo::DemoArgs),
}

impl Command {
    /// The switches for redaction of what the history gives out; `None` if it gives out everything as it is stored.
    pub(crate) fn redaction(&self, is_agent: bool) -> Option<&RedactionArgs> {
        match self {
            Self::List(args) => Some(&args.redaction),
            Self::Show(args) => Some(&args.redaction),
            Self::Search(args) => Some(&args.redaction),
            Self::Related(args) => Some(&args.redaction),
            Self::Files(args) => Some(&args.redaction),
            Self::Sources(args) => Some(&args.redaction),
            // These redact what they write themselves, all of it together. But an agent must learn no secret from what they find.
            Self::Export(args) if is_agent => Some(&args.redaction),
            Self::Handoff(args) if is_agent => Some(&args.redaction),
            Self::Replay(args) if is_agent => Some(&args.redaction),
            Self::Redact(_) | Self::Index(_) if is_agent => Some(&RedactionArgs::BY_DEFAULT),
            _ => None,
        }
    }
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where to look, how to tell")]
pub(crate) struct GlobalArgs {
    /// Treat DIR as the user's home, whatever system it comes from
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Read just this file, or whatever is found in this folder
    #[arg(long = "store", global = true, value_name = "PATH")]
    pub(crate) stores: Vec<PathBuf>,

    /// A folder that the editor was started with (`--user-data-dir`)
    #[arg(long = "user-data-dir", global = true, value_name = "DIR")]
    pub(crate) user_data_dirs: Vec<PathBuf>,

    /// Keep the search index in this folder, instead of the system's folder for caches
    #[arg(long = "index", global = true, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,

    /// Where our own data is kept, instead of the system's folder for data (also `BACKSCROLL_DATA_DIR`)
    #[arg(long = "data", global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The configuration, instead of `config.toml` in the system's folder for them
    #[arg(long = "config", global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// End with code 5 if anything was not as it should be
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub(crate) color: Color,

    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The definition of the command line, for help and documents.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Whether `arguments`, right or wrong, mean `backscroll hook`.
pub(crate) fn is_hook(arguments: &[OsString]) -> bool {
    let takes_value = |option: &str| {
        let mut options = Cli::command().get_arguments().cloned().collect::<Vec<_>>().into_iter();
        options.any(|known| known.get_long() == Some(option) && known.get_action().takes_values())
    };
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some(option) if !option.contains('=') && takes_value(option) => drop(words.next()),
            Some(_) => {}
            None if word.starts_with('-') => {}
            None => return word == "hook",
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_known_however_it_is_called() {
        let is_hook = |line: &str| is_hook(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in
            ["b hook", "b --data hook hook --nonsense", "b -q --color=never hook", "b --home /x hook x"]
        {
            assert!(is_hook(line), "{line}");
        }
        for line in ["b", "b hooks status", "b search hook", "b --data hook", "b list --data hook"] {
            assert!(!is_hook(line), "{line}");
        }
    }
}
