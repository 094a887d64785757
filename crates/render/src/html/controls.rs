//! The bar above a conversation and the help, both of use only where the script runs.

use maud::{Markup, html};

/// What messages can be filtered by: the word in the markup, the word for people.
const KINDS: &[(&str, &str)] = &[
    ("", "Everything"),
    ("prompt", "Prompts"),
    ("answer", "Answers"),
    ("thinking", "Thinking"),
    ("tool", "Tools"),
    ("edit", "Edits"),
    ("command", "Commands"),
    ("error", "Errors"),
];

/// Keys and what they do.
const KEYS: &[(&[&str], &str)] = &[
    (&["j", "k"], "next and previous message"),
    (&["n", "p"], "next and previous prompt"),
    (&["t"], "thinking: folded, open, hidden"),
    (&["o"], "tools: folded, open, hidden"),
    (&["r"], "results of tools: shown or hidden"),
    (&["/"], "filter"),
    (&["c"], "copy the link to this message"),
    (&["d"], "light or dark"),
    (&["?"], "this help"),
    (&["Esc"], "close, or clear the filter"),
];

/// The bar: filter, folding, light and dark, help.
pub fn controls() -> Markup {
    html! {
        div.controls role="group" aria-label="View" {
            label.filter {
                span.spoken { "Filter messages" }
                input #filter type="search" placeholder="Filter  /" autocomplete="off" spellcheck="false";
            }
            label.kinds {
                span.spoken { "Kind of message" }
                select #kind { @for (value, name) in KINDS { option value=(value) { (name) } } }
            }
            output #found aria-live="polite" {}
            span.folding {
                (toggle("thinking", "Thinking", "t"))
                (toggle("tools", "Tools", "o"))
                (toggle("results", "Results", "r"))
            }
            button.icon #theme type="button" title="Light or dark (d)" aria-label="Light or dark" { "◐" }
            button.icon #ask-help type="button" title="Keys (?)" aria-label="Keys" { "?" }
        }
    }
}

fn toggle(what: &'static str, label: &'static str, key: &'static str) -> Markup {
    html! {
        button.toggle type="button" data-toggle=(what) title={ (label) " (" (key) ")" } {
            (label) span.state { "" }
        }
    }
}

/// The help on keys.
pub fn help() -> Markup {
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title { "Keys" }
            dl {
                @for (keys, does) in KEYS {
                    div { dt { @for key in *keys { kbd { (key) } " " } } dd { (does) } }
                }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}
