//! The program, killed by the system in the middle of a write: always in the same one, however busy the machine is.

use std::process::{Command, ExitStatus};

/// The program under a limit for the size of each file. The write that would cross the limit kills it, as `kill -9` would:
/// what fits is written, and nothing of the program runs any more. A block has 512 bytes.
pub(crate) fn limited(blocks: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -c 0; ulimit -f \"$0\"; exec \"$@\""]);
    command.arg(blocks.to_string()).arg(env!("CARGO_BIN_EXE_backscroll"));
    command
}

/// Whether a signal ended it.
pub(crate) fn was_killed(status: ExitStatus) -> bool {
    status.code().is_none()
}
