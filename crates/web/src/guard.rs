//! The door: who may come in, and what every answer says to the browser about itself.
//!
//! `Host`, `Origin` and the token are compared by [`Door`]. A browser brings the token in the address once, and from then on as a
//! cookie that scripts cannot read and that no other site's request carries. Cookies do not know ports: one of 127.0.0.1 would be
//! given to every server of this machine. So it is set for a random name below `.localhost`, which browsers look for on
//! their own machine, and a request that brings the token to the address itself is redirected there.

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use backscroll_loopback::{Door, Token};

use crate::app_state::{App, AppState};
use crate::pages;
use crate::problem::Problem;

/// Lets `request` through to the routes, or answers it here.
pub(crate) async fn guard(State(app): App, request: Request, next: Next) -> Response {
    let is_for_programs = request.uri().path().starts_with("/api/");
    let mut answer = match app.keys.judge(request.uri(), request.headers()) {
        Verdict::Welcome => next.run(request).await,
        Verdict::TakeTheCookie => take_the_cookie(&app, &request),
        Verdict::RedirectToName => redirect_to_name(&app, request.uri()),
        Verdict::Unknown => unknown().into_response(),
        Verdict::ForeignHost => {
            foreign("The request names another host than this machine's own address.").into_response()
        }
        Verdict::ForeignOrigin => {
            foreign("The request was made by the page of another site.").into_response()
        }
    };
    if let Some(problem) = problem_of(&mut answer).await {
        answer = if is_for_programs { pages::problem_as_json(&problem) } else { pages::problem(&problem) };
        if problem.status == StatusCode::METHOD_NOT_ALLOWED {
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
    }
    protect(answer.headers_mut());
    answer
}

/// Why `answer` is none. What the router itself turns down, such as a number that is none, it says in a line of text.
async fn problem_of(answer: &mut Response) -> Option<Problem> {
    if let Some(problem) = answer.extensions_mut().remove::<Problem>() {
        return Some(problem);
    }
    if !answer.status().is_client_error() {
        return None;
    }
    let line = to_bytes(std::mem::take(answer.body_mut()), 4_096).await.unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    let why = line.strip_prefix("Failed to deserialize query string: ").unwrap_or(&line);
    Some(Problem::bad_request(format!("The address of this page is not quite right: {why}.")))
}

/// The same address without the token, so that it stays out of history and bookmarks.
fn take_the_cookie(app: &AppState, request: &Request) -> Response {
    let uri = request.uri();
    let kept: Vec<&str> =
        uri.query().unwrap_or_default().split('&').filter(|pair| !pair.starts_with("token=")).collect();
    let clean = if kept.is_empty() { path(uri) } else { format!("{}?{}", path(uri), kept.join("&")) };
    let mut answer = if is_from_elsewhere(request.headers()) {
        // A browser that was sent here by a page of another site, or by a file, shows the cookie only to what we ask for ourselves.
        leading(StatusCode::OK, HeaderName::from_static("refresh"), &format!("0;url={clean}"))
    } else {
        leading(StatusCode::SEE_OTHER, LOCATION, &clean)
    };
    if let Ok(cookie) = HeaderValue::from_str(&app.keys.cookie()) {
        answer.headers_mut().insert(SET_COOKIE, cookie);
    }
    answer
}

/// Redirects to this address under the name that cookies are set for.
fn redirect_to_name(app: &AppState, uri: &Uri) -> Response {
    let address = format!("http://{}{}?{}", app.keys.host, path(uri), uri.query().unwrap_or_default());
    leading(StatusCode::SEE_OTHER, LOCATION, &address)
}

/// The path of this server. One of two slashes would name another host; a browser takes a backslash for a slash.
fn path(uri: &Uri) -> String {
    format!("/{}", uri.path().trim_start_matches(['/', '\\']))
}

fn is_from_elsewhere(head: &HeaderMap) -> bool {
    head.get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// An answer that leads to another address and must not be cached.
fn leading(status: StatusCode, name: HeaderName, place: &str) -> Response {
    let mut answer = status.into_response();
    if let Ok(place) = HeaderValue::from_str(place) {
        answer.headers_mut().insert(name, place);
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    answer
}

fn unknown() -> Problem {
    let says = "This page shows private conversations, so it opens only for the person who started it. In the terminal, \
                `backscroll serve` printed an address that ends in a token: open that one. If the terminal is gone, run \
                `backscroll serve --open` again.";
    Problem::new(StatusCode::UNAUTHORIZED, "Open the address from your terminal", says)
}

fn foreign(says: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "Refused", format!("{says} Only pages of this server may ask."))
}

/// What the door compares with.
#[derive(Debug)]
pub(crate) struct Keys {
    door: Door,
    cookie: String,
    /// The name and port that the cookie is for.
    host: String,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Come in.
    Welcome,
    /// The token stood in the address: take it along as a cookie, and go on without it.
    TakeTheCookie,
    /// The token stood in the address, but of a host that all servers of this machine share.
    RedirectToName,
    /// Who are you?
    Unknown,
    /// The request is meant for another host.
    ForeignHost,
    /// Another site's page asks.
    ForeignOrigin,
}

impl Keys {
    pub(crate) fn new(token: Token, name: &str, port: u16) -> Self {
        // Cookies do not know ports: two servers beside each other must not overwrite each other's.
        let (cookie, host) = (format!("backscroll-{port}"), format!("{name}:{port}"));
        Self { door: Door::new(token, port).also(host.clone()), cookie, host }
    }

    /// The address that a browser opens.
    pub(crate) fn entrance(&self) -> String {
        format!("http://{}/?token={}", self.host, self.token().as_str())
    }

    /// What a browser must know.
    pub(crate) fn token(&self) -> &Token {
        self.door.token()
    }

    /// The cookie that opens the door from now on.
    pub(crate) fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.door.token().as_str())
    }

    /// What becomes of a request with this address and head.
    pub(crate) fn judge(&self, uri: &Uri, head: &HeaderMap) -> Verdict {
        if !self.door.is_our_host(uri, head) {
            return Verdict::ForeignHost;
        }
        if !self.door.is_our_origin(head) {
            return Verdict::ForeignOrigin;
        }
        let is_of_name =
            head.get(HOST).is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(self.host.as_bytes()));
        match () {
            () if self.knows_address(uri) && is_of_name => Verdict::TakeTheCookie,
            () if self.knows_address(uri) => Verdict::RedirectToName,
            () if is_public(uri) || self.knows_cookie(head) || self.door.knows_bearer(head) => {
                Verdict::Welcome
            }
            () => Verdict::Unknown,
        }
    }

    /// True if a request presents the token, in any way.
    pub(crate) fn knows(&self, uri: &Uri, head: &HeaderMap) -> bool {
        self.knows_address(uri) || self.knows_cookie(head) || self.door.knows_bearer(head)
    }

    /// True if the token is in the address, as it is: it needs no decoding.
    fn knows_address(&self, uri: &Uri) -> bool {
        let mut offered =
            uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.strip_prefix("token="));
        offered.next().is_some_and(|offered| self.door.token().is(offered))
    }

    fn knows_cookie(&self, head: &HeaderMap) -> bool {
        let lines = head.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.door.token().is(value))
    }
}

/// Style and script tell nothing of the user; the page that says how to come in needs them.
fn is_public(uri: &Uri) -> bool {
    uri.path().starts_with("/assets/")
}

/// Nothing but our own files is loaded, nothing inline is run, and nobody may put our pages into theirs.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
                                 frame-src 'none'; img-src 'self'; object-src 'none'; script-src 'self'; style-src 'self'";

/// Adds them, where the answer does not say something stricter of its own.
fn protect(head: &mut HeaderMap) {
    const ALWAYS: [(HeaderName, &str); 6] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in ALWAYS {
        head.insert(name, HeaderValue::from_static(value));
    }
    head.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    // What is shown is the user's own: a shared cache must not keep it, and the browser asks again.
    head.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    /// An address, the head of a request, and what becomes of it.
    type Row<'a> = (&'a str, &'a [(&'static str, &'a str)], Verdict);

    fn judge(uri: &str, head: &[(&'static str, &str)]) -> Verdict {
        let keys = Keys::new(Token::from_random([0x11; 32]), "x.localhost", 4711);
        let mut map = HeaderMap::new();
        for (name, value) in head {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        keys.judge(&uri.parse().unwrap(), &map)
    }

    #[test]
    fn only_the_users_own_browser_comes_in() {
        let token = "11".repeat(32);
        let cookie = format!("other=1; backscroll-4711={token}");
        let bearer = format!("Bearer {token}");
        let (here, named) = (("host", "127.0.0.1:4711"), ("host", "X.localhost:4711"));
        let entrance = format!("/search?q=a&token={token}");
        let table: &[Row<'_>] = &[
            ("/", &[here, ("cookie", &cookie)], Verdict::Welcome),
            ("/", &[("host", "LocalHost:4711"), ("cookie", &cookie)], Verdict::Welcome),
            ("/api/v1/sources", &[here, ("authorization", &bearer)], Verdict::Welcome),
            ("/assets/x/app.css", &[here], Verdict::Welcome),
            (&entrance, &[named], Verdict::TakeTheCookie),
            (&entrance, &[here], Verdict::RedirectToName),
            (&entrance, &[("host", "localhost:4711")], Verdict::RedirectToName),
            ("/", &[named, ("cookie", &cookie)], Verdict::Welcome),
            ("/", &[named], Verdict::Unknown),
            ("/", &[("host", "y.localhost:4711"), ("cookie", &cookie)], Verdict::ForeignHost),
            ("/", &[("host", "x.localhost"), ("cookie", &cookie)], Verdict::ForeignHost),
            ("/", &[here], Verdict::Unknown),
            ("/?token=", &[here], Verdict::Unknown),
            ("/?token=11", &[here], Verdict::Unknown),
            ("/", &[here, ("cookie", "backscroll-4711=1")], Verdict::Unknown),
            ("/", &[here, ("cookie", &cookie.replace("4711", "4712"))], Verdict::Unknown),
            ("/", &[("cookie", &cookie)], Verdict::ForeignHost),
            ("/", &[("host", "127.0.0.1"), ("cookie", &cookie)], Verdict::ForeignHost),
            ("/", &[("host", "evil.example:4711"), ("cookie", &cookie)], Verdict::ForeignHost),
            ("/", &[here, ("host", "evil.example"), ("cookie", &cookie)], Verdict::ForeignHost),
            ("http://evil.example/", &[here, ("cookie", &cookie)], Verdict::ForeignHost),
            ("/assets/x/app.css", &[("host", "evil.example")], Verdict::ForeignHost),
            (&entrance, &[("host", "evil.example:4711")], Verdict::ForeignHost),
            ("/", &[here, ("cookie", &cookie), ("origin", "http://localhost:4711")], Verdict::Welcome),
            ("/", &[here, ("cookie", &cookie), ("origin", "http://localhost:80")], Verdict::ForeignOrigin),
            ("/", &[here, ("cookie", &cookie), ("origin", "https://localhost:4711")], Verdict::ForeignOrigin),
            ("/", &[here, ("cookie", &cookie), ("origin", "null")], Verdict::ForeignOrigin),
        ];
        for (uri, head, expected) in table {
            assert_eq!(judge(uri, head), *expected, "{uri} {head:?}");
        }
    }
}
