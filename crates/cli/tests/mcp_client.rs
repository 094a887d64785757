//! Clients of `backscroll mcp`, by hand: JSON on standard input and output, or over HTTP, to the byte.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Answer, connect, send};

/// The revision with a handshake, and the one without.
pub(crate) const WITH_HANDSHAKE: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

fn program(home: &Path, index: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).env("XDG_CACHE_HOME", index);
    command.arg("mcp").args(more);
    command
}

/// A client on standard input and output.
pub(crate) struct OverPipes {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What the server sent that answers nothing.
    pub(crate) notifications: Vec<Value>,
    next: u64,
    _index: TempDir,
}

impl Drop for OverPipes {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl OverPipes {
    /// A server that was just started.
    pub(crate) fn start(home: &Path, more: &[&str]) -> Self {
        let index = TempDir::new().unwrap();
        let mut child = program(home, index.path(), more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        Self { child, input, output, notifications: Vec::new(), next: 1, _index: index }
    }

    /// A server that has shaken hands.
    pub(crate) fn greeted(home: &Path, more: &[&str]) -> Self {
        let mut client = Self::start(home, more);
        let hello = client.ask("initialize", hello());
        assert_eq!(hello["result"]["protocolVersion"], WITH_HANDSHAKE, "{hello}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next message of the server; `None` when it has ended.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        request["params"] = params;
        self.send(&request.to_string());
        self.answer(id)
    }

    /// The answer to the request `id`.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().expect("the server goes on");
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// What a tool answers.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        let answer = self.ask("tools/call", params);
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// The structured content of what a tool answers.
    pub(crate) fn structured(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Closes standard input and waits for the end.
    pub(crate) fn close(mut self) -> std::process::ExitStatus {
        drop(self.input.take());
        self.child.wait().unwrap()
    }
}

/// What a client with a handshake says first.
pub(crate) fn hello() -> Value {
    json!({
        "protocolVersion": WITH_HANDSHAKE, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    })
}

/// What a client without a handshake says with every request.
pub(crate) fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A server over HTTP.
pub(crate) struct Http {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    _index: TempDir,
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Http {
    /// A server that was just started.
    pub(crate) fn start(home: &Path) -> Self {
        let index = TempDir::new().unwrap();
        let mut child = program(home, index.path(), &["--quiet", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let printed: Value = serde_json::from_str(&line).unwrap();
        let url = printed["url"].as_str().unwrap();
        let address = url.strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).unwrap();
        let token = printed["token"].as_str().unwrap().to_owned();
        Self { child, address: address.parse().unwrap(), token, _index: index }
    }

    /// The answer to `body`, with these headers besides the usual ones, of which they replace any.
    pub(crate) fn post(&self, body: &str, head: &[(&str, &str)]) -> Answer {
        send(self.address, &self.request("POST", body, head))
    }

    /// Ends a session.
    pub(crate) fn end(&self, session: &str) -> Answer {
        send(self.address, &self.request("DELETE", "", &[("Mcp-Session-Id", session)]))
    }

    /// Sends a body that is too large. The server may hang up before it has read all of it.
    pub(crate) fn flood(&self, body: &str) {
        let mut stream = connect(self.address);
        let _ = stream.write_all(self.request("POST", body, &[]).as_bytes());
    }

    fn request(&self, method: &str, body: &str, head: &[(&str, &str)]) -> String {
        let (host, bearer) = (self.address.to_string(), format!("Bearer {}", self.token));
        let length = body.len().to_string();
        let usual = [
            ("Host", host.as_str()),
            ("Authorization", &bearer),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
            ("Connection", "close"),
        ];
        let kept = usual.into_iter().filter(|(name, _)| !head.iter().any(|(other, _)| other == name));
        let lines = kept.chain(head.iter().copied()).filter(|(_, value)| !value.is_empty());
        let lines: String = lines.flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
        format!("{method} /mcp HTTP/1.1\r\n{lines}\r\n{body}")
    }

    /// The messages that a request with these headers is answered with.
    pub(crate) fn ask(&self, body: &Value, head: &[(&str, &str)]) -> (Answer, Vec<Value>) {
        let answer = self.post(&body.to_string(), head);
        let messages = messages(&answer.text());
        (answer, messages)
    }

    /// A session: its id.
    pub(crate) fn greeted(&self) -> String {
        let (answer, messages) =
            self.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello() }), &[]);
        assert_eq!(messages[0]["result"]["serverInfo"]["name"], "backscroll", "{messages:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&ready.to_string(), &[("Mcp-Session-Id", &session)]).status, 202);
        session
    }

    /// A request that stays open: what comes on it, line by line.
    pub(crate) fn open(&self, body: &Value, head: &[(&str, &str)]) -> impl Iterator<Item = Value> + use<> {
        let mut stream = connect(self.address);
        stream.write_all(self.request("POST", &body.to_string(), head).as_bytes()).unwrap();
        BufReader::new(stream).lines().map_while(Result::ok).filter_map(|line| data(&line))
    }
}

fn data(line: &str) -> Option<Value> {
    line.strip_prefix("data: ")
        .or(Some(line))
        .and_then(|json| serde_json::from_str(json).ok())
        .filter(Value::is_object)
}

/// The messages of a body: one JSON object, or events.
fn messages(body: &str) -> Vec<Value> {
    body.lines().filter_map(data).collect()
}
