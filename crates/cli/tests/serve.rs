//! `backscroll serve` as a shell starts it, with a browser that only notes what it was asked to open.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use backscroll_fixtures::demo_home;
use tempfile::TempDir;

use crate::client::send;

/// A server that ends with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server with these programs in reach; gives the address that it printed.
fn start(home: &Path, programs: &Path) -> (Serving, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_backscroll"))
        .env_clear()
        .env("HOME", home)
        .env("PATH", programs)
        .args(["serve", "--open", "--no-index"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    (Serving(child), address.trim_end().to_owned())
}

fn opener() -> &'static str {
    if cfg!(target_os = "macos") { "open" } else { "xdg-open" }
}

/// All users of a machine see the arguments of all programs, so the browser gets a file that only its user can read.
#[test]
fn the_browser_is_given_a_file_and_no_token() {
    let (home, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    demo_home(home.path()).unwrap();
    let (browser, opened) = (programs.path().join(opener()), programs.path().join("opened"));
    // Reading from a named pipe waits until somebody has written to it and closed it.
    assert!(Command::new("mkfifo").arg(&opened).status().unwrap().success());
    fs::write(&browser, format!("#!/bin/sh\nprintf '%s|' \"$@\" > {}\n", opened.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let (mut serving, address) = start(home.path(), programs.path());
    let (origin, token) = address.split_once("/?token=").unwrap();
    assert!(origin.starts_with("http://127.0.0.1:") && token.len() == 64, "{address}");
    let arguments = fs::read_to_string(&opened).unwrap();
    assert!(!arguments.contains(token), "{arguments}");
    let file = Path::new(arguments.strip_suffix('|').expect("the one argument"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    let page = fs::read_to_string(file).unwrap();
    let port = origin.rsplit(':').next().unwrap();
    let (_, name) = page.split_once("0;url=http://backscroll-").unwrap();
    let (name, rest) = name.split_once('.').unwrap();
    assert!(name.len() == 16 && rest.starts_with(&format!("localhost:{port}/?token={token}\"")), "{page}");
    // When the server, which answers by now, ends, the file goes.
    let socket = origin.strip_prefix("http://").unwrap().parse().unwrap();
    assert_eq!(
        send(socket, &format!("GET / HTTP/1.1\r\nHost: {socket}\r\nConnection: close\r\n\r\n")).status,
        401
    );
    let process = serving.0.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &process]).status().unwrap().success());
    assert!(serving.0.wait().unwrap().success());
    assert!(!file.parent().unwrap().exists());
}

/// A browser with cookies gets none for an address that other servers of this machine have, too.
#[test]
fn the_cookie_is_for_a_name_of_this_server_alone() {
    let (home, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    demo_home(home.path()).unwrap();
    let (_serving, address) = start(home.path(), programs.path());
    let (origin, token) = address.split_once("/?token=").unwrap();
    let socket = origin.strip_prefix("http://").unwrap().parse().unwrap();
    let ask = |host: &str, head: &str| {
        send(
            socket,
            &format!("GET /?token={token} HTTP/1.1\r\nHost: {host}\r\n{head}Connection: close\r\n\r\n"),
        )
    };
    for host in [socket.to_string(), format!("localhost:{}", socket.port())] {
        let answer = ask(&host, "");
        assert_eq!((answer.status, answer.header("set-cookie")), (303, None), "{host}");
        let location = answer.header("location").unwrap().to_owned();
        let name = location.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        assert!(name.starts_with("backscroll-") && name.ends_with(&format!(".localhost:{}", socket.port())));
        assert_eq!(location, format!("http://{name}/?token={token}"));
        let entered = ask(&name, "");
        assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
        let cookie = entered.header("set-cookie").unwrap();
        assert!(cookie.contains(token) && !cookie.to_ascii_lowercase().contains("domain"), "{cookie}");
        // From a file a browser shows a strict cookie only to what our own page asks for.
        let from_file = ask(&name, "Sec-Fetch-Site: cross-site\r\n");
        assert_eq!((from_file.status, from_file.header("refresh")), (200, Some("0;url=/")));
        assert!(from_file.header("set-cookie").is_some());
    }
    assert_eq!(ask("backscroll-0123456789abcdef.localhost", "").status, 403);
}

#[test]
fn without_a_browser_the_address_is_left_to_the_user() {
    let (home, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    demo_home(home.path()).unwrap();
    let (mut serving, address) = start(home.path(), programs.path());
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let mut said = serving.0.stderr.take().unwrap();
    let mut told = String::new();
    while !told.contains("warning") {
        let mut byte = [0];
        assert_eq!(said.read(&mut byte).unwrap(), 1, "it goes on serving: {told}");
        told.push(char::from(byte[0]));
    }
    let mut rest = String::new();
    BufReader::new(said).read_line(&mut rest).unwrap();
    assert!(rest.contains("no browser could be started; open the address above"), "{told}{rest}");
    assert!(serving.0.try_wait().unwrap().is_none(), "it goes on serving");
}
