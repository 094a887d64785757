//! Opens a file in the user's browser, by whatever the system has for that.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Asks the system to open `file`, and does not wait for it.
pub(crate) fn open(file: &Path) -> io::Result<()> {
    let file = file.canonicalize()?;
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
