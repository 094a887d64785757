//! `backscroll handoff`: a brief of one conversation, to give to another agent.

use std::path::PathBuf;

use backscroll_own_files::OutputFile;
use backscroll_render::handoff::Handoff;
use clap::Args;
use std::io::Write as _;

use crate::config::RedactionArgs;
use crate::error::{CommandError, Exit, Result};
use crate::program::Context;
use crate::ui::{self, Ui};

/// Write a brief of a conversation for another agent
///
/// What was wanted, what you decided and corrected, what was found, which files were changed, which commands were run and what still
/// fails, what is to be done, and the last exchange: in your own words, without any model. Every line names its message by number.
/// Keys, tokens and passwords are taken out unless --no-redact is given.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HandoffArgs {
    /// The beginning of an id, `@1` for the latest, or part of a title
    #[arg(value_name = "ID")]
    id: String,

    /// The maximum size in tokens, never exceeded; `4k` is 4,000
    #[arg(long, value_name = "TOKENS", default_value = "4k", value_parser = tokens)]
    budget: usize,

    /// One JSON object (backscroll.handoff/1)
    #[arg(long)]
    json: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the file
    #[arg(long)]
    force: bool,

    /// Open it in Cursor, as a prompt that waits to be sent, if it is short enough for a link
    #[arg(long, conflicts_with_all = ["json", "output"])]
    open: bool,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll handoff @1
  backscroll handoff @1 --budget 1500 | pbcopy
  backscroll handoff \"login\" --json | jq -r '.open_errors[].text'
  backscroll handoff 98251e54 --open";

/// The longest link that Cursor takes, in characters of the prompt as it is typed.
const LONGEST_LINK: usize = 8_000;

fn tokens(typed: &str) -> Result<usize, String> {
    let lower = typed.trim().to_ascii_lowercase();
    let (digits, thousands) = lower.strip_suffix('k').map_or((lower.as_str(), 1), |digits| (digits, 1_000));
    let number = digits.trim().parse::<usize>().ok().and_then(|number| number.checked_mul(thousands));
    match number {
        Some(number @ 100..=1_000_000) => Ok(number),
        _ => Err("a number of tokens from 100 to 1000k".to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "secrets are taken out of the brief here, and counted")]
pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &HandoffArgs) -> Result<Exit> {
    let Context { history, global, mut outcome, .. } = context;
    let mut conversation = history.resolve(&args.id).and_then(|id| history.load_stored(&id))?;
    let mut redactor = args.redaction.redactor(true, global, ui.environment)?;
    if let Some(redactor) = &mut redactor {
        redactor.conversation(&mut conversation);
    }
    let brief = Handoff::new(&conversation, args.budget);
    let text =
        if args.json { serde_json::to_string(&brief).unwrap_or_default() + "\n" } else { brief.markdown() };
    if args.open {
        open(ui, &text)?;
    } else if let Some(place) = &args.output {
        let mut file = OutputFile::create(place, args.force)?;
        file.write_all(text.as_bytes())?;
        let place = file.keep()?;
        ui.note(&format!("the brief is written to {}", place.display()));
    } else {
        ui.data(text.as_bytes())?;
        ui.flush()?;
    }
    ui.note(&format!("at most {} tokens", brief.tokens_estimated));
    if let Some(report) = redactor.map(|redactor| redactor.report()).filter(|report| !report.is_empty()) {
        ui.note(&format!("secrets removed: {}", report.told()));
    }
    outcome.matched = 1;
    outcome.note(&conversation);
    Ok(outcome.conclude(ui))
}

/// Opens the brief in Cursor as a prompt. The link is printed too, for those whose system knows no Cursor.
fn open(ui: &mut Ui<'_>, text: &str) -> Result<()> {
    let length = text.chars().count();
    if length > LONGEST_LINK {
        let error = format!("the brief has {length} characters; a link holds {LONGEST_LINK}");
        return Err(CommandError::new(Exit::Refused, error).hinted("a smaller --budget fits: about 2k"));
    }
    let text = percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC);
    let link = format!("cursor://anysphere.cursor-deeplink/prompt?text={text}");
    writeln!(ui.out(), "{link}")?;
    ui.flush()?;
    if ui::open(&link).is_err() {
        ui.warning("the link could not be opened; open it yourself");
    }
    Ok(())
}
