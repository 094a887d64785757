//! What stands around every page: the head, the bar with the ways to all others, the help.

use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::help;
use crate::assets;

/// The frame of one page.
#[derive(Debug, Default)]
pub(crate) struct Frame<'a> {
    /// What the browser's tab says.
    pub(crate) title: &'a str,
    /// The address of the way in the bar that leads here.
    pub(crate) way: &'a str,
    /// What stands in the search box.
    pub(crate) query: &'a str,
    /// The number of the edition that is shown; the script asks whether there is a newer one.
    pub(crate) edition: u64,
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

/// A whole page around `content`.
pub(crate) fn page(frame: &Frame<'_>, content: &Markup) -> Response {
    let (above, below) = frame.halves();
    Html(above + &content.0 + &below).into_response()
}

impl Frame<'_> {
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
            html lang="en" data-kind=(self.kind) data-edition=(self.edition) {
                (self.head())
                body {
                    a.skip href="#main" { "Skip to content" }
                    (self.bar())
                    main #main tabindex="-1" { (content) }
                    dialog #help aria-labelledby="help-title" {
                        form method="dialog" { button.close aria-label="Close help" { "×" } }
                        (help::keys())
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
