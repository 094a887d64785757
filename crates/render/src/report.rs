//! What a search found, what a source holds and how the index is, as values to be written out.

use std::ops::Range;
use std::path::PathBuf;

use backscroll_model::{
    Contents, Finding, FindingKind, Layer, Message, MessageId, Origin, Role, ScoredCommit, Spilled, Summary,
};
use jiff::Timestamp;

/// One conversation and what matched in it.
#[derive(Debug, Clone)]
pub struct FoundConversation<'a> {
    /// The conversation.
    pub summary: &'a Summary,
    /// The best hits, best first.
    pub hits: Vec<FoundHit<'a>>,
    /// How many more there are.
    pub more: usize,
}

/// One message, or a title, that matched.
#[derive(Debug, Clone)]
pub struct FoundHit<'a> {
    /// The message; of a title, the conversation's first.
    pub message: Option<&'a MessageId>,
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Option<Timestamp>,
    /// Its rank; higher is better.
    pub score: f64,
    /// The stretch that shows why.
    pub snippet: FoundSnippet<'a>,
    /// Its number in the conversation, from zero.
    pub number: u64,
    /// Neighbouring messages, in order.
    pub nearby: Vec<Nearby<'a>>,
}

/// A stretch of text with the places that matched.
#[derive(Debug, Clone, Copy)]
pub struct FoundSnippet<'a> {
    /// The kind of part it stands in.
    pub part: &'a str,
    /// The stretch on one line.
    pub text: &'a str,
    /// Where the matches stand, in order, without overlaps, between characters.
    pub marks: &'a [Range<usize>],
}

/// A message near a hit.
#[derive(Debug, Clone, Copy)]
pub struct Nearby<'a> {
    /// Its number in the conversation, from zero.
    pub number: u64,
    /// The message.
    pub message: &'a Message,
}

impl FoundSnippet<'_> {
    /// The stretch in pieces; true for those that matched.
    pub(crate) fn pieces(&self) -> Vec<(bool, &str)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for mark in self.marks {
            pieces.extend(self.text.get(from..mark.start).map(|text| (false, text)));
            pieces.extend(self.text.get(mark.clone()).map(|text| (true, text)));
            from = mark.end;
        }
        pieces.extend(self.text.get(from..).map(|text| (false, text)));
        pieces.retain(|(_, text)| !text.is_empty());
        pieces
    }

    /// The stretch with `«` and `»` around what matched.
    pub(crate) fn marked(&self) -> String {
        let pieces = self.pieces().into_iter();
        pieces.map(|(matched, text)| if matched { format!("«{text}»") } else { text.to_owned() }).collect()
    }
}

/// What is known of one place.
#[derive(Debug, Clone, Default)]
pub struct SourceReport {
    /// The layers it tells of.
    pub layers: Vec<Layer>,
    /// The file or folder.
    pub file: PathBuf,
    /// Its size in bytes, where it is a file.
    pub bytes: Option<u64>,
    /// Of these, what lies in the log beside it: written, but not yet in the file itself.
    pub log_bytes: u64,
    /// How many conversations it tells of.
    pub conversations: u64,
    /// How many messages its indexes promise, where any does.
    pub messages: Option<u64>,
    /// The earliest time it names.
    pub first_at: Option<Timestamp>,
    /// The latest time it names.
    pub last_at: Option<Timestamp>,
    /// How many lines of code it tracks, where it does.
    pub tracked_lines: Option<u64>,
    /// Commits that it scored.
    pub commits: Vec<ScoredCommit>,
    /// Files of spilled output that lie in it.
    pub spilled: Option<Spilled>,
    /// Files of agents' notes that lie in it.
    pub notes: Option<u64>,
    /// Whether it is a backup or a copy.
    pub is_backup: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// What was not as it should be.
    pub findings: Vec<Finding>,
    /// Rows and bytes by kind, where somebody asked for them: counting takes a while.
    pub contents: Option<Contents>,
}

impl SourceReport {
    /// Takes in what it is made of. Why that could not be counted is a finding, or why nothing of it can be read.
    pub fn take_contents(&mut self, counted: Result<Contents, String>) {
        match counted {
            Ok(contents) => self.contents = Some(contents),
            Err(because) => match self.layers.first() {
                Some(layer) => {
                    let at = Origin::new(*layer, &*self.file, "");
                    self.findings.push(Finding::new(FindingKind::Unreadable, at, because));
                }
                None => self.unreadable = Some(because),
            },
        }
    }

    /// How many findings there are of each kind, by its name.
    pub fn findings_by_kind(&self) -> Vec<(&'static str, usize)> {
        let mut kinds: Vec<(&'static str, usize)> = Vec::new();
        for finding in &self.findings {
            let name = finding.kind.name();
            match kinds.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => kinds.push((name, 1)),
            }
        }
        kinds.sort_unstable();
        kinds
    }

    /// One word for how the place is: `ok`, `findings` or `unreadable`.
    pub fn health(&self) -> &'static str {
        match (&self.unreadable, self.findings.is_empty()) {
            (Some(_), _) => "unreadable",
            (None, false) => "findings",
            (None, true) => "ok",
        }
    }
}

/// What is known of the search index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Its folder.
    pub place: PathBuf,
    /// The version of its format.
    pub format: i32,
    /// Whether there is one that can be used.
    pub is_there: bool,
    /// How many conversations it holds.
    pub conversations: u64,
    /// How many messages.
    pub messages: u64,
    /// Conversations in it whose messages could not be read.
    pub unread: u64,
    /// The bytes of text whose words it holds.
    pub text_bytes: u64,
    /// The bytes that its files take.
    pub disk_bytes: u64,
    /// When it was last brought up to date.
    pub refreshed_at: Option<Timestamp>,
    /// How many conversations changed since; `None` if that cannot be told without reading them.
    pub changed: Option<u64>,
}
