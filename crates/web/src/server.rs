//! The server: bound to the loopback address, running until the user or a program stops it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::watch;

use crate::desk::Desk;
use crate::{Settings, Stores, accept, routes};

/// Threads that talk to browsers; the work itself is done beside them.
const TALKERS: usize = 2;
/// More threads than the workers can keep busy, together with exports that are under way.
const MOST_THREADS: usize = 32;

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    desk: Arc<Desk>,
    stop: Stop,
}

/// Stops a running server from elsewhere.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Answers that are under way are finished, then the server ends.
    pub fn now(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Takes a port on the loopback address. Nobody outside of this machine can reach it.
    pub fn bind(stores: Arc<dyn Stores>, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        let address = listener.local_addr()?;
        let (sender, is_ending) = watch::channel(false);
        let desk = Arc::new(Desk::new(stores, settings, address.port(), is_ending));
        Ok(Self { listener, address, desk, stop: Stop(Arc::new(sender)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.desk.token.as_str())
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is stopped: by [`Stop`], or by the user's interrupt.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(TALKERS)
            .max_blocking_threads(MOST_THREADS)
            .enable_all()
            .build()?;
        let router = routes::router(self.desk);
        let served = runtime.block_on(accept::serve(self.listener, router, ended(self.stop)));
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    }
}

/// Comes true when the server is to end; whoever streams is told as well.
async fn ended(stop: Stop) {
    let mut told = stop.0.subscribe();
    {
        let by_program = std::pin::pin!(told.wait_for(|is_ending| *is_ending));
        let by_user = std::pin::pin!(interrupted());
        select(by_program, by_user).await;
    }
    stop.now();
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => {
            let (interrupt, terminate) =
                (std::pin::pin!(tokio::signal::ctrl_c()), std::pin::pin!(terminated.recv()));
            select(interrupt, terminate).await;
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
