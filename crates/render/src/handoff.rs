//! A brief of a conversation for another agent, made without any model: what was wanted, what the user decided, what was done
//! and what is still open. Every line names the message that it is from, and the whole keeps to a budget of tokens.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use backscroll_model::{
    Conversation, Message, Part, Role, Todo, TodoStatus, ToolCall, ToolStatus, Touch, argument,
};
use serde::Serialize;

use crate::terminal::{DiffStat, diff_stat};
use crate::text::one_line;

/// The brief, `backscroll.handoff/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Handoff {
    schema: &'static str,
    /// The conversation.
    pub conversation: String,
    /// Its title.
    pub title: Option<String>,
    /// The folder that it was held in.
    pub workspace: Option<String>,
    /// What was wanted: the first prompts.
    pub goal: Vec<Said>,
    /// What the user decided or corrected later.
    pub decisions: Vec<Said>,
    /// The files that were changed.
    pub files: Vec<FileState>,
    /// The commands that were run.
    pub commands: Vec<CommandRun>,
    /// What failed and did not succeed since.
    pub open_errors: Vec<Said>,
    /// Things to do.
    pub todos: Vec<ThingToDo>,
    /// The last prompt, and the last answer.
    pub last: Vec<Said>,
    /// Lines that the budget left out.
    pub left_out: usize,
    /// About how many tokens the Markdown has: four characters are taken for one, a character of other scripts for one.
    pub tokens_estimated: usize,
}

/// Words, and the message that they are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The words, perhaps cut.
    pub text: String,
    /// The id of the message.
    pub message: String,
}

/// A file as the conversation left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileState {
    /// Its path, as stored.
    pub path: String,
    /// What was done to it, in words.
    pub state: String,
    /// The message that touched it last.
    pub message: String,
}

/// A command and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRun {
    /// The command.
    pub command: String,
    /// How it ended.
    pub status: String,
    /// The message that ran it last.
    pub message: String,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThingToDo {
    /// What.
    pub text: String,
    /// How far it is, as stored.
    pub status: Option<String>,
    #[serde(skip)]
    is_done: bool,
}

impl FileState {
    fn line(&self) -> String {
        format!("- `{}`: {} [{}]\n", self.path, self.state, self.message)
    }
}

impl CommandRun {
    fn line(&self) -> String {
        format!("- `{}`: {} [{}]\n", self.command, self.status, self.message)
    }
}

impl ThingToDo {
    fn line(&self) -> String {
        format!("- [{}] {}\n", if self.is_done { "x" } else { " " }, self.text)
    }
}

/// Prompts at the beginning that say what is wanted.
const FIRST_PROMPTS: usize = 2;

/// Longer words are cut, in characters.
const LONGEST_PROMPT: usize = 2_000;
const LONGEST_ANSWER: usize = 2_400;
const LONGEST_LINE: usize = 240;

/// What a user who decides or corrects something often says.
const CUES: [&str; 26] = [
    "actually", "always", "avoid", "better", "decide", "do not", "don't", "don’t", "go with", "instead",
    "keep", "let's", "let’s", "must", "never", "no,", "not ", "only", "prefer", "rather", "revert", "should",
    "undo", "use ", "wrong", "yes",
];

impl Handoff {
    /// The brief of `conversation` in about `budget` tokens.
    pub fn new(conversation: &Conversation, budget: usize) -> Self {
        let prompts: Vec<Said> =
            conversation.messages.iter().filter(|message| is_prompt(message)).map(prompt).collect();
        let first = prompts.len().min(FIRST_PROMPTS);
        let (commands, mut open_errors) = commands(conversation);
        open_errors.extend(last_error(conversation));
        let whole = Self {
            schema: "backscroll.handoff/1",
            conversation: conversation.summary.id.to_string(),
            title: conversation.summary.title.clone(),
            workspace: conversation.summary.workspace.as_ref().map(|workspace| workspace.path.clone()),
            last: last(conversation, prompts.get(first..).and_then(<[Said]>::last)),
            decisions: prompts
                .get(first..prompts.len().saturating_sub(1))
                .map(<[Said]>::to_vec)
                .unwrap_or_default(),
            goal: prompts[..first].to_vec(),
            files: files(conversation),
            commands,
            open_errors,
            todos: todos(conversation),
            left_out: 0,
            tokens_estimated: 0,
        };
        whole.within(budget)
    }

    /// The same with as much as the budget allows, what matters most first.
    fn within(self, budget: usize) -> Self {
        let lines = self.lines();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|at| lines[*at].1);
        let mut left = budget.saturating_sub(tokens(&self.heading()) + HEADINGS);
        let mut kept = vec![false; lines.len()];
        for at in order {
            let cost = tokens(&lines[at].0) + 1;
            if let Some(rest) = left.checked_sub(cost) {
                (left, kept[at]) = (rest, true);
            }
        }
        let left_out = kept.iter().filter(|kept| !**kept).count();
        let mut kept = kept.into_iter();
        let mut brief = Self { left_out, ..self };
        macro_rules! keep {
            ($($list:ident),*) => { $(brief.$list.retain(|_| kept.next().unwrap_or_default());)* };
        }
        keep!(goal, decisions, files, commands, open_errors, todos, last);
        brief.tokens_estimated = tokens(&brief.markdown());
        brief
    }

    /// What every line costs, in the order of the brief, with its rank: the lowest are kept first.
    fn lines(&self) -> Vec<(String, (u8, usize))> {
        let mut lines = Vec::new();
        let mut add = |line: String, rank: u8, at: usize| lines.push((line, (rank, at)));
        for (at, one) in self.goal.iter().enumerate() {
            add(quote(one), u8::from(at > 0), at);
        }
        for (at, one) in self.decisions.iter().enumerate() {
            let words = one.text.to_lowercase();
            let is_decided = CUES.iter().any(|cue| words.contains(cue));
            // The latest decision counts most.
            add(quote(one), if is_decided { 3 } else { 6 }, self.decisions.len() - at);
        }
        for (at, one) in self.files.iter().enumerate() {
            add(one.line(), 4, self.files.len() - at);
        }
        for (at, one) in self.commands.iter().enumerate() {
            add(one.line(), 5, self.commands.len() - at);
        }
        for (at, one) in self.open_errors.iter().enumerate() {
            add(listed(one), 2, self.open_errors.len() - at);
        }
        for (at, one) in self.todos.iter().enumerate() {
            add(one.line(), if one.is_done { 7 } else { 2 }, at);
        }
        for (at, one) in self.last.iter().enumerate() {
            add(quote(one), 0, self.last.len() - at);
        }
        lines
    }

    fn heading(&self) -> String {
        let title = self.title.as_deref().map_or_else(|| "a conversation".to_owned(), one_line);
        let mut text = format!("# Hand-off: {title}\n\nConversation `{}`", self.conversation);
        if let Some(workspace) = &self.workspace {
            let _ = write!(text, " in `{workspace}`");
        }
        text + ". Numbers in brackets are ids of its messages.\n"
    }

    /// The brief as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = self.heading();
        let mut section = |name: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                let _ = writeln!(text, "\n## {name}\n\n{}", lines.concat().trim_end());
            }
        };
        let quoted = |all: &[Said]| all.iter().map(quote).collect::<Vec<_>>();
        section("Goal", quoted(&self.goal));
        section("What the user decided or corrected", quoted(&self.decisions));
        section("Files", self.files.iter().map(FileState::line).collect());
        section("Commands", self.commands.iter().map(CommandRun::line).collect());
        section("Still failing", self.open_errors.iter().map(listed).collect());
        section("To do", self.todos.iter().map(ThingToDo::line).collect());
        section("The last exchange", quoted(&self.last));
        if self.left_out > 0 {
            let _ = write!(text, "\n{} more lines did not fit.\n", self.left_out);
        }
        text
    }

    /// The messages that it names, each once, in order.
    pub fn citations(&self) -> Vec<&str> {
        let said = [&self.goal, &self.decisions, &self.open_errors, &self.last].into_iter().flatten();
        let files = self.files.iter().map(|file| file.message.as_str());
        let commands = self.commands.iter().map(|run| run.message.as_str());
        let mut named: Vec<&str> = Vec::new();
        for message in said.map(|said| said.message.as_str()).chain(files).chain(commands) {
            if !named.contains(&message) {
                named.push(message);
            }
        }
        named
    }
}

/// About what the headings of all sections cost.
const HEADINGS: usize = 80;

/// About how many tokens a text has.
pub fn tokens(text: &str) -> usize {
    let (ascii, other) = text
        .chars()
        .fold((0, 0), |(ascii, other), c| if c.is_ascii() { (ascii + 1, other) } else { (ascii, other + 1) });
    usize::div_ceil(ascii, 4) + other
}

fn is_prompt(message: &Message) -> bool {
    message.is_by_person() && !message.text().trim().is_empty()
}

fn prompt(message: &Message) -> Said {
    Said { text: cut(message.text().trim(), LONGEST_PROMPT), message: message.id.to_string() }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}… ({} characters more)", &text[..end], text[end..].chars().count()),
        None => text.to_owned(),
    }
}

/// One line of a text: the first that says anything.
fn line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    cut(line, LONGEST_LINE)
}

fn quote(said: &Said) -> String {
    format!("> {}\n> [{}]\n\n", said.text.lines().collect::<Vec<_>>().join("\n> "), said.message)
}

fn listed(said: &Said) -> String {
    format!("- {} [{}]\n", said.text, said.message)
}

/// The last prompt, unless it is said already, and the last answer.
fn last(conversation: &Conversation, prompt: Option<&Said>) -> Vec<Said> {
    let is_answer = |message: &&Message| message.role == Role::Assistant && !message.text().trim().is_empty();
    let answer = conversation.messages.iter().rfind(is_answer).map(|message| Said {
        text: cut(message.text().trim(), LONGEST_ANSWER),
        message: message.id.to_string(),
    });
    prompt.cloned().into_iter().chain(answer).collect()
}

/// Files that were changed, in the order of their last change, with what became of them.
fn files(conversation: &Conversation) -> Vec<FileState> {
    #[derive(Default)]
    struct Changes {
        edits: usize,
        lines: DiffStat,
        is_deleted: bool,
        last: usize,
    }
    let mut changed: BTreeMap<String, Changes> = BTreeMap::new();
    for touched in conversation.touched() {
        if !touched.how.is_change() {
            continue;
        }
        let one = changed.entry(touched.path).or_default();
        one.is_deleted = touched.how == Touch::Deleted;
        one.edits += usize::from(!one.is_deleted);
        one.lines += touched.diff.map(diff_stat).unwrap_or_default();
        one.last = touched.message;
    }
    let mut files: Vec<(usize, FileState)> = Vec::new();
    for (path, one) in changed {
        let times = if one.edits == 1 { "once".to_owned() } else { format!("{} times", one.edits) };
        let state = match (one.is_deleted, one.lines == DiffStat::default()) {
            (true, _) => "deleted".to_owned(),
            (false, true) => format!("changed {times}"),
            (false, false) => format!("changed {times}, {} lines", one.lines),
        };
        let message = conversation.messages[one.last].id.to_string();
        files.push((one.last, FileState { path, state, message }));
    }
    files.sort_by_key(|(last, _)| *last);
    files.into_iter().map(|(_, file)| file).collect()
}

/// The commands, each once, in the order in which they were last run; and what failed and did not succeed since.
fn commands(conversation: &Conversation) -> (Vec<CommandRun>, Vec<Said>) {
    let mut runs: Vec<CommandRun> = Vec::new();
    let mut failed: HashMap<String, (usize, Said)> = HashMap::new();
    let mut number = 0;
    for message in &conversation.messages {
        for call in message.tool_calls() {
            number += 1;
            let command = call.arguments.as_ref().and_then(|given| given.first_of(&[argument::COMMAND]));
            let trouble = trouble(call);
            let about = match (&command, call.subject()) {
                (Some((_, command)), _) => line(command),
                (None, Some(about)) => format!("{} {}", call.name, line(&about)),
                (None, None) => call.name.clone(),
            };
            if command.is_some() {
                runs.retain(|run| run.command != about);
                let status = trouble.clone().unwrap_or_else(|| call.status.name().to_owned());
                let message = message.id.to_string();
                runs.push(CommandRun { command: about.clone(), status, message });
            }
            match trouble {
                Some(trouble) => {
                    let said = Said { text: format!("{about}: {trouble}"), message: message.id.to_string() };
                    failed.insert(about, (number, said));
                }
                None => drop(failed.remove(&about)),
            }
        }
    }
    let mut failed: Vec<(usize, Said)> = failed.into_values().collect();
    failed.sort_by_key(|(number, _)| *number);
    (runs, failed.into_iter().map(|(_, said)| said).collect())
}

/// How a call failed, if it did: its error, or a command's exit code that is not zero.
fn trouble(call: &ToolCall) -> Option<String> {
    if let Some(error) = call.error.as_deref().filter(|error| !error.trim().is_empty()) {
        return Some(line(error));
    }
    if call.status == ToolStatus::Error {
        return Some("failed".to_owned());
    }
    let code = exit_code(call)?;
    (code != 0).then(|| format!("exit code {code}"))
}

/// What a command ended with; stores leave a zero out.
pub(crate) fn exit_code(call: &ToolCall) -> Option<i64> {
    let json: serde_json::Value = serde_json::from_str(call.result.as_ref()?.as_str()).ok()?;
    ["exitCode", "exit_code", "exitCodeV2"].iter().find_map(|name| json.get(*name)?.as_i64())
}

/// The error that ended the last turn, if nothing was said after it.
fn last_error(conversation: &Conversation) -> Option<Said> {
    let message = conversation.messages.last()?;
    let error = message.parts.iter().rev().find_map(|part| match part {
        Part::Error(error) => Some(error),
        _ => None,
    })?;
    Some(Said { text: line(error), message: message.id.to_string() })
}

/// The list of things to do as it last stood.
fn todos(conversation: &Conversation) -> Vec<ThingToDo> {
    let in_messages = conversation.messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    let last = in_messages.into_iter().find_map(|part| match part {
        Part::Todos(todos) => Some(todos),
        _ => None,
    });
    let todos = if conversation.facts.todos.is_empty() { last } else { Some(&conversation.facts.todos) };
    let one = |todo: &Todo| ThingToDo {
        text: line(&todo.content),
        status: todo.status.clone(),
        is_done: todo.progress() == TodoStatus::Completed,
    };
    todos.into_iter().flatten().map(one).collect()
}
