//! What a part tells of files: what they held, hold, or how they changed. It is taken at its word here; whether it fits
//! what was known is asked elsewhere.

use backscroll_model::{Part, Payload, ToolCall, ToolStatus};
use serde_json::Value;

use super::hunks::{Line, Section, lines_of, sections};

/// What is told of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Witness {
    /// It holds just this, and held that before, where told.
    Whole { before: Option<String>, after: String },
    /// These stretches of it changed.
    Changed(Section),
    /// This stretch was replaced by that, where it stands or everywhere; told as a diff, too.
    Replaced { old: String, new: String, everywhere: bool, diff: Option<Section> },
    /// It holds these lines from line `first` on, counted from zero.
    Seen { first: usize, lines: Vec<Line>, total: Option<usize> },
    /// It is gone.
    Gone,
}

/// What `part` tells, each with the file as the part spells it.
pub(super) fn of(part: &Part) -> Vec<(String, Witness)> {
    match part {
        Part::ToolCall(call) if was_stopped(call) => Vec::new(),
        Part::ToolCall(call) => of_call(call),
        Part::Attachment(attached) if attached.kind.is_of_a_file() => {
            let (Some(path), Some(text)) = (&attached.path, &attached.text) else { return Vec::new() };
            let first = attached.lines.map_or(1, |range| range.first).saturating_sub(1);
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            vec![(path.clone(), Witness::Seen { first, lines: lines_of(text), total: None })]
        }
        Part::Code(code) if code.status.as_deref() != Some("rejected") => match (&code.path, &code.diff) {
            (path, Some(diff)) => changed(path.as_deref(), diff),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn was_stopped(call: &ToolCall) -> bool {
    matches!(call.status, ToolStatus::Error | ToolStatus::Cancelled | ToolStatus::Pending)
        || matches!(call.decision.as_deref(), Some("rejected" | "reject"))
}

fn of_call(call: &ToolCall) -> Vec<(String, Witness)> {
    let touched = call.touches();
    let path = touched.as_ref().map(|(path, _)| path.clone());
    let one = |witness: Option<Witness>| path.clone().zip(witness).into_iter().collect();
    match call.name.as_str() {
        "read" => one(seen(call)),
        "delete" => one(Some(Witness::Gone)),
        "write" | "edit" | "multi_edit" | "notebook_edit" => {
            let told = before_and_after(call).or_else(|| written(call)).or_else(|| replaced(call));
            match (told, &call.diff) {
                (Some(told), _) if path.is_some() => one(Some(told)),
                (_, Some(diff)) => changed(path.as_deref(), diff),
                _ => Vec::new(),
            }
        }
        _ => call.diff.as_deref().map(|diff| changed(path.as_deref(), diff)).unwrap_or_default(),
    }
}

/// What a diff tells. Where it speaks of one file alone, that is the one the call names.
fn changed(path: Option<&str>, diff: &str) -> Vec<(String, Witness)> {
    let sections = sections(diff);
    let named = |section: &Section| section.new_path.clone().or_else(|| section.old_path.clone());
    let first = sections.first().and_then(named);
    let is_one_file = sections.iter().all(|section| named(section) == first);
    let witness = |section: Section| {
        let file = path.filter(|_| is_one_file).map(str::to_owned).or_else(|| named(&section))?;
        let all = |section: &Section| -> String {
            let lines = section.hunks.iter().flat_map(super::hunks::Hunk::after);
            lines.fold(String::new(), |text, line| text + &line + "\n")
        };
        let witness = match (section.creates, section.deletes) {
            (true, _) => Witness::Whole { before: Some(String::new()), after: all(&section) },
            (_, true) => Witness::Gone,
            _ => Witness::Changed(section),
        };
        Some((file, witness))
    };
    sections.into_iter().filter_map(witness).collect()
}

/// A payload as a tree, and the answer inside of it where tools wrap one.
fn tree(payload: Option<&Payload>) -> Option<Value> {
    let Payload::Json(json) = payload? else { return None };
    let mut tree: Value = serde_json::from_str(json.get()).ok()?;
    Some(match tree.get_mut("success") {
        Some(inner @ Value::Object(_)) => inner.take(),
        _ => tree,
    })
}

fn text<'a>(tree: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| tree.get(name)?.as_str())
}

/// Numbers are sometimes stored as text.
fn number(tree: &Value, names: &[&str]) -> Option<usize> {
    let read = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
        usize::try_from(number).ok()
    };
    names.iter().find_map(|name| read(tree.get(name)?))
}

fn before_and_after(call: &ToolCall) -> Option<Witness> {
    let answer = tree(call.result.as_ref())?;
    let after = text(&answer, &["afterFullFileContent"])?.to_owned();
    Some(Witness::Whole { before: text(&answer, &["beforeFullFileContent"]).map(str::to_owned), after })
}

fn written(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref()).filter(|_| call.name == "write")?;
    let whole = text(&given, &["contents", "content", "file_text", "fileText"]);
    let whole = whole.or_else(|| given.get("code")?.get("code")?.as_str())?;
    // A diff of the write tells what stood there before.
    let before = call.diff.as_deref().map(sections).unwrap_or_default();
    let is_new = before.iter().any(|section| section.creates);
    let is_told = before.len() == 1 && !is_new && before[0].is_numbered();
    if is_told {
        return None;
    }
    Some(Witness::Whole { before: None, after: whole.to_owned() })
}

fn replaced(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref())?;
    let old = text(&given, &["old_string", "oldString", "old_str", "old_text"])?.to_owned();
    let new =
        text(&given, &["new_string", "newString", "new_str", "new_text"]).unwrap_or_default().to_owned();
    if old.is_empty() {
        return None;
    }
    let everywhere = ["replace_all", "replaceAll", "allowMultipleMatches", "allow_multiple_matches"];
    let everywhere = everywhere.iter().any(|name| given.get(name).and_then(Value::as_bool) == Some(true));
    let mut told = call.diff.as_deref().map(sections).unwrap_or_default();
    let diff = if told.len() == 1 { told.pop() } else { None };
    Some(Witness::Replaced { old, new, everywhere, diff })
}

/// What a read gave back: all of the file, or a stretch of it.
fn seen(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref()).unwrap_or(Value::Null);
    let answer = tree(call.result.as_ref());
    let answer = answer.as_ref().unwrap_or(&Value::Null);
    let plain = match call.result.as_ref() {
        Some(Payload::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let content = text(answer, &["contents", "content"]).or(plain).filter(|content| !content.is_empty())?;
    let told = number(answer, &["totalLines", "totalLinesInFile"]);
    if let Some((first, lines)) = with_numbers(content) {
        return Some(Witness::Seen { first, lines, total: told });
    }
    let range = answer.get("readRange").unwrap_or(&Value::Null);
    let asked = ["offset", "start_line_one_indexed", "startLineOneIndexed"];
    let first = number(answer, &["startLineOneIndexed"]).or_else(|| number(range, &["startLine"]));
    let first = first.or_else(|| number(&given, &asked));
    if plain.is_some() && (first.is_some() || given.get("limit").is_some()) {
        // Plain text without numbers may hold words of the tool: nobody knows which lines these are.
        return None;
    }
    let lines = lines_of(content);
    let first = first.map_or(0, |line| line.saturating_sub(1));
    Some(Witness::Seen { first, lines, total: told })
}

/// Lines that carry their numbers, as models are shown them: `    12|let x = 1;`.
fn with_numbers(content: &str) -> Option<(usize, Vec<Line>)> {
    let mut first = None;
    let mut lines = Vec::new();
    for line in content.lines() {
        let (number, rest) = line.split_once('|')?;
        let number: usize = number.trim().parse().ok()?;
        let start = *first.get_or_insert(number);
        if number != start.checked_add(lines.len())? {
            return None;
        }
        lines.push(Line::from(rest));
    }
    Some((first?.checked_sub(1)?, lines))
}
