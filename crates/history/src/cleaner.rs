//! [`Cleaner`]: takes secrets out of everything that a history gives out.
//!
//! A history that has a cleaner never hands out a text as it is stored: heads are cleaned before they are kept, conversations when they
//! are loaded, single messages with what the rest of their conversation gives away. Its index is made of cleaned
//! conversations. So a face over it can show no secret, and no search can find a piece of one.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use backscroll_model::{
    Contents, Conversation, ConversationId, Drift, Finding, Message, SourceError, SourceReport, Summary,
    error_chain, locked,
};
use backscroll_redact::Redactor;

/// The maximum number of conversations whose secrets are remembered.
const MOST_KNOWN: usize = 512;

/// Takes secrets out of what a history gives out.
pub struct Cleaner {
    redactor: Redactor,
    fingerprint: String,
    /// What takes the secrets out of one conversation, by its stamp: also those that only another of its messages gives away.
    known: Mutex<HashMap<ConversationId, (i64, Redactor)>>,
}

impl fmt::Debug for Cleaner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cleaner").finish_non_exhaustive()
    }
}

impl Cleaner {
    /// A cleaner with the rules of `redactor`, which `fingerprint` stands for.
    pub fn new(redactor: Redactor, fingerprint: String) -> Self {
        Self { redactor, fingerprint, known: Mutex::default() }
    }

    /// A name for its rules and placeholders: the same in every run.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Takes the secrets out of a whole conversation.
    pub(crate) fn conversation(&self, stamp: i64, conversation: &mut Conversation) {
        let id = conversation.summary.id.clone();
        let mut redactor = self.redactor.fresh();
        let scanned = redactor.scan(conversation);
        redactor.know(&scanned);
        self.remember(id, stamp, redactor.clone());
        redactor.apply(conversation, scanned);
    }

    /// Takes the secrets out of one message of a conversation, which `load` reads as it is stored if its secrets are not known yet.
    pub(crate) fn message(
        &self,
        id: &ConversationId,
        stamp: i64,
        message: &mut Message,
        load: impl FnOnce() -> Option<Conversation>,
    ) {
        let known =
            locked(&self.known).get(id).filter(|(of, _)| *of == stamp).map(|(_, known)| known.clone());
        let mut redactor = known.unwrap_or_else(|| {
            let mut redactor = self.redactor.fresh();
            if let Some(whole) = load() {
                redactor.know(&redactor.scan(&whole));
            }
            self.remember(id.clone(), stamp, redactor.clone());
            redactor
        });
        redactor.message(message);
    }

    fn remember(&self, id: ConversationId, stamp: i64, redactor: Redactor) {
        let mut known = locked(&self.known);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(id, (stamp, redactor));
    }

    pub(crate) fn summary(&self, summary: &mut Summary) {
        self.redactor.fresh().summary(summary);
    }

    /// The text without its secrets.
    pub fn text(&self, text: &str) -> String {
        self.redactor.fresh().text(text).into_owned()
    }

    /// The same for a text of a conversation that was loaded: without what its messages give away.
    pub fn text_of(&self, id: &ConversationId, text: &str) -> String {
        let known = locked(&self.known).get(id).map(|(_, known)| known.clone());
        known.unwrap_or_else(|| self.redactor.fresh()).text(text).into_owned()
    }

    pub(crate) fn findings(&self, findings: &mut [Finding]) {
        for finding in findings {
            self.texts([&mut finding.says, &mut finding.at.key]);
            finding.at.file = self.path(&finding.at.file).into();
        }
    }

    pub(crate) fn error(&self, error: &SourceError) -> SourceError {
        SourceError::new(error.layer, self.path(&error.place), self.text(&error_chain(&*error.because)))
    }

    /// Takes the secrets out of a report.
    pub fn report(&self, report: &mut SourceReport) {
        report.file = self.path(&report.file);
        self.findings(&mut report.findings);
        self.texts(&mut report.unreadable);
        for commit in &mut report.commits {
            self.texts(&mut commit.branch);
            self.texts(&mut commit.message);
        }
        if let Some(contents) = &mut report.contents {
            self.contents(contents);
        }
    }

    /// The same, out of what is not known.
    pub fn drift(&self, drift: &mut Drift) {
        drift.file = self.path(&drift.file);
        self.texts([&mut drift.name, &mut drift.place, &mut drift.example]);
    }

    pub(crate) fn contents(&self, contents: &mut Contents) {
        for kind in &mut contents.kinds {
            self.texts([&mut kind.name]);
            self.texts(&mut kind.table);
        }
    }

    /// The path as it is shown.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        self.text(&path.to_string_lossy()).into()
    }

    fn texts<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        texts.into_iter().for_each(|text| *text = self.text(text));
    }
}
