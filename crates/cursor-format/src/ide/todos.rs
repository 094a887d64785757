//! Lists of things to do, as bubbles and records hold them.

use backscroll_model::Todo;
use serde_json::value::RawValue;

use crate::wire_json::{Text, string, wire};

wire! {
    struct WireTodo<'a> { id: Text<'a> = "id", content: Text<'a> = "content", status: Text<'a> = "status", }
}

/// Things to do: objects, or JSON objects inside strings.
pub(crate) fn todos(values: &[&RawValue]) -> Vec<Todo> {
    let todo = |value: &&RawValue| {
        let inner = string(value);
        let json = inner.as_deref().unwrap_or(value.get());
        let wire: WireTodo<'_> = serde_json::from_str(json).unwrap_or_default();
        match (wire.content.owned(), &inner) {
            (Some(content), _) => Some(Todo { id: wire.id.owned(), content, status: wire.status.owned() }),
            (None, Some(text)) => Some(Todo { content: text.clone(), ..Todo::default() }),
            (None, None) => None,
        }
    };
    values.iter().filter_map(todo).collect()
}
