//! Who comes in, and what every answer says about itself.

use std::io::{Read, Write};

use backscroll_fixtures::demo_home;
use tempfile::TempDir;

use crate::client::connect;
use crate::running::Running;

fn demo() -> (TempDir, Running) {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let running = Running::over_home(folder.path());
    (folder, running)
}

#[test]
fn the_token_becomes_a_cookie_and_leaves_the_address() {
    let (_home, server) = demo();
    let answer = server.ask("GET", &format!("/search?q=tide&token={}", server.token), &[]);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/search?q=tide")));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"),
        "{cookie}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"), "the token is kept nowhere");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.ask("GET", "/search?q=tide", &[("Cookie", pair)]).status, 200);
    // Two slashes at the beginning would lead to another host.
    for foreign in ["//evil.example/", "/\\evil.example/", "/\\/evil.example/"] {
        let answer = server.ask("GET", &format!("{foreign}?token={}", server.token), &[]);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/evil.example/")), "{foreign}");
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
