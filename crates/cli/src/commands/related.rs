//! `backscroll related`: conversations about the same.

use backscroll_history::{Ask, Reason, Related, closeness};
use backscroll_render::json;
use backscroll_render::list::{relative, short_ids, short_workspace};
use backscroll_render::terminal::Palette;
use backscroll_render::text::one_line;
use clap::Args;

use crate::config::RedactionArgs;
use crate::error::{Exit, Result};
use crate::filters::{WhichArgs, at_most};
use crate::fresh_index;
use crate::program::Context;
use crate::ui::Ui;

/// Find conversations about the same
///
/// They share rare words of titles and prompts, or files that few conversations touched; close ones come first. ID is as for `show`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RelatedArgs {
    /// The conversation
    id: String,

    /// One JSON object a line (backscroll.summary/1)
    #[arg(long)]
    json: bool,

    /// The maximum number of conversations; 0 for all
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 10)]
    limit: usize,

    #[command(flatten)]
    which: WhichArgs,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

const EXAMPLES: &str = "\
Examples:
  backscroll related @1
  backscroll related 98251e54 --limit 3
  backscroll related \"login\" --json | jq -r .id";

/// The number of words or files that are named.
const NAMED: usize = 5;

/// Writes the related conversations, and what they share.
pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &RelatedArgs) -> Result<Exit> {
    let Context { history, index, mut outcome, .. } = context;
    let conversation = history.load(&history.resolve(&args.id)?)?;
    let index = fresh_index::fresh(ui, history, index, &mut outcome)?;
    let ask = Ask { limit: Some(at_most(args.limit)), ..args.which.ask(ui.environment) };
    let related = history.related(&index, &conversation, &ask)?;
    outcome.matched = related.len();
    if related.is_empty() {
        ui.warning("no conversation shares rare words or files with it");
        return Ok(outcome.conclude_unfound(ui, history));
    }
    if args.json {
        for one in &related {
            ui.json(|out| json::summary(&one.summary, out))?;
        }
    } else {
        tell(ui, &related)?;
        ui.flush()?;
        ui.note(&closeness(&related));
    }
    ui.flush()?;
    Ok(outcome.conclude(ui))
}

fn tell(ui: &mut Ui<'_>, related: &[Related]) -> Result<()> {
    let palette = Palette::new(ui.colour());
    let now = ui.environment.now.clone();
    let summaries: Vec<_> = related.iter().map(|one| one.summary.clone()).collect();
    for (one, id) in related.iter().zip(short_ids(&summaries)) {
        let summary = &one.summary;
        let title = summary.title.as_deref().map_or_else(|| "(untitled)".to_owned(), one_line);
        let workspace = summary.workspace.as_ref().map(short_workspace).unwrap_or_default();
        let when = summary.recency().map(|at| relative(at, &now)).unwrap_or_default();
        let styled = [(palette.path, workspace), (palette.dim, when), (palette.id, id)];
        let styled = styled.map(|(style, text)| format!("  {style}{text}{style:#}")).concat();
        let (strong, dim) = (palette.strong, palette.dim);
        writeln!(ui.out(), "{strong}{title}{strong:#}{styled}")?;
        writeln!(ui.out(), "  {dim}{}{dim:#}", shared(&one.reason))?;
    }
    Ok(())
}

/// What they share, in words.
fn shared(reason: &Reason) -> String {
    let listed = |what: &str, names: &[String]| {
        let named: Vec<String> = names.iter().take(NAMED).map(|name| one_line(name)).collect();
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| format!("{what} {}{more}", named.join(", ")))
    };
    let workspace = reason.same_workspace.then(|| "the workspace".to_owned());
    let all = [listed("files", &reason.files), listed("words", &reason.words), workspace];
    format!("shares {}", all.into_iter().flatten().collect::<Vec<_>>().join("; "))
}
