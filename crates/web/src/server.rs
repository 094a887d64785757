//! The server: bound to the loopback address, running until the user or a program stops it.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use backscroll_history::live::Library;
use backscroll_loopback::{Stop, Token, listen};
use hyper_util::service::TowerToHyperService;

use crate::app_state::AppState;
use crate::routes;

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<AppState>,
    stop: Stop,
}

impl Server {
    /// Takes a port on the loopback address. Nobody outside of this machine can reach it.
    pub fn bind(library: Library, settings: Settings) -> io::Result<Self> {
        let listener = listen(settings.port)?;
        let address = listener.local_addr()?;
        let (stop, is_ending) = Stop::new();
        let app = Arc::new(AppState::new(library, settings, address.port(), is_ending)?);
        Ok(Self { listener, address, app, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.app.keys.token().as_str())
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is stopped: by [`Stop`], or by the user's interrupt.
    pub fn run(self) -> io::Result<()> {
        let service = TowerToHyperService::new(routes::router(self.app));
        backscroll_loopback::run(self.listener, &service, self.stop)
    }
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on the loopback address; 0 lets the system choose.
    pub port: u16,
    /// What a browser must know.
    pub token: Token,
    /// Where was looked, for the page that has nothing to show.
    pub looked_in: String,
}
