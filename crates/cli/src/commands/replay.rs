//! `backscroll replay`: one conversation as a page that plays it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use backscroll_export::file_name;
use backscroll_history::{When, WhenError};
use backscroll_model::Conversation;
use backscroll_own_files::OutputFile;
use backscroll_redact::{HomeNames, RedactOptions, Redactor};
use backscroll_render::replay::{End, Hide, hide, home_of, narrow, page};
use backscroll_render::{Detail, Options};
use clap::Args;
use jiff::{Timestamp, Zoned};

use crate::config::RedactionArgs;
use crate::error::{CommandError, Exit, Result};
use crate::filters::names_with_help;
use crate::program::Context;
use crate::ui::{self, Ui};
use crate::wiring::plain_file;

/// Write a conversation as a web page that plays it
///
/// One file that needs no network: play, pause, scrub, chapters, and beside the conversation every touched file as it
/// stood at that moment. Keys, tokens and passwords are taken out unless --no-redact is given.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// The beginning of an id, `@1` for the latest, or part of a title
    #[arg(value_name = "ID")]
    id: String,

    /// Write to FILE, readable by you alone, instead of `title-id.html` in the current folder; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the file
    #[arg(long)]
    force: bool,

    /// Open it in the browser
    #[arg(long)]
    open: bool,

    /// Begin with this message, by number or time; what comes before is not in the file
    #[arg(long, value_name = "N|TIME")]
    from: Option<Bound>,

    /// End with this message, by number or time
    #[arg(long, value_name = "N|TIME")]
    to: Option<Bound>,

    /// Leave these out of the file (repeatable, or separated by commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = names_with_help::<Hide>(HIDE_HELP))]
    hide: Vec<Hide>,

    /// A title instead of the conversation's own
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Words in front of it, as Markdown, or a file that holds them
    #[arg(long, value_name = "TEXT|FILE")]
    notes: Option<String>,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const HIDE_HELP: &[&str] = &[
    "What the model thought",
    "Tool calls and what they did",
    "What tools answered",
    "Where on the machine things lie",
];

/// One end of what is played, as typed.
#[derive(Debug, Clone)]
enum Bound {
    Message(usize),
    Time(When),
}

impl FromStr for Bound {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        match text.trim().parse() {
            Ok(0) => Err(WhenError),
            Ok(number) => Ok(Self::Message(number)),
            Err(_) => text.parse().map(Self::Time),
        }
    }
}

impl Bound {
    fn end(&self, now: &Zoned, moment: fn(&When, &Zoned) -> Timestamp) -> End {
        match self {
            Self::Message(number) => End::Message(*number),
            Self::Time(when) => End::Moment(moment(when, now)),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  backscroll replay @1 --open
  backscroll replay 98251e54 -o login.html --title \"How the login was mended\"
  backscroll replay @1 --from 12 --to 40 --hide thinking,results
  backscroll replay @1 --from 2026-01-19T22:45 --hide paths --notes notes.md";

#[derive(Debug, thiserror::Error)]
#[error("cannot read the notes in {}", .0.display())]
struct UnreadableNotes(PathBuf, #[source] std::io::Error);

#[expect(clippy::disallowed_methods, reason = "secrets are taken out of the replay here, and counted")]
pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &ReplayArgs) -> Result<Exit> {
    let Context { history, global, mut outcome, .. } = context;
    let mut conversation = history.resolve(&args.id).and_then(|id| history.load_stored_with_files(&id))?;
    let now = &ui.environment.now;
    let from = args.from.as_ref().map(|bound| bound.end(now, When::begins));
    let to = args.to.as_ref().map(|bound| bound.end(now, When::ends));
    narrow(&mut conversation, from, to);
    if conversation.messages.is_empty() && (from.is_some() || to.is_some()) {
        let error = "nothing is left to play between --from and --to";
        return Err(CommandError::new(Exit::NothingMatched, error));
    }
    if let Some(title) = &args.title {
        conversation.summary.title = Some(title.clone());
    }
    let mut notes = args.notes.as_deref().map(words).transpose()?;
    let taken_out =
        take_out(&mut conversation, &mut notes, args, || args.redaction.options(global, ui.environment))?;
    let place =
        args.output.clone().unwrap_or_else(|| PathBuf::from(file_name(&conversation.summary, "html")));
    outcome.note(&conversation);
    let unlisted = conversation.orphans.len();
    let options = Options::alone(Detail::Normal, now.time_zone().clone());
    let place = if *place == *"-" {
        page(conversation, &options, notes.as_deref(), ui.out())?;
        ui.flush()?;
        None
    } else {
        let mut file = OutputFile::create(&place, args.force)?;
        page(conversation, &options, notes.as_deref(), &mut file)?;
        Some(file.keep()?)
    };
    if let Some(place) = &place {
        ui.note(&format!("the replay is written to {}", place.display()));
    }
    if let Some(taken_out) = taken_out {
        ui.note(&format!("redacted: {taken_out}"));
    }
    if unlisted > 0 {
        ui.warning(&format!("{unlisted} stored messages that the conversation does not list are not played"));
    }
    if let Some(place) = place.filter(|_| args.open)
        && place.canonicalize().and_then(ui::open).is_err()
    {
        ui.warning("no browser could be started; open the file yourself");
    }
    outcome.matched = 1;
    Ok(outcome.conclude(ui))
}

/// Takes out what is not to be seen, then the secrets; tells what these were.
fn take_out(
    conversation: &mut Conversation,
    notes: &mut Option<String>,
    args: &ReplayArgs,
    options: impl FnOnce() -> Result<RedactOptions>,
) -> Result<Option<String>> {
    let home = home_of(conversation).filter(|_| args.hide.contains(&Hide::Paths));
    hide(conversation, &args.hide);
    if !args.redaction.is_wanted(true) {
        return Ok(None);
    }
    let mut options = options()?;
    options.home = home.as_deref().map(HomeNames::from_folder).or(options.home);
    let mut redactor = Redactor::new(&options).map_err(|error| CommandError::new(Exit::Usage, error))?;
    redactor.conversation(conversation);
    if let Some(notes) = notes {
        *notes = redactor.text(notes).into_owned();
    }
    let report = redactor.report();
    Ok((!report.is_empty()).then(|| report.told()))
}

/// The largest file of notes.
const LARGEST_NOTES: u64 = 1024 * 1024;

/// The words themselves, or those in the file of that name.
fn words(notes: &str) -> Result<String> {
    let file = Path::new(notes);
    if notes.contains('\n') || !file.exists() || file.is_dir() {
        return Ok(notes.to_owned());
    }
    plain_file::read_text_within(file, LARGEST_NOTES).map_err(|error| {
        let is_too_large = error.kind() == std::io::ErrorKind::FileTooLarge;
        let error = CommandError::new(Exit::Unreadable, UnreadableNotes(file.to_owned(), error));
        if is_too_large { error.hinted("name a part of it that has at most 1 MB") } else { error }
    })
}
