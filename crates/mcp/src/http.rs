//! The server over streamable HTTP, on the loopback address alone: a bearer token is asked for, and foreign `Host` and `Origin`
//! headers are refused.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use ::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use backscroll_loopback::{Door, Listener, Stop, Token};
use backscroll_model::locked;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::Memory;
use crate::server::Server;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// Sessions that may be open. A new one ends the one that asked least recently, whose client then begins another one.
const MOST_SESSIONS: usize = 64;

/// The header that names a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

type Body = BoxBody<Bytes, Infallible>;
type Service = StreamableHttpService<Server, LocalSessionManager>;

/// The sessions of all clients. Clients forget theirs without ending them.
#[derive(Debug, Default)]
struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// Their ids, the one that asked least recently first.
    recent: Mutex<VecDeque<SessionId>>,
}

impl Sessions {
    /// Notes that the session that `head` names asked, was begun or has ended, and ends the one that asked least recently if there
    /// are too many.
    async fn note(&self, head: &HeaderMap) {
        let Some(id) = head.get(SESSION).and_then(|id| id.to_str().ok()).map(SessionId::from) else { return };
        let is_open = self.manager.has_session(&id).await.unwrap_or_default();
        let longest_idle = {
            let mut recent = locked(&self.recent);
            recent.retain(|known| *known != id);
            recent.extend(Some(id).filter(|_| is_open));
            if recent.len() > MOST_SESSIONS { recent.pop_front() } else { None }
        };
        if let Some(id) = longest_idle {
            // It may have ended already.
            let _ = self.manager.close_session(&id).await;
        }
    }
}

/// A server that has its port and waits to be run.
#[derive(Debug)]
pub struct HttpServer {
    listener: Listener,
    address: SocketAddr,
    door: Arc<Door>,
    server: Server,
}

impl HttpServer {
    /// Takes a port on the loopback address; 0 lets the system choose.
    pub fn bind(memory: Memory, port: u16, token: Token) -> io::Result<Self> {
        let listener = Listener::bind(port)?;
        let address = listener.address()?;
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
        let owner = Arc::clone(&door);
        // The door has looked at `Host` and `Origin` already, port included.
        let config = StreamableHttpServerConfig::default();
        let sessions = Arc::new(Sessions::default());
        let manager = Arc::clone(&sessions.manager);
        let service: Service = StreamableHttpService::new(move || Ok(server.another()), manager, config);
        let answer = service_fn(move |request| {
            let (door, service, sessions) = (Arc::clone(&door), service.clone(), Arc::clone(&sessions));
            async move { Ok::<_, Infallible>(answer(&door, &service, &sessions, request).await) }
        });
        let (stop, _) = Stop::new();
        let presents_token = move |request: &Request<_>| owner.knows_bearer(request.headers());
        backscroll_loopback::run(self.listener, &answer, presents_token, stop)
    }
}

async fn answer(
    door: &Door,
    service: &Service,
    sessions: &Sessions,
    request: Request<Incoming>,
) -> Response<Body> {
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
    let head = head.clone();
    let mut answer = service.handle(request).await;
    sessions.note(&head).await;
    sessions.note(answer.headers()).await;
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
