//! Opens an address or a file in the user's browser.

use std::process::{Command, Stdio};

/// Whether a browser could be asked to open `address`. It goes on without us.
pub(crate) fn open(address: &str) -> bool {
    openers().iter().any(|(program, before)| {
        let mut command = Command::new(program);
        command.args(*before).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}

/// Programs that open things in what the user has chosen for them, best first.
fn openers() -> &'static [(&'static str, &'static [&'static str])] {
    if cfg!(target_os = "macos") {
        &[("open", &[])]
    } else if cfg!(windows) {
        &[("rundll32.exe", &["url.dll,FileProtocolHandler"])]
    } else {
        &[
            ("xdg-open", &[]),
            ("gio", &["open"]),
            ("wslview", &[]),
            ("rundll32.exe", &["url.dll,FileProtocolHandler"]),
        ]
    }
}
