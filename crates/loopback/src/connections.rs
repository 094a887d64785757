//! Connections: bounded in number, closed when they dawdle, and let finish when the server ends.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

/// Takes a port on the loopback address; 0 lets the system choose. No other machine can reach it.
pub fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Stops a running server from elsewhere.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// What stops a server, and what comes true when it is stopped.
    pub fn new() -> (Self, watch::Receiver<bool>) {
        let (sender, is_ending) = watch::channel(false);
        (Self(Arc::new(sender)), is_ending)
    }

    /// Answers that are under way are finished, then the server ends.
    pub fn now(&self) {
        self.0.send_replace(true);
    }
}

/// Ends when the server is to end: by `stop`, or by the user's interrupt. Streams learn it through `stop` as well.
async fn ended(stop: Stop) {
    let mut stopped = stop.0.subscribe();
    {
        let by_program = pin!(stopped.wait_for(|is_ending| *is_ending));
        let by_user = pin!(interrupted());
        select(by_program, by_user).await;
    }
    stop.now();
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => {
            let (interrupt, terminate) = (pin!(tokio::signal::ctrl_c()), pin!(terminated.recv()));
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
/// A client that has not finished asking by then is disconnected.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);
/// How long answers that are under way may take when the server ends.
const GRACE: Duration = Duration::from_secs(3);

/// Threads that talk to clients; the work itself is done beside them.
const TALKERS: usize = 2;
/// Exports that are sent at once; each has a thread, which may wait for a slow reader.
const EXPORTERS: usize = 8;

/// Serves `service` to every client that connects, until `stop` or the user's interrupt.
pub fn run<S, B>(listener: TcpListener, service: &S, stop: Stop) -> io::Result<()>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    B::Data: Send,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(TALKERS)
        .max_blocking_threads(EXPORTERS)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let open = GracefulShutdown::new();
        let mut ended = pin!(ended(stop));
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
                .serve_connection(TokioIo::new(stream), service.clone());
            let connection = open.watch(connection);
            tokio::spawn(async move {
                // A connection that breaks concerns only the peer that broke it.
                let _ = connection.await;
                drop(permit);
            });
        }
        drop(listener);
        // A client that has not finished by then is cut off together with the runtime.
        let _ = timeout(GRACE, open.shutdown()).await;
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}
