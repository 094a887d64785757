//! Opens a file or an address in the user's browser, by whatever the system has for that.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Asks the system to open `file`, and does not wait for it.
pub(crate) fn open(file: &Path) -> io::Result<()> {
    start(file.canonicalize()?.as_os_str())
}

/// Asks the system to open `address`, and does not wait for it.
pub(crate) fn open_address(address: &str) -> io::Result<()> {
    start(OsStr::new(address))
}

fn start(what: &OsStr) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(what).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
