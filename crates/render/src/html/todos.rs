//! Lists of things to do.

use backscroll_model::Todo;
use maud::{Markup, html};

use super::stored::shown;

/// The list, each thing with how far it is.
pub(super) fn todos(todos: &[Todo]) -> Markup {
    html! {
        ul.part.todos {
            @for todo in todos {
                @let (class, sign, spoken) = progress(todo.status.as_deref());
                li class=(class) {
                    span.sign aria-hidden="true" { (sign) }
                    span { span.spoken { (spoken) ": " } (shown(todo.content.trim())) }
                }
            }
        }
    }
}

fn progress(status: Option<&str>) -> (&'static str, &'static str, &'static str) {
    match status {
        Some("completed" | "done") => ("done", "✓", "done"),
        Some("in_progress") => ("begun", "◐", "begun"),
        Some("cancelled" | "canceled") => ("dropped", "✗", "dropped"),
        _ => ("open", "○", "open"),
    }
}
