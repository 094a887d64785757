//! `backscroll search`: where something was said.

use std::path::Path;

use backscroll_history::{
    Ask, Exact, ExactError, Found, History, Index, Order, QueryError, Request, SearchError, Showing, parse,
};
use backscroll_render::text;
use clap::{Args, ValueEnum};

use super::search_answer;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::filters::{WhichArgs, at_most};
use crate::fresh_index;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::ui::Ui;

/// Search all conversations
///
/// Words must all stand in one message (or in the title). Identifiers are found whole and by their pieces. The index is
/// brought up to date first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct SearchArgs {
    /// What to look for; several arguments are one query. One that begins with `-` goes in quotes with others, or behind `--`
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    /// One JSON object a line (backscroll.hit/1)
    #[arg(long)]
    pub(super) json: bool,

    /// Find these very characters, not words
    #[arg(long, conflicts_with = "regex")]
    exact: bool,

    /// Find what this regular expression matches
    #[arg(long)]
    regex: bool,

    /// With --exact or --regex: upper and lower case are the same, as they always are for words
    #[arg(short, long)]
    ignore_case: bool,

    /// With so many messages before and after each hit
    #[arg(short = 'C', long, value_name = "NUMBER", default_value_t = 0)]
    context: u64,

    /// List the files that matching conversations touched
    #[arg(long, conflicts_with_all = ["count", "json", "open"])]
    pub(super) files: bool,

    /// Only say how many conversations and messages match
    #[arg(long, conflicts_with = "json")]
    pub(super) count: bool,

    /// Show the best conversation in the pager
    #[arg(long, conflicts_with_all = ["json", "count"])]
    pub(super) open: bool,

    /// At most so many conversations; 0 for all
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 10)]
    limit: usize,

    /// After leaving out so many
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) offset: usize,

    /// At most so many hits of each conversation
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    hits: usize,

    /// In this order
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    sort: OrderName,

    #[command(flatten)]
    which: WhichArgs,
}

/// An order, as typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OrderName {
    Relevance,
    Newest,
    Oldest,
}

const EXAMPLES: &str = "\
Examples:
  backscroll search parser error
  backscroll search '\"cannot borrow\" tokio -python'
  backscroll search 'fooBar OR deserial*' --workspace .
  backscroll search 'role:user tool:shell path:auth.py after:2026-01 title:\"log in\"'
  backscroll search --regex 'E0\\d{3}' --context 1
  backscroll search sync_engine.rs --files
  backscroll search 自动保存 --json | jq -r .snippet

Fields: role: tool: path: workspace: surface: model: mode: title: part: after: before: until: has: flag: id:
Several values: tool:shell,read   Without: -word, -tool:shell   Either: a OR b   Together: \"two words\"";

/// Cells of a snippet where nobody tells the width.
const USUAL_ROOM: usize = 160;

/// Searches, and writes what was found.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    history: &History,
    index: Option<&Path>,
    mut outcome: Outcome<'_>,
    args: &SearchArgs,
) -> Result<Exit, CommandError> {
    let typed = args.query.join(" ");
    let is_literal = args.exact || args.regex;
    let ask = if is_literal {
        Ask::default()
    } else {
        parse(&typed, &ui.environment.now).map_err(|error| wrong_query(&typed, &error))?
    };
    for at in &ask.ignored {
        ui.warning(&format!(
            "`{}` holds no word and was left out; --exact finds any characters",
            &typed[at.clone()]
        ));
    }
    if args.ignore_case && !is_literal {
        ui.note("words are found in upper and lower case anyway; --ignore-case is for --exact and --regex");
    }
    let exact = exact(args, &typed)?;
    let query = args.which.query(ui.environment);
    let request = Request {
        all: query.all,
        order: order(args.sort),
        limit: if args.open {
            1
        } else if args.files {
            usize::MAX
        } else {
            at_most(args.limit)
        },
        offset: args.offset,
        hits: args.hits.max(1),
        ..Request::new(ask.with(query.filters()), ui.environment.now.timestamp())
    };
    if exact.is_none() && request.ask.root.is_none() {
        return Err(nothing_to_look_for(ExactError::Empty));
    }
    let index = fresh_index::fresh(ui, history, index, &mut outcome)?;
    if args.count && exact.is_none() {
        return search_answer::count(ui, history, &index, outcome, &request);
    }
    let found = search(ui, history, &index, &request, exact.as_ref(), args)?;
    search_answer::tell(ui, history, &index, outcome, args, &found)
}

fn exact(args: &SearchArgs, typed: &str) -> Result<Option<Exact>, CommandError> {
    let made = match (args.exact, args.regex) {
        (true, _) => Exact::text(typed, args.ignore_case),
        (_, true) => Exact::pattern(typed, args.ignore_case),
        _ => return Ok(None),
    };
    made.map(Some).map_err(|error| match error {
        ExactError::Empty => nothing_to_look_for(error),
        ExactError::NotAPattern(_) => CommandError::new(Exit::Usage, error),
    })
}

fn nothing_to_look_for(error: ExactError) -> CommandError {
    CommandError::new(Exit::Usage, error).hinted("`backscroll list` shows every conversation")
}

fn search(
    ui: &mut Ui<'_>,
    history: &History,
    index: &Index,
    request: &Request,
    exact: Option<&Exact>,
    args: &SearchArgs,
) -> Result<Found, CommandError> {
    let room =
        if ui.is_terminal() && !args.json { ui.width().saturating_sub(24).max(40) } else { USUAL_ROOM };
    let showing = Showing { room, context: args.context };
    let Some(exact) = exact else {
        return Ok(history.search(index, request, showing)?);
    };
    let request = Request { limit: if args.count { usize::MAX } else { request.limit }, ..request.clone() };
    let mut progress = Progress::of(0, ui.shows_progress());
    let found = history.search_exact(index, exact, &request, showing, &mut |scanned| {
        progress.stands(scanned.done + 1, scanned.of, &mut |line| ui.aside(line));
    });
    progress.clear(&mut |line| ui.aside(line));
    Ok(found?)
}

fn wrong_query(typed: &str, error: &QueryError) -> CommandError {
    let told = format!("{error}\n{}", text::pointed(typed, error.at.clone()));
    CommandError::new(Exit::Usage, told).hinted(error.trouble.hint())
}

fn order(name: OrderName) -> Order {
    match name {
        OrderName::Relevance => Order::Relevance,
        OrderName::Newest => Order::Newest,
        OrderName::Oldest => Order::Oldest,
    }
}

impl From<SearchError> for CommandError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Index(error) => error.into(),
            SearchError::Ask(error) => error.into(),
        }
    }
}
