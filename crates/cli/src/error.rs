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

/// `error` and everything that caused it, on one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let mut told: Vec<String> = causes.map(ToString::to_string).collect();
    told.dedup();
    told.join(": ")
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { is_closed_pipe: true, ..Self::new(Exit::Done, error) };
        }
        Self::new(Exit::Refused, CannotWrite(error))
    }
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
            AskError::NoMatch { .. } => Self::new(Exit::NothingMatched, error)
                .hinted("`backscroll list --all` shows every conversation with the beginning of its id"),
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
