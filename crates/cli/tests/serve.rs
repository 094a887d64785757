//! `backscroll serve` as a shell starts it, with a browser that only notes what it was asked to open.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use backscroll_fixtures::demo_home;
use tempfile::TempDir;

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

#[test]
fn the_address_is_opened_in_the_browser() {
    let (home, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    demo_home(home.path()).unwrap();
    let (browser, opened) = (programs.path().join(opener()), programs.path().join("opened"));
    // Reading from a named pipe waits until somebody has written to it and closed it.
    assert!(Command::new("mkfifo").arg(&opened).status().unwrap().success());
    fs::write(&browser, format!("#!/bin/sh\nprintf '%s|' \"$@\" > {}\n", opened.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let (_serving, address) = start(home.path(), programs.path());
    assert!(address.starts_with("http://127.0.0.1:") && address.contains("/?token="), "{address}");
    assert_eq!(fs::read_to_string(&opened).unwrap(), format!("{address}|"), "the one argument");
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
