//! Tools that read one conversation: `read_conversation` and `handoff_brief`.

use std::collections::BTreeSet;

use backscroll_model::{Conversation, Message, Part, Role, ToolCall, named};
use backscroll_render::Detail;
use backscroll_render::handoff::Handoff;
use backscroll_render::text::one_line;
use serde::Serialize;
use serde_json::json;

use crate::answer::{Answer, Room, ToolError, bytes, cut};
use crate::arguments::Arguments;
use crate::memory::{Memory, title};
use crate::search::to_second;
use crate::tools::Call;

named! {
    /// How much of a conversation is read.
    #[derive(Default)]
    pub(crate) enum HowMuch {
        /// What people and the model said; tools by name.
        #[default]
        Talk = "talk",
        /// What the user wrote, shortened: an outline.
        Prompts = "prompts",
        /// Everything: thinking, tools with arguments and results.
        Full = "full",
    }
}

/// Longer prompts are cut in an outline, in characters.
const LONGEST_PROMPT: usize = 400;
/// Longer arguments and results are cut, in characters.
const LONGEST_PAYLOAD: usize = 4_000;
/// Longer lines about a tool call are cut, in characters.
const LONGEST_ABOUT: usize = 120;

#[derive(Debug, Clone, Serialize)]
struct ReadMessage {
    n: usize,
    id: String,
    role: &'static str,
    at: Option<String>,
    text: String,
    tools: Vec<ReadCall>,
    /// The text goes on in the next answer.
    #[serde(skip_serializing_if = "is_false")]
    cut: bool,
}

/// One tool call. `arguments` and `result` only if everything is read.
#[derive(Debug, Clone, Serialize)]
struct ReadCall {
    name: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

pub(crate) fn read(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, room, .. } = call;
    let snapshot = memory.snapshot();
    let id = Memory::resolve(&snapshot, arguments.required("id"))?;
    let conversation: &Conversation = &*memory.conversation(&snapshot, &id)?;
    let how_much: HowMuch = arguments.word("detail").unwrap_or_default();
    let (from, to) = range(conversation, arguments)?;
    let start = Start::parse(arguments.text("cursor"))?;
    let total = conversation.messages.len();
    let mut page = Page::new(*room, &title(&conversation.summary));
    let wanted = conversation.messages.iter().enumerate().map(|(at, message)| (at + 1, message));
    let wanted = wanted.filter(|(n, message)| (from..=to).contains(n) && how_much.wants(message));
    for (n, message) in wanted.filter(|(n, _)| *n >= start.n) {
        let skipped = if n == start.n { start.characters } else { 0 };
        if !page.add(n, message, how_much, skipped) {
            break;
        }
    }
    let structured = json!({
        "conversation": id.as_str(), "title": conversation.summary.title.as_deref(), "messages": page.messages,
        "total": total, "next_cursor": page.next,
    });
    let text = if page.messages.is_empty() {
        format!("Nothing to read there; {id} has {total} messages.")
    } else {
        let mut lines = vec![format!("{id} {} ({total} messages)", page.title)];
        lines.append(&mut page.lines);
        lines.extend(page.next.map(|next| format!("More with cursor \"{next}\".")));
        lines.join("\n")
    };
    Ok(Answer { structured, text })
}

/// The first and the last message that are asked for, counted from one.
fn range(conversation: &Conversation, arguments: &Arguments) -> Result<(usize, usize), ToolError> {
    let last = conversation.messages.len();
    if let Some(around) = arguments.text("around") {
        if arguments.number("from").or(arguments.number("to")).is_some() {
            return Err(ToolError::new("Give either `around`, or `from` and `to`."));
        }
        let at = position(conversation, around)?;
        let count = arguments.number("count").unwrap_or(10);
        let from = (at + 1).saturating_sub(count / 2).max(1).min((last + 1).saturating_sub(count).max(1));
        return Ok((from, from + count - 1));
    }
    let (from, to) = (arguments.number("from").unwrap_or(1), arguments.number("to").unwrap_or(usize::MAX));
    if from > to {
        return Err(ToolError::new(format!("`from` ({from}) is behind `to` ({to}).")));
    }
    if from > last && last > 0 {
        return Err(ToolError::new(format!("`from` is {from}, and the conversation has {last} messages.")));
    }
    Ok((from, to))
}

/// The place of the message that `asked` means: its id, or the beginning of it.
fn position(conversation: &Conversation, asked: &str) -> Result<usize, ToolError> {
    let is = |whole: bool, message: &Message| {
        let id = message.id.as_str();
        if whole { id == asked } else { id.starts_with(asked) }
    };
    let find = |whole| conversation.messages.iter().position(|message| is(whole, message));
    let none = || {
        let says = "It has no message `{}`; `search_history` gives ids of messages, and `from` and `to` take numbers.";
        ToolError::new(says.replace("{}", &cut(asked, 60)))
    };
    find(true).or_else(|| find(false)).ok_or_else(none)
}

/// Where an answer begins: a message, and how many characters of it were read before.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    n: usize,
    characters: usize,
}

impl Start {
    fn parse(cursor: Option<&str>) -> Result<Self, ToolError> {
        let Some(cursor) = cursor else { return Ok(Self::default()) };
        let (n, characters) = cursor.trim().split_once('+').unwrap_or((cursor.trim(), "0"));
        match (n.parse(), characters.parse()) {
            (Ok(n), Ok(characters)) => Ok(Self { n, characters }),
            _ => Err(ToolError::new("`cursor` must be a `next_cursor` that this tool gave.")),
        }
    }
}

impl HowMuch {
    fn wants(self, message: &Message) -> bool {
        match self {
            Self::Talk => {
                Detail::Talk.shows_message(message)
                    || (message.role == Role::Assistant && message.tool_calls().next().is_some())
            }
            Self::Prompts => message.is_by_person() && !message.text().trim().is_empty(),
            Self::Full => Detail::Full.shows_message(message),
        }
    }

    fn text(self, message: &Message) -> String {
        let text: Vec<String> = message.parts.iter().filter_map(|part| self.part(part)).collect();
        let text = text.join("\n\n");
        if self == Self::Prompts { cut(text.trim(), LONGEST_PROMPT) } else { text }
    }

    fn part(self, part: &Part) -> Option<String> {
        let is_full = self == Self::Full;
        let text = match part {
            Part::Text(text) => text.clone(),
            Part::Error(text) => format!("[error] {text}"),
            Part::Thinking { text, .. } if is_full => format!("[thinking] {text}"),
            Part::Summary(text) if is_full => format!("[summary] {text}"),
            Part::Code(code) if is_full => {
                let path = code.path.as_deref().unwrap_or_default();
                format!("[code {path}]\n{}", code.diff.as_deref().unwrap_or(&code.text))
            }
            Part::Attachment(attachment) if is_full => {
                let path = attachment.path.as_deref().or(attachment.title.as_deref()).unwrap_or_default();
                let text = attachment.text.as_deref().unwrap_or_default();
                format!("[attached {} {path}] {}", attachment.kind.name(), cut(text, LONGEST_PAYLOAD))
            }
            Part::Image(_) if is_full => "[image]".to_owned(),
            Part::Todos(todos) if is_full => {
                let each = todos.iter().map(|todo| {
                    format!("- {} ({})", todo.content, todo.status.as_deref().unwrap_or("unknown"))
                });
                each.collect::<Vec<_>>().join("\n")
            }
            _ => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    fn tool(self, call: &ToolCall) -> ReadCall {
        let payload = |text: &str| cut(text, LONGEST_PAYLOAD);
        let is_full = self == Self::Full;
        ReadCall {
            name: call.name.clone(),
            status: call.status.name(),
            about: call.subject().filter(|_| !is_full).map(|about| cut(&one_line(&about), LONGEST_ABOUT)),
            arguments: call.arguments.as_ref().filter(|_| is_full).map(|given| payload(given.as_str())),
            result: call.result.as_ref().filter(|_| is_full).map(|result| payload(result.as_str())),
            error: call.error.as_deref().map(|error| cut(error, if is_full { LONGEST_PAYLOAD } else { 200 })),
        }
    }
}

/// The messages of one answer, as far as there is room.
struct Page {
    room: Room,
    title: String,
    messages: Vec<ReadMessage>,
    lines: Vec<String>,
    next: Option<String>,
}

impl Page {
    fn new(room: Room, title: &str) -> Self {
        let title = cut(title, 200);
        // The title is in the text and in the structured content.
        let room = Room::new(room.left().saturating_sub(2 * bytes(&title)));
        Self { room, title, messages: Vec::new(), lines: Vec::new(), next: None }
    }

    /// Adds a message without its first `skipped` characters; `false` if it, or its end, is left for the next answer.
    fn add(&mut self, n: usize, message: &Message, how_much: HowMuch, skipped: usize) -> bool {
        let whole = how_much.text(message);
        let text: String = whole.chars().skip(skipped).collect();
        let tools = if how_much == HowMuch::Prompts {
            Vec::new()
        } else {
            // The tools of a message that is cut are listed once, with its first piece.
            message.tool_calls().filter(|_| skipped == 0).map(|call| how_much.tool(call)).collect()
        };
        let read = ReadMessage {
            n,
            id: message.id.to_string(),
            role: message.role.name(),
            at: message.at.at.map(|at| to_second(at).to_string()),
            text,
            tools,
            cut: false,
        };
        if self.push(&read) {
            return true;
        }
        if !self.messages.is_empty() {
            self.next = Some(if skipped > 0 { format!("{n}+{skipped}") } else { n.to_string() });
            return false;
        }
        // One that is larger than a whole answer is given in pieces.
        let mut tools = read.tools.clone();
        let mut characters = read.text.chars().count();
        loop {
            if characters > 0 {
                characters = characters * 3 / 4;
            } else if tools.pop().is_none() {
                return true;
            }
            let text: String = read.text.chars().take(characters).collect();
            if self.push(&ReadMessage { text, tools: tools.clone(), cut: true, ..read.clone() }) {
                self.next = Some(if characters > 0 {
                    format!("{n}+{}", skipped + characters)
                } else {
                    (n + 1).to_string()
                });
                return false;
            }
        }
    }

    fn push(&mut self, message: &ReadMessage) -> bool {
        let line = line(message);
        let fits = self.room.take(message, &line);
        if fits {
            self.messages.push(message.clone());
            self.lines.push(line);
        }
        fits
    }
}

/// A message as a model reads it.
fn line(message: &ReadMessage) -> String {
    let id: String = message.id.chars().take(8).collect();
    let mut line = format!("#{} {id} {}: {}", message.n, message.role, message.text.trim());
    for (number, tool) in message.tools.iter().enumerate() {
        let about = tool.about.as_deref().map(|about| format!(" {about}")).unwrap_or_default();
        let status = if tool.status == "completed" { "" } else { tool.status };
        // A message that only calls a tool is one line.
        let before = if number == 0 && message.text.trim().is_empty() { "" } else { "\n  " };
        line.push_str(format!("{before}[{}{about}] {status}", tool.name).trim_end());
        for (name, text) in [("arguments", &tool.arguments), ("result", &tool.result), ("error", &tool.error)]
        {
            if let Some(text) = text {
                line.extend(["\n    ", name, ": ", text]);
            }
        }
    }
    line
}

/// Writes a brief of a conversation within a budget of tokens, and within `room`.
pub(crate) fn handoff(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, room, .. } = call;
    let snapshot = memory.snapshot();
    let id = Memory::resolve(&snapshot, arguments.required("id"))?;
    let conversation = memory.conversation(&snapshot, &id)?;
    let mut budget = arguments.number("budget").unwrap_or(4_000);
    loop {
        let brief = Handoff::new(&conversation, budget);
        let markdown = brief.markdown();
        let named: BTreeSet<&str> = brief.citations().into_iter().collect();
        let numbered = (1..).zip(&conversation.messages);
        let in_order = numbered.filter(|(_, message)| named.contains(message.id.as_str()));
        let citations: Vec<_> = in_order
            .map(
                |(n, message)| json!({ "conversation": id.as_str(), "message": message.id.as_str(), "n": n }),
            )
            .collect();
        let structured = json!({
            "markdown": markdown, "citations": citations, "tokens_estimated": brief.tokens_estimated,
        });
        let mut left = *room;
        if left.take(&structured, &markdown) || budget <= 100 {
            return Ok(Answer { structured, text: markdown });
        }
        budget = budget * 4 / 5;
    }
}
