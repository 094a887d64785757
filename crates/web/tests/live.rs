//! What is written while somebody watches is told to them.

use std::io::{BufRead, BufReader, Write};

use backscroll_fixtures::{CliChat, Composer, CursorHome, Speaks, StateDatabase};

use crate::client::connect;
use crate::running::Running;

/// A connection on which the server tells what changes.
fn listening(server: &Running) -> std::net::TcpStream {
    let mut stream = connect(server.address);
    let port = server.address.port();
    write!(
        stream,
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: backscroll-{port}={}\r\n\r\n",
        server.token
    )
    .unwrap();
    stream
}

#[test]
fn whoever_listens_does_not_keep_the_server_from_ending() {
    let home = CursorHome::new().unwrap().write().unwrap();
    let server = Running::over_home(home.root());
    let mut lines = BufReader::new(listening(&server)).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line == "event: now"));
    // Ends, and waits until it has: a listener that were cut off instead would see a broken answer, not its end.
    drop(server);
    let rest: Vec<String> = lines.collect();
    assert_eq!(rest[rest.len() - 2..], ["0", ""], "the last chunk is the empty one");
}

#[test]
fn a_new_conversation_is_told_and_shown() {
    let greeting = Composer::new("c1").titled("Greeting").user("hello").assistant("Hi there.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&greeting)).write().unwrap();
    let server = Running::over_home(home.root());
    let mut lines = BufReader::new(listening(&server)).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line == "event: now"), "who listens is told where things stand");
    let counted = || {
        let told =
            |path: &str| -> serde_json::Value { serde_json::from_slice(&server.get(path).body).unwrap() };
        let statistics = told("/api/v1/statistics")["conversations"].as_u64().unwrap();
        (statistics, told("/api/v1/sources").as_array().unwrap().len())
    };
    server.wait_for_index();
    let (conversations, sources) = counted();
    let chat = CliChat::new("/home/dev/app", "5e8695fb-527d-40be-8dad-19fae0f917f9")
        .named("Written later")
        .user("are you there?")
        .assistant("Yes.");
    chat.write_below(&home.root().join(".cursor")).unwrap();
    let told = lines.by_ref().skip_while(|line| line != "event: change").nth(1).expect("a change is told");
    let change: serde_json::Value = serde_json::from_str(told.strip_prefix("data: ").unwrap()).unwrap();
    assert!(change["snapshot"].as_u64() > Some(1), "{change}");
    assert!(server.get("/").text().contains("Written later"));
    server.wait_for_index();
    assert!(server.get("/search?q=%22are+you+there%22").text().contains("Written later"), "and found");
    assert_eq!(counted(), (conversations + 1, sources + 1), "and counted");
}
