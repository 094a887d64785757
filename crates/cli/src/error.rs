//! What the user is told when a command cannot go on: an exit code, the causes, and what to do about it.
//!
//! Rooms have typed errors; here alone an exit code and hints are chosen for each.

use std::error::Error;
use std::io;

use backscroll_history::AskError;
use backscroll_model::{SourceError, Summary};

use crate::exit::Exit;

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

    /// The error and everything that caused it, on one line.
    pub(crate) fn told(&self) -> String {
        chain(&*self.error)
    }
}

/// `error` and everything that caused it, on one line. What two of them say is said once.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let mut told: Vec<String> = Vec::new();
    for cause in causes.map(ToString::to_string) {
        match told.last_mut() {
            Some(last) if last.ends_with(&cause) => {}
            Some(last) if last.strip_prefix("cannot read ").is_some_and(|place| cause.contains(place)) => {
                *last = cause;
            }
            _ => told.push(cause),
        }
    }
    told.join(": ")
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
pub(crate) fn is_full_disk(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

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

#[cfg(test)]
mod tests {
    use backscroll_model::SourceError;

    use super::chain;

    #[test]
    fn a_cause_is_told_once() {
        let told = |because: &str| chain(&SourceError::new("/a/b.db", because.to_owned()));
        assert_eq!(told("file is not a database"), "cannot read /a/b.db: file is not a database");
        assert_eq!(told("/a/b.db is encrypted"), "/a/b.db is encrypted");
        assert_eq!(told("cannot read /a/b.db: disk I/O error"), "cannot read /a/b.db: disk I/O error");
    }
}
