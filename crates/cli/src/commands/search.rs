//! `backscroll search`: where something was said.

use std::collections::BTreeMap;
use std::ops::Range;

use backscroll_history::{
    Ask, Exact, ExactError, Found, History, Index, Node, Note, Order, QueryError, Request, SearchError,
    Showing, Total, Trouble, parse,
};
use backscroll_render::terminal::HitsView;
use backscroll_render::{json, terminal, text};
use clap::Args;
use jiff::Zoned;

use crate::config::RedactionArgs;
use crate::error::{CommandError, Exit, Outcome, Result};
use crate::filters::{WhichArgs, names};
use crate::fresh_index;
use crate::program::Context;
use crate::ui::{Progress, Ui, counted};

/// Search all conversations
///
/// Messages (and titles) that have all the words come first, then conversations that have them in several messages, then those
/// that have the rarest of them. Words are found in other forms (rely, relied), in other spellings (white space, whitespace),
/// as identifiers whole and by their pieces, and, where nothing has a word, as the nearest word that there is. What is in quotes
/// is found as it stands. The index is brought up to date first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct SearchArgs {
    /// What to look for; several arguments are one query. One that begins with `-` goes in quotes with others, or behind `--`.
    /// Fields before the text of --exact and --regex choose messages: `role:user`
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

    /// Show this many messages before and after each hit
    #[arg(short = 'C', long, value_name = "NUMBER", default_value_t = 0, conflicts_with_all = ["count", "files", "json"])]
    context: u64,

    /// List the files that matching conversations touched
    #[arg(long, conflicts_with_all = ["count", "json", "open"])]
    pub(super) files: bool,

    /// Only say how many conversations and messages match; with --json as backscroll.count/1
    #[arg(long)]
    pub(super) count: bool,

    /// Show the best conversation in the pager
    #[arg(long, conflicts_with_all = ["json", "count"])]
    pub(super) open: bool,

    /// The maximum number of conversations; 0 for all
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 10, conflicts_with_all = ["count", "open"])]
    limit: usize,

    /// Leave out this many at the beginning
    #[arg(long, value_name = "NUMBER", default_value_t = 0, conflicts_with_all = ["count", "files"])]
    pub(super) offset: usize,

    /// The maximum number of hits of each conversation
    #[arg(long, value_name = "NUMBER", default_value_t = 3, conflicts_with_all = ["count", "files", "open"])]
    hits: usize,

    /// In this order; usually by relevance, and with --exact and --regex the newest first
    #[arg(long, value_name = "ORDER", value_parser = names::<Order>(), conflicts_with_all = ["count", "files"])]
    sort: Option<Order>,

    #[command(flatten)]
    which: WhichArgs,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
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

Fields: role: from: tool: path: workspace: surface: model: mode: title: part: after: before: until: has: flag: id:
Several values: tool:shell,read   Without: -word, -tool:shell   Either: a OR b   Together: \"two words\"";

/// Cells of a snippet where nobody tells the width.
const USUAL_ROOM: usize = 160;

pub(crate) fn run(ui: &mut Ui<'_>, mut context: Context<'_>, args: &SearchArgs) -> Result<Exit> {
    let history = context.history;
    let typed = args.query.join(" ");
    let is_literal = args.exact || args.regex;
    if args.ignore_case && !is_literal {
        let error =
            "words are found in upper and lower case anyway; --ignore-case is for --exact and --regex";
        return Err(CommandError::new(Exit::Usage, error.to_owned()));
    }
    if is_literal && args.sort.is_some_and(|sort| !matches!(sort, Order::Newest | Order::Oldest)) {
        let error = "--exact and --regex do not rank; --sort newest or --sort oldest".to_owned();
        return Err(CommandError::new(Exit::Usage, error));
    }
    let (fields, literal) =
        if is_literal { leading_fields(&typed, &ui.environment.now) } else { (typed.as_str(), "") };
    let ask = parse(fields, &ui.environment.now).map_err(|error| wrong_query(&typed, &error))?;
    explain(ui, &typed, &ask);
    let exact = exact(args, literal)?;
    let limit = match (args.open, args.files, args.limit) {
        (true, ..) => Some(1),
        (_, true, _) | (.., 0) => None,
        (.., limit) => Some(limit),
    };
    let order = args.sort.unwrap_or(if is_literal { Order::Newest } else { Order::Relevance });
    let ask = Ask { order, limit, offset: args.offset, ..args.which.narrow(ask, ui.environment) };
    let request = Request { hits: args.hits.max(1), ..Request::new(ask, ui.environment.now.timestamp()) };
    if exact.is_none() && request.ask.root.is_none() {
        return Err(nothing_to_look_for(ExactError::Empty));
    }
    let index = fresh_index::fresh(ui, history, context.index, &mut context.outcome)?;
    if args.count && exact.is_none() {
        let total = index.count(&request)?;
        context.outcome.matched = total.conversations;
        say_count(ui, total, args.json)?;
        return Ok(conclude(ui, history, context.outcome));
    }
    let found = search(ui, history, &index, &request, exact.as_ref(), args)?;
    write_answer(ui, context, &index, args, &found)
}

/// The fields before the text that is looked for to the letter, and that text. Where there is nothing but fields, they are the
/// text.
fn leading_fields<'a>(typed: &'a str, now: &Zoned) -> (&'a str, &'a str) {
    let is_field =
        |word: &str| parse(word, now).is_ok_and(|ask| matches!(ask.root, Some(Node::Filter { .. })));
    let mut rest = typed;
    while let Some((word, behind)) = rest.trim_start().split_once(' ')
        && is_field(word)
        && !behind.trim().is_empty()
    {
        rest = behind;
    }
    typed.split_at(typed.len() - rest.len())
}

/// What of the query was left out or understood in another way than it may have been meant.
fn explain(ui: &mut Ui<'_>, typed: &str, ask: &Ask) {
    let is_mark = |at: &Range<usize>| typed[at.clone()].chars().all(|c| !c.is_alphanumeric());
    for at in
        ask.ignored.iter().filter(|at| !ask.taken_as_text.iter().any(|(taken, _)| taken.start == at.start))
    {
        ui.warning(&format!(
            "`{}` holds no word and was left out; --exact finds any characters",
            &typed[at.clone()]
        ));
    }
    for (at, trouble) in &ask.taken_as_text {
        let text = text::one_line(&typed[at.clone()]);
        let has_no_hint = matches!(trouble, Trouble::UnknownField { nearest: None, .. });
        if is_mark(at) || has_no_hint {
            ui.note(&format!("{trouble}: `{text}` was taken as text"));
        } else {
            ui.note(&format!("{trouble}: `{text}` was taken as text; {}", trouble.hint()));
        }
    }
}

fn exact(args: &SearchArgs, typed: &str) -> Result<Option<Exact>> {
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
) -> Result<Found> {
    let room =
        if ui.is_terminal() && !args.json { ui.width().saturating_sub(24).max(40) } else { USUAL_ROOM };
    let showing = Showing { room, context: args.context, ..Showing::default() };
    let Some(exact) = exact else {
        return Ok(history.search(index, request, showing)?);
    };
    let limit = request.ask.limit.filter(|_| !args.count);
    let request = Request { ask: Ask { limit, ..request.ask.clone() }, ..request.clone() };
    let mut progress = Progress::new(0, ui.shows_progress());
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

impl From<SearchError> for CommandError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Index(error) => error.into(),
            SearchError::Ask(error) => error.into(),
        }
    }
}

fn say_count(ui: &mut Ui<'_>, total: Total, is_json: bool) -> Result<()> {
    if is_json {
        ui.json(|out| json::count(total.conversations, total.hits, total.at_least, out))?;
        return Ok(ui.flush()?);
    }
    let (conversations, messages) =
        (counted(total.conversations, "conversation"), counted(total.hits, "message"));
    let at_least = if total.at_least { "at least " } else { "" };
    writeln!(ui.out(), "{at_least}{conversations}, {messages}")?;
    Ok(ui.flush()?)
}

/// Says what was found, in the way that was asked for.
fn write_answer(
    ui: &mut Ui<'_>,
    mut context: Context<'_>,
    index: &Index,
    args: &SearchArgs,
    found: &Found,
) -> Result<Exit> {
    context.outcome.matched = found.conversations.len();
    if args.count {
        say_count(ui, found.total, args.json)?;
    } else if let (true, Some(best)) = (args.open, found.conversations.first()) {
        return super::show::open(ui, context, best.summary.id.as_str());
    } else if args.files {
        touched_files(ui, index, found)?;
    } else if args.json {
        for one in &found.conversations {
            for hit in &one.hits {
                ui.json(|out| json::hit(one, hit, out))?;
            }
        }
    } else {
        let width = ui.is_terminal().then(|| ui.width());
        let view = HitsView { width, now: ui.environment.now.clone(), colour: ui.colour() };
        terminal::hits(&found.conversations, &view, ui.out())?;
    }
    ui.flush()?;
    notes(ui, found, args);
    Ok(conclude(ui, context.history, context.outcome))
}

/// The files that the conversations touched, most touched first.
fn touched_files(ui: &mut Ui<'_>, index: &Index, found: &Found) -> Result<()> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in &found.conversations {
        for path in index.touched(&one.summary.id)? {
            *counts.entry(path).or_default() += 1;
        }
    }
    let mut sorted: Vec<(String, usize)> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (path, count) in sorted {
        writeln!(ui.out(), "{count:>4}  {}", text::one_line(&path))?;
    }
    Ok(())
}

fn notes(ui: &mut Ui<'_>, found: &Found, args: &SearchArgs) {
    for note in &found.notes {
        match note {
            Note::NewestOnly(ranked) => ui.note(&format!(
                "very many messages match; the newest {ranked} of them were ranked: add a word, or --sort newest"
            )),
            Note::ConversationWide => ui.note("no message has all the words; these conversations do"),
            Note::SomeWords => ui.note("nothing has all the words; these conversations have the rarest of them"),
            Note::Corrected(typed, meant) => ui.note(&format!(
                "nothing has `{}`; `{}` was looked for",
                text::one_line(typed),
                text::one_line(meant)
            )),
            Note::Unread(messages) => ui.warning(&format!(
                "{} could not be read back and may hold it; see `backscroll sources`",
                counted(*messages, "message")
            )),
        }
    }
    let shown = args.offset + found.conversations.len();
    if found.total.conversations > shown && !args.count && !args.open {
        let first = if args.offset > 0 { format!("{} to ", args.offset + 1) } else { String::new() };
        let more = if found.total.at_least { "more than " } else { "" };
        ui.note(&format!(
            "{first}{shown} of {more}{} conversations; --limit and --offset show others",
            found.total.conversations
        ));
    }
}

fn conclude(ui: &mut Ui<'_>, history: &History, outcome: Outcome<'_>) -> Exit {
    if outcome.matched > 0 {
        return outcome.conclude(ui);
    }
    ui.warning("nothing matches");
    ui.hint("try fewer filters; --exact finds any characters, --all searches hidden conversations, too");
    outcome.conclude_unfound(ui, history)
}
