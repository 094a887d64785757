//! Plans: `plans/<slug>_<8hex>.plan.md`, a few fields on top, then Markdown.
//!
//! The front matter is YAML of a few plain shapes, read line by line. The whole file is shown as it is, so nothing else is read of it.

use backscroll_model::Todo;

/// What is read of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Its name.
    pub name: Option<String>,
    /// What is to be done.
    pub todos: Vec<Todo>,
}

/// The id of a plan, from its file's name: the eight hex digits before `.plan.md`.
pub fn plan_id(file_name: &str) -> Option<&str> {
    let (_, id) = file_name.strip_suffix(".plan.md")?.rsplit_once('_')?;
    (id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(id)
}

/// Reads a plan. Without front matter there is nothing to read.
pub fn read(text: &str) -> Plan {
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    match lines.split_first() {
        Some((first, rest)) if first.trim_end() == "---" => {
            rest.iter().position(is_end).map_or_else(Plan::default, |end| front_matter(&rest[..end]))
        }
        _ => Plan::default(),
    }
}

fn is_end(line: &&str) -> bool {
    matches!(line.trim_end(), "---" | "...")
}

/// The field whose value goes on over the next, indented lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Name,
    Todos,
}

fn front_matter(lines: &[&str]) -> Plan {
    let mut plan = Plan::default();
    let mut open = Open::Nothing;
    for line in lines {
        let is_top = !line.starts_with([' ', '\t', '-']) && line.contains(':');
        if is_top {
            open = top_field(line, &mut plan);
        } else if !line.trim().is_empty() {
            match open {
                Open::Name => append(&mut plan.name, line),
                Open::Todos => todo_line(line, &mut plan),
                Open::Nothing => {}
            }
        }
    }
    plan
}

fn top_field(line: &str, plan: &mut Plan) -> Open {
    let (key, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.trim();
    let is_block = matches!(value, "" | "|" | ">" | "|-" | ">-" | "|+" | ">+");
    match key.trim() {
        "name" => {
            plan.name = (!is_block).then(|| scalar(value));
            Open::Name
        }
        "todos" if is_block => Open::Todos,
        _ => Open::Nothing,
    }
}

fn append(field: &mut Option<String>, line: &str) {
    match field {
        Some(text) => {
            text.push(' ');
            text.push_str(line.trim());
        }
        None => *field = Some(line.trim().to_owned()),
    }
}

fn todo_line(line: &str, plan: &mut Plan) {
    let shown = line.trim();
    let fields = match shown.strip_prefix("- ").or_else(|| (shown == "-").then_some("")) {
        // A list inside a todo (`dependencies`) holds plain words, not fields.
        Some(item) if !item.contains(':') && !plan.todos.is_empty() => return,
        Some(item) => {
            plan.todos.push(Todo::default());
            item.trim()
        }
        None => shown,
    };
    let (Some(todo), Some((key, value))) = (plan.todos.last_mut(), fields.split_once(':')) else { return };
    let value = scalar(value.trim());
    match key.trim() {
        "id" => todo.id = Some(value),
        "content" => todo.content = value,
        "status" => todo.status = Some(value),
        _ => {}
    }
}

/// A plain, single- or double-quoted scalar.
fn scalar(text: &str) -> String {
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    // A double-quoted scalar of one line is a JSON string, as far as plans use it.
    serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned())
}
