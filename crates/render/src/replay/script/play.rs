//! What a play is, and how it is put together. The pieces are made by the neighbours of this file.

use backscroll_model::Conversation;
use serde::Serialize;

use super::{PlayedFile, chapters, files, moments, steps};

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
    let mut steps = steps::of(conversation);
    moments::really(conversation, &mut steps);
    let lasts = moments::played(conversation, &mut steps);
    let chapters = chapters::of(conversation, &steps);
    let files = files::of(conversation, &steps);
    Play { steps, chapters, files, lasts }
}
