//! How a command ends: its exit code, and what the user reads about trouble, its causes and what to do about it.
//!
//! Rooms have typed errors; here alone an exit code and hints are chosen for each.
//!
//! Exit codes are part of the outer contract: scripts rely on them.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use backscroll_export::{ExportError, FolderError};
use backscroll_history::{Ask, AskError, History, IndexError, Listing, MainDatabase};
use backscroll_model::{
    Conversation, ConversationId, Finding, FindingKind, Origin, SourceError, Summary, error_chain,
};
use backscroll_own_files::OutputError;

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

/// The maximum number of places, findings and conversations that are named one by one.
const MOST_NAMED: usize = 10;

/// What was read, for the account at the end.
pub(crate) struct Outcome<'a> {
    pub(crate) places: &'a Where,
    pub(crate) is_strict: bool,
    /// The number of things that the user asked for and that were found.
    pub(crate) matched: usize,
    /// The number of conversations, hidden ones too, where nothing matched.
    pub(crate) known: usize,
    /// Findings in the stores.
    pub(crate) findings: BTreeSet<Finding>,
    /// The conversations of the answer that have findings; true where something could not be read.
    pub(crate) with_findings: BTreeMap<ConversationId, bool>,
    /// Places that could not be read at all.
    pub(crate) unreadable: Vec<SourceError>,
    /// The editor's own databases, each with its backups.
    main_databases: Vec<MainDatabase>,
    /// Why some of these cannot be read.
    lost_databases: Vec<SourceError>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn new(places: &'a Where, is_strict: bool, history: &History) -> Self {
        let main_databases = history.main_databases();
        let is_main = |error: &SourceError| main_databases.iter().any(|main| main.file == error.place);
        let hollow = history.account().findings.into_iter().filter(is_unreadable_place);
        let hollow =
            hollow.map(|finding| SourceError::new(finding.at.layer, &*finding.at.file, finding.says));
        Self {
            places,
            is_strict,
            matched: 0,
            known: 0,
            findings: history.findings().iter().cloned().collect(),
            with_findings: BTreeMap::new(),
            unreadable: Vec::new(),
            lost_databases: history.unreadable().chain(hollow).filter(is_main).collect(),
            main_databases,
        }
    }

    /// Takes in the account of a listing, and gives its conversations.
    pub(crate) fn take(&mut self, listing: Listing) -> Vec<Summary> {
        self.note_lost_databases();
        self.findings.extend(listing.findings);
        self.unreadable.extend(listing.unreadable);
        listing.summaries
    }

    /// Takes in that an editor's own database cannot be read, which may have something of any conversation.
    pub(crate) fn note_lost_databases(&mut self) {
        self.unreadable.append(&mut self.lost_databases);
    }

    /// Says that an editor's own database cannot be read, where all else is said already.
    pub(crate) fn conclude_lost_databases(mut self, ui: &mut Ui<'_>) -> Exit {
        self.note_lost_databases();
        self.findings.clear();
        self.report_troubles(ui);
        if self.unreadable.is_empty() { Exit::Done } else { Exit::Unreadable }
    }

    /// Takes in the findings of a conversation that was written.
    pub(crate) fn note(&mut self, conversation: &Conversation) {
        self.note_lost_databases();
        if !conversation.findings.is_empty() {
            let is_loss = conversation.findings.iter().any(Finding::is_loss_within);
            self.with_findings.insert(conversation.summary.id.clone(), is_loss);
        }
    }

    /// Takes in conversations of which something could not be read.
    pub(crate) fn note_losses(&mut self, losses: Vec<ConversationId>) {
        self.with_findings.extend(losses.into_iter().map(|id| (id, true)));
    }

    /// Takes in the account of the listing that `ask` asks for; where nothing matches, looks what there is besides.
    pub(crate) fn ask(&mut self, history: &History, ask: &Ask) -> Vec<Summary> {
        let summaries = self.take(history.list(ask));
        if summaries.is_empty() {
            self.known = history.list(&Ask::everything()).summaries.len();
        }
        summaries
    }

    /// Says what the user should know, and decides how the program ends.
    pub(crate) fn conclude(&self, ui: &mut Ui<'_>) -> Exit {
        self.report_troubles(ui);
        if self.matched == 0 {
            self.say_that_nothing_matched(ui);
        }
        self.exit()
    }

    /// The same where it was said already, in other words, that nothing was found in the index: the reason may be that a
    /// store could not be read.
    pub(crate) fn conclude_unfound(mut self, ui: &mut Ui<'_>, history: &History) -> Exit {
        self.take(history.account());
        self.report_troubles(ui);
        self.exit()
    }

    /// Reports what could not be read: places, damage in stores, conversations. Notes are left to `sources` and to JSON, unless they
    /// decide how the program ends.
    fn report_troubles(&self, ui: &mut Ui<'_>) {
        let mut reported = BTreeSet::new();
        let errors: Vec<&SourceError> =
            self.unreadable.iter().filter(|error| reported.insert(error_chain(*error))).collect();
        for error in errors.iter().take(MOST_NAMED) {
            match self.main_database(error) {
                Some(main) => ui.error(&lost_main_database(error, main)),
                None => ui.warning(&error_chain(*error)),
            }
        }
        if errors.len() > MOST_NAMED {
            ui.warning(&format!("{} more places cannot be read", errors.len() - MOST_NAMED));
        }
        let is_news =
            |finding: &&Finding| (self.is_strict || finding.is_loss()) && !self.is_reported(finding);
        // One file may be read as two kinds of store.
        let mut losses: Vec<String> = self.findings.iter().filter(is_news).map(told).collect();
        losses.retain(|told| reported.insert(told.clone()));
        for told in losses.iter().take(MOST_NAMED) {
            ui.warning(told);
        }
        if losses.len() > MOST_NAMED {
            let more = counted(losses.len() - MOST_NAMED, "more finding");
            ui.warning(&format!("{more} in the stores; see `backscroll sources`"));
        }
        self.report_losses(ui);
    }

    /// Names the conversations of the answer of which something could not be read.
    fn report_losses(&self, ui: &mut Ui<'_>) {
        let named = self.with_findings.iter().filter(|(_, is_loss)| self.is_strict || **is_loss);
        let all: Vec<&str> = named.map(|(id, _)| id.as_str()).collect();
        let Some(first) = all.first() else { return };
        let named = &all[..all.len().min(MOST_NAMED)];
        let more = match all.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let many = counted(all.len(), "conversation");
        let named = named.join(", ");
        let what = if self.is_strict { "with findings" } else { "not read in full" };
        ui.warning(&format!("{many} {what}: {named}{more}; see `show {first} --findings`"));
    }

    /// Says what the user should know where nothing was found by other means than a listing, and how it ends: if there is
    /// nothing to find at all because a store could not be read, that is the reason.
    pub(crate) fn unfound(mut self, ui: &mut Ui<'_>, history: &History) -> Exit {
        let known = self.take(history.list(&Ask::everything()));
        self.report_troubles(ui);
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

    /// True if the finding only repeats that a place cannot be read.
    fn is_reported(&self, finding: &Finding) -> bool {
        is_unreadable(finding) && self.unreadable.iter().any(|error| *error.place == *finding.at.file)
    }

    /// The editor's own database that this error is about.
    fn main_database(&self, error: &SourceError) -> Option<&MainDatabase> {
        self.main_databases.iter().find(|main| main.file == error.place)
    }

    fn exit(&self) -> Exit {
        let could_not_read = !self.unreadable.is_empty() || self.findings.iter().any(is_unreadable);
        let has_lost_main = self.unreadable.iter().any(|error| self.main_database(error).is_some());
        if has_lost_main || self.a_named_store_is_unreadable() || (self.matched == 0 && could_not_read) {
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
        !self.findings.is_empty() || !self.with_findings.is_empty() || !self.unreadable.is_empty()
    }

    fn a_named_store_is_unreadable(&self) -> bool {
        let is_named = |place: &Path| self.places.stores.iter().any(|store| store == place);
        self.unreadable.iter().any(|error| is_named(&error.place))
            || self.findings.iter().any(|finding| is_unreadable(finding) && is_named(&finding.at.file))
    }
}

/// A finding in one line.
fn told(finding: &Finding) -> String {
    let Origin { file, key, .. } = &finding.at;
    let file = file.display().to_string();
    match &finding.says {
        says if says.contains(&file) => says.clone(),
        says if key.is_empty() => format!("{file}: {says}"),
        says => format!("{file} ({key}): {says}"),
    }
}

/// The sentence for an editor's own database of which nothing can be read.
fn lost_main_database(error: &SourceError, main: &MainDatabase) -> String {
    // Of a store that was named alone, the backups are not read.
    let backups =
        if main.backups.is_empty() { wiring::copies_beside(&main.file) } else { main.backups.clone() };
    let backups: Vec<String> = backups.iter().map(|file| file.display().to_string()).collect();
    let backups = if backups.is_empty() { "none found".to_owned() } else { backups.join(", ") };
    let why = error_chain(error);
    let why = why.strip_prefix("cannot read ").unwrap_or(&why);
    format!(
        "the editor's main database cannot be read ({why}): conversations that only it has are not shown. Backups: {backups}."
    )
}

fn is_unreadable(finding: &Finding) -> bool {
    finding.kind == FindingKind::Unreadable
}

/// True if a place cannot be read as a whole.
fn is_unreadable_place(finding: &Finding) -> bool {
    is_unreadable(finding) && finding.at.key.is_empty()
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
