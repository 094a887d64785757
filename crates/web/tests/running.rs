//! Servers over homes on disk, started for one test and stopped with it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use backscroll_cursor_store::{Where, contents, find};
use backscroll_history::{History, Index, IndexError};
use backscroll_index::{Manner, refresh};
use backscroll_model::Contents;
use backscroll_redact::{RedactOptions, Redactor};
use backscroll_render::SourceReport;
use backscroll_web::{Clock, Server, Settings, Stop, Stores, Token};
use jiff::Zoned;
use tempfile::TempDir;

use crate::client::{Answer, send};

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// The stores of a home.
pub(crate) struct Home {
    home: PathBuf,
    index: TempDir,
}

fn now() -> Zoned {
    "2026-07-20T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
}

impl Home {
    /// Those of the home at `path`, with an index of their own.
    pub(crate) fn at(path: &Path) -> Self {
        Self { home: path.to_owned(), index: TempDir::new().unwrap() }
    }
}

impl Stores for Home {
    fn open(&self, _: Option<&History>) -> History {
        let found = find(&Where { home: Some(self.home.clone()), ..Where::default() });
        History::over(found.sources, found.findings)
    }

    fn reports(&self, history: &History) -> Vec<SourceReport> {
        let report = |file: PathBuf| SourceReport {
            bytes: std::fs::metadata(&file).ok().filter(std::fs::Metadata::is_file).map(|file| file.len()),
            file,
            ..SourceReport::default()
        };
        history.sources().iter().map(|source| report(source.id().place)).collect()
    }

    fn contents(&self, file: &Path) -> Result<Contents, String> {
        contents(file).map_err(|error| error.to_string())
    }

    fn refresh_index(
        &self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IndexError> {
        refresh(self.index.path(), history, Manner::ordinary(now().timestamp()), progress).map(drop)
    }

    fn index(&self) -> Result<Option<Index>, IndexError> {
        Index::open(self.index.path())
    }
}

impl Running {
    /// Serves the home at `path`.
    pub(crate) fn over_home(path: &Path) -> Self {
        Self::over(Arc::new(Home::at(path)))
    }

    /// Serves `stores`.
    pub(crate) fn over(stores: Arc<dyn Stores>) -> Self {
        let token = Token::from_random([0x5a; 32]);
        let settings = Settings {
            port: 0,
            token: token.clone(),
            clock: Clock::new(now),
            looked_in: "/nowhere".to_owned(),
            redactor: Redactor::new(&RedactOptions { emails: true, ..RedactOptions::default() }).ok(),
        };
        let server = Server::bind(stores, settings).unwrap();
        let (address, stop) = (server.address(), server.stop());
        assert!(address.ip().is_loopback());
        assert_eq!(server.url(), format!("http://{address}/?token={}", token.as_str()));
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { address, token: token.as_str().to_owned(), stop, thread }
    }

    /// The answer to a request of a browser that has the cookie.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("Cookie", &format!("backscroll-{}={}", self.address.port(), self.token))])
    }

    /// Waits until the index has caught up with the stores. This does not spin: the server lets a search wait for the index,
    /// only not for ever.
    pub(crate) fn wait_for_index(&self) {
        while self.get("/search?q=word").text().contains("being brought up to date") {}
    }

    /// The answer to a request with these headers besides the host's.
    pub(crate) fn ask(&self, method: &str, path: &str, head: &[(&str, &str)]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !head.iter().any(|(name, _)| *name == "Host") {
            request.extend(["Host: ", &self.address.to_string(), "\r\n"]);
        }
        for (name, value) in head {
            request.extend([name, ": ", value, "\r\n"]);
        }
        send(self.address, &(request + "\r\n"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok(), "the server ends quietly");
        }
    }
}
