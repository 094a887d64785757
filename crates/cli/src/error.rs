//! How a command ends: its exit code, and what the user reads about trouble, its causes and what to do about it.
//!
//! Rooms have typed errors; here alone an exit code and hints are chosen for each.
//!
//! Exit codes are part of the outer contract: scripts rely on them.

use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use backscroll_export::{ExportError, FolderError, OutputError};
use backscroll_history::{Ask, AskError, History, IndexError, Listing};
use backscroll_model::{Finding, FindingKind, SourceError, Summary, error_chain};

use crate::ui::{Ui, counted};
use crate::wiring::{self, Where};

pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// A command could not go on.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) exit: Exit,
    pub(crate) error: Box<dyn Error + Send + Sync>,
    pub(crate) hints: Vec<String>,
    /// Conversations that may have been meant.
    pub(crate) candidates: Vec<Summary>,
    /// The reader went away: nothing to say.
    pub(crate) is_closed_pipe: bool,
}

impl CommandError {
    pub(crate) fn new(exit: Exit, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { exit, error: error.into(), hints: Vec::new(), candidates: Vec::new(), is_closed_pipe: false }
    }

    pub(crate) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn cannot_listen(port: u16, error: io::Error) -> Self {
        Self::new(Exit::Refused, CannotListen(port, error))
    }

    /// Whether the index turned out to be damaged while it was asked.
    pub(crate) fn is_damaged_index(&self) -> bool {
        self.error.downcast_ref::<IndexError>().is_some_and(IndexError::is_damage)
    }

    /// The error and everything that caused it, on one line.
    pub(crate) fn told(&self) -> String {
        error_chain(&*self.error)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { is_closed_pipe: true, ..Self::new(Exit::Done, error) };
        }
        let is_full = is_full_disk(&error);
        let refused = Self::new(Exit::Refused, CannotWrite(error));
        let hint = "make room and try again; an export into a folder goes on with --update";
        if is_full { refused.hinted(hint) } else { refused }
    }
}

/// Whether there was no room left.
fn is_full_disk(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        let hint = match &error {
            OutputError::Exists(_) => Some("overwrite it with --force"),
            OutputError::IsFolder(_) => Some("name a file in it"),
            OutputError::NoFolder(..) => Some("make the folder first"),
            OutputError::CannotWrite(_, cause) => is_full_disk(cause).then_some("make room and try again"),
        };
        let refused = Self::new(Exit::Refused, error);
        hint.into_iter().fold(refused, Self::hinted)
    }
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> Self {
        let error = match error {
            ExportError::Write(error) => return error.into(),
            ExportError::Folder(error) => error,
        };
        let hint = match &error {
            FolderError::CannotOpen(..) => None,
            FolderError::Exists { names, is_ours, .. } => {
                let they = if names.len() == 1 { "it" } else { "them" };
                Some(if *is_ours {
                    format!("an earlier export wrote {they}: bring {they} up to date with --update")
                } else {
                    format!("overwrite {they} with --force, or name another folder")
                })
            }
        };
        hint.into_iter().fold(Self::new(Exit::Refused, error), Self::hinted)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot listen on port {0}")]
struct CannotListen(u16, #[source] io::Error);

#[derive(Debug, thiserror::Error)]
#[error("cannot write the output")]
struct CannotWrite(#[source] io::Error);

impl From<SourceError> for CommandError {
    fn from(error: SourceError) -> Self {
        Self::new(Exit::Unreadable, error)
    }
}

impl From<AskError> for CommandError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::NoMatch { ref asked } => {
                let hint = if asked.starts_with('@') {
                    "`@1` is the first conversation that `backscroll list` shows, `@2` the second"
                } else {
                    "`backscroll list --all` shows every conversation with the beginning of its id"
                };
                Self::new(Exit::NothingMatched, error).hinted(hint)
            }
            AskError::Ambiguous { ref matches, .. } => {
                let candidates = matches.clone();
                Self {
                    candidates,
                    ..Self::new(Exit::Usage, error).hinted("give more of the id, or more of the title")
                }
            }
            AskError::Source(error) => error.into(),
        }
    }
}

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done.
    Done = 0,
    /// 1: nothing matched; for `redact --check`: there are secrets.
    NothingMatched = 1,
    /// 2: wrong usage; also an id that means several conversations.
    Usage = 2,
    /// 3: a store that the user named could not be read, or none at all could.
    Unreadable = 3,
    /// 4: refused, because it would overwrite something, or could not be written.
    Refused = 4,
    /// 5: done, but with findings, under `--strict`.
    Findings = 5,
    /// 70: a bug in backscroll.
    Bug = 70,
}

impl Exit {
    /// What a check for secrets ends with if there are any.
    pub const SECRETS_FOUND: Self = Self::NothingMatched;

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Unreadable places are named one by one up to here.
const FILES_NAMED: usize = 10;

/// What was read, for the account at the end.
pub(crate) struct Outcome<'a> {
    pub(crate) places: &'a Where,
    pub(crate) is_strict: bool,
    /// How many things the user asked for were found.
    pub(crate) matched: usize,
    /// How many conversations there are, where nothing matched: hidden ones too.
    pub(crate) known: usize,
    /// What was not as it should be in the stores.
    pub(crate) findings: BTreeSet<Finding>,
    /// How many things were not as they should be in the conversations that were written.
    pub(crate) in_conversations: usize,
    /// Places that could not be read at all.
    pub(crate) unreadable: Vec<SourceError>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn new(places: &'a Where, is_strict: bool, history: &History) -> Self {
        Self {
            places,
            is_strict,
            matched: 0,
            known: 0,
            findings: history.findings().iter().cloned().collect(),
            in_conversations: 0,
            unreadable: Vec::new(),
        }
    }

    /// Takes in the account of a listing, and gives its conversations.
    pub(crate) fn take(&mut self, listing: Listing) -> Vec<backscroll_model::Summary> {
        self.findings.extend(listing.findings);
        self.unreadable.extend(listing.unreadable);
        listing.summaries
    }

    /// Takes in the account of the listing that `ask` asks for; where nothing matches, looks what there is besides.
    pub(crate) fn ask(&mut self, history: &History, ask: &Ask) -> Vec<backscroll_model::Summary> {
        let summaries = self.take(history.list(ask));
        if summaries.is_empty() {
            self.known = history.list(&Ask::everything()).summaries.len();
        }
        summaries
    }

    /// Says what the user should know, and decides how the program ends.
    pub(crate) fn conclude(&self, ui: &mut Ui<'_>) -> Exit {
        self.tell_troubles(ui);
        if self.matched == 0 {
            self.say_that_nothing_matched(ui);
        }
        self.exit()
    }

    /// The same where it was said already, in other words, that nothing was found in the index: the reason may be that a
    /// store could not be read.
    pub(crate) fn conclude_unfound(mut self, ui: &mut Ui<'_>, history: &History) -> Exit {
        self.take(history.account());
        self.tell_troubles(ui);
        self.exit()
    }

    fn tell_troubles(&self, ui: &mut Ui<'_>) {
        for error in self.unreadable.iter().take(FILES_NAMED) {
            ui.warning(&error_chain(error));
        }
        if self.unreadable.len() > FILES_NAMED {
            ui.warning(&format!("{} more places cannot be read", self.unreadable.len() - FILES_NAMED));
        }
        let untold = self.findings.iter().filter(|finding| !self.is_told(finding)).count();
        if untold > 0 {
            let told = counted(untold, "finding");
            ui.warning(&format!("{told} in the stores; see `backscroll sources --json`"));
        }
        if self.in_conversations > 0 {
            let told = counted(self.in_conversations, "finding");
            ui.warning(&format!("{told} in the conversations; see `show ID --findings` or `--json`"));
        }
    }

    /// Says what the user should know where nothing was found by other means than a listing, and how it ends: if there is
    /// nothing to find at all because a store could not be read, that is the reason.
    pub(crate) fn unfound(mut self, ui: &mut Ui<'_>, history: &History) -> Exit {
        let known = self.take(history.list(&Ask::everything()));
        self.tell_troubles(ui);
        if known.is_empty() { self.exit() } else { Exit::NothingMatched }
    }

    fn say_that_nothing_matched(&self, ui: &mut Ui<'_>) {
        if self.known > 0 {
            let there = if self.known == 1 {
                "there is 1 conversation".to_owned()
            } else {
                format!("there are {} conversations", self.known)
            };
            ui.warning("no conversation matches");
            ui.hint(&format!(
                "{there} in all; --all takes in hidden ones: empty, draft, archived, deleted, subagents"
            ));
            return;
        }
        ui.warning("no conversation was found");
        ui.hint(&format!("looked in: {}", wiring::looked_in(self.places)));
        if self.places.home.is_none() && self.places.stores.is_empty() {
            ui.hint("`--home DIR` looks in another home; `backscroll demo` makes one to try");
        }
    }

    /// Whether the finding only repeats that a place cannot be read, which was said already.
    fn is_told(&self, finding: &Finding) -> bool {
        is_unreadable(finding) && self.unreadable.iter().any(|error| *error.place == *finding.at.file)
    }

    fn exit(&self) -> Exit {
        let could_not_read = !self.unreadable.is_empty() || self.findings.iter().any(is_unreadable);
        if self.a_named_store_is_unreadable() || (self.matched == 0 && could_not_read) {
            Exit::Unreadable
        } else if self.matched == 0 {
            Exit::NothingMatched
        } else if self.is_strict && self.has_troubles() {
            Exit::Findings
        } else {
            Exit::Done
        }
    }

    fn has_troubles(&self) -> bool {
        !self.findings.is_empty() || self.in_conversations > 0 || !self.unreadable.is_empty()
    }

    fn a_named_store_is_unreadable(&self) -> bool {
        let is_named = |place: &Path| self.places.stores.iter().any(|store| store == place);
        self.unreadable.iter().any(|error| is_named(&error.place))
            || self.findings.iter().any(|finding| is_unreadable(finding) && is_named(&finding.at.file))
    }
}

fn is_unreadable(finding: &Finding) -> bool {
    finding.kind == FindingKind::Unreadable
}

#[cfg(test)]
mod tests {
    use backscroll_model::{Layer, SourceError};

    use backscroll_model::error_chain;

    #[test]
    fn a_cause_is_told_once() {
        let told =
            |because: &str| error_chain(&SourceError::new(Layer::CliStore, "/a/b.db", because.to_owned()));
        assert_eq!(told("file is not a database"), "cannot read /a/b.db: file is not a database");
        assert_eq!(told("/a/b.db is encrypted"), "/a/b.db is encrypted");
        assert_eq!(told("cannot read /a/b.db: disk I/O error"), "cannot read /a/b.db: disk I/O error");
    }
}
