//! The keys, and what may be typed into the search box. Stands in every page as a dialog, and here alone for those
//! without JavaScript.

use axum::response::Response;
use maud::{Markup, html};

use super::{Frame, page};

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
    ("tide table", "both words, anywhere in a message"),
    ("\"tide table\"", "the phrase"),
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

/// The content of the help.
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
    page(&Frame { title: "Help", kind: "help", ..Frame::default() }, &content)
}
