//! The same question has the same answer on the command line, in the API and on the page: the same conversations, in the same
//! order. A facet counts what a click on it finds.

use std::net::SocketAddr;
use std::path::Path;

use backscroll_cli::Exit;
use backscroll_fixtures::MemorySource;
use backscroll_history::live::{Clock, Discovered, Discovery, Library, Searched};
use backscroll_model::{
    Attribution, Contents, Flag, Fragment, Image, Message, Part, Role, Source, Surface, ToolCall, Workspace,
};
use backscroll_web::{Server, Settings, Stop, Token};
use jiff::{Timestamp, ToSpan as _, Zoned};
use serde_json::Value;

use crate::client::{Answer, send};
use crate::memory::{Ran, conversation, environment, holding, origin, run};

/// A home in which every filter finds some and leaves some out.
fn home() -> MemorySource {
    let surfaces = [Surface::Ide, Surface::IdeChat, Surface::Cli, Surface::Sdk, Surface::Transcript];
    let folders = ["/home/a/app", "/home/a/app/api", "/home/a/lamp", "c:\\work\\tide"];
    let models = ["gpt-5", "gpt-5-mini", "claude-4.5-opus"];
    let fragments = (0..60_usize).map(|number| {
        let mut one = conversation(&format!("c{number:04}-0000"), &format!("Talk {}", number % 7), 1);
        let begun = Timestamp::from_second(1_760_000_000 + 130_000 * i64::try_from(number).unwrap()).unwrap();
        let summary = &mut one.summary;
        summary.surface = surfaces[number % 5];
        summary.created_at = Some(begun);
        // Some last for weeks.
        summary.updated_at = Some(begun + (24 * 9 * i64::from(number % 4 == 0)).hours());
        summary.mode = [Some("agent"), Some("chat"), None][number % 3].map(str::to_owned);
        summary.messages = Some(number as u64 % 9);
        summary.workspace = (number % 5 > 0).then(|| Workspace {
            path: folders[number % 4].to_owned(),
            uri: None,
            remote: (number % 8 == 7).then(|| "ssh-remote+box".to_owned()),
            by: Attribution::Header,
        });
        if number % 2 == 0 {
            summary.models = vec![models[number % 3].to_owned()];
        }
        if number % 11 == 0 {
            summary.flags.insert(Flag::Archived);
        }
        let mut message = Message::new("extra", Role::Assistant, origin("extra"));
        message.model = (number % 2 == 1).then(|| models[number % 3].to_owned());
        message.parts = parts(number);
        one.messages.push(message);
        one
    });
    holding(fragments.collect::<Vec<Fragment>>())
}

fn parts(number: usize) -> Vec<Part> {
    let call = ToolCall {
        name: ["read", "shell", "mcp:github:list"][number % 3].to_owned(),
        diff: (number % 6 == 1).then(|| "@@".to_owned()),
        ..ToolCall::default()
    };
    match number % 4 {
        0 => vec![Part::Thinking { text: "hm".to_owned(), duration_ms: None }],
        1 => vec![Part::ToolCall(Box::new(call))],
        2 => vec![Part::Image(Box::<Image>::default())],
        _ => vec![Part::Text("done".to_owned())],
    }
}

/// The same sources for the server.
struct Places(MemorySource);

impl Discovery for Places {
    fn find(&self, _: String, _: Timestamp) -> Discovered {
        let sources = vec![Box::new(self.0.clone()) as Box<dyn Source>];
        Discovered { sources, findings: Vec::new(), finish: Box::new(Searched::default) }
    }

    fn contents(&self, _: &Path) -> Result<Contents, String> {
        Err("it is no file".to_owned())
    }
}

struct Served {
    address: SocketAddr,
    token: Token,
    stop: Stop,
}

impl Served {
    fn new(source: &MemorySource) -> Self {
        let clock = Clock::new(|| -> Zoned { environment().now });
        let library = Library::new(Box::new(Places(source.clone())), None, clock);
        let token = Token::from_random([7; 32]);
        let (name, looked_in) = ("127.0.0.1".to_owned(), String::new());
        let settings = Settings { port: 0, name, token: token.clone(), looked_in };
        let server = Server::bind(library, settings).unwrap();
        let (address, stop) = (server.address(), server.stop());
        std::thread::spawn(move || server.run());
        Self { address, token, stop }
    }

    fn get(&self, path: &str) -> Answer {
        let (address, token) = (self.address, self.token.as_str());
        let head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {address}\r\n");
        send(address, &format!("{head}Authorization: Bearer {token}\r\n\r\n"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.now();
    }
}

/// A question by the names and values that all faces share.
type Question = Vec<(&'static str, &'static str)>;

/// Every filter alone, pairs of them, and every order.
fn questions() -> Vec<Question> {
    let filters: Vec<(&str, &str)> = vec![
        ("workspace", "/home/a/app"),
        ("workspace", "lamp"),
        ("workspace", "nowhere"),
        ("surface", "ide"),
        ("surface", "cli"),
        ("mode", "agent"),
        ("mode", "plan"),
        ("model", "gpt-5"),
        ("model", "opus"),
        ("tool", "shell"),
        ("tool", "mcp:github"),
        ("title", "talk 3"),
        ("has", "thinking"),
        ("has", "tools"),
        ("has", "images"),
        ("has", "diff"),
        ("has", "code"),
        ("has", "todos"),
        ("since", "2025-12"),
        ("since", "2025-11-20"),
        ("since", "30d"),
        ("since", "2025-12-01T10:00:00Z"),
        ("until", "2025-11"),
        ("until", "2025-11-20"),
        ("until", "yesterday"),
    ];
    let orders = ["updated", "created", "title", "messages", "workspace", "oldest"];
    let mut all: Vec<Question> = vec![vec![]];
    all.extend(filters.iter().map(|one| vec![*one]));
    for (at, one) in filters.iter().enumerate() {
        all.extend(
            filters
                .iter()
                .skip(at + 1)
                .step_by(3)
                .filter(|other| other.0 != one.0)
                .map(|other| vec![*one, *other]),
        );
    }
    all.extend(orders.map(|order| vec![("sort", order)]));
    all.push(vec![("surface", "ide"), ("surface", "sdk")]);
    all.push(vec![("offset", "5")]);
    all.push(vec![("offset", "5"), ("sort", "oldest"), ("mode", "chat")]);
    all.extend([
        vec![("since", "someday")],
        vec![("surface", "moon")],
        vec![("has", "luck")],
        vec![("sort", "luck")],
    ]);
    let with_hidden = all.clone().into_iter().step_by(5).map(|mut one| {
        one.push(("all", ""));
        one
    });
    all.extend(with_hidden.collect::<Vec<_>>());
    all
}

fn typed(question: &Question) -> Vec<String> {
    let mut words = vec!["list".to_owned(), "--json".to_owned(), "--limit".to_owned(), "200".to_owned()];
    for (name, value) in question {
        words.push(format!("--{name}"));
        words.extend((*name != "all").then(|| (*value).to_owned()));
    }
    words
}

fn address(path: &str, question: &Question) -> String {
    // What the command line repeats, an address has between commas.
    let mut pairs: Vec<(&str, String)> = vec![("limit", "200".to_owned())];
    for (name, value) in question {
        match pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => *values = format!("{values},{value}"),
            None => pairs.push((name, if *name == "all" { "1".to_owned() } else { (*value).to_owned() })),
        }
    }
    let encode = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    format!("{path}?{}", pairs.join("&"))
}

fn listed(ran: &Ran) -> Vec<String> {
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    ran.out.lines().map(id).collect()
}

fn in_api(answer: &Answer) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_str(&answer.text()).unwrap();
    all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// The conversations whose titles a page links, in order.
fn on_page(answer: &Answer) -> Vec<String> {
    let text = answer.text();
    let links = text.split("class=\"title\" href=\"/c/").skip(1);
    links.map(|link| link.split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn every_face_gives_the_same_answer() {
    let source = home();
    let server = Served::new(&source);
    let questions = questions();
    assert!(questions.len() >= 100, "{}", questions.len());
    let (mut answered, mut refused) = (0, 0);
    for question in &questions {
        let words = typed(question);
        let ran = run(std::slice::from_ref(&source), &words.iter().map(String::as_str).collect::<Vec<_>>());
        let api = server.get(&address("/api/v1/conversations", question));
        let page = server.get(&address("/search", question));
        if ran.exit == Exit::Usage {
            assert_eq!(api.status, 400, "{question:?}: {}", api.text());
            assert!(page.text().contains("class=\"wrong\""), "{question:?}");
            refused += 1;
            continue;
        }
        assert_eq!(api.header("content-type"), Some("application/json"), "{question:?}: {}", api.text());
        assert_eq!(in_api(&api), listed(&ran), "{question:?}");
        assert_eq!(on_page(&page), listed(&ran), "{question:?}");
        answered += usize::from(!listed(&ran).is_empty());
    }
    assert!(answered > 60 && refused >= 4, "{answered} {refused}");
}

#[test]
fn a_facet_counts_what_a_click_on_it_finds() {
    let source = home();
    let server = Served::new(&source);
    for question in
        ["/search", "/search?mode=agent", "/search?since=2025-12", "/search?model=gpt-5&has=tools"]
    {
        let page = server.get(question).text();
        let facets =
            page.split("<details class=\"facet-box\"").nth(1).unwrap().split("</details>").next().unwrap();
        let mut clicked = 0;
        for choice in facets.split("<li><a href=\"").skip(1) {
            let address = choice.split('"').next().unwrap().replace("&amp;", "&");
            let count: usize = choice
                .split("class=\"number\">")
                .nth(1)
                .unwrap()
                .split('<')
                .next()
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            if choice.contains("aria-current=\"true\"") {
                continue;
            }
            let address = address.replacen("/search", "/api/v1/conversations", 1);
            let joint = if address.contains('?') { '&' } else { '?' };
            let found = in_api(&server.get(&format!("{address}{joint}limit=200"))).len();
            assert_eq!(found, count, "{question} {address}");
            clicked += 1;
        }
        assert!(clicked > 10, "{question}: {clicked}");
    }
}

#[test]
fn an_export_is_the_same_from_every_face() {
    let source = home();
    let server = Served::new(&source);
    for format in backscroll_export::FORMATS.iter().map(backscroll_export::Format::name) {
        for id in ["c0003-0000", "c0006-0000"] {
            let words = ["export", id, "--format", format, "--no-redact"];
            let typed = run(std::slice::from_ref(&source), &words);
            assert_eq!(typed.exit, Exit::Done, "{}", typed.err);
            let answer = server.get(&format!("/c/{id}/export/{format}"));
            assert_eq!(answer.status, 200);
            assert_eq!(answer.text(), typed.out, "{format}");
        }
    }
    assert_eq!(server.get("/c/c0003-0000/export/docx").status, 404);
}
