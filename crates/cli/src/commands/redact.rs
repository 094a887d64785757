//! `backscroll redact`: what would be taken out of a conversation or a file, and a file without it.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use backscroll_history::History;
use backscroll_model::Conversation;
use backscroll_own_files::OutputFile;
use backscroll_redact::{HomeNames, Redactor, Sighting};
use backscroll_render::json;
use backscroll_render::list::size;
use backscroll_render::text::sanitise;
use clap::Args;

use crate::config;
use crate::error::{CommandError, Exit, Result};
use crate::program::Context;
use crate::ui::Ui;
use crate::wiring::plain_file;

/// List the secrets in conversations or files, or write a file without them
///
/// A secret is never shown, except for its first four characters. `--check` ends with code 1 if there are secrets, and with 0
/// if there are none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct RedactArgs {
    /// Text files, or conversations: beginnings of ids, `@1`, parts of titles; `-` is standard input
    #[arg(value_name = "FILE|ID", default_value = "-")]
    targets: Vec<String>,

    /// List what would be removed
    #[arg(long, required_unless_present = "output", conflicts_with = "output")]
    check: bool,

    /// Write FILE without its secrets to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite it
    #[arg(long)]
    force: bool,

    /// One JSON object for each place (backscroll.secret/1)
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// E-mail addresses too
    #[arg(long)]
    emails: bool,

    /// The home folder and the user's name too
    #[arg(long)]
    names: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll redact --check @1
  backscroll redact --check notes.md server.log --emails --names
  backscroll redact --check @1 --json | jq -r .kind | sort | uniq -c
  backscroll redact server.log -o server.clean.log
  git diff --cached | backscroll redact --check && git commit";

#[derive(Debug, thiserror::Error)]
enum RedactError {
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{} is not a text file", .0.display())]
    NotText(PathBuf),
    #[error("only one file can be rewritten at a time")]
    SeveralFiles,
    #[error("{0} is not a file")]
    NotAFile(String),
}

pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &RedactArgs) -> Result<Exit> {
    let Context { history, global, mut outcome, .. } = context;
    let mut options = config::redact_options(global, ui.environment)?;
    options.emails |= args.emails;
    if args.names {
        options.home = ui
            .environment
            .surroundings
            .home
            .as_deref()
            .map(|home| HomeNames::from_folder(&home.to_string_lossy()));
    }
    let mut redactor = Redactor::new(&options).map_err(|error| CommandError::new(Exit::Usage, error))?;
    if let Some(output) = &args.output {
        return rewrite(ui, &mut redactor, args, output);
    }
    for target in &args.targets {
        let checked = check(ui, history, &mut redactor, target, args.json)?;
        if let Some(conversation) = checked {
            outcome.note(&conversation);
        }
        outcome.matched += 1;
    }
    ui.flush()?;
    let report = redactor.report();
    if report.is_empty() {
        ui.note("nothing to remove");
        return Ok(outcome.conclude(ui));
    }
    ui.note(&format!("would be removed: {}", report.told()));
    outcome.conclude(ui);
    Ok(Exit::SECRETS_FOUND)
}

/// Lists what would be taken out of one target, and gives the conversation if it is one.
#[expect(clippy::disallowed_methods, reason = "what is there to be taken out is told, not shown")]
fn check(
    ui: &mut Ui<'_>,
    history: &History,
    redactor: &mut Redactor,
    target: &str,
    is_json: bool,
) -> Result<Option<Conversation>> {
    if let Some(bytes) = bytes_of(ui, target)? {
        let text = String::from_utf8_lossy(&bytes);
        if let Cow::Owned(_) = text {
            ui.warning(&format!("{target} is not all text in UTF-8; only what is was looked at"));
        }
        let sightings = with_progress(ui, text.len(), || redactor.inspect_text(&text));
        write(ui, &sightings, None, Some(target), is_json)?;
        return Ok(None);
    }
    let id = history.resolve(target)?;
    let conversation = history.load_stored(&id)?;
    let sightings = redactor.inspect(&conversation);
    write(ui, &sightings, Some(id.as_str()), None, is_json)?;
    Ok(Some(conversation))
}

fn write(
    ui: &mut Ui<'_>,
    sightings: &[Sighting],
    conversation: Option<&str>,
    file: Option<&str>,
    is_json: bool,
) -> io::Result<()> {
    for sighting in sightings {
        if is_json {
            ui.json(|out| json::sighting(sighting, conversation, file, out))?;
            continue;
        }
        let of = conversation.or(file).unwrap_or_default();
        let place = sighting.place.map(|place| format!("{place}, ")).unwrap_or_default();
        let Sighting { line, placeholder, masked, .. } = sighting;
        writeln!(ui.out(), "{}: {place}line {line}: {placeholder}  {}", sanitise(of), sanitise(masked))?;
    }
    Ok(())
}

/// Writes a file without its secrets.
fn rewrite(ui: &mut Ui<'_>, redactor: &mut Redactor, args: &RedactArgs, output: &Path) -> Result<Exit> {
    let [target] = args.targets.as_slice() else {
        return Err(CommandError::new(Exit::Usage, RedactError::SeveralFiles));
    };
    let Some(bytes) = bytes_of(ui, target)? else {
        let error = CommandError::new(Exit::Usage, RedactError::NotAFile(target.clone()));
        return Err(error.hinted("conversations are written without secrets by `backscroll export --redact`"));
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::new(Exit::Unreadable, RedactError::NotText(target.into())))?;
    let clean = with_progress(ui, text.len(), || redactor.text(&text));
    if output == Path::new("-") {
        ui.data(clean.as_bytes())?;
        ui.flush()?;
    } else {
        let mut file = OutputFile::create(output, args.force)?;
        file.write_all(clean.as_bytes())?;
        file.keep()?;
    }
    let report = redactor.report();
    let told = if report.is_empty() { "nothing".to_owned() } else { report.told() };
    ui.note(&format!("removed: {told}"));
    Ok(Exit::Done)
}

/// Does long work on a text of so many bytes, and tells each second how long it takes so far.
fn with_progress<T: Send>(ui: &mut Ui<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if !ui.shows_progress() {
        return work();
    }
    let begun = Instant::now();
    let size = size(bytes as u64);
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        let worker = scope.spawn(move || {
            let result = work();
            // Nobody waits any more if this fails.
            let _ = done.send(());
            result
        });
        while is_done.recv_timeout(SECOND) == Err(RecvTimeoutError::Timeout) {
            ui.aside(&format!("\r\u{1b}[Klooking for secrets in {size}: {} s", begun.elapsed().as_secs()));
        }
        if begun.elapsed() >= SECOND {
            ui.aside("\r\u{1b}[K");
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

const SECOND: Duration = Duration::from_secs(1);

/// The largest file that is looked at: it is held in memory.
const LARGEST: u64 = 128 * 1024 * 1024;

/// The content of a file or of standard input; `None` if there is no such file. A folder may have the name of a conversation.
fn bytes_of(ui: &Ui<'_>, target: &str) -> Result<Option<Vec<u8>>> {
    let place = ui.environment.current_folder.join(target);
    let (name, bytes) = if target == "-" {
        ("standard input", plain_file::read_from(io::stdin().lock(), LARGEST))
    } else if place.exists() && !place.is_dir() {
        (target, plain_file::read(&place, LARGEST))
    } else {
        return Ok(None);
    };
    let unreadable = |error: io::Error| {
        let is_too_large = error.kind() == io::ErrorKind::FileTooLarge;
        let error = CommandError::new(Exit::Unreadable, RedactError::Unreadable(name.into(), error));
        if is_too_large {
            error.hinted("split it into parts of at most 128 MB, between lines")
        } else {
            error
        }
    };
    bytes.map(Some).map_err(unreadable)
}
