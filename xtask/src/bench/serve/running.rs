//! The server while it is measured. It is ended however the measuring ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::client::Client;
use crate::arguments::Trouble;

/// A running server.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    pub(super) address: SocketAddr,
    pub(super) token: String,
}

impl Running {
    /// Starts the server on `home`; returns when it has answered once.
    pub(super) fn start(program: &Path, home: &Path, index: &Path) -> Result<Self, Trouble> {
        let mut command = Command::new(program);
        command.arg("serve").arg("--home").arg(home).arg("--index").arg(index);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut url = String::new();
        let out = child.stdout.take().ok_or("the server has no voice")?;
        BufReader::new(out).read_line(&mut url)?;
        let told = url.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/?token="));
        let Some((address, token)) = told else {
            child.kill()?;
            return Err(format!("the server told no address: {url:?}").into());
        };
        let (address, token) = (address.parse()?, token.to_owned());
        let running = Self { child, address, token };
        running.client()?.ask("/", None)?;
        Ok(running)
    }

    /// A new connection to it.
    pub(super) fn client(&self) -> Result<Client, Trouble> {
        Client::of(self.address, &self.token)
    }

    /// The most memory that it held until now, in bytes, where this system tells.
    pub(super) fn peak(&self) -> Option<u64> {
        let told = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
