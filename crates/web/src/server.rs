//! The server: bound to the loopback address, running until the user or a program stops it. Connections are bounded in
//! number, closed when they dawdle, and let finish when the server ends.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use axum::Router;
use backscroll_history::live::Library;
use backscroll_model::hex;
use backscroll_redact::Redactor;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::app_state::AppState;
use crate::routes;

/// Threads that talk to browsers; the work itself is done beside them.
const TALKERS: usize = 2;
/// More threads than the workers can keep busy, together with exports that are under way.
const MOST_THREADS: usize = 32;

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<AppState>,
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
    pub fn bind(library: Library, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        let address = listener.local_addr()?;
        let (sender, is_ending) = watch::channel(false);
        let app = Arc::new(AppState::new(library, settings, address.port(), is_ending));
        Ok(Self { listener, address, app, stop: Stop(Arc::new(sender)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.app.token.as_str())
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
        let router = routes::router(self.app);
        let served = runtime.block_on(serve_connections(self.listener, router, ended(self.stop)));
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

/// A browser opens half a dozen; this leaves room for many tabs and for programs.
const MOST_CONNECTIONS: usize = 512;
/// Whoever has not finished asking by then is hung up on.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);
/// How long answers that are under way may take when the server ends.
const GRACE: Duration = Duration::from_secs(3);

/// Serves `router` to whoever connects, until `ended` comes true.
async fn serve_connections(
    listener: std::net::TcpListener,
    router: Router,
    ended: impl Future<Output = ()>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let open = GracefulShutdown::new();
    let mut ended = pin!(ended);
    loop {
        let next = pin!(async {
            let permit = Arc::clone(&free).acquire_owned().await;
            (permit, listener.accept().await)
        });
        let (permit, stream) = match select(next, &mut ended).await {
            Either::Left(((permit, Ok((stream, _))), _)) => (permit, stream),
            // Too many open files, or a peer that was gone at once: the next one may fare better.
            Either::Left(((_, Err(_)), _)) => {
                sleep(Duration::from_millis(50)).await;
                continue;
            }
            Either::Right(((), _)) => break,
        };
        // Small answers must not wait for more to come.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(LONGEST_REQUEST)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = open.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks concerns nobody but the peer who broke it.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    // Whoever has not finished by then is cut off together with the runtime.
    let _ = timeout(GRACE, open.shutdown()).await;
    Ok(())
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
    /// Removes secrets from everything that leaves: exports, replays, answers to programs. `None` keeps them.
    pub redactor: Option<Redactor>,
}

/// A random secret, as it stands in the address that is opened.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token that these random bytes spell.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(hex::encode(&bytes))
    }

    /// The token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is this token. Takes as long for a wrong one as for the right one, so that the time
    /// tells nothing of how much of it was right.
    pub fn is(&self, offered: &str) -> bool {
        let (own, offered) = (self.0.as_bytes(), offered.as_bytes());
        let differing = own.iter().enumerate().fold(0_u8, |differing, (at, byte)| {
            differing | (byte ^ offered.get(at).copied().unwrap_or_default())
        });
        std::hint::black_box(differing) == 0 && own.len() == offered.len()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::from_random([0xa7; 32]);
        assert!(token.is(&"a7".repeat(32)));
        for wrong in ["", "a7", &"a7".repeat(31), &"a7".repeat(33), &"a8".repeat(32), &"\0".repeat(64)] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
