//! `backscroll show`: one conversation, to read.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::config::RedactionArgs;
use crate::wiring::raw_value;
use backscroll_history::{Ask, AskError, Cleaner, History};
use backscroll_model::{
    Conversation, ConversationId, Finding, FindingKind, Origin, Summary, Surface, error_chain,
};
use backscroll_render::terminal::{Branch, Tools, View};
use backscroll_render::{json, terminal};
use clap::{Args, value_parser};

use crate::error::{Exit, Outcome, Result};
use crate::filters::names_with_help;
use crate::program::Context;
use crate::ui::Ui;

/// Show one conversation
///
/// ID is any unambiguous beginning of an id, `@1` for the latest (`@2` for the one before), or part of a title.
#[derive(Debug, Args, Default)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ShowArgs {
    /// The conversation
    id: String,

    /// One JSON object (backscroll.conversation/1)
    #[arg(long)]
    json: bool,

    /// Thinking, summaries and system prompts in full
    #[arg(long)]
    thinking: bool,

    /// How much of tool calls
    #[arg(long, value_name = "HOW", value_parser = names_with_help::<Tools>(TOOLS_HELP), default_value = "line")]
    tools: Tools,

    /// Where each message and fact was read
    #[arg(long)]
    origins: bool,

    /// With `--origins`, the stored values beside each message: JSON as it is, protobuf as numbered fields
    #[arg(long, requires = "origins", conflicts_with = "json")]
    raw: bool,

    /// With the conversations that it started
    #[arg(long)]
    tree: bool,

    /// Everything that was not as it should be
    #[arg(long)]
    findings: bool,

    /// Straight to the terminal
    #[arg(long)]
    no_pager: bool,

    /// Cells of a line, instead of the terminal's
    #[arg(long, value_name = "CELLS", value_parser = value_parser!(u16).range(1..=10_000))]
    width: Option<u16>,

    #[command(flatten)]
    pub(crate) redaction: RedactionArgs,
}

pub(super) const TOOLS_HELP: &[&str] = &["One line each", "Arguments, result and diff", "Only their number"];

const EXAMPLES: &str = "\
Examples:
  backscroll show @1
  backscroll show 98251e54 --thinking --tools full
  backscroll show \"login\" --json | jq .messages
  backscroll show @1 --tree
  backscroll show 98251e54 --origins --findings
  backscroll show 98251e54 --origins --raw";

/// Deeper than this, a tree of subagents is taken for a mistake.
const DEEPEST: usize = 32;

/// Shows the conversation with this id as `show` does by itself.
pub(crate) fn open(ui: &mut Ui<'_>, context: Context<'_>, id: &str) -> Result<Exit> {
    run(ui, context, &ShowArgs { id: id.to_owned(), ..ShowArgs::default() })
}

pub(crate) fn run(ui: &mut Ui<'_>, context: Context<'_>, args: &ShowArgs) -> Result<Exit> {
    let Context { history, cleaner, mut outcome, .. } = context;
    let loaded = history.resolve(&args.id).and_then(|id| history.load(&id));
    let root = match loaded {
        Ok(conversation) => conversation,
        Err(AskError::NoMatch { asked }) => return nothing(ui, history, outcome, asked),
        Err(error) => return Err(error.into()),
    };
    let mut shown = vec![root];
    let tree = args.tree.then(|| with_children(history, &mut shown));
    let view = View {
        width: args.width.map_or_else(|| ui.reading_width(), usize::from),
        colour: ui.colour(),
        time_zone: ui.environment.now.time_zone().clone(),
        thinking: args.thinking,
        tools: args.tools,
        origins: args.origins,
        findings: args.findings,
    };
    let ids: Vec<ConversationId> = shown.iter().map(|one| one.summary.id.clone()).collect();
    let mut stored = args.raw.then(|| each_once(cleaner, &ids));
    let stored = stored.as_mut().map(|stored| stored as StoredValues<'_>);
    if args.json {
        for conversation in &shown {
            ui.json(|out| json::conversation(conversation, out))?;
        }
    } else if args.no_pager {
        write(&shown, tree.as_ref(), &view, stored, ui.out())?;
    } else {
        ui.paged(|out| write(&shown, tree.as_ref(), &view, stored, out))?;
    }
    ui.flush()?;
    outcome.matched = 1;
    outcome.note_lost_databases();
    let is_lost = is_lost(&shown[0]);
    let findings: usize = shown.iter().map(|conversation| conversation.findings.len()).sum();
    if args.json {
        for conversation in &shown {
            outcome.note(conversation);
        }
    }
    // The view for people shows its findings itself.
    Ok(match outcome.conclude(ui) {
        Exit::Done | Exit::Findings if is_lost => Exit::Unreadable,
        Exit::Done if findings > 0 && outcome.is_strict => Exit::Findings,
        exit => exit,
    })
}

/// Whether nothing can be shown of it because a store could not be read.
fn is_lost(conversation: &Conversation) -> bool {
    let is_unreadable = |finding: &Finding| finding.kind == FindingKind::Unreadable;
    conversation.messages.is_empty() && conversation.findings.iter().any(is_unreadable)
}

fn write(
    shown: &[Conversation],
    tree: Option<&Branch>,
    view: &View,
    mut stored: Option<StoredValues<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(tree) = tree {
        terminal::tree(tree, view, &mut *out)?;
        writeln!(out)?;
    }
    for (number, conversation) in shown.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        if let Some(stored) = &mut stored {
            terminal::conversation_as_stored(conversation, view, stored, &mut *out)?;
        } else {
            terminal::conversation(conversation, view, &mut *out)?;
        }
    }
    Ok(())
}

/// Gives the stored value at an origin.
type StoredValues<'a> = &'a mut dyn FnMut(&Origin) -> Option<String>;

/// Gives the stored value at an origin, each once, without what these conversations give away; why it cannot be read, if so.
fn each_once(cleaner: Option<&Cleaner>, of: &[ConversationId]) -> impl FnMut(&Origin) -> Option<String> {
    let mut seen = BTreeSet::new();
    move |origin| {
        let is_new = seen.insert(origin.clone());
        let stored =
            is_new.then(|| raw_value(origin).unwrap_or_else(|error| Some(error_chain(&error)))).flatten();
        stored.map(|stored| match cleaner {
            Some(cleaner) => of.iter().fold(stored, |stored, id| cleaner.text_of(id, &stored)),
            None => stored,
        })
    }
}

/// Nothing is meant by `asked`: because there is no such thing, or because a store could not be read.
fn nothing(ui: &mut Ui<'_>, history: &History, mut outcome: Outcome<'_>, asked: String) -> Result<Exit> {
    let known = outcome.take(history.list(&Ask::everything()));
    if known.is_empty() { Ok(outcome.conclude(ui)) } else { Err(AskError::NoMatch { asked }.into()) }
}

/// Loads what the first of `shown` started, and what that started, behind it; gives the outline of all.
fn with_children(history: &History, shown: &mut Vec<Conversation>) -> Branch {
    let mut seen: BTreeSet<ConversationId> = shown.iter().map(|root| root.summary.id.clone()).collect();
    let root = shown[0].clone();
    branch(history, &root, &mut seen, shown, DEEPEST)
}

fn branch(
    history: &History,
    conversation: &Conversation,
    seen: &mut BTreeSet<ConversationId>,
    shown: &mut Vec<Conversation>,
    deeper: usize,
) -> Branch {
    let mut children = Vec::new();
    for id in &conversation.summary.children {
        if deeper == 0 || !seen.insert(id.clone()) {
            continue;
        }
        if let Ok(child) = history.load(id) {
            shown.push(child.clone());
            children.push(branch(history, &child, seen, shown, deeper - 1));
        } else {
            // It is named, but no store has it.
            let summary = Summary::without_origin(id.clone(), Surface::Ide);
            children.push(Branch { summary, messages: None, children: Vec::new() });
        }
    }
    Branch {
        summary: conversation.summary.clone(),
        messages: u64::try_from(conversation.messages.len()).ok(),
        children,
    }
}
