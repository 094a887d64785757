//! Who comes in, and what every answer says about itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpListener, TcpStream};

use backscroll_fixtures::demo_home;
use tempfile::TempDir;

use crate::client::{connect, send};
use crate::running::{NAME, Running};

fn demo() -> (TempDir, Running) {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let running = Running::over_home(folder.path());
    (folder, running)
}

#[test]
fn the_token_becomes_a_cookie_and_leaves_the_address() {
    let (_home, server) = demo();
    let name = format!("{NAME}:{}", server.address.port());
    let named = [("Host", name.as_str())];
    let answer = server.ask("GET", &format!("/search?q=tide&token={}", server.token), &named);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/search?q=tide")));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"),
        "{cookie}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"), "the token is kept nowhere");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.ask("GET", "/search?q=tide", &[named[0], ("Cookie", pair)]).status, 200);
    // Two slashes at the beginning would lead to another host.
    for foreign in ["//evil.example/", "/\\evil.example/", "/\\/evil.example/"] {
        let path = format!("{foreign}?token={}", server.token);
        let answer = server.ask("GET", &path, &named);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/evil.example/")), "{foreign}");
        let answer = server.ask("GET", &path, &[]);
        let expected = format!("http://{name}/evil.example/?token={}", server.token);
        assert_eq!((answer.status, answer.header("location")), (303, Some(expected.as_str())), "{foreign}");
    }
}

#[test]
fn strangers_are_told_what_to_do_and_nothing_else() {
    let (_home, server) = demo();
    for path in ["/", "/search", "/api/v1/conversations", "/events", "/nowhere", "/?token=wrong"] {
        let answer = server.ask("GET", path, &[]);
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.text().contains("High water"), "{path}");
        assert!(answer.text().contains("backscroll serve"), "{path}");
    }
    let own = format!("backscroll-{}={}", server.address.port(), server.token);
    let foreign: &[(&str, &str)] = &[("Host", "evil.example"), ("Cookie", &own)];
    assert_eq!(server.ask("GET", "/", foreign).status, 403);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(server.ask("GET", "/", &[("Origin", origin), ("Cookie", &own)]).status, 403, "{origin}");
    }
    let origin = format!("http://{}", server.address);
    assert_eq!(server.ask("GET", "/", &[("Origin", &origin), ("Cookie", &own)]).status, 200);
    assert_eq!(server.ask("POST", "/search", &[("Cookie", &own), ("Content-Length", "0")]).status, 405);
    let bearer = format!("Bearer {}", server.token);
    assert_eq!(server.ask("GET", "/api/v1/sources", &[("Authorization", &bearer)]).status, 200);
}

#[test]
fn every_answer_protects_itself() {
    let (_home, server) = demo();
    for path in [
        "/",
        "/help",
        "/nowhere",
        "/api/v1/conversations",
        "/api/v1/nowhere",
        "/assets/x/app.css",
        "/assets/x/nothing",
    ] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
    }
}

#[test]
fn no_address_leads_out_of_the_table() {
    let (_home, server) = demo();
    let paths = [
        "/assets/x/../../etc/passwd",
        "/assets/x/..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/x/%2fetc%2fpasswd",
        "/../etc/passwd",
        "/c/..%2f..%2fetc%2fpasswd",
        "/c/%2fetc%2fpasswd/export/md",
        "/c/x/export/..%2fmd",
        "/c/x/picture/m1/0",
        "/c/x/picture/m1/..%2f..",
        "/c/%00/about",
    ];
    for path in paths {
        let answer = server.get(path);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(!String::from_utf8_lossy(&answer.body).contains("root:"), "{path}");
    }
}

#[test]
fn a_request_that_never_ends_does_not_keep_others_waiting() {
    let (_home, server) = demo();
    let mut slow: Vec<_> = (0..20).map(|_| connect(server.address)).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    }
    assert_eq!(server.get("/").status, 200);
    // It is hung up on in the end: the read ends instead of waiting for ever.
    let mut rest = Vec::new();
    slow[0].read_to_end(&mut rest).unwrap();
}

#[test]
fn what_cannot_be_understood_is_told_on_a_page() {
    let (_home, server) = demo();
    for path in ["/search?from=many", "/workspace", "/stores/contents", "/c/x/picture/m1/first"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 400, "{path}");
        assert!(
            answer.text().contains("That cannot be understood") && answer.text().contains("</html>"),
            "{path}"
        );
    }
    let answer = server.get("/api/v1/search?limit=many");
    assert_eq!((answer.status, answer.header("content-type")), (400, Some("application/json")));
    let answer = server.ask(
        "HEAD",
        "/help",
        &[("Cookie", &format!("backscroll-{}={}", server.address.port(), server.token))],
    );
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    let cookie = format!("backscroll-{}={}", server.address.port(), server.token);
    let answer = server.ask("DELETE", "/", &[("Cookie", &cookie), ("Content-Length", "0")]);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn our_files_are_kept_under_the_address_of_this_build_only() {
    let (_home, server) = demo();
    let page = server.get("/").text();
    let address =
        page.split('"').find(|piece| piece.starts_with("/assets/") && piece.ends_with("app.css")).unwrap();
    assert_eq!(server.get(address).header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(server.get("/assets/older/app.css").header("cache-control"), Some("no-cache"));
}

/// Browsers that are asked for a name below `.localhost` try `::1` first.
#[test]
fn both_loopback_addresses_are_served() {
    let (_home, server) = demo();
    let own = SocketAddr::from((Ipv6Addr::LOCALHOST, server.address.port()));
    // Not every system has IPv6.
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        let request = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let name = format!("{NAME}:{}", server.address.port());
        assert_eq!(send(own, &request(&name)).status, 401);
        assert_eq!(send(own, &request(&own.to_string())).status, 403);
    }
}

/// More connections than a server takes, which all ask at times and have no token.
#[test]
fn strangers_never_keep_the_owner_out() {
    let (_home, server) = demo();
    let host = format!("Host: {}\r\n", server.address);
    let asked = |stream: &mut TcpStream| {
        stream.write_all(format!("HEAD / HTTP/1.1\r\n{host}\r\n").as_bytes()).unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        head.join("\n")
    };
    let mut owner = connect(server.address);
    let cookie = format!("Cookie: backscroll-{}={}\r\n", server.address.port(), server.token);
    let listens = format!("GET /events HTTP/1.1\r\n{host}{cookie}\r\n");
    owner.write_all(listens.as_bytes()).unwrap();
    let mut listening = BufReader::new(owner).lines().map(Result::unwrap);
    assert!(listening.by_ref().any(|line| line == "event: now"));
    let mut strangers = Vec::new();
    for _ in 0..540 {
        let mut stranger = connect(server.address);
        assert!(asked(&mut stranger).starts_with("HTTP/1.1 401"));
        strangers.push(stranger);
    }
    assert_eq!(server.get("/").status, 200);
    // The latest may still ask.
    let last = strangers.last_mut().unwrap();
    assert!(asked(last).starts_with("HTTP/1.1 401"));
    assert_eq!(server.get("/help").status, 200);
    drop(strangers);
    drop(server);
    assert!(listening.count() > 0, "the owner was listening to the end");
}
