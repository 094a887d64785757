//! Connections: bounded in number ([`Crowd`]), closed when they dawdle, and let finish when the server ends.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backscroll_model::locked;
use futures_util::future::{Either, select};
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::crowd::{Crowd, Member};

/// A port on the loopback address, 127.0.0.1, and on that of IPv6 where there is one. Browsers try `::1` first when they are asked
/// for a name below `.localhost`: a server of another user there would be given the token.
#[derive(Debug)]
pub struct Listener {
    v4: TcpListener,
    v6: Option<TcpListener>,
}

impl Listener {
    /// Takes a port; 0 lets the system choose. No other machine can reach it.
    pub fn bind(port: u16) -> io::Result<Self> {
        for _ in 0..TRIES {
            let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            match TcpListener::bind((Ipv6Addr::LOCALHOST, v4.local_addr()?.port())) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && port != 0 => return Err(error),
                // The system chose a port that is taken there.
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                v6 => return Ok(Self { v4, v6: v6.ok() }),
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    /// The address of IPv4.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.v4.local_addr()
    }
}

/// Ports that are tried where the system chooses.
const TRIES: usize = 16;

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

/// A client that has not finished asking by then is disconnected.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);
/// How long answers that are under way may take when the server ends.
const GRACE: Duration = Duration::from_secs(3);

/// Threads that talk to clients; the work itself is done beside them.
const TALKERS: usize = 2;
/// Exports that are sent at once; each has a thread, which may wait for a slow reader.
const EXPORTERS: usize = 8;

/// The connection of this number, to either address in turn: many to one of them do not keep out those to the other.
async fn accepted(
    v4: &tokio::net::TcpListener,
    v6: Option<&tokio::net::TcpListener>,
    number: u64,
) -> io::Result<(TcpStream, SocketAddr)> {
    let Some(v6) = v6 else { return v4.accept().await };
    let (first, second) = if number.is_multiple_of(2) { (v4, v6) } else { (v6, v4) };
    select(pin!(first.accept()), pin!(second.accept())).await.factor_first().0
}

/// Serves `service` to every client that connects, until `stop` or the user's interrupt. `presents_token` recognises the owner.
pub fn run<S, B>(
    listener: Listener,
    service: &S,
    presents_token: impl Fn(&Request<Incoming>) -> bool + Clone + Send + 'static,
    stop: Stop,
) -> io::Result<()>
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
        let listen = |listener: TcpListener| {
            listener.set_nonblocking(true)?;
            tokio::net::TcpListener::from_std(listener)
        };
        let (v4, v6) = (listen(listener.v4)?, listener.v6.map(listen).transpose()?);
        let crowd = Arc::new(Mutex::new(Crowd::default()));
        let open = GracefulShutdown::new();
        let mut ended = pin!(ended(stop));
        for number in 0.. {
            // The end comes first: whoever is answered can rely on it that the server can be interrupted.
            let stream = match select(&mut ended, pin!(accepted(&v4, v6.as_ref(), number))).await {
                Either::Right((Ok((stream, _)), _)) => stream,
                // Too many open files, or a peer that was gone at once: the next one may fare better.
                Either::Right((Err(_), _)) => {
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
                Either::Left(((), _)) => break,
            };
            // Small answers must not wait for more to come.
            let _ = stream.set_nodelay(true);
            let member = Arc::new(Member::new(number, Arc::clone(&crowd)));
            let (asking, presents_token, service) =
                (Arc::clone(&member), presents_token.clone(), service.clone());
            let answer = move |request: Request<Incoming>| {
                asking.asked(presents_token(&request));
                service.call(request)
            };
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(LONGEST_REQUEST)
                .serve_connection(TokioIo::new(stream), service_fn(answer));
            let connection = open.watch(connection);
            // No connection leaves the crowd before it is in it.
            let mut crowd = locked(&crowd);
            let task = tokio::spawn(async move {
                let _member = member;
                // A connection that breaks concerns only the peer that broke it.
                let _ = connection.await;
            });
            crowd.add(number, task.abort_handle());
        }
        drop((v4, v6));
        // A client that has not finished by then is cut off together with the runtime.
        let _ = timeout(GRACE, open.shutdown()).await;
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_ours_on_both_addresses_or_not_at_all() {
        let ours = Listener::bind(0).unwrap();
        let port = ours.address().unwrap().port();
        // Not every system has IPv6.
        if ours.v6.is_some() {
            assert!(TcpListener::bind((Ipv6Addr::LOCALHOST, port)).is_err());
            let theirs = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap();
            let taken = Listener::bind(theirs.local_addr().unwrap().port()).unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        }
        assert!(Listener::bind(port).is_err());
    }
}
