//! `search_history`: where something was said.

use std::error::Error;

use backscroll_history::live::Snapshot;
use backscroll_history::{Ask, Filter, Found, Index, Note, Request, Showing, parse};
use backscroll_model::{FoundConversation, FoundHit, Role, Rung, Snippet, Workspace};
use backscroll_render::counted;
use backscroll_render::text::one_line;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::answer::{Answer, Room, ToolError, cut};
use crate::arguments::Arguments;
use crate::asking::Asking;
use crate::memory::{Memory, title};
use crate::pages::{Page, Position};
use crate::tools::Call;

/// The length of a snippet, in characters: of the best conversation, and of others.
const BEST_SNIPPET: usize = 360;
const SNIPPET: usize = 220;
/// The maximum number of messages that are listed of one conversation.
const HITS: usize = 3;
/// The length of the excerpt from the reply to a prompt that matched, in characters: in the best conversation, and in others.
const BEST_REPLY: usize = 600;
const REPLY: usize = 280;
/// No hit takes less room, in bytes.
const SMALLEST_HIT: usize = 250;
/// A conversation that has only some of the words, and a score below this, is no answer. The score, from 0 to 10, is what the index
/// gives for the rarity of the words that it has. Chosen by measuring (docs/benchmarks.md): few right answers are below.
const TOO_LITTLE: f64 = 2.7;
const LONGEST_TITLE: usize = 80;

/// The part of a hit that stands in the input box.
const DRAFT: &str = "draft";

/// One message that matched. The fields of the contract, then ours.
#[derive(Debug, Serialize)]
struct WireHit {
    conversation: String,
    message: Option<String>,
    title: String,
    workspace: Option<Place>,
    at: Option<String>,
    /// Who said it; nobody said a title.
    role: Option<&'static str>,
    part: String,
    snippet: String,
    #[serde(rename = "match")]
    matched: &'static str,
    /// Its number in the conversation, from one.
    n: u64,
    /// The beginning of the reply to a prompt, or of the user's answer to a question: what was asked is there, what was answered is
    /// behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
}

#[derive(Debug, Serialize)]
struct Reply {
    message: String,
    role: &'static str,
    snippet: String,
}

impl Reply {
    fn to(found: &FoundHit, place: SearchTarget<'_>, length: usize) -> Option<Self> {
        let SearchTarget { snapshot, index } = place;
        let reply = snapshot.history.reply(index, &found.hit).ok()??;
        let snippet = cut(&one_line(&reply.text()), length);
        Some(Self { message: reply.id.to_string(), role: reply.role.name(), snippet })
    }
}

/// A workspace, without what only programs need.
#[derive(Debug, Serialize)]
struct Place {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
}

#[derive(Clone, Copy)]
struct SearchTarget<'a> {
    snapshot: &'a Snapshot,
    index: &'a Index,
}

pub(crate) fn search(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, asking, wait, room } = call;
    let ask = ask(memory, arguments, asking)?;
    let begin = Position::parse(arguments.text("cursor"))?;
    let limit = arguments.number("limit").unwrap_or(10);
    let snapshot = memory.snapshot();
    let (index, searched) = memory.index(&snapshot, wait)?;
    let place = SearchTarget { snapshot: &snapshot, index: &index };
    // What cannot fit is not read.
    let most = limit.min(room.left() / SMALLEST_HIT + 1);
    let request = Request { hits: HITS, ..Request::new(ask, memory.now().timestamp()) };
    let page = Page::new(&index, begin, most, &request).map_err(|error| unsearchable(&error))?;
    let mut found = search_in(place, &page.request)?;
    let only = found.conversations.first().filter(|one| one.more > 0 && found.total.conversations == 1);
    let hits = if only.is_some() {
        // Of one conversation alone there is room for more.
        found = search_in(place, &Request { hits: most, ..page.request.clone() })?;
        most
    } else {
        HITS
    };
    let (fetched, total) = (found.conversations.len(), found.total);
    let is_own = |one: &FoundConversation| asking.is(&snapshot, &one.summary);
    let left_out = found.conversations.iter().filter(|one| is_own(one)).count();
    let is_left_out = |one: &FoundConversation| is_own(one) || page.leaves_out(one, total);
    let is_left_out: Vec<bool> = found.conversations.iter().map(is_left_out).collect();
    let mut others = is_left_out.iter().map(|is_left_out| !is_left_out);
    found.conversations.retain(|_| others.next().unwrap_or_default());
    let is_nothing = found.conversations.first().is_some_and(has_too_little);
    let nearest = is_nothing.then(|| found.conversations.drain(..).next()).flatten();
    let shown = ShownHits::new(place, &found, hits, limit, *room);
    // What is left out is passed over with what is shown.
    let places = is_left_out.iter().enumerate().filter(|(_, is_left_out)| !**is_left_out).map(|(at, _)| at);
    let done = places.into_iter().nth(shown.conversations).unwrap_or(fetched);
    let next = page.next(done, found.total).filter(|_| done > 0 && !is_nothing).map(|next| next.to_string());
    let total = found.total.hits.saturating_sub(left_out);
    let text = if shown.hits.is_empty() {
        let nearest = nearest.map(|nearest| lacking(&nearest)).unwrap_or_default();
        format!("Nothing in the history matches{nearest}.{}", searched.note_behind())
    } else {
        let mut lines = heading(&found, total);
        lines.extend(searched.note());
        lines.push(shown.text);
        if let Some(next) = &next {
            lines.push(format!("More with cursor \"{next}\"."));
        }
        lines.join("\n")
    };
    let total = if shown.hits.is_empty() { 0 } else { total };
    Ok(Answer { structured: json!({ "hits": shown.hits, "total": total, "next_cursor": next }), text })
}

/// Whether a conversation has too little of what was asked for.
fn has_too_little(one: &FoundConversation) -> bool {
    one.rung == Rung::Some && one.hits.first().is_none_or(|best| best.hit.score < TOO_LITTLE)
}

/// What the nearest conversation lacks, where none has enough.
fn lacking(nearest: &FoundConversation) -> String {
    let title = cut(&title(&nearest.summary), 40);
    format!("; the nearest, {} ({title}), lacks {}", nearest.summary.id, cut(&nearest.missing.join(", "), 60))
}

/// The question: what was typed, and what else must hold.
fn ask(memory: &Memory, arguments: &Arguments, asking: &Asking) -> Result<Ask, ToolError> {
    let now = memory.now();
    let query = arguments.required("query");
    let ask = parse(query, &now)
        .map_err(|error| ToolError::new(format!("`query`: {error}; {}.", error.trouble.hint())))?;
    let ask = arguments.narrow(ask, &now)?;
    if ask.root.is_none() {
        return Err(ToolError::new(
            "`query` has no word to look for; `list_conversations` lists everything.",
        ));
    }
    let own = asking.named().map(|own| Filter::Id(vec![own.to_owned()]));
    Ok(ask.without(own))
}

fn search_in(place: SearchTarget<'_>, request: &Request) -> Result<Found, ToolError> {
    let SearchTarget { snapshot, index } = place;
    let showing = Showing { room: SNIPPET, first_room: Some(BEST_SNIPPET), ..Showing::default() };
    snapshot.history.search(index, request, showing).map_err(|error| unsearchable(&error))
}

fn unsearchable(error: &dyn Error) -> ToolError {
    ToolError::new(format!("The history cannot be searched: {error}"))
}

/// What the reader should know of how it was found.
fn heading(found: &Found, total: usize) -> Vec<String> {
    let at_least = if found.total.at_least { "At least " } else { "" };
    let mut lines = vec![format!(
        "{at_least}{} in {}:",
        counted(total, "message"),
        counted(found.total.conversations, "conversation")
    )];
    for note in &found.notes {
        match note {
            Note::ConversationWide => {
                lines.push("No message has all the words; these conversations do.".to_owned());
            }
            Note::SomeWords => {
                let missing =
                    found.conversations.first().map(|one| one.missing.join(", ")).unwrap_or_default();
                lines.push(format!("Nothing has all the words; the first lacks: {}.", cut(&missing, 120)));
            }
            Note::Corrected(typed, meant) => {
                lines.push(format!("Nothing has `{}`; `{meant}` was looked for.", cut(typed, 40)));
            }
            Note::NewestOnly(_) | Note::Unread(_) => {}
        }
    }
    lines
}

/// What is shown: the best message of each conversation first, then further ones, as far as there is room.
struct ShownHits {
    hits: Vec<WireHit>,
    conversations: usize,
    text: String,
}

impl ShownHits {
    fn new(place: SearchTarget<'_>, found: &Found, hits: usize, limit: usize, room: Room) -> Self {
        // For the lines above and below the hits.
        let mut room = Room::new(room.left().saturating_sub(300));
        let each = found.conversations.iter().enumerate();
        let all: Vec<Vec<(WireHit, String)>> = each.map(|(at, one)| hits_in(place, one, at == 0)).collect();
        let mut taken = vec![0; all.len()];
        for round in 0..hits {
            for (at, hits) in all.iter().enumerate() {
                let Some((hit, line)) = hits.get(round).filter(|_| taken[at] == round) else { continue };
                if taken.iter().sum::<usize>() >= limit {
                    break;
                }
                let heading = if round == 0 { headline(hit) } else { String::new() };
                // The first is always shown: an answer without any would look like none.
                let is_first = round == 0 && at == 0;
                if !room.take(hit, &format!("{heading}{line}")) && !is_first {
                    break;
                }
                taken[at] += 1;
            }
        }
        let (mut shown, mut text) = (Vec::new(), Vec::new());
        for (hits, taken) in all.into_iter().zip(&taken) {
            for (hit, line) in hits.into_iter().take(*taken) {
                if shown.last().is_none_or(|last: &WireHit| last.conversation != hit.conversation) {
                    text.push(headline(&hit));
                }
                text.push(line);
                shown.push(hit);
            }
        }
        Self {
            hits: shown,
            conversations: taken.iter().filter(|taken| **taken > 0).count(),
            text: text.join("\n"),
        }
    }
}

/// The hits of one conversation, each with its line.
fn hits_in(place: SearchTarget<'_>, one: &FoundConversation, is_best: bool) -> Vec<(WireHit, String)> {
    let summary = &one.summary;
    let hits = one.hits.iter().enumerate().map(|(number, found)| {
        let (part, snippet) = snippet(found);
        let message = found.hit.message.as_ref().map(ToString::to_string);
        let short: String = message.as_deref().unwrap_or_default().chars().take(8).collect();
        // A draft is the user's; a title, or what the record notes, was said by nobody.
        let is_said = !found.hit.is_title || part == DRAFT;
        let role = is_said.then(|| found.hit.role.name());
        let n = found.hit.number + 1;
        // One reply for each conversation is enough.
        let length = if is_best { BEST_REPLY } else { REPLY };
        let reply = if number == 0 { Reply::to(found, place, length) } else { None };
        let replied = reply.as_ref().map(|reply| {
            let name = if reply.role == Role::User.name() { "the user's answer" } else { "reply" };
            format!("\n    {name}: {}", reply.snippet)
        });
        let replied = replied.unwrap_or_default();
        let line = match role {
            Some(role) => format!("  #{n} {short} {role}: {snippet}{replied}"),
            None => format!("  {part}: {snippet}{replied}"),
        };
        let hit = WireHit {
            conversation: summary.id.to_string(),
            message,
            title: cut(&title(summary), LONGEST_TITLE),
            workspace: summary.workspace.clone().map(|Workspace { path, remote, .. }| Place { path, remote }),
            at: found.hit.at.at.map(|at| to_second(at).to_string()),
            role,
            part,
            snippet,
            matched: one.rung.name(),
            n,
            reply,
        };
        (hit, line)
    });
    hits.collect()
}

fn snippet(found: &FoundHit) -> (String, String) {
    let marked = found.snippet.as_ref().map(Snippet::marked).unwrap_or_default();
    (found.part().to_owned(), one_line(&marked))
}

/// The line above the hits of a conversation.
fn headline(hit: &WireHit) -> String {
    let day = hit.at.as_deref().and_then(|at| at.get(..10)).unwrap_or("undated");
    let place = hit.workspace.as_ref().map(|place| format!(", {}", place.path)).unwrap_or_default();
    format!("{} {} ({day}{place})", hit.conversation, hit.title)
}

/// Fractions of a second cost tokens and tell nothing.
pub(crate) fn to_second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
