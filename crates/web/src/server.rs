//! The server: bound to the loopback address, running until the user or a program stops it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::Request;
use backscroll_history::live::Library;
use backscroll_loopback::{Listener, Stop, Token};
use hyper_util::service::TowerToHyperService;

use crate::app_state::AppState;
use crate::routes;

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    address: SocketAddr,
    app: Arc<AppState>,
    stop: Stop,
}

impl Server {
    /// Takes a port on the loopback address. Nobody outside of this machine can reach it.
    pub fn bind(library: Library, settings: Settings) -> io::Result<Self> {
        let listener = Listener::bind(settings.port)?;
        let address = listener.address()?;
        let (stop, is_ending) = Stop::new();
        let app = Arc::new(AppState::new(library, settings, address.port(), is_ending)?);
        Ok(Self { listener, address, app, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for people and programs, with the token. A browser is sent on to [`Server::entrance`].
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.app.keys.token().as_str())
    }

    /// The address for a browser, with the token: under the name that cookies are set for.
    pub fn entrance(&self) -> String {
        self.app.keys.entrance()
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is stopped: by [`Stop`], or by the user's interrupt.
    pub fn run(self) -> io::Result<()> {
        let app = Arc::clone(&self.app);
        let service = TowerToHyperService::new(routes::router(self.app));
        let presents_token = move |request: &Request<_>| app.keys.knows(request.uri(), request.headers());
        backscroll_loopback::run(self.listener, &service, presents_token, self.stop)
    }
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on the loopback address; 0 lets the system choose.
    pub port: u16,
    /// The host that browsers ask for, and that cookies are set for: a random name below `.localhost`, or 127.0.0.1,
    /// whose cookies all servers of this machine are given.
    pub name: String,
    /// What a browser must know.
    pub token: Token,
    /// Where was looked, for the page that has nothing to show.
    pub looked_in: String,
}
