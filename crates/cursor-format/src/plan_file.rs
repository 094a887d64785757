//! Plans: `plans/<slug>_<8hex>.plan.md`, a few fields on top, then Markdown.
//!
//! The front matter is YAML of a few plain shapes, read line by line; what does not fit is kept in `rest`.

use backscroll_model::Todo;

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Its name.
    pub name: Option<String>,
    /// What it is about.
    pub overview: Option<String>,
    /// What is to be done.
    pub todos: Vec<Todo>,
    /// Lines of the front matter that are none of these, verbatim.
    pub rest: Vec<String>,
    /// The Markdown below.
    pub body: String,
}

/// The id of a plan, from its file's name: the eight hex digits before `.plan.md`.
pub fn plan_id(file_name: &str) -> Option<&str> {
    let (_, id) = file_name.strip_suffix(".plan.md")?.rsplit_once('_')?;
    (id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(id)
}

/// Reads a plan. Without front matter everything is its body.
pub fn read(text: &str) -> Plan {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let bare = |line: &str| line.trim_end_matches(['\n', '\r']).to_owned();
    let opens = lines.next().is_some_and(|first| first.trim_end() == "---");
    let mut matter = Vec::new();
    let mut closes = false;
    for line in lines.by_ref() {
        if matches!(line.trim_end(), "---" | "...") {
            closes = true;
            break;
        }
        matter.push(bare(line));
    }
    if !(opens && closes) {
        return Plan { body: text.to_owned(), ..Plan::default() };
    }
    let mut plan = front_matter(&matter);
    let body: String = lines.collect();
    body.trim_start_matches(['\n', '\r']).clone_into(&mut plan.body);
    plan
}

/// The field whose value goes on over the next, indented lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Name,
    Overview,
    Todos,
}

fn front_matter(lines: &[String]) -> Plan {
    let mut plan = Plan::default();
    let mut open = Open::Nothing;
    for line in lines {
        let is_top = !line.starts_with([' ', '\t', '-']) && line.contains(':');
        if is_top {
            open = top_field(line, &mut plan);
        } else if !line.trim().is_empty() {
            match open {
                Open::Name => append(&mut plan.name, line),
                Open::Overview => append(&mut plan.overview, line),
                Open::Todos => todo_line(line, &mut plan),
                Open::Nothing => plan.rest.push(line.clone()),
            }
        }
    }
    plan
}

fn top_field(line: &str, plan: &mut Plan) -> Open {
    let (key, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.trim();
    let is_block = matches!(value, "" | "|" | ">" | "|-" | ">-" | "|+" | ">+");
    let field = match key.trim() {
        "name" => &mut plan.name,
        "overview" => &mut plan.overview,
        "todos" if is_block => return Open::Todos,
        "todos" if value == "[]" => return Open::Nothing,
        _ => {
            plan.rest.push(line.to_owned());
            return Open::Nothing;
        }
    };
    *field = (!is_block).then(|| scalar(value));
    if key.trim() == "name" { Open::Name } else { Open::Overview }
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
        Some(item) if !item.contains(':') && !plan.todos.is_empty() => {
            return plan.rest.push(line.to_owned());
        }
        Some(item) => {
            plan.todos.push(Todo::default());
            item.trim()
        }
        None => shown,
    };
    let (Some(todo), Some((key, value))) = (plan.todos.last_mut(), fields.split_once(':')) else {
        if !fields.is_empty() {
            plan.rest.push(line.to_owned());
        }
        return;
    };
    let value = scalar(value.trim());
    match key.trim() {
        "id" => todo.id = Some(value),
        "content" => todo.content = value,
        "status" => todo.status = Some(value),
        _ => plan.rest.push(line.to_owned()),
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
