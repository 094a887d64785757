//! `backscroll export`: conversations as files to keep, or for other programs. Memory does not grow with their number.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use backscroll_export::{
    Export, Exported, FORMATS, FolderOptions, Format, Pictures, Purpose, Step, WhenGone,
};
use backscroll_history::{Ask, AskError, History};
use backscroll_model::{ConversationId, Summary, Surface, error_chain};
use backscroll_own_files::OutputFile;
use backscroll_render::{Detail, Options};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::config::RedactionArgs;
use crate::error::{CommandError, Exit, Outcome, Result};
use crate::filters::{FilterArgs, names_with_help};
use crate::program::Context;
use crate::ui::{Progress, Ui, counted};
use crate::wiring::looked_in;

/// Export conversations, in the order of `list`
///
/// Without ids or filters, every conversation that `list` would show. Without `--output`, all of them one after the other
/// to standard output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub(crate) struct ExportArgs {
    /// Only these: the beginning of an id, `@1`, or part of a title
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// The format; by default the one that the ending of FILE names, else jsonl
    #[arg(short, long, value_parser = formats_that(|_| true))]
    format: Option<&'static Format>,

    /// Write to one FILE, or one file each into DIR by workspace, with an index (md, html); readable only by you
    ///
    /// It is a folder if it exists as one, ends in a slash, or has no ending of its format (md, html, txt).
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,

    /// How much of each conversation (md, html, txt)
    #[arg(long, value_name = "LEVEL", value_parser = names_with_help::<Detail>(DETAIL_HELP), default_value = "normal")]
    detail: Detail,

    /// Write all into one file, whatever its name is
    #[arg(long, requires = "output")]
    single: bool,

    /// Bring a folder up to date: write what changed, remove what is gone from the history
    ///
    /// Also finishes an interrupted export. Files that you changed are left alone. If a store cannot be read or is damaged, nothing
    /// is removed and no file becomes shorter. Nothing is removed if --store names only some of the stores.
    #[arg(long, requires = "output")]
    update: bool,

    /// With --update: keep what is gone from the history, and mark it as deleted in the index
    #[arg(long, requires = "update")]
    keep_deleted: bool,

    /// Write pictures into `assets` beside the documents (md)
    #[arg(long, requires = "output")]
    assets: bool,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,

    #[command(flatten)]
    filters: FilterArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll export --format md -o notes/             A folder of Markdown, by workspace
  backscroll export --format md -o notes/ --update    The same, later: only what changed
  backscroll export @1 --format html -o talk.html     One page to send, without secrets
  backscroll export @1 --format md --detail talk      What was said, to standard output
  backscroll export --format csv -o messages.csv      A row for each message
  backscroll export --all --since 2026-01 --until 2026-03 -o quarter.jsonl
  backscroll export --workspace . | jq -c '.messages[] | select(.role==\"user\")'";

/// What the levels of [`Detail`] leave in, for the help.
const DETAIL_HELP: &[&str] = &[
    "What you and the assistant said",
    "Thinking and tools too, folded",
    "Everything: whole results, attachments, system messages, origins",
];

/// Takes the names of the formats that are meant.
pub(super) fn formats_that(is_meant: fn(&Format) -> bool) -> impl TypedValueParser<Value = &'static Format> {
    let meant = FORMATS.iter().filter(|format| is_meant(format));
    let values =
        meant.map(|format| PossibleValue::new(format.name()).aliases(&format.names[1..]).help(format.help));
    PossibleValuesParser::new(values)
        .map(|name| backscroll_export::named(&name).expect("only names of formats are possible"))
}

impl ExportArgs {
    /// The file or folder to write to; `None` for standard output.
    fn place(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    /// The format that was asked for, or that the name of the file has.
    fn format(&self) -> &'static Format {
        let ending = || backscroll_export::named(self.place()?.extension()?.to_str()?);
        self.format.or_else(ending).unwrap_or(&FORMATS[0])
    }

    /// Why pictures cannot be written beside the documents, though that was asked for.
    fn why_no_assets(&self) -> Option<&'static str> {
        let why = match self.format().pictures {
            Pictures::Beside if self.place().is_some() => return None,
            Pictures::Beside => "beside standard output there is no place for files",
            Pictures::Inside => "a page holds its pictures itself",
            Pictures::AsStored => "this format does not show pictures as files",
        };
        self.assets.then_some(why)
    }

    fn means_folder(&self, place: &Path) -> bool {
        let ends_in_slash = place.to_string_lossy().ends_with(['/', '\\']);
        let ending = place.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let format = self.format();
        let is_named_like_file = format.purpose == Purpose::Data || format.has_ending(ending);
        !self.single && (place.is_dir() || ends_in_slash || !is_named_like_file)
    }
}

pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &ExportArgs) -> Result<Exit> {
    let Context { history, global, mut outcome, .. } = context;
    let ask = Ask { all: args.filters.which.all || !args.ids.is_empty(), ..args.filters.ask(ui.environment) };
    if let Some(why) = args.why_no_assets() {
        ui.warning(&format!("--assets does nothing here: {why}"));
    }
    let format = args.format();
    let is_page = format.purpose == Purpose::Page;
    let redactor = args.redaction.redactor(is_page || ui.environment.is_agent, global, ui.environment)?;
    let place = args.place();
    let folder = place.filter(|place| args.means_folder(place));
    if let Some(file) = place.filter(|_| folder.is_none()) {
        OutputFile::check(file, args.force)?;
    }
    let conversations = asked(history, &mut outcome, &args.ids, &ask, folder.is_some())?;
    if folder.is_none() && is_page && conversations.len() > 1 {
        let error = CommandError::new(Exit::Usage, "several pages cannot be in one file");
        return Err(error.hinted("name a folder with -o, or one conversation"));
    }
    let export = Export {
        history,
        conversations,
        // A listing has looked at the messages already, unless the user named the conversations.
        filter: (!args.ids.is_empty()).then_some(&ask),
        format,
        options: Options::alone(args.detail, ui.environment.now.time_zone().clone()),
        has_assets: args.assets && args.why_no_assets().is_none(),
        redactor,
    };
    let exported = match folder {
        Some(folder) => to_folder(ui, &outcome, export, args, folder)?,
        None => to_stream(ui, export, args.force, place)?,
    };
    if !exported.redacted.is_empty() {
        ui.note(&format!("redacted: {}", exported.redacted.told()));
    }
    outcome.note_lost_databases();
    outcome.matched = exported.conversations;
    outcome.with_findings.extend(exported.with_findings.iter().cloned());
    for error in &exported.unreadable {
        ui.warning(&format!("left out: {}", error_chain(error)));
    }
    Ok(match outcome.conclude(ui) {
        Exit::Done if !exported.unreadable.is_empty() && outcome.is_strict => Exit::Findings,
        Exit::NothingMatched if !exported.unreadable.is_empty() => Exit::Unreadable,
        exit => exit,
    })
}

/// The conversations that are asked for, in order, each once. If files are named after them, named ones are looked up.
fn asked(
    history: &History,
    outcome: &mut Outcome<'_>,
    typed: &[String],
    ask: &Ask,
    need_names: bool,
) -> Result<Vec<Summary>> {
    if typed.is_empty() {
        return Ok(outcome.ask(history, ask));
    }
    let mut ids: Vec<ConversationId> = Vec::new();
    for asked in typed {
        let id = history.resolve(asked)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(ask.limit.unwrap_or(usize::MAX));
    let known = |id: ConversationId| {
        if need_names {
            history.load(&id).map(|conversation| conversation.summary)
        } else {
            Ok(Summary::without_origin(id, Surface::Ide))
        }
    };
    Ok(ids.into_iter().map(known).collect::<Result<_, AskError>>()?)
}

/// Writes all conversations one after the other, to a file or to standard output.
fn to_stream(
    ui: &mut Ui<'_>,
    export: Export<'_>,
    may_overwrite: bool,
    place: Option<&Path>,
) -> Result<Exported> {
    let mut file = place.map(|path| OutputFile::create(path, may_overwrite)).transpose()?;
    let beside = place.and_then(Path::parent);
    let beside = beside.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let is_data = export.format.purpose == Purpose::Data;
    let mut progress = Progress::new(export.conversations.len(), ui.shows_progress());
    let exported = export.to_stream(beside, &mut |step| {
        if let Step::Done(bytes) | Step::End(bytes) = step {
            match &mut file {
                Some(file) => file.write_all(bytes)?,
                None if is_data => ui.data(bytes)?,
                None => ui.out().write_all(bytes)?,
            }
        }
        show(&mut progress, ui, &step);
        Ok(())
    });
    show(&mut progress, ui, &Step::End(&[]));
    let exported = exported?;
    ui.flush()?;
    // A file without any conversation would only be mistaken for a result.
    if let Some(file) = file.filter(|_| exported.conversations > 0) {
        let written = counted(exported.conversations, "conversation");
        ui.note(&format!("{written} written to {}", file.keep()?.display()));
    }
    Ok(exported)
}

/// Writes one file for each conversation into a folder, and says what became of its files.
fn to_folder(
    ui: &mut Ui<'_>,
    outcome: &Outcome<'_>,
    export: Export<'_>,
    args: &ExportArgs,
    root: &Path,
) -> Result<Exported> {
    let gone = if !outcome.places.stores.is_empty() {
        WhenGone::Ignore
    } else if args.keep_deleted {
        WhenGone::Mark
    } else {
        WhenGone::Remove
    };
    let places = looked_in(outcome.places);
    let options = FolderOptions { may_update: args.update, may_overwrite: args.force, gone, places };
    let mut progress = Progress::new(export.conversations.len(), ui.shows_progress());
    let exported = export.to_folder(root, &options, &mut |step| {
        show(&mut progress, ui, &step);
        Ok(())
    });
    show(&mut progress, ui, &Step::End(&[]));
    let exported = exported?;
    let files = &exported.files;
    for path in &files.kept {
        ui.warning(&format!("left alone, because it was changed after the export: {path}"));
    }
    if files.uncertain > 0 {
        let kept = counted(files.uncertain, "conversation");
        ui.warning(&format!(
            "{kept} not found any more, but kept, because a store cannot be read or is damaged"
        ));
    }
    if files.spared > 0 {
        let spared = counted(files.spared, "file");
        ui.warning(&format!(
            "{spared} left alone, because less can be read now: a store is damaged (--force)"
        ));
    }
    if exported.conversations > 0 {
        let besides =
            [(files.unchanged, "unchanged"), (files.removed, "removed"), (files.marked, "marked as deleted")];
        let besides =
            besides.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
        let written = counted(files.written, "conversation");
        ui.note(&format!("{written} written to {}{}", root.display(), besides.collect::<String>()));
    }
    Ok(exported)
}

/// Shows how far an export is: first searching for secrets, then writing.
fn show(progress: &mut Progress, ui: &mut Ui<'_>, step: &Step<'_>) {
    let (doing, bytes) = match step {
        Step::Searched => (Some("looking for secrets"), 0),
        Step::Done(bytes) => (None, bytes.len()),
        Step::End(_) => return progress.clear(&mut |line| ui.aside(line)),
    };
    progress.switch_to(doing);
    progress.step(bytes, &mut |line| ui.aside(line));
}
