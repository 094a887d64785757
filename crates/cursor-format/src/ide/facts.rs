//! What a conversation's record tells besides its messages, and what its messages tell of the whole.

use backscroll_model::{Attribution, ContextUsage, Conversation, Facts, Flag, Lines, Part, Role, Tokens};

use super::bubble::Rest;
use super::code_blocks::CodeBlocks;
use super::records::{WireComposer, model_name};
use super::todos::todos;
use crate::rich_text;
use crate::uri::{is_absolute, place, place_of};
use crate::user_text::title_line;
use crate::wire_json::{Text, string, wire};

wire! { struct WireNewFile<'a> { uri: Option<&'a serde_json::value::RawValue> = "uri", } }
wire! { struct WireActiveBranch<'a> { name: Text<'a> = "branchName", } }

/// Fills in everything that concerns the conversation as a whole.
pub(crate) fn gather(
    wire: Option<&WireComposer<'_>>,
    rests: &[(usize, Rest)],
    code_blocks: &CodeBlocks,
    conversation: &mut Conversation,
    subtitle: Option<&str>,
) {
    if let Some(wire) = wire {
        conversation.facts = from_record(wire, code_blocks);
    }
    for file in rests.iter().flat_map(|(_, rest)| &rest.relevant_files) {
        push_new(file.clone(), &mut conversation.facts.files);
    }
    conversation.facts.tokens = tokens(conversation);
    let summary = &mut conversation.summary;
    summary.messages = Some(conversation.coverage.listed);
    if conversation.coverage.listed == 0 && conversation.orphans.is_empty() {
        summary.flags.insert(Flag::Empty);
    }
    if summary.title.is_none() {
        let spoken = conversation.messages.iter().filter(|message| message.role == Role::User);
        summary.title = subtitle.map(str::to_owned).or_else(|| first_line(spoken));
    }
    if summary.workspace.is_none() {
        let named = rests.iter().flat_map(|(_, rest)| &rest.workspaces).find_map(|uri| place(uri));
        let named = named.filter(|place| place.remote.is_some() || is_absolute(&place.path));
        conversation.facts.held_in = named.map(|place| place.into_workspace(Attribution::Message));
    }
    name_models(wire, conversation);
}

fn first_line<'a>(mut messages: impl Iterator<Item = &'a backscroll_model::Message>) -> Option<String> {
    let texts = messages.next()?.parts.iter().filter_map(|part| match part {
        Part::Text(text) => title_line(text),
        _ => None,
    });
    texts.into_iter().next()
}

fn from_record(wire: &WireComposer<'_>, code_blocks: &CodeBlocks) -> Facts {
    let mut facts = Facts::default();
    if wire.lines_added.0.is_some() || wire.lines_removed.0.is_some() {
        let count = |lines: crate::wire_json::Int| lines.count().unwrap_or(0);
        facts.lines = Some(Lines { added: count(wire.lines_added), removed: count(wire.lines_removed) });
    }
    let context = ContextUsage {
        used: wire.context_used.count(),
        limit: wire.context_limit.count(),
        percent: wire.context_percent.0,
    };
    facts.context = (context != ContextUsage::default()).then_some(context);
    add_branches(wire, &mut facts);
    for request in &wire.pull_requests.0 {
        let number = request.number.0.map(|n| format!("#{n}"));
        if let Some(named) = request.url.owned().or(number) {
            push_new(named, &mut facts.pull_requests);
        }
    }
    facts.todos = todos(&wire.todos.0);
    for file in &wire.new_files.0 {
        let object: WireNewFile<'_> = serde_json::from_str(file.get()).unwrap_or_default();
        if let Some(place) = object.uri.and_then(place_of).or_else(|| place(&string(file)?)) {
            push_new(place.path, &mut facts.files);
        }
    }
    let mut edited: Vec<String> = code_blocks.files().filter_map(place).map(|place| place.path).collect();
    edited.sort();
    for path in edited {
        push_new(path, &mut facts.files);
    }
    facts.draft = draft(wire);
    let cents: u64 = wire.usage.0.iter().filter_map(|(_, usage)| usage.cents.count()).sum();
    facts.cost_cents = (cents > 0).then_some(cents);
    facts.plans =
        wire.plans.0.iter().map(|plan| string(plan).unwrap_or_else(|| plan.get().to_owned())).collect();
    facts
}

/// Every branch that is named, first mention first; the active one is where it last worked.
fn add_branches(wire: &WireComposer<'_>, facts: &mut Facts) {
    let active = wire.active_branch.and_then(|value| {
        let object: WireActiveBranch<'_> = serde_json::from_str(value.get()).unwrap_or_default();
        object.name.owned().or_else(|| string(value))
    });
    let repos = wire.tracked_repos.0.iter().flat_map(|repo| &repo.branches.0);
    let worked_on: Vec<_> = wire.branches.0.iter().chain(repos).collect();
    let latest =
        worked_on.iter().filter(|b| b.at.0.is_some()).max_by_key(|b| b.at.0).and_then(|b| b.name.owned());
    let created = wire.created_on.owned();
    let named = [created.clone()]
        .into_iter()
        .chain(worked_on.iter().map(|branch| branch.name.owned()))
        .chain([wire.committed_to.owned(), wire.pr_branch.owned(), active.clone()]);
    named.flatten().for_each(|branch| push_new(branch, &mut facts.branches));
    facts.branch = active.or(latest).or_else(|| wire.committed_to.owned()).or(created);
}

/// Words that were never sent: those in the input box, and those waiting in the queue.
fn draft(wire: &WireComposer<'_>) -> Option<String> {
    let typed =
        wire.draft_text.owned().or_else(|| wire.draft_rich.filled().map(|rich| rich_text::read(rich).text));
    let queued = wire.queue.0.iter().filter_map(|item| {
        wire! { struct WireQueued<'a> { text: Text<'a> = "text", rich: Text<'a> = "richText", } }
        let queued: WireQueued<'_> = serde_json::from_str(item.get()).ok()?;
        queued.text.owned().or_else(|| queued.rich.filled().map(|rich| rich_text::read(rich).text))
    });
    let words: Vec<String> = typed.into_iter().chain(queued).filter(|text| !text.trim().is_empty()).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// Tokens of all requests, added up: each counts what the model read and wrote for that one request.
fn tokens(conversation: &Conversation) -> Option<Tokens> {
    conversation.messages.iter().filter_map(|message| message.tokens).reduce(|sum, tokens| Tokens {
        input: sum.input.saturating_add(tokens.input),
        output: sum.output.saturating_add(tokens.output),
    })
}

/// A model named on the user's message answers the whole turn; the record's own model is the last resort.
fn name_models(wire: Option<&WireComposer<'_>>, conversation: &mut Conversation) {
    let configured = wire.and_then(|wire| wire.model_config.name.filled().and_then(model_name));
    let mut asked: Option<String> = None;
    let mut models = Vec::new();
    for message in &mut conversation.messages {
        match (message.role, &message.model) {
            (Role::User, model) => asked.clone_from(model),
            (_, Some(_)) => {}
            (_, None) => message.model = asked.clone().or_else(|| configured.clone()),
        }
        if let Some(model) = &message.model {
            push_new(model.clone(), &mut models);
        }
    }
    for model in std::mem::take(&mut conversation.summary.models) {
        push_new(model, &mut models);
    }
    conversation.summary.models = models;
}

fn push_new(text: String, list: &mut Vec<String>) {
    if !text.is_empty() && !list.contains(&text) {
        list.push(text);
    }
}
