//! A brief of a conversation for another agent, made without any model: what was wanted, what the user decided, what was found and
//! done and what is still open. Every line names the message that it is from, and the whole keeps to a budget of tokens.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use backscroll_model::{
    Conversation, Message, Part, Role, Todo, TodoStatus, ToolCall, ToolStatus, Touch, argument,
};
use serde::Serialize;

use crate::terminal::{DiffStat, diff_stat};
use crate::text::one_line;
use crate::tokens::most_tokens;

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
    /// The branch that it last worked on.
    pub branch: Option<String>,
    /// What was wanted: the first prompts.
    pub goal: Vec<Said>,
    /// What the user decided or corrected later.
    pub decisions: Vec<Said>,
    /// What was found: the last answer of each turn but the last.
    pub answers: Vec<Said>,
    /// The files that were changed.
    pub files: Vec<FileState>,
    /// The commands that were run.
    pub commands: Vec<CommandRun>,
    /// What failed and did not succeed since.
    pub open_errors: Vec<Said>,
    /// Things to do that are not done.
    pub todos: Vec<ThingToDo>,
    /// The last prompt, and the last answer.
    pub last: Vec<Said>,
    /// Lines that the budget left out.
    pub left_out: usize,
    /// How many tokens the Markdown has at most.
    pub tokens_estimated: usize,
    /// There is no room for a title.
    #[serde(skip)]
    is_small: bool,
}

/// Words, and the message that they are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The words, perhaps cut.
    pub text: String,
    /// The id of the message.
    pub message: String,
    /// Its number in the conversation, from one.
    pub n: usize,
    /// The words before they are cut.
    #[serde(skip)]
    whole: String,
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
    /// Its number in the conversation, from one.
    pub n: usize,
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
    /// Its number in the conversation, from one.
    pub n: usize,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThingToDo {
    /// What.
    pub text: String,
    /// How far it is, as stored.
    pub status: Option<String>,
}

impl Said {
    fn new(at: usize, message: &Message, words: &str) -> Self {
        let mut said =
            Self { text: String::new(), message: message.id.to_string(), n: at + 1, whole: words.to_owned() };
        said.cut_to(LONGEST_SAID);
        said
    }

    fn cut_to(&mut self, longest: usize) {
        self.text = cut(&self.whole, longest);
    }

    fn quote(&self) -> String {
        format!("> {}\n> [#{}]\n\n", self.text.lines().collect::<Vec<_>>().join("\n> "), self.n)
    }

    fn line(&self) -> String {
        format!("- {} [#{}]\n", self.text, self.n)
    }
}

impl FileState {
    fn line(&self) -> String {
        format!("- `{}`: {} [#{}]\n", self.path, self.state, self.n)
    }
}

impl CommandRun {
    fn line(&self) -> String {
        format!("- `{}`: {} [#{}]\n", self.command, self.status, self.n)
    }
}

/// The sections of a brief, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Goal,
    Decisions,
    Answers,
    Files,
    Commands,
    OpenErrors,
    Todos,
    Last,
}

impl Section {
    const ALL: [Self; 8] = [
        Self::Goal,
        Self::Decisions,
        Self::Answers,
        Self::Files,
        Self::Commands,
        Self::OpenErrors,
        Self::Todos,
        Self::Last,
    ];

    fn heading(self) -> String {
        let name = match self {
            Self::Goal => "Goal",
            Self::Decisions => "What the user decided or corrected",
            Self::Answers => "What was found",
            Self::Files => "Files",
            Self::Commands => "Commands",
            Self::OpenErrors => "Still failing",
            Self::Todos => "To do",
            Self::Last => "The last exchange",
        };
        format!("\n## {name}\n\n")
    }
}

/// Prompts at the beginning that say what is wanted.
const FIRST_PROMPTS: usize = 2;

/// Longer words are cut, in characters.
const LONGEST_SAID: usize = 2_400;
const LONGEST_LINE: usize = 240;
const LONGEST_NAME: usize = 120;
/// Of an answer before the last, as much comes before what was done, and the rest where there is room.
const SHORT_ANSWER: usize = 600;
/// Where there is little room, words are cut further, but not below this.
const SHORTEST_SAID: usize = 120;

/// What a user who decides or corrects something often says.
const CUES: [&str; 26] = [
    "actually", "always", "avoid", "better", "decide", "do not", "don't", "don’t", "go with", "instead",
    "keep", "let's", "let’s", "must", "never", "no,", "not ", "only", "prefer", "rather", "revert", "should",
    "undo", "use ", "wrong", "yes",
];

impl Handoff {
    /// The brief of `conversation` in at most `budget` tokens.
    pub fn new(conversation: &Conversation, budget: usize) -> Self {
        let Talk { mut prompts, mut answers } = Talk::of(conversation);
        let is_goal = |(at, said): &(usize, &Said)| *at == 0 || !begins_with_thanks(&said.whole);
        let goals = prompts.iter().enumerate().take(FIRST_PROMPTS).take_while(is_goal).count();
        let mut decisions = prompts.split_off(goals);
        let last = decisions.pop().into_iter().chain(answers.pop()).collect();
        let (commands, mut open_errors) = commands(conversation);
        open_errors.extend(last_error(conversation));
        let summary = &conversation.summary;
        let whole = Self {
            schema: "backscroll.handoff/1",
            conversation: summary.id.to_string(),
            title: summary.title.clone(),
            workspace: summary.workspace.as_ref().map(|workspace| workspace.path.clone()),
            branch: conversation.facts.branch.clone(),
            goal: prompts,
            decisions,
            answers,
            files: files(conversation),
            commands,
            open_errors,
            todos: todos(conversation),
            last,
            left_out: 0,
            tokens_estimated: 0,
            is_small: false,
        };
        whole.within(budget)
    }

    /// The same with as much as the budget allows, what matters most first.
    fn within(mut self, budget: usize) -> Self {
        self.is_small = most_tokens(&self.heading()) > budget / 3;
        for said in &mut self.answers {
            said.cut_to(SHORT_ANSWER);
        }
        let mut places = self.places();
        places.sort_by_key(|(_, _, rank)| *rank);
        let mut left =
            budget.saturating_sub(most_tokens(&self.heading()) + most_tokens(&left_out(places.len())));
        let mut kept = BTreeSet::new();
        for (section, at, _) in &places {
            let is_begun = kept.range((*section, 0)..=(*section, usize::MAX)).next().is_some();
            let heading = if is_begun { 0 } else { most_tokens(&section.heading()) };
            // Words of one message leave room for others.
            while heading + self.cost(*section, *at) > left / 3 && self.shorten(*section, *at) {}
            if let Some(rest) = left.checked_sub(heading + self.cost(*section, *at)) {
                left = rest;
                kept.insert((*section, *at));
            }
        }
        self.lengthen_answers(&kept, left);
        self.left_out = places.len() - kept.len();
        macro_rules! keep {
            ($($section:ident $list:ident),*) => { $(
                let mut at = 0..;
                self.$list.retain(|_| at.next().is_some_and(|at| kept.contains(&(Section::$section, at))));
            )* };
        }
        keep!(Goal goal, Decisions decisions, Answers answers, Files files, Commands commands, OpenErrors open_errors,
            Todos todos, Last last);
        self.tokens_estimated = most_tokens(&self.markdown());
        self
    }

    /// Gives what is left of the budget to answers that were cut, the latest first.
    fn lengthen_answers(&mut self, kept: &BTreeSet<(Section, usize)>, mut left: usize) {
        for at in (0..self.answers.len()).rev().filter(|at| kept.contains(&(Section::Answers, *at))) {
            let (short, cost) = (self.answers[at].clone(), self.cost(Section::Answers, at));
            let mut longest = LONGEST_SAID;
            while longest > SHORT_ANSWER {
                self.answers[at].cut_to(longest);
                if let Some(rest) = (left + cost).checked_sub(self.cost(Section::Answers, at)) {
                    left = rest;
                    break;
                }
                self.answers[at].clone_from(&short);
                longest = longest * 3 / 4;
            }
        }
    }

    /// Every line with its rank: the lowest are kept first.
    fn places(&self) -> Vec<(Section, usize, (u8, usize))> {
        let ranked = |section| {
            let lines = self.count(section);
            (0..lines).map(move |at| {
                // Of most things the latest counts most.
                let rank = match section {
                    Section::Goal => (u8::from(at > 0), at),
                    Section::Last => (0, lines - at),
                    Section::OpenErrors => (2, lines - at),
                    Section::Todos => (2, at),
                    Section::Decisions if is_decided(&self.decisions[at].text) => (3, lines - at),
                    Section::Answers => (4, lines - at),
                    Section::Files => (5, lines - at),
                    Section::Commands => (6, lines - at),
                    Section::Decisions => (7, lines - at),
                };
                (section, at, rank)
            })
        };
        Section::ALL.into_iter().flat_map(ranked).collect()
    }

    /// How many lines a section has.
    fn count(&self, section: Section) -> usize {
        match section {
            Section::Goal => self.goal.len(),
            Section::Decisions => self.decisions.len(),
            Section::Answers => self.answers.len(),
            Section::Files => self.files.len(),
            Section::Commands => self.commands.len(),
            Section::OpenErrors => self.open_errors.len(),
            Section::Todos => self.todos.len(),
            Section::Last => self.last.len(),
        }
    }

    /// A line of a section, or what somebody said.
    fn line(&self, section: Section, at: usize) -> String {
        match section {
            Section::Goal => self.goal[at].quote(),
            Section::Decisions => self.decisions[at].quote(),
            Section::Answers => self.answers[at].quote(),
            Section::Files => self.files[at].line(),
            Section::Commands => self.commands[at].line(),
            Section::OpenErrors => self.open_errors[at].line(),
            Section::Todos => format!("- [ ] {}\n", self.todos[at].text),
            Section::Last => self.last[at].quote(),
        }
    }

    fn said(&mut self, section: Section) -> Option<&mut Vec<Said>> {
        match section {
            Section::Goal => Some(&mut self.goal),
            Section::Decisions => Some(&mut self.decisions),
            Section::Answers => Some(&mut self.answers),
            Section::Last => Some(&mut self.last),
            _ => None,
        }
    }

    fn cost(&self, section: Section, at: usize) -> usize {
        most_tokens(&self.line(section, at))
    }

    /// Cuts what somebody said to half of what it is, if that is long enough.
    fn shorten(&mut self, section: Section, at: usize) -> bool {
        let Some(said) = self.said(section).and_then(|all| all.get_mut(at)) else { return false };
        let longest = said.text.chars().count() / 2;
        if longest < SHORTEST_SAID {
            return false;
        }
        said.cut_to(longest);
        true
    }

    fn heading(&self) -> String {
        let id = &self.conversation;
        if self.is_small {
            return format!("# Hand-off: `backscroll show {id}`\n");
        }
        let name = |name: &str| cut(&one_line(name), LONGEST_NAME);
        let title = self.title.as_deref().map_or_else(|| "a conversation".to_owned(), name);
        let mut text = format!("# Hand-off: {title}\n\nConversation `{id}`");
        if let Some(workspace) = &self.workspace {
            let _ = write!(text, " in `{}`", name(workspace));
        }
        if let Some(branch) = &self.branch {
            let _ = write!(text, ", branch `{}`", name(branch));
        }
        text + ". [#3] is its message 3. Read more with `backscroll show ID`, or with the tool `read_conversation`.\n"
    }

    /// The brief as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = self.heading();
        for section in Section::ALL {
            let lines: String = (0..self.count(section)).map(|at| self.line(section, at)).collect();
            if !lines.is_empty() {
                text.extend([section.heading().as_str(), lines.trim_end(), "\n"]);
            }
        }
        if self.left_out > 0 {
            text.push_str(&left_out(self.left_out));
        }
        text
    }

    /// The messages that it names, each once, in order.
    pub fn citations(&self) -> Vec<&str> {
        let said = [&self.goal, &self.decisions, &self.answers, &self.open_errors, &self.last];
        let files = self.files.iter().map(|file| file.message.as_str());
        let commands = self.commands.iter().map(|run| run.message.as_str());
        let mut named: Vec<&str> = Vec::new();
        let said = said.into_iter().flatten().map(|said| said.message.as_str());
        for message in said.chain(files).chain(commands) {
            if !named.contains(&message) {
                named.push(message);
            }
        }
        named
    }
}

fn left_out(lines: usize) -> String {
    format!("\n{lines} more lines did not fit.\n")
}

/// What a user and the model said to each other.
struct Talk {
    /// What the user asked for, without mere thanks.
    prompts: Vec<Said>,
    /// The last answer of each turn.
    answers: Vec<Said>,
}

impl Talk {
    fn of(conversation: &Conversation) -> Self {
        let (mut prompts, mut answers) = (Vec::new(), Vec::new());
        // The last answer since the last prompt, and whether that was mere thanks.
        let (mut answer, mut is_thanked) = (None, false);
        for (at, message) in conversation.messages.iter().enumerate() {
            let text = message.text();
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if message.is_by_person() {
                answers.extend(answer.take());
                is_thanked = is_thanks(text);
                prompts.extend((!is_thanked).then(|| Said::new(at, message, text)));
            } else if message.role == Role::Assistant {
                answer = Some(Said::new(at, message, text));
            }
        }
        // What is said to thanks at the end is none.
        if !is_thanked || answers.is_empty() {
            answers.extend(answer);
        }
        Self { prompts, answers }
    }
}

/// Words of thanks and praise, and words that go with them.
const THANKS: [&str; 19] = [
    "amazing",
    "awesome",
    "brilliant",
    "cheers",
    "danke",
    "excellent",
    "fantastic",
    "gracias",
    "great",
    "lovely",
    "merci",
    "nice",
    "perfect",
    "super",
    "thank",
    "thanks",
    "thx",
    "ty",
    "wonderful",
];
const WITH_THANKS: [&str; 31] = [
    "a", "again", "all", "and", "fine", "for", "good", "help", "is", "it", "job", "looks", "lot", "many",
    "much", "now", "ok", "okay", "really", "s", "so", "that", "the", "this", "very", "well", "work", "works",
    "yes", "you", "your",
];

fn is_thanks(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| THANKS.contains(word))
        && words.iter().all(|word| THANKS.contains(word) || WITH_THANKS.contains(word))
}

fn begins_with_thanks(text: &str) -> bool {
    text.split(['.', '!', '\n']).next().is_some_and(is_thanks)
}

/// Whether words sound like those of a user who decides or corrects something.
fn is_decided(text: &str) -> bool {
    let words = text.to_lowercase();
    CUES.iter().any(|cue| words.contains(cue))
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
        files.push((one.last, FileState { path, state, message, n: one.last + 1 }));
    }
    files.sort_by_key(|(last, _)| *last);
    files.into_iter().map(|(_, file)| file).collect()
}

/// The commands, each once, in the order in which they were last run; and what failed and did not succeed since.
fn commands(conversation: &Conversation) -> (Vec<CommandRun>, Vec<Said>) {
    let mut runs: Vec<CommandRun> = Vec::new();
    let mut failed: HashMap<String, (usize, Said)> = HashMap::new();
    let calls = conversation.messages.iter().enumerate();
    let calls = calls.flat_map(|(at, message)| message.tool_calls().map(move |call| (at, message, call)));
    for (number, (at, message, call)) in calls.enumerate() {
        let command = call.arguments.as_ref().and_then(|given| given.first_of(&[argument::COMMAND]));
        let command = command.map(|(_, command)| command.trim().to_owned());
        let trouble = trouble(call);
        if let Some(command) = &command {
            let command = line(command);
            runs.retain(|run| run.command != command);
            let status = trouble.clone().unwrap_or_else(|| call.status.name().to_owned());
            runs.push(CommandRun { command, status, message: message.id.to_string(), n: at + 1 });
        }
        // Who looks for something and does not find it has only looked.
        if LOOKS.contains(&call.name.as_str()) || command.as_deref().is_some_and(is_probe) {
            continue;
        }
        // A file may be changed by another tool than the one that failed.
        let file = call.touches().map(|(path, _)| path);
        let about = command.or(file).or_else(|| call.subject()).unwrap_or_default();
        let Some(trouble) = trouble else {
            failed.remove(&about);
            continue;
        };
        let name = if call.name == "shell" { String::new() } else { format!("{} ", call.name) };
        let complaint = complaint(call).map(|says| format!(": {says}")).unwrap_or_default();
        let says = format!("{name}{}: {trouble}{complaint}", line(&about));
        failed.insert(about, (number, Said::new(at, message, &says)));
    }
    let mut failed: Vec<(usize, Said)> = failed.into_values().collect();
    failed.sort_by_key(|(number, _)| *number);
    (runs, failed.into_iter().map(|(_, said)| said).collect())
}

/// Tools that only look.
const LOOKS: [&str; 8] =
    ["glob", "grep", "lints", "list_dir", "read", "semantic_search", "web_fetch", "web_search"];

/// Commands that say by their exit code what they found.
const PROBES: [&str; 11] =
    ["[", "cat", "command", "diff", "egrep", "grep", "ls", "pgrep", "rg", "test", "which"];

fn is_probe(command: &str) -> bool {
    let last = command.rsplit(['|', '&', ';', '\n']).find(|part| !part.trim().is_empty());
    let program = last.and_then(|last| last.split_whitespace().next()).unwrap_or_default();
    PROBES.contains(&program.rsplit('/').next().unwrap_or_default())
}

/// The line of a failed command's output that says what went wrong, else the first.
fn complaint(call: &ToolCall) -> Option<String> {
    if call.error.is_some() {
        return None;
    }
    let json: serde_json::Value = serde_json::from_str(call.result.as_ref()?.as_str()).ok()?;
    let output = ["stderr", "output", "stdout"]
        .iter()
        .find_map(|name| json.get(*name)?.as_str().filter(|text| !text.trim().is_empty()))?;
    let says_why = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "fail", "panic", "exception", "fatal", "denied", "not found"]
            .iter()
            .any(|word| line.contains(word))
    };
    let why = output.lines().find(says_why).unwrap_or(output);
    Some(line(why)).filter(|line| !line.is_empty())
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
    let (at, message) = conversation.messages.iter().enumerate().next_back()?;
    let error = message.parts.iter().rev().find_map(|part| match part {
        Part::Error(error) => Some(error),
        _ => None,
    })?;
    Some(Said::new(at, message, &line(error)))
}

/// What is left of the list of things to do as it last stood.
fn todos(conversation: &Conversation) -> Vec<ThingToDo> {
    let in_messages = conversation.messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    let last = in_messages.into_iter().find_map(|part| match part {
        Part::Todos(todos) => Some(todos),
        _ => None,
    });
    let todos = if conversation.facts.todos.is_empty() { last } else { Some(&conversation.facts.todos) };
    let is_open = |todo: &&Todo| matches!(todo.progress(), TodoStatus::Pending | TodoStatus::InProgress);
    let one = |todo: &Todo| ThingToDo { text: line(&todo.content), status: todo.status.clone() };
    todos.into_iter().flatten().filter(is_open).map(one).collect()
}
