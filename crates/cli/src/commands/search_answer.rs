//! What `search` says of what it found: hits, counts, files, or the best conversation. Finds nothing itself.

use std::collections::BTreeMap;

use backscroll_history::{Found, History, Index, Note, Request, Total};
use backscroll_render::terminal::{self, HitsView};
use backscroll_render::{json, text};

use super::search::SearchArgs;
use crate::counted::counted;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::found_view;
use crate::outcome::Outcome;
use crate::ui::Ui;

/// Says how many answer `request`.
pub(super) fn count(
    ui: &mut Ui<'_>,
    history: &History,
    index: &Index,
    mut outcome: Outcome<'_>,
    request: &Request,
) -> Result<Exit, CommandError> {
    let total = index.count(request)?;
    outcome.matched = total.conversations;
    say_count(ui, total)?;
    Ok(conclude(ui, history, index, outcome))
}

fn say_count(ui: &mut Ui<'_>, total: Total) -> Result<(), CommandError> {
    let (conversations, messages) =
        (counted(total.conversations, "conversation"), counted(total.hits, "message"));
    writeln!(ui.out(), "{conversations}, {messages}")?;
    Ok(ui.flush()?)
}

/// Says what was found, in the way that was asked for.
pub(super) fn tell(
    ui: &mut Ui<'_>,
    history: &History,
    index: &Index,
    mut outcome: Outcome<'_>,
    args: &SearchArgs,
    found: &Found,
) -> Result<Exit, CommandError> {
    outcome.matched = found.conversations.len();
    let conversations = found_view::conversations(found);
    if args.count {
        say_count(ui, found.total)?;
    } else if let (true, Some(best)) = (args.open, found.conversations.first()) {
        return super::show::open(ui, history, outcome, best.summary.id.as_str());
    } else if args.files {
        touched_files(ui, index, found)?;
    } else if args.json {
        for one in &conversations {
            for hit in &one.hits {
                json::hit(one, hit, ui.out())?;
                ui.out().write_all(b"\n")?;
            }
        }
    } else {
        let width = ui.is_terminal().then(|| ui.width());
        let view = HitsView { width, now: ui.environment.now.clone(), colour: ui.colour() };
        terminal::hits(&conversations, &view, ui.out())?;
    }
    ui.flush()?;
    notes(ui, found, args);
    Ok(conclude(ui, history, index, outcome))
}

/// The files that the conversations touched, most touched first.
fn touched_files(ui: &mut Ui<'_>, index: &Index, found: &Found) -> Result<(), CommandError> {
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
            Note::ConversationWide => ui.note("no message holds all the words; these conversations do"),
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

fn conclude(ui: &mut Ui<'_>, history: &History, index: &Index, outcome: Outcome<'_>) -> Exit {
    if outcome.matched > 0 {
        return outcome.conclude(ui);
    }
    ui.warning("nothing matches");
    ui.hint("fewer words, `begin*`, OR between them, or --exact may find it; --all looks into hidden conversations too");
    outcome.conclude_unfound(ui, history, index)
}
