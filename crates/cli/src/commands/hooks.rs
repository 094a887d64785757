//! `backscroll hooks`: adds `backscroll hook` to `hooks.json`, reports whether it is there, and removes it.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _};
use std::iter;
use std::path::{Path, PathBuf};

use crate::wiring::HookLedger;
use backscroll_model::{Inventory as _, Source as _};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::args::GlobalArgs;
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Result};
use crate::hooks_before::{self, Original};
use crate::hooks_file::{self, HooksFileError, Installed};
use crate::settings_file::{self, SettingsChange};
use crate::ui::{Ui, counted};
use crate::wiring;

/// Record what Cursor reports while it works: tokens, times, subagents
///
/// Cursor runs the programs that `hooks.json` names. `install` adds `backscroll hook` for five events, shows the difference first, and
/// touches nothing else in the file.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    command: HooksCommand,
}

#[derive(Debug, Subcommand)]
enum HooksCommand {
    /// Add our entries to `hooks.json`
    Install(InstallArgs),
    /// Report which events are recorded, and what the ledger holds
    Status(StatusArgs),
    /// Remove our entries from `hooks.json`; the ledger stays
    Uninstall(ChangeArgs),
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// Keep prompts, answers and everything else in the payloads, not only their length
    #[arg(long)]
    content: bool,

    #[command(flatten)]
    change: ChangeArgs,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
struct ChangeArgs {
    /// In `.cursor/hooks.json` of the current folder, instead of the user's own
    #[arg(long)]
    project: bool,

    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Change it without a question
    #[arg(long)]
    yes: bool,

    /// JSON: backscroll.plan/1, then backscroll.change/1
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct StatusArgs {
    /// Only the current folder's `.cursor/hooks.json`
    #[arg(long)]
    project: bool,

    /// One JSON object for each file (backscroll.hooks/1)
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll hooks install --dry-run
  backscroll hooks install --yes
  backscroll hooks install --project --content
  backscroll hooks status --json
  backscroll hooks uninstall --yes";

#[derive(Debug, thiserror::Error)]
enum HooksError {
    #[error("no home is known, so the place of hooks.json is not known either")]
    NoHome,
    #[error("nothing was changed: this needs a terminal or --yes")]
    NotConfirmed,
    #[error("{} is a link", .0.display())]
    Link(PathBuf),
    #[error("{} is not what it should be", .0.display())]
    Malformed(PathBuf, #[source] HooksFileError),
}

impl From<HooksError> for CommandError {
    fn from(error: HooksError) -> Self {
        let hint = match &error {
            HooksError::NoHome => "name the home with --home DIR",
            HooksError::NotConfirmed => "change it with --yes, or look at it with --dry-run",
            HooksError::Link(_) => {
                "a project must not lead to files elsewhere; change what it leads to yourself"
            }
            HooksError::Malformed(..) => "correct it by hand; it was left as it is",
        };
        Self::new(Exit::Refused, error).hinted(hint)
    }
}

pub(crate) fn run(ui: &mut Ui<'_>, global: &GlobalArgs, args: &HooksArgs) -> Result<Exit> {
    match &args.command {
        HooksCommand::Install(install) => {
            let file = hooks_file(global, ui.environment, install.change.project)?;
            let command = command(global, ui.environment, install);
            check_link(&file, &install.change)?;
            let change = edited(&file, |text| hooks_file::with_entries(text, &HookLedger::EVENTS, &command))?;
            let data = wiring::data_folder(global, ui.environment);
            // Without it our entries can still be removed.
            let remember = |change: &SettingsChange| {
                let _ = data.map(|data| hooks_before::remember(&data, change));
            };
            apply(ui, "hooks install", &change, &install.change, remember)
        }
        HooksCommand::Uninstall(args) => {
            let file = hooks_file(global, ui.environment, args.project)?;
            check_link(&file, args)?;
            let data = wiring::data_folder(global, ui.environment);
            let change = removed(&file, data.as_deref())?;
            let forget = |change: &SettingsChange| {
                let _ = data.map(|data| hooks_before::forget(&data, &change.place));
            };
            apply(ui, "hooks uninstall", &change, args, forget)
        }
        HooksCommand::Status(args) => status(ui, global, args),
    }
}

/// Where Cursor looks: in the user's own folder, or in that of a project.
fn hooks_file(
    global: &GlobalArgs,
    environment: &Environment,
    is_project: bool,
) -> Result<PathBuf, HooksError> {
    if is_project {
        return Ok(environment.current_folder.join(".cursor/hooks.json"));
    }
    let home = global.home.as_ref().or(environment.surroundings.home.as_ref()).ok_or(HooksError::NoHome)?;
    Ok(home.join(".cursor/hooks.json"))
}

/// What Cursor is to run. A project's file is for everybody who works on it, so it names no place on this machine.
fn command(global: &GlobalArgs, environment: &Environment, args: &InstallArgs) -> String {
    let program = if args.change.project { Path::new("backscroll") } else { &environment.program };
    let data = wiring::named_data(global, environment).filter(|_| !args.change.project);
    hooks_file::command(program, data.as_deref(), args.content)
}

fn check_link(file: &Path, args: &ChangeArgs) -> Result<(), HooksError> {
    let link = file.ancestors().take(2).find(|place| args.project && place.is_symlink());
    link.map_or(Ok(()), |link| Err(HooksError::Link(link.to_owned())))
}

fn edited(file: &Path, edit: impl FnOnce(&str) -> Result<String, HooksFileError>) -> Result<SettingsChange> {
    SettingsChange::plan(file, |text| edit(text).map_err(|error| error.to_string()))
}

/// The file as it was before us; without our entries, if somebody changed it since.
fn removed(file: &Path, data: Option<&Path>) -> Result<SettingsChange> {
    let now = settings_file::read(file)?;
    let known = now.and_then(|now| Some((hooks_before::original(data?, file, &now)?, now)));
    match known {
        Some((Original { text, had_folder }, now)) => Ok(SettingsChange::back(file, now, text, had_folder)),
        None => edited(file, hooks_file::without_entries),
    }
}

/// Shows the change, asks, and writes it; `note` is called just before.
fn apply(
    ui: &mut Ui<'_>,
    name: &str,
    change: &SettingsChange,
    args: &ChangeArgs,
    note: impl FnOnce(&SettingsChange),
) -> Result<Exit> {
    let file = &change.place;
    if args.json {
        plan(ui, name, change)?;
    } else if !change.is_none() {
        ui.data(change.shown().as_bytes())?;
    }
    ui.flush()?;
    if change.is_none() {
        ui.note(&format!("{}: nothing to change", file.display()));
        return Ok(Exit::Done);
    }
    if args.dry_run {
        return Ok(Exit::Done);
    }
    if !args.yes && !is_wanted(ui)? {
        return Ok(Exit::Refused);
    }
    note(change);
    change.write()?;
    if args.json {
        let change = json!({ "schema": "backscroll.change/1", "undo": null, "conversations": 0, "rows": 0, "files": 1,
            "checks": ["the file was as it was shown", "it was replaced at once"] });
        ui.data(format!("{change}\n").as_bytes())?;
    }
    ui.note(&format!("{} is written", file.display()));
    Ok(Exit::Done)
}

/// Writes what would be done; no step, if there is nothing to do.
fn plan(ui: &mut Ui<'_>, name: &str, change: &SettingsChange) -> io::Result<()> {
    let action = match (&change.before, &change.after) {
        (None, _) => "insert",
        (_, None) => "delete",
        _ => "replace",
    };
    let bytes = if change.is_none() { 0 } else { change.text_after().len() };
    let step = json!({ "file": change.place.to_string_lossy(), "table": null, "key": "hooks", "action": action, "bytes": bytes });
    let steps: Vec<_> = Some(step).filter(|_| !change.is_none()).into_iter().collect();
    let plan = json!({ "schema": "backscroll.plan/1", "command": name, "conversations": [], "steps": steps,
        "bytes_needed": bytes, "bytes_gained": 0 });
    ui.data(format!("{plan}\n").as_bytes())
}

/// Whether somebody at a terminal says yes.
fn is_wanted(ui: &mut Ui<'_>) -> Result<bool> {
    if !ui.environment.in_is_terminal || !ui.environment.err_is_terminal {
        return Err(HooksError::NotConfirmed.into());
    }
    ui.aside("Write it? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Says what each file has of us, and what the ledger holds.
fn status(ui: &mut Ui<'_>, global: &GlobalArgs, args: &StatusArgs) -> Result<Exit> {
    let own = if args.project { None } else { Some(hooks_file(global, ui.environment, false)?) };
    let project = hooks_file(global, ui.environment, true)?;
    let project = Some(project).filter(|file| args.project || file.exists());
    for file in own.into_iter().chain(project) {
        let text = settings_file::read(&file)?;
        let has = text.as_deref().map_or(Ok(Installed::default()), hooks_file::installed);
        let has = has.map_err(|error| HooksError::Malformed(file.clone(), error))?;
        write_status(ui, &file, text.is_some(), &has, args.json)?;
    }
    let Some(data) = wiring::data_folder(global, ui.environment) else { return Ok(Exit::Done) };
    let (mut conversations, mut months, mut last_at) = (BTreeSet::new(), 0, None);
    if let Some(ledger) = HookLedger::in_data(&data) {
        for store in ledger.stores().value {
            let entries = ledger.catalogue(&store.path, None)?.entries;
            conversations.extend(entries.into_iter().map(|catalogued| catalogued.entry.id));
            months += 1;
        }
        last_at = ledger.holdings()?.into_iter().filter_map(|month| month.last_at).max();
    }
    let folder = HookLedger::folder_in(&data);
    if args.json {
        let ledger = json!({ "schema": "backscroll.hooks-ledger/1", "folder": folder.to_string_lossy(), "files": months,
            "conversations": conversations.len(), "last_at": last_at.map(|at| at.to_string()) });
        ui.data(format!("{ledger}\n").as_bytes())?;
    } else {
        let last = last_at.map(|at| format!(", the last event at {at}")).unwrap_or_default();
        let count = counted(conversations.len(), "conversation");
        ui.data(format!("{}: events of {count}{last}\n", folder.display()).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn write_status(ui: &mut Ui<'_>, file: &Path, is_there: bool, has: &Installed, json: bool) -> io::Result<()> {
    let missing =
        HookLedger::EVENTS.iter().filter(|event| !has.events.iter().any(|(known, _)| known == *event));
    let missing: Vec<&str> = missing.copied().collect();
    let events: Vec<&str> = has.events.iter().map(|(event, _)| event.as_str()).collect();
    let command = has.events.first().map(|(_, command)| command.as_str());
    let content = command.is_some_and(|command| command.split_whitespace().any(|word| word == "--content"));
    if json {
        let status = json!({ "schema": "backscroll.hooks/1", "file": file.to_string_lossy(), "exists": is_there,
            "installed": missing.is_empty(), "events": events, "missing": missing, "content": content, "command": command,
            "foreign": has.foreign });
        return ui.data(format!("{status}\n").as_bytes());
    }
    let state = match (events.is_empty(), missing.is_empty()) {
        (true, _) => "not installed".to_owned(),
        (false, true) => format!("installed for {}", events.join(", ")),
        (false, false) => format!("installed for {}; missing {}", events.join(", "), missing.join(", ")),
    };
    let words = iter::once(state).chain(command.map(|command| format!("runs {command}")));
    let others = (has.foreign > 0).then(|| format!("{} entries of others", has.foreign));
    let line: Vec<String> = words.chain(others).collect();
    ui.data(format!("{}: {}\n", file.display(), line.join("; ")).as_bytes())
}
