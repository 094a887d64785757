//! Connections: accepted, bounded in number, closed when they dawdle, and let finish when the server ends.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// A browser opens half a dozen; this leaves room for many tabs and for programs.
const MOST_CONNECTIONS: usize = 512;
/// Whoever has not finished asking by then is hung up on.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);
/// How long answers that are under way may take when the server ends.
const GRACE: Duration = Duration::from_secs(3);

/// Serves `router` to whoever connects, until `ended` comes true.
pub(crate) async fn serve(
    listener: std::net::TcpListener,
    router: Router,
    ended: impl Future<Output = ()>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
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
