//! Exit codes. They are part of the outer contract: scripts rely on them.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done.
    Done = 0,
    /// 1: nothing matched.
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
