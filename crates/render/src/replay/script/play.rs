//! The play: its steps, its chapters, and the two clocks it runs by.

use backscroll_model::{AtIs, Conversation, Message, Part, Role, ToolCall, ToolStatus};
use jiff::Timestamp;
use serde::Serialize;

use super::{PlayedFile, files};
use crate::handoff::exit_code;
use crate::terminal::payload::main_argument;
use crate::text::{cut, one_line};

/// What a step shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// The user speaks.
    Prompt,
    /// The model speaks.
    Text,
    /// The model thinks.
    Thinking,
    /// A file is changed.
    Edit,
    /// A command is run.
    Shell,
    /// Another tool is used.
    Tool,
    /// Something failed.
    Error,
    /// What stands beside the words: attachments, pictures, system prompts, lists.
    Context,
}

/// How a step's real time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// Stored for this message or call.
    Exact,
    /// Lies between known neighbours.
    Interpolated,
    /// Nobody knows.
    Unknown,
}

/// One part of one message, at its moment. All times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What it shows.
    pub kind: StepKind,
    /// The number of the message, counted from zero.
    pub message: usize,
    /// The number of its part, counted from zero.
    pub part: usize,
    /// When it really happened, since 1970.
    pub at: Option<i64>,
    /// How that is known.
    pub is: Known,
    /// When it begins in the play.
    pub starts: u64,
    /// How long it takes in the play.
    pub lasts: u64,
    /// The real time without anything before it, where that is long enough to be skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<u64>,
    /// Whether it went wrong.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// What it is, in a few words.
    pub caption: String,
}

/// A turn: a prompt and all that followed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chapter {
    /// The beginning of the prompt.
    pub title: String,
    /// The step it begins with.
    pub step: usize,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long it really took, in milliseconds, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<u64>,
    /// Files changed.
    pub edits: usize,
    /// Commands run.
    pub commands: usize,
    /// What went wrong.
    pub errors: usize,
}

/// A conversation as it is played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Play {
    /// What is shown, in order.
    pub steps: Vec<Step>,
    /// The turns.
    pub chapters: Vec<Chapter>,
    /// The files that were touched, in the order of first touch.
    pub files: Vec<PlayedFile>,
    /// How long all of it takes, in milliseconds.
    pub lasts: u64,
}

/// Turns a conversation into its play.
pub fn play(conversation: &Conversation) -> Play {
    let mut steps = steps_of(conversation);
    really(conversation, &mut steps);
    let lasts = played(conversation, &mut steps);
    let chapters = chapters_of(conversation, &steps);
    let files = files::files_of(conversation, &steps);
    Play { steps, chapters, files, lasts }
}

/// The steps of a conversation, not yet placed in time.
fn steps_of(conversation: &Conversation) -> Vec<Step> {
    let messages = conversation.messages.iter().enumerate();
    let parts = messages.flat_map(|(number, message)| {
        message.parts.iter().enumerate().map(move |(part, of)| (number, message, part, of))
    });
    let step = |(message, told, part, of): (usize, &Message, usize, &Part)| Step {
        kind: kind(told, of),
        message,
        part,
        at: None,
        is: Known::Unknown,
        starts: 0,
        lasts: 0,
        idle: None,
        failed: is_failed(of),
        caption: caption(of),
    };
    parts.map(step).collect()
}

/// Whether the user begins a turn with this message.
fn is_prompt(message: &Message) -> bool {
    let has_words =
        message.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.trim().is_empty()));
    message.is_by_person() && has_words
}

fn kind(message: &Message, part: &Part) -> StepKind {
    match part {
        Part::Text(_) if is_prompt(message) => StepKind::Prompt,
        Part::Thinking { .. } => StepKind::Thinking,
        Part::ToolCall(call) => kind_of_call(call),
        Part::Error(_) => StepKind::Error,
        Part::Code(code) if code.diff.is_some() => StepKind::Edit,
        Part::Text(_) | Part::Code(_) | Part::Summary(_) if message.role == Role::Assistant => StepKind::Text,
        Part::Text(_)
        | Part::Image(_)
        | Part::Attachment(_)
        | Part::Code(_)
        | Part::Summary(_)
        | Part::Todos(_) => StepKind::Context,
    }
}

fn kind_of_call(call: &ToolCall) -> StepKind {
    match call.name.as_str() {
        "write" | "edit" | "multi_edit" | "notebook_edit" | "delete" => StepKind::Edit,
        "shell" => StepKind::Shell,
        _ if call.diff.is_some() => StepKind::Edit,
        _ => StepKind::Tool,
    }
}

fn is_failed(part: &Part) -> bool {
    match part {
        Part::Error(_) => true,
        Part::ToolCall(call) => {
            call.status == ToolStatus::Error
                || call.error.is_some()
                || (call.name == "shell" && exit_code(call).is_some_and(|code| code != 0))
        }
        _ => false,
    }
}

const LONGEST_CHAPTER: usize = 100;

/// The chapters of a conversation with these steps.
fn chapters_of(conversation: &Conversation, steps: &[Step]) -> Vec<Chapter> {
    let mut beginnings: Vec<usize> = Vec::new();
    let mut last_message = None;
    for (number, step) in steps.iter().enumerate() {
        let is_new = last_message.replace(step.message) != Some(step.message);
        let is_prompt = conversation.messages.get(step.message).is_some_and(is_prompt);
        if number == 0 || (is_new && is_prompt) {
            beginnings.push(number);
        }
    }
    let ends = beginnings.iter().skip(1).copied().chain([steps.len()]);
    let stretches = beginnings.iter().copied().zip(ends);
    stretches.filter_map(|(from, to)| chapter(conversation, from, steps.get(from..to)?)).collect()
}

fn chapter(conversation: &Conversation, from: usize, steps: &[Step]) -> Option<Chapter> {
    let first = steps.first()?;
    let messages = || steps.iter().filter_map(|step| conversation.messages.get(step.message));
    let answers = || messages().filter(|message| message.role == Role::Assistant);
    let model = answers()
        .find_map(|message| message.model.clone())
        .or_else(|| messages().find_map(|m| m.model.clone()));
    let count = |wanted: &dyn Fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count();
    Some(Chapter {
        title: chapter_title(conversation.messages.get(first.message)?),
        step: from,
        model: model.map(|model| one_line(&model)),
        took: took(steps),
        edits: count(&|step| step.kind == StepKind::Edit),
        commands: count(&|step| step.kind == StepKind::Shell),
        errors: count(&|step| step.failed),
    })
}

fn chapter_title(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(first_line(text)),
        _ => None,
    });
    let title = texts.filter(|_| is_prompt(message)).find(|line| !line.is_empty());
    title.map_or_else(|| "Before the first prompt".to_owned(), |line| cut(&one_line(&line), LONGEST_CHAPTER))
}

/// From the first to the last moment that was stored. One moment alone tells no duration.
fn took(steps: &[Step]) -> Option<u64> {
    let exact = || steps.iter().filter(|step| step.is == Known::Exact).filter_map(|step| step.at);
    let (first, last) = (exact().min()?, exact().max()?);
    u64::try_from(last.checked_sub(first)?).ok().filter(|took| *took > 0)
}

/// Longer captions would not fit below the buttons.
const LONGEST_CAPTION: usize = 90;

pub(super) fn caption(part: &Part) -> String {
    let words = match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) | Part::Thinking { text, .. } => {
            first_line(text)
        }
        Part::ToolCall(call) => caption_of_call(call),
        Part::Image(image) => ["picture", image.path.as_deref().unwrap_or_default()].join(" "),
        Part::Attachment(attached) => {
            let named = attached.path.as_deref().or(attached.title.as_deref()).unwrap_or_default();
            format!("{} {named}", attached.kind.name())
        }
        Part::Code(code) => ["code for", code.path.as_deref().unwrap_or("a file")].join(" "),
        Part::Todos(todos) => format!("{} things to do", todos.len()),
    };
    cut(&one_line(words.trim()), LONGEST_CAPTION)
}

/// The first line of `text` that says something, at most so long that it need not be read whole.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.trim_start_matches(['#', '>', ' ']).chars().take(2 * LONGEST_CAPTION).collect()
}

fn caption_of_call(call: &ToolCall) -> String {
    let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
    let about = call.arguments.as_ref().and_then(main_argument);
    let about = about.or_else(|| call.touches().map(|(path, _)| path));
    match (name.as_str(), about) {
        ("shell", Some(command)) => format!("$ {command}"),
        (_, Some(about)) => format!("{name} {about}"),
        (_, None) => name.clone(),
    }
}

/// A pause longer than this is skipped and told as such.
const IDLE_MS: i64 = 90_000;

/// What a skipped pause takes in the play.
const SKIPPED_MS: u64 = 1_400;

/// Gives the steps their real moments.
fn really(conversation: &Conversation, steps: &mut [Step]) {
    for step in steps.iter_mut() {
        let Some(message) = conversation.messages.get(step.message) else { continue };
        let stored = match message.at.is {
            AtIs::Exact => (message.at.at, Known::Exact),
            AtIs::Interpolated => (message.at.at, Known::Interpolated),
            AtIs::Conversation | AtIs::Unknown => (None, Known::Unknown),
        };
        let began = match message.parts.get(step.part) {
            Some(Part::ToolCall(call)) => call.started_at,
            _ => None,
        };
        let (at, is) = began.map_or(stored, |began| (Some(began), Known::Exact));
        step.at = at.map(Timestamp::as_millisecond);
        step.is = if step.at.is_some() { is } else { Known::Unknown };
    }
    fill_between(steps);
}

/// Steps between two known moments lie between them, evenly.
fn fill_between(steps: &mut [Step]) {
    let known: Vec<(usize, i64)> =
        steps.iter().enumerate().filter_map(|(number, step)| Some((number, step.at?))).collect();
    for pair in known.windows(2) {
        let [(first, from), (last, to)] = *pair else { continue };
        let between = i64::try_from(last - first).unwrap_or(i64::MAX);
        let span = to.saturating_sub(from).max(0);
        for (away, step) in steps.iter_mut().take(last).skip(first + 1).enumerate() {
            let away = i64::try_from(away + 1).unwrap_or(i64::MAX);
            step.at = Some(from.saturating_add(span / between * away));
            step.is = Known::Interpolated;
        }
    }
}

/// Gives the steps their moments in the play, and tells how long all of it takes.
pub(super) fn played(conversation: &Conversation, steps: &mut [Step]) -> u64 {
    let mut now = 0_u64;
    let mut latest: Option<i64> = None;
    for step in steps.iter_mut() {
        if let Some(at) = step.at {
            let pause = latest.map_or(0, |before| at.saturating_sub(before));
            if pause > IDLE_MS {
                step.idle = u64::try_from(pause).ok();
                now = now.saturating_add(SKIPPED_MS);
            }
            latest = Some(latest.map_or(at, |before| before.max(at)));
        }
        let part = conversation.messages.get(step.message).and_then(|message| message.parts.get(step.part));
        step.starts = now;
        step.lasts = part.map_or(0, |part| lasts(step.kind, part));
        now = now.saturating_add(step.lasts);
    }
    now
}

/// How long a part takes in the play: a base, a time for each thousand characters, and a maximum.
fn lasts(kind: StepKind, part: &Part) -> u64 {
    let (at_once, each_thousand, most) = match kind {
        StepKind::Prompt => (900, 22_000, 9_000),
        StepKind::Text => (500, 16_000, 16_000),
        StepKind::Thinking => (400, 6_000, 5_000),
        StepKind::Edit => (1_600, 3_000, 6_000),
        StepKind::Shell => (1_400, 1_500, 4_500),
        StepKind::Tool => (900, 0, 900),
        StepKind::Error => (2_000, 2_000, 4_000),
        StepKind::Context => (250, 0, 250),
    };
    let characters = u64::try_from(length(part)).unwrap_or(u64::MAX);
    (characters.saturating_mul(each_thousand) / 1_000).saturating_add(at_once).min(most)
}

/// How much there is to read. Bytes are near enough, and counting characters of megabytes is not worth it.
fn length(part: &Part) -> usize {
    match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) | Part::Thinking { text, .. } => {
            text.len()
        }
        Part::ToolCall(call) => {
            let result = call.result.as_ref().map_or(0, |result| result.as_str().len());
            call.diff.as_ref().map_or(result, String::len)
        }
        Part::Code(code) => code.text.len(),
        Part::Image(_) | Part::Attachment(_) | Part::Todos(_) => 0,
    }
}
