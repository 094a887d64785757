//! What stands around every page: the head, the bar with the ways to all others, the help.
//!
//! Pages may be sent in pieces: the frame at once, the content as it is made. The browser fetches style and script
//! meanwhile, and even a huge conversation shows something immediately.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use futures_util::future::{Either, select};
use futures_util::stream;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::assets;
use crate::problem::{Problem, Result};

#[derive(Debug, Default)]
pub(crate) struct Frame<'a> {
    /// What the browser's tab says.
    pub(crate) title: &'a str,
    /// The address of the way in the bar that leads here.
    pub(crate) way: &'a str,
    /// What stands in the search box.
    pub(crate) query: &'a str,
    /// The number of the snapshot that is shown; the script asks whether there is a newer one.
    pub(crate) snapshot: u64,
    /// A name for the script and the style.
    pub(crate) kind: &'a str,
    /// A script of its own.
    pub(crate) script: Option<&'a str>,
}

const WAYS: &[(&str, &str)] = &[
    ("/search", "Conversations"),
    ("/workspaces", "Workspaces"),
    ("/stats", "Statistics"),
    ("/stores", "Stores"),
];

pub(crate) fn page(frame: &Frame<'_>, content: &Markup) -> Response {
    let (above, below) = frame.halves();
    Html(above + &content.0 + &below).into_response()
}

impl<'a> Frame<'a> {
    pub(crate) fn new(title: &'a str, way: &'a str, kind: &'a str, snapshot: u64) -> Self {
        Self { title, way, snapshot, kind, ..Self::default() }
    }

    /// What stands above and below the content, for pages that are sent in pieces.
    pub(crate) fn halves(&self) -> (String, String) {
        // A text that cannot stand in a page, because every stored one is escaped.
        const CONTENT: &str = "<<content>>";
        let whole = self.around(&PreEscaped(CONTENT.to_owned())).into_string();
        let (above, below) = whole.split_once(CONTENT).unwrap_or((&whole, ""));
        (above.to_owned(), below.to_owned())
    }

    fn around(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" data-kind=(self.kind) data-snapshot=(self.snapshot) {
                (self.head())
                body {
                    a.skip href="#main" { "Skip to content" }
                    (self.bar())
                    main #main tabindex="-1" { (content) }
                    dialog #help aria-labelledby="help-title" {
                        form method="dialog" { button.close aria-label="Close help" { "×" } }
                        (keys())
                    }
                    p #live.live role="status" aria-live="polite" {}
                }
            }
        }
    }

    fn head(&self) -> Markup {
        let title = if self.title.is_empty() {
            "Backscroll".to_owned()
        } else {
            format!("{} · Backscroll", self.title)
        };
        html! {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
                link rel="stylesheet" href=(assets::address("page.css"));
                link rel="stylesheet" href=(assets::address("app.css"));
                script src=(assets::address("theme.js")) {}
                script defer src=(assets::address("page.js")) {}
                script type="module" src=(assets::address("app.js")) {}
                @if let Some(script) = self.script { script type="module" src=(assets::address(script)) {} }
            }
        }
    }

    fn bar(&self) -> Markup {
        html! {
            header.top {
                a.brand href="/" aria-label="Backscroll, start page" {
                    img src=(assets::address("icon.svg")) alt="" width="22" height="22";
                    span { "Backscroll" }
                }
                nav aria-label="Pages" {
                    @for (address, name) in WAYS {
                        a href=(address) aria-current=[(*address == self.way).then_some("page")] { (name) }
                    }
                }
                @if self.kind != "home" {
                    form.find role="search" action="/search" {
                        input type="search" name="q" value=(self.query) placeholder="Search everything" aria-label="Search everything"
                            autocomplete="off" spellcheck="false" data-instant;
                        // In a conversation, the slash is for the filter.
                        kbd aria-hidden="true" { (if self.kind == "conversation" { "s" } else { "/" }) }
                    }
                }
                // A conversation has these in its own bar.
                @if self.kind != "conversation" {
                    div.tools {
                        button #theme type="button" title="Light or dark (d)" aria-label="Light or dark" { "◐" }
                        button #ask-help type="button" title="Keys and queries (?)" aria-label="Keys and queries" { "?" }
                        a href="/help" title="Keys and queries" aria-label="Keys and queries" { "?" }
                    }
                }
            }
        }
    }
}

/// Where content goes that is ready before the rest. Nothing waits for the reader: a page is small enough to be held.
#[derive(Debug)]
pub(crate) struct Pieces(mpsc::UnboundedSender<String>);

impl Pieces {
    /// Sends `piece` behind those before it.
    pub(crate) fn send(&self, piece: String) {
        // A client that has gone away needs it no more.
        let _ = self.0.send(piece);
    }
}

/// The page of `frame` around what `content` comes to; some of it may be sent beforehand.
pub(crate) fn when_made<F>(frame: &Frame<'_>, content: impl FnOnce(Pieces) -> F) -> Response
where
    F: Future<Output = Result<Markup>> + Send + 'static,
{
    let (above, below) = frame.halves();
    let (sender, pieces) = mpsc::unbounded_channel();
    // The frame goes first whatever happens: the channel keeps the order.
    let _ = sender.send(above);
    let content = content(Pieces(sender.clone()));
    tokio::spawn(async move {
        let made = {
            let gone = std::pin::pin!(sender.closed());
            match select(std::pin::pin!(content), gone).await {
                Either::Left((made, _)) => made,
                // A client that has gone away must not delay the others.
                Either::Right(_) => return,
            }
        };
        // The status has been sent already: the page itself says what happened.
        let made = made.unwrap_or_else(|problem| section(&problem, &html! {}));
        let _ = sender.send(made.0 + &below);
    });
    let body = stream::unfold(pieces, |mut pieces| async {
        let piece = pieces.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(piece)), pieces))
    });
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], Body::from_stream(body)).into_response()
}

fn section(problem: &Problem, ways: &Markup) -> Markup {
    html! { section.problem { p.code { (problem.status.as_u16()) } h1 { (problem.title) } p { (problem.says) } (ways) } }
}

pub(crate) fn problem(problem: &Problem) -> Response {
    let ways = html! {
        @if problem.status != StatusCode::UNAUTHORIZED {
            p.ways { @if let Some((address, name)) = problem.way { a.button href=(address) { (name) } " " } a.button href="/" { "To the start page" } }
        }
    };
    let mut answer = page(&Frame::new(&problem.title, "", "problem", 0), &section(problem, &ways));
    *answer.status_mut() = problem.status;
    answer
}

#[derive(Serialize)]
struct WireProblem<'a> {
    schema: &'static str,
    status: u16,
    title: &'a str,
    says: &'a str,
}

pub(crate) fn problem_as_json(problem: &Problem) -> Response {
    let wire = WireProblem {
        schema: "backscroll.problem/1",
        status: problem.status.as_u16(),
        title: &problem.title,
        says: &problem.says,
    };
    let body = serde_json::to_string(&wire).unwrap_or_default();
    (problem.status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Everywhere",
        &[
            ("/  s", "Search"),
            ("?", "This help"),
            ("g h", "Start page"),
            ("g c", "Conversations"),
            ("g w", "Workspaces"),
            ("g s", "Statistics"),
            ("g o", "Stores"),
            ("d", "Light or dark"),
            ("Esc", "Close, or leave the search box"),
        ],
    ),
    ("In lists", &[("j  k", "Next, previous"), ("Enter", "Open"), ("↓  ↑", "Through instant results")]),
    (
        "In a conversation",
        &[
            ("j  k", "Next, previous message"),
            ("n  p", "Next, previous prompt"),
            ("f", "Find in all of it"),
            ("/", "Filter what is on the page"),
            ("t", "Thinking: folded, open, hidden"),
            ("o", "Tools: folded, open, hidden"),
            ("r", "Results of tools"),
            ("c", "Copy the link to this message"),
            ("e", "Export"),
        ],
    ),
];

const QUERIES: &[(&str, &str)] = &[
    ("tide table", "both words: in one message first, then in one conversation, then the rarer of them"),
    ("\"tide table\"", "the phrase, as it stands"),
    ("tid*", "words that begin so"),
    ("high OR low", "either"),
    ("tide -moon", "without"),
    ("role:user", "said by you; also assistant, tool, system"),
    ("tool:shell", "in calls of this tool"),
    ("path:tides.py", "about this file"),
    ("workspace:harbour", "in this folder"),
    ("model:opus", "by this model"),
    ("title:\"low water\"", "in conversations called so"),
    ("after:2026-01 before:2026-03", "in this time"),
];

pub(super) fn keys() -> Markup {
    html! {
        h2 #help-title { "Keys and queries" }
        div.help-columns {
            @for (heading, keys) in KEYS {
                section {
                    h3 { (heading) }
                    dl { @for (key, meaning) in *keys { div { dt { @for key in key.split("  ") { kbd { (key) } " " } } dd { (meaning) } } } }
                }
            }
            section {
                h3 { "What may be searched for" }
                dl.queries { @for (query, meaning) in QUERIES { div { dt { code { (query) } } dd { (meaning) } } } }
            }
        }
    }
}

/// `GET /help`.
pub(crate) async fn help() -> Response {
    let content = html! { section.help-page { (keys()) } };
    // The page's own heading takes the dialog's place.
    let content = maud::PreEscaped(
        content.0.replacen("<h2 id=\"help-title\">", "<h1>", 1).replacen("</h2>", "</h1>", 1),
    );
    page(&Frame::new("Help", "", "help", 0), &content)
}
