//! `backscroll export`: conversations as files to keep, or for other programs. Streams: memory does not grow with their
//! number.

use std::path::{Path, PathBuf};

use backscroll_history::{History, Query};
use backscroll_render::Detail;
use clap::Args;

use crate::args::GlobalArgs;
use crate::config::RedactionArgs;
use crate::error::{CommandError, Exit, Outcome};
use crate::export_into::{self, Asked};
use crate::export_writer::{DETAIL_HELP, Format};
use crate::filters::{FilterArgs, names_with_help};
use crate::ui::Ui;

/// Export conversations, in the order of `list`
///
/// Without ids or filters, every conversation that `list` would show. Without `--output`, all of them one after the other
/// to standard output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub(crate) struct ExportArgs {
    /// Just these: beginnings of ids, `@1`, parts of titles
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// How to write them; without it as the ending of FILE says, else as jsonl
    #[arg(short, long)]
    format: Option<Format>,

    /// Write to one FILE, or one file each into DIR by workspace, with an index (md, html); readable by you alone
    ///
    /// It is a folder if it is one already, ends in a slash, or has no ending of its format (md, html, txt).
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,

    /// How much of each (md, html, txt)
    #[arg(long, value_name = "LEVEL", value_parser = names_with_help::<Detail>(DETAIL_HELP), default_value = "normal")]
    pub(crate) detail: Detail,

    /// All in one file, whatever it is called
    #[arg(long, requires = "output")]
    single: bool,

    /// Bring a folder up to date: write only what changed, go on with what was interrupted
    #[arg(long, requires = "output")]
    pub(crate) update: bool,

    /// Write pictures into `assets` beside the documents (md)
    #[arg(long, requires = "output")]
    assets: bool,

    /// Overwrite files that are in the way
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    redaction: RedactionArgs,

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

#[derive(Debug, thiserror::Error)]
#[error("several pages cannot stand in one file")]
struct SeveralPages;

impl ExportArgs {
    /// The file or folder to write to; `None` for standard output.
    fn place(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    /// The format that was asked for, or that the name of the file speaks of.
    pub(crate) fn format(&self) -> Format {
        let ending = || self.place()?.extension()?.to_str().and_then(Format::of_ending);
        self.format.or_else(ending).unwrap_or(Format::Jsonl)
    }

    /// Why pictures cannot be written beside the documents, though that was asked for.
    fn why_no_assets(&self) -> Option<&'static str> {
        let why = match self.format() {
            Format::Md if self.place().is_some() => return None,
            Format::Md => "beside standard output there is no place for files",
            Format::Html => "a page holds its pictures itself",
            Format::Jsonl | Format::Json | Format::Txt | Format::Csv => {
                "only Markdown shows pictures as files"
            }
        };
        self.assets.then_some(why)
    }

    /// Whether pictures are written beside the documents.
    pub(crate) fn has_assets(&self) -> bool {
        self.assets && self.why_no_assets().is_none()
    }

    /// Whether `place` is a folder.
    fn means_folder(&self, place: &Path) -> bool {
        let ends_in_slash = place.to_string_lossy().ends_with(['/', '\\']);
        let ending = place.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_named_like_file = self.format().is_for_programs() || self.format().has_ending(ending);
        !self.single && (place.is_dir() || ends_in_slash || !is_named_like_file)
    }
}

/// Writes the conversations.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    history: &History,
    mut outcome: Outcome<'_>,
    global: &GlobalArgs,
    args: &ExportArgs,
) -> Result<Exit, CommandError> {
    let query =
        Query { all: args.filters.which.all || !args.ids.is_empty(), ..args.filters.query(ui.environment) };
    if let Some(why) = args.why_no_assets() {
        ui.warning(&format!("--assets does nothing here: {why}"));
    }
    let redactor = args.redaction.redactor(args.format() == Format::Html, global, ui.environment)?;
    let place = args.place();
    let folder = place.filter(|place| args.means_folder(place));
    if folder.is_none() {
        export_into::check_file(place, args)?;
    }
    let ids = export_into::asked(history, &mut outcome, &args.ids, &query, folder.is_some())?;
    // Listing has looked at the messages already, unless the user named the conversations.
    let filter = (!args.ids.is_empty()).then_some(&query);
    let asked = Asked { history, ids, filter, args, redactor };
    match (folder, place) {
        (Some(folder), _) => export_into::folder(ui, outcome, asked, folder),
        (None, _) if args.format() == Format::Html && asked.ids.len() > 1 => {
            let error = CommandError::new(Exit::Usage, SeveralPages);
            Err(error.hinted("name a folder with -o, or one conversation"))
        }
        (None, place) => export_into::one(ui, outcome, asked, place),
    }
}
