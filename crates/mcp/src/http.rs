//! The server over streamable HTTP, on the loopback address alone: a bearer token is asked for, and foreign `Host` and `Origin`
//! headers are refused.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use ::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use ::http::{HeaderValue, Method, Request, Response, StatusCode};
use backscroll_loopback::{Door, Stop, Token, listen};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::Memory;
use crate::server::Server;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

type Body = BoxBody<Bytes, Infallible>;
type Service = StreamableHttpService<Server, LocalSessionManager>;

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    door: Arc<Door>,
    server: Server,
}

impl HttpServer {
    /// Takes a port on the loopback address; 0 lets the system choose.
    pub fn bind(memory: Memory, port: u16, token: Token) -> io::Result<Self> {
        let listener = listen(port)?;
        let address = listener.local_addr()?;
        let door = Arc::new(Door::new(token, address.port()));
        Ok(Self { listener, address, door, server: Server::new(Arc::new(memory))? })
    }

    /// Where clients ask.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Answers until the user's interrupt.
    pub fn run(self) -> io::Result<()> {
        let (door, server) = (self.door, self.server);
        // The door has looked at `Host` and `Origin` already, port included.
        let config = StreamableHttpServerConfig::default();
        let service: Service =
            StreamableHttpService::new(move || Ok(server.another()), Arc::default(), config);
        let answer = service_fn(move |request| {
            let (door, service) = (Arc::clone(&door), service.clone());
            async move { Ok::<_, Infallible>(answer(&door, &service, request).await) }
        });
        let (stop, _) = Stop::new();
        backscroll_loopback::run(self.listener, &answer, stop)
    }
}

async fn answer(door: &Door, service: &Service, request: Request<Incoming>) -> Response<Body> {
    let (uri, head) = (request.uri(), request.headers());
    if !door.is_our_host(uri, head) {
        return refused(
            StatusCode::FORBIDDEN,
            "The request names another host than this machine's own address.",
        );
    }
    if !door.is_our_origin(head) {
        return refused(StatusCode::FORBIDDEN, "The request was made by the page of another site.");
    }
    if !door.knows_bearer(head) {
        let says = "`backscroll mcp --http` printed a token: send it as `Authorization: Bearer TOKEN`.";
        let mut answer = refused(StatusCode::UNAUTHORIZED, says);
        answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return answer;
    }
    if uri.path() != PATH {
        return refused(StatusCode::NOT_FOUND, "The protocol is spoken at /mcp.");
    }
    let is_end_of_session = request.method() == Method::DELETE;
    let mut answer = service.handle(request).await;
    if is_end_of_session && answer.status() == StatusCode::ACCEPTED {
        // It has ended already, and clients take `202` for a failure.
        *answer.status_mut() = StatusCode::NO_CONTENT;
    }
    answer
}

fn refused(status: StatusCode, says: &'static str) -> Response<Body> {
    let mut answer = Response::new(Full::new(Bytes::from_static(says.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
