//! Who may come in. Pure: a request's head against the keys.
//!
//! Other sites that the user visits must learn nothing. Their scripts can send requests to this machine, so the `Origin`
//! must be ours; they can let their own name point to this machine (DNS rebinding), so the `Host` must be ours; other
//! users and programs of this machine can connect, so the token is asked for. It comes in the address once, and from
//! then on as a cookie that scripts cannot read and that no other site's request carries.

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use crate::Token;

/// What the door compares with.
#[derive(Debug)]
pub(crate) struct Keys {
    token: Token,
    cookie: String,
    hosts: [String; 2],
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Come in.
    Welcome,
    /// The token stood in the address: take it along as a cookie, and go on without it.
    TakeTheCookie,
    /// Who are you?
    Unknown,
    /// The request is meant for another host.
    ForeignHost,
    /// Another site's page asks.
    ForeignOrigin,
}

impl Keys {
    pub(crate) fn new(token: Token, port: u16) -> Self {
        // Cookies do not know ports: two servers beside each other must not overwrite each other's.
        let cookie = format!("backscroll-{port}");
        Self { token, cookie, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// The cookie that opens the door from now on.
    pub(crate) fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.token.as_str())
    }

    /// What becomes of a request with this address and head.
    pub(crate) fn judge(&self, uri: &Uri, head: &HeaderMap) -> Verdict {
        if !self.is_our_host(uri, head) {
            return Verdict::ForeignHost;
        }
        if !self.is_our_origin(head) {
            return Verdict::ForeignOrigin;
        }
        let offered = query_values(uri, "token").next();
        if offered.is_some_and(|offered| self.token.is(offered)) {
            return Verdict::TakeTheCookie;
        }
        if is_public(uri) || self.knows_cookie(head) || self.knows_bearer(head) {
            return Verdict::Welcome;
        }
        Verdict::Unknown
    }

    fn is_our_host(&self, uri: &Uri, head: &HeaderMap) -> bool {
        let mut named = head.get_all(HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok());
        let is_ours = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        // Exactly one host, and an address that does not name another one.
        named.next().is_none()
            && host.is_some_and(is_ours)
            && uri.authority().is_none_or(|named| is_ours(named.as_str()))
    }

    fn is_our_origin(&self, head: &HeaderMap) -> bool {
        head.get_all(ORIGIN).iter().all(|origin| {
            let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            host.is_some_and(|host| self.hosts.iter().any(|own| own == host))
        })
    }

    fn knows_cookie(&self, head: &HeaderMap) -> bool {
        let lines = head.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.token.is(value))
    }

    fn knows_bearer(&self, head: &HeaderMap) -> bool {
        let offered = head.get(AUTHORIZATION).and_then(|line| line.to_str().ok());
        offered.and_then(|line| line.strip_prefix("Bearer ")).is_some_and(|token| self.token.is(token))
    }
}

/// Style and script tell nothing of the user; the page that says how to come in needs them.
fn is_public(uri: &Uri) -> bool {
    uri.path().starts_with("/assets/")
}

/// The values of `name` in the address, as they stand there. A token needs no decoding.
fn query_values<'a>(uri: &'a Uri, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    /// An address, the head of a request, and what becomes of it.
    type Row<'a> = (&'a str, &'a [(&'static str, &'a str)], Verdict);

    fn judge(uri: &str, head: &[(&'static str, &str)]) -> Verdict {
        let keys = Keys::new(Token::from_random([0x11; 32]), 4711);
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
        let here = ("host", "127.0.0.1:4711");
        let entrance = format!("/search?q=a&token={token}");
        let table: &[Row<'_>] = &[
            ("/", &[here, ("cookie", &cookie)], Verdict::Welcome),
            ("/", &[("host", "LocalHost:4711"), ("cookie", &cookie)], Verdict::Welcome),
            ("/api/v1/sources", &[here, ("authorization", &bearer)], Verdict::Welcome),
            ("/assets/x/app.css", &[here], Verdict::Welcome),
            (&entrance, &[here], Verdict::TakeTheCookie),
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
