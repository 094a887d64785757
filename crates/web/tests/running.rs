//! Servers over homes on disk, started for one test and stopped with it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use backscroll_cursor_store::{FoundStores, Where, contents, find};
use backscroll_history::Cleaner;
use backscroll_history::live::{Clock, Discovered, Discovery, Library, Searched};
use backscroll_model::Contents;
use backscroll_redact::{RedactOptions, Redactor};
use backscroll_web::{Server, Settings, Stop, Token};
use jiff::{Timestamp, Zoned};
use tempfile::TempDir;

use crate::client::{Answer, send};

/// The host that browsers are sent to.
pub(crate) const NAME: &str = "backscroll-of-a-test.localhost";

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    _index: Option<TempDir>,
}

/// The places of a test: a function that finds the sources.
pub(crate) struct Places<F>(pub(crate) F);

impl<F: Fn() -> FoundStores> Discovery for Places<F> {
    fn find(&self, _: String, _: Timestamp) -> Discovered {
        let FoundStores { sources, findings } = (self.0)();
        Discovered { sources, findings, finish: Box::new(Searched::default) }
    }

    fn contents(&self, file: &Path) -> Result<Contents, String> {
        contents(file).map_err(|error| error.to_string())
    }
}

fn now() -> Zoned {
    "2026-07-20T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
}

/// What is found below the home at `path`.
pub(crate) fn find_below(path: &Path) -> FoundStores {
    find(&Where { home: Some(path.to_owned()), ..Where::default() })
}

impl Running {
    /// Serves the home at `path`.
    pub(crate) fn over_home(path: &Path) -> Self {
        let path = path.to_owned();
        Self::over(move || find_below(&path))
    }

    /// Serves the sources that `find` finds.
    pub(crate) fn over(find: impl Fn() -> FoundStores + Send + Sync + 'static) -> Self {
        let index = TempDir::new().unwrap();
        let folder = index.path().to_owned();
        Self::over_library(Library::new(Box::new(Places(find)), Some(folder), Clock::new(now)), Some(index))
    }

    /// The same, without a folder for the index.
    pub(crate) fn over_without_index(find: impl Fn() -> FoundStores + Send + Sync + 'static) -> Self {
        Self::over_library(Library::new(Box::new(Places(find)), None, Clock::new(now)), None)
    }

    fn over_library(library: Library, index: Option<TempDir>) -> Self {
        let token = Token::from_random([0x5a; 32]);
        let (name, looked_in) = (NAME.to_owned(), "/nowhere".to_owned());
        let settings = Settings { port: 0, name, token: token.clone(), looked_in };
        let options = RedactOptions { emails: true, ..RedactOptions::default() };
        let cleaner = Cleaner::new(Redactor::new(&options).unwrap(), options.fingerprint());
        let library = library.cleaned(Some(Arc::new(cleaner)));
        let server = Server::bind(library, settings).unwrap();
        let (address, stop) = (server.address(), server.stop());
        assert!(address.ip().is_loopback());
        assert_eq!(server.url(), format!("http://{address}/?token={}", token.as_str()));
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { address, token: token.as_str().to_owned(), stop, thread, _index: index }
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
