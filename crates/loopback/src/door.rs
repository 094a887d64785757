//! Who may ask. Other sites that the user visits can send requests to this machine, so the `Origin` must be ours; they can let
//! their own name point to this machine (DNS rebinding), so the `Host` must be ours; other users and programs of this machine
//! can connect, so the token is asked for.

use std::fmt;

use backscroll_model::hex;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, Uri};

/// A random secret, as text for an address.
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

/// What a request is compared with.
#[derive(Debug)]
pub struct Door {
    token: Token,
    hosts: Vec<String>,
}

impl Door {
    /// The door of the server on this port of the loopback address.
    pub fn new(token: Token, port: u16) -> Self {
        Self { token, hosts: vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// Accepts this host, too.
    #[must_use]
    pub fn also(mut self, host: String) -> Self {
        self.hosts.push(host);
        self
    }

    /// What a client must know.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Whether the request names this server: exactly one host, and an address that does not name another one.
    pub fn is_our_host(&self, uri: &Uri, head: &HeaderMap) -> bool {
        let mut named = head.get_all(HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok());
        let is_ours = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        named.next().is_none()
            && host.is_some_and(is_ours)
            && uri.authority().is_none_or(|named| is_ours(named.as_str()))
    }

    /// Whether no page of another site asks.
    pub fn is_our_origin(&self, head: &HeaderMap) -> bool {
        head.get_all(ORIGIN).iter().all(|origin| {
            let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            host.is_some_and(|host| self.hosts.iter().any(|own| own == host))
        })
    }

    /// Whether the token is offered as a bearer token.
    pub fn knows_bearer(&self, head: &HeaderMap) -> bool {
        let offered = head.get(AUTHORIZATION).and_then(|line| line.to_str().ok());
        offered.and_then(|line| line.strip_prefix("Bearer ")).is_some_and(|token| self.token.is(token))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// An address, the head of a request, and whether host, origin and token are ours.
    type Row<'a> = (&'a str, &'a [(&'static str, &'a str)], [bool; 3]);

    #[test]
    fn host_origin_and_token_must_be_ours() {
        let door = Door::new(Token::from_random([0x11; 32]), 4711);
        let bearer = format!("Bearer {}", "11".repeat(32));
        let here = ("host", "127.0.0.1:4711");
        let table: &[Row<'_>] = &[
            ("/", &[here, ("authorization", &bearer)], [true, true, true]),
            ("/", &[("host", "LocalHost:4711"), ("authorization", &bearer)], [true, true, true]),
            ("/", &[here], [true, true, false]),
            ("/", &[here, ("authorization", "Bearer 11")], [true, true, false]),
            ("/", &[here, ("authorization", &bearer.replace("Bearer", "Basic"))], [true, true, false]),
            ("/", &[], [false, true, false]),
            ("/", &[("host", "127.0.0.1")], [false, true, false]),
            ("/", &[("host", "evil.example:4711")], [false, true, false]),
            ("/", &[here, ("host", "evil.example")], [false, true, false]),
            ("http://evil.example/", &[here], [false, true, false]),
            ("/", &[here, ("origin", "http://localhost:4711")], [true, true, false]),
            ("/", &[here, ("origin", "http://localhost:80")], [true, false, false]),
            ("/", &[here, ("origin", "https://localhost:4711")], [true, false, false]),
            ("/", &[here, ("origin", "null")], [true, false, false]),
        ];
        for (uri, head, expected) in table {
            let mut map = HeaderMap::new();
            for (name, value) in *head {
                map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
            }
            let uri = uri.parse().unwrap();
            let is = [door.is_our_host(&uri, &map), door.is_our_origin(&map), door.knows_bearer(&map)];
            assert_eq!(is, *expected, "{uri} {head:?}");
        }
    }

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
