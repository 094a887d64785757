//! `backscroll watch`: a folder of exported conversations that is kept up to date, and the service that does so in the background.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use backscroll_export::Format;
use backscroll_history::live::Snapshot;
use backscroll_model::{ConversationId, Summary};
use backscroll_own_files::OwnFolder;
use clap::{Args, FromArgMatches, Subcommand};
use serde::Serialize;

use super::export::{self, ExportArgs, formats_that};
use crate::args::GlobalArgs;
use crate::error::{CommandError, Exit, Outcome, Result};
use crate::program::Context;
use crate::service::System;
use crate::ui::Ui;
use crate::wiring::{self, Where, plain_file};

/// Keep a folder of exported conversations up to date
///
/// First does what `export --update` does, then waits, and exports what changed a moment after it was written. Ends with Ctrl-C.
/// `watch install` lets the system start it with your session.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WatchArgs {
    #[command(subcommand)]
    command: Option<WatchCommand>,

    #[command(flatten)]
    keep: Option<KeepArgs>,
}

/// What is kept up to date.
#[derive(Debug, Args, Clone)]
pub(crate) struct KeepArgs {
    /// The folder
    #[arg(long, value_name = "DIR", required = true)]
    export: PathBuf,

    /// How to write conversations
    #[arg(long, value_name = "FORMAT", default_value = "md", value_parser = formats_that(|format| format.index.is_some()))]
    format: &'static Format,

    /// Options of `export`, such as --workspace or --detail
    #[arg(last = true, value_name = "EXPORT OPTIONS", allow_hyphen_values = true)]
    options: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum WatchCommand {
    /// Let the system keep the folder up to date in the background, from now on and after each login
    Install {
        #[command(flatten)]
        keep: KeepArgs,
        /// Only show what would be written and run
        #[arg(long)]
        dry_run: bool,
    },
    /// End that, and remove what `install` wrote; the exported folder stays
    Uninstall,
    /// Whether it is installed, and whether it runs
    Status {
        /// One JSON object (backscroll.watch/1)
        #[arg(long)]
        json: bool,
    },
}

const EXAMPLES: &str = "\
Examples:
  backscroll watch --export ~/notes/cursor
  backscroll watch --export site --format html -- --workspace . --detail talk
  backscroll watch install --export ~/notes/cursor
  backscroll watch status
  backscroll watch uninstall";

/// How often stores are looked at.
const BEAT: Duration = Duration::from_millis(500);
/// What changed is exported when nothing more happened for this long,
const QUIET: Duration = Duration::from_secs(2);
/// or when this much time has passed.
const LATEST: Duration = Duration::from_secs(15);

pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    args: &WatchArgs,
) -> Result<Exit> {
    match (&args.command, &args.keep) {
        (Some(WatchCommand::Install { keep, dry_run }), _) => install(ui, global, keep, *dry_run),
        (Some(WatchCommand::Uninstall), _) => uninstall(ui),
        (Some(WatchCommand::Status { json }), _) => status(ui, *json),
        (None, Some(keep)) => watch(ui, places, index, global, keep),
        (None, None) => {
            let error = CommandError::new(Exit::Usage, "there is no folder to keep up to date");
            Err(error.hinted("name it with --export DIR"))
        }
    }
}

fn watch(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    keep: &KeepArgs,
) -> Result<Exit> {
    let redaction = keep.export_args(&[])?.redaction;
    // An agent must learn no secret from which conversations are found.
    let is_agent = ui.environment.is_agent;
    let cleaner = if is_agent { redaction.cleaner(true, global, ui.environment)? } else { None };
    let library = wiring::library(places, index, cleaner).without_words(BEAT);
    let mut last = library.snapshot();
    let update = |ui: &mut Ui<'_>, snapshot: &Snapshot, ids: &[ConversationId]| {
        let outcome = Outcome::new(places, global.strict, &snapshot.history);
        let context = Context { history: &snapshot.history, cleaner: None, index: None, global, outcome };
        let exported = export::run(ui, context, &keep.export_args(ids)?);
        snapshot.history.rest();
        exported
    };
    update(ui, &last, &[])?;
    ui.note("watching; Ctrl-C ends it");
    let mut changed: BTreeSet<ConversationId> = BTreeSet::new();
    let (mut first_at, mut last_at) = (Instant::now(), Instant::now());
    loop {
        sleep(BEAT);
        let snapshot = library.snapshot();
        let since = snapshot.changed_since(&last);
        if !since.is_empty() {
            last_at = Instant::now();
            if changed.is_empty() {
                first_at = last_at;
            }
            changed.extend(since);
        }
        last = snapshot;
        let is_due = last_at.elapsed() >= QUIET || first_at.elapsed() >= LATEST;
        if !changed.is_empty() && is_due {
            let changed = std::mem::take(&mut changed);
            let mut ids = keep.families(&last, &changed);
            if ids.is_empty() && changed.iter().any(|id| last.summary(id).is_none()) {
                // To bring any one up to date removes those that are gone.
                ids.extend(last.shown().next().map(|summary| summary.id.clone()));
            }
            if !ids.is_empty() {
                update(ui, &last, &ids)?;
            }
        }
    }
}

impl KeepArgs {
    /// The arguments of `export` that bring these conversations up to date, or all.
    fn export_args(&self, ids: &[ConversationId]) -> Result<ExportArgs> {
        let mut typed: Vec<String> = vec!["export".to_owned(), "--update".to_owned()];
        typed.extend(["--format".to_owned(), self.format.name().to_owned()]);
        typed.extend(self.options.iter().cloned());
        let command = ExportArgs::augment_args(clap::Command::new("export"));
        // A folder that is not there yet would be taken for a file if its name had an ending.
        let mut folder = self.export.clone().into_os_string();
        folder.push("/");
        let mut typed: Vec<_> = typed.into_iter().map(std::ffi::OsString::from).collect();
        typed.extend([std::ffi::OsString::from("--output"), folder]);
        typed.extend(ids.iter().map(|id| id.as_str().into()));
        let parsed =
            command.try_get_matches_from(typed).and_then(|matches| ExportArgs::from_arg_matches(&matches));
        parsed.map_err(|error| CommandError::new(Exit::Usage, error))
    }

    /// These conversations, with those that started them or were started by them: their documents name each other. Hidden ones only
    /// if all are asked for.
    fn families(&self, snapshot: &Snapshot, changed: &BTreeSet<ConversationId>) -> Vec<ConversationId> {
        let takes_all = self.options.iter().any(|option| option == "--all" || option == "-a");
        let shown: BTreeSet<&ConversationId> = if takes_all {
            snapshot.summaries.iter().map(|summary| &summary.id).collect()
        } else {
            snapshot.shown().map(|summary| &summary.id).collect()
        };
        let mut family: BTreeSet<&ConversationId> = BTreeSet::new();
        let mut open: Vec<&ConversationId> = changed.iter().collect();
        while let Some(id) = open.pop() {
            let Some(Summary { id, parent, children, .. }) = snapshot.summary(id) else { continue };
            if shown.contains(id) && family.insert(id) {
                open.extend(parent.iter().chain(children));
            }
        }
        family.into_iter().cloned().collect()
    }
}

/// The command that runs `watch` with these arguments.
fn command(global: &GlobalArgs, keep: &KeepArgs, here: &Path) -> Result<Vec<String>> {
    let program = std::env::current_exe()?;
    let full = |path: &Path| here.join(path).to_string_lossy().into_owned();
    let mut arguments = vec![program.to_string_lossy().into_owned(), "watch".to_owned()];
    let mut add = |name: &str, path: &Path| arguments.extend([name.to_owned(), full(path)]);
    global.home.iter().for_each(|home| add("--home", home));
    global.stores.iter().for_each(|store| add("--store", store));
    global.user_data_dirs.iter().for_each(|folder| add("--user-data-dir", folder));
    global.index.iter().for_each(|folder| add("--index", folder));
    global.config.iter().for_each(|file| add("--config", file));
    add("--export", &keep.export);
    arguments.extend(["--format".to_owned(), keep.format.name().to_owned()]);
    if !keep.options.is_empty() {
        arguments.push("--".to_owned());
        arguments.extend(keep.options.iter().cloned());
    }
    Ok(arguments)
}

fn install(ui: &mut Ui<'_>, global: &GlobalArgs, keep: &KeepArgs, dry_run: bool) -> Result<Exit> {
    // What cannot be parsed would fail later, where nobody sees it.
    keep.export_args(&[])?;
    let command = command(global, keep, &ui.environment.current_folder)?;
    let system = System::HERE;
    let file = system.file(ui.environment).ok_or_else(no_home)?;
    let content = system.content(&command);
    writeln!(ui.out(), "{}\n", file.display())?;
    ui.data(content.as_bytes())?;
    ui.flush()?;
    if dry_run {
        for command in system.start(&file) {
            ui.note(&format!("would run: {}", command.join(" ")));
        }
        return Ok(Exit::Done);
    }
    let (folder, name) = (file.parent().unwrap_or(&file), file.file_name().unwrap_or_default());
    OwnFolder::make(folder)?.write(name, content.as_bytes())?;
    ui.note(&format!("written to {}", file.display()));
    match run_all(&system.start(&file)) {
        Ok(()) => ui.note("it runs now, and will after each login"),
        Err(why) => {
            ui.warning(&format!("it is not running: {why}"));
            let commands: Vec<String> = system.start(&file).iter().map(|words| words.join(" ")).collect();
            ui.hint(&format!("start it with: {}", commands.join(" && ")));
        }
    }
    Ok(Exit::Done)
}

fn uninstall(ui: &mut Ui<'_>) -> Result<Exit> {
    let system = System::HERE;
    let file = system.file(ui.environment).ok_or_else(no_home)?;
    if !file.exists() {
        ui.warning(&format!("nothing is installed: there is no {}", file.display()));
        return Ok(Exit::NothingMatched);
    }
    if let Err(why) = run_all(&system.stop(&file)) {
        ui.warning(&format!("it may still be running: {why}"));
    }
    let (folder, name) = (file.parent().unwrap_or(&file), file.file_name().unwrap_or_default());
    OwnFolder::open(folder)?.remove(name)?;
    ui.note(&format!("removed {}", file.display()));
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct WireStatus<'a> {
    schema: &'static str,
    installed: bool,
    file: &'a str,
    /// `null` where the system does not say.
    running: Option<bool>,
}

fn status(ui: &mut Ui<'_>, json: bool) -> Result<Exit> {
    let system = System::HERE;
    let file = system.file(ui.environment).ok_or_else(no_home)?;
    let installed = file.exists();
    let running = if installed { is_running(system) } else { Some(false) };
    let shown = file.to_string_lossy();
    if json {
        let status = WireStatus { schema: "backscroll.watch/1", installed, file: &shown, running };
        let line = serde_json::to_string(&status).map_err(std::io::Error::from)?;
        ui.data(format!("{line}\n").as_bytes())?;
    } else if installed {
        let state = match running {
            Some(true) => "running",
            Some(false) => "not running",
            None => "the system does not say whether it runs",
        };
        writeln!(ui.out(), "installed, {state}\n{shown}\n")?;
        let content = plain_file::read_text(&file)?;
        ui.data(content.as_bytes())?;
    } else {
        writeln!(ui.out(), "not installed")?;
    }
    ui.flush()?;
    Ok(if installed { Exit::Done } else { Exit::NothingMatched })
}

/// Whether the service runs, if the system can be asked.
fn is_running(system: System) -> Option<bool> {
    let (program, arguments) = system.ask();
    let output = Command::new(program).args(arguments).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    system.says_running(output.status.success(), &said)
}

/// Runs these commands one after the other; why one of them could not be run, if any.
fn run_all(commands: &[Vec<String>]) -> Result<(), String> {
    for words in commands {
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", words.join(" "), said.lines().next().unwrap_or("it failed")));
        }
    }
    Ok(())
}

fn no_home() -> CommandError {
    CommandError::new(Exit::Refused, "no home folder is known")
}
