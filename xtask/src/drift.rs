//! What changed in the stored messages between two published SDK packages, given as folders: `drift OLD NEW`.
//!
//! The packages are minified JavaScript. Up to 1.0.32 a message's descriptor is `typeName="agent.v1.Name"` with a list of `{no, name, kind, T}`;
//! since 1.1.0 it is one text, `Name|1 field 9|2 other #0*`, where `#0` is another message, `*` a list and `?` an optional field.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Trouble;

/// The fields of a message: by number, their name and type.
type Fields = BTreeMap<u32, String>;

/// Messages by name. Packages of services may have several of one name.
type Messages = BTreeMap<String, BTreeSet<Fields>>;

/// Prints what changed between two packages.
#[expect(clippy::print_stdout, reason = "this is what the chore is for")]
pub(crate) fn run(folders: &[String]) -> Result<(), Trouble> {
    let [old, new] = folders else { return Err("usage: drift OLD NEW (two unpacked packages)".into()) };
    let (old, new) = (messages_in(Path::new(old))?, messages_in(Path::new(new))?);
    for line in changes(&old, &new) {
        println!("{line}");
    }
    Ok(())
}

/// Every message that the scripts below `folder` describe.
fn messages_in(folder: &Path) -> Result<Messages, Trouble> {
    let mut messages = Messages::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for child in fs::read_dir(&path)? {
                open.push(child?.path());
            }
        } else if path.extension().is_some_and(|ending| ["js", "cjs", "mjs"].iter().any(|one| ending == *one))
        {
            let script = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            read_lists(&script, &mut messages);
            read_texts(&script, &mut messages);
        }
    }
    if messages.is_empty() {
        return Err(format!("{} describes no messages", folder.display()).into());
    }
    Ok(messages)
}

/// The package whose messages are stored.
const PACKAGE: &str = "agent.v1.";

fn read_lists(script: &str, messages: &mut Messages) {
    for (at, _) in script.match_indices("typeName=\"agent.v1.") {
        let rest = &script[at + "typeName=\"".len() + PACKAGE.len()..];
        let Some((name, rest)) = rest.split_once('"') else { continue };
        let Some(list) = rest.find("newFieldList(").filter(|at| *at < 80).map(|at| &rest[at..]) else {
            continue;
        };
        let end = list.find("])").unwrap_or(list.len());
        let fields = list[..end].split("{no:").skip(1).filter_map(listed_field).collect();
        messages.entry(name.to_owned()).or_default().insert(fields);
    }
}

/// `1,name:"x",kind:"scalar",T:9,repeated:!0}`
fn listed_field(text: &str) -> Option<(u32, String)> {
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!(",{key}:"))?;
        Some(rest.split([',', '}']).next()?.trim_matches('"').to_owned())
    };
    let number = text.split(',').next()?.parse().ok()?;
    let kind = match (value("kind")?.as_str(), value("T")) {
        ("scalar", Some(code)) => code,
        ("map", _) => "map".to_owned(),
        _ => "message".to_owned(),
    };
    let list = if value("repeated").is_some() { "*" } else { "" };
    Some((number, format!("{} {kind}{list}", value("name")?)))
}

fn read_texts(script: &str, messages: &mut Messages) {
    for (at, found) in script.match_indices("static $(){return[\"") {
        let Some((text, _)) = script[at + found.len()..].split_once('"') else { continue };
        let mut parts = text.split('|');
        let Some(name) = parts.next() else { continue };
        let fields = parts.filter_map(written_field).collect();
        messages.entry(name.to_owned()).or_default().insert(fields);
    }
}

/// `2 other #0*`
fn written_field(text: &str) -> Option<(u32, String)> {
    let mut words = text.split(' ');
    let (number, name, kind) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
    let list = if kind.ends_with('*') { "*" } else { "" };
    let kind = kind.trim_end_matches(['*', '?']);
    let kind = match kind {
        map if map.contains(',') => "map",
        message if message.starts_with('#') => "message",
        scalar => scalar,
    };
    Some((number, format!("{name} {kind}{list}")))
}

/// Whether a message may be part of what is stored: the state, its turns and steps, and every tool.
fn is_stored(name: &str) -> bool {
    let begins = [
        "Conversation",
        "AgentConversation",
        "UserMessage",
        "AssistantMessage",
        "Thinking",
        "Subagent",
        "Selected",
    ];
    let ends = ["ToolCall", "Args", "Success", "Failure", "Error", "Rejected", "Result", "Structure", "Step"];
    begins.iter().any(|one| name.starts_with(one)) || ends.iter().any(|one| name.ends_with(one))
}

/// A line for each change of a stored message, and a count of the others.
fn changes(old: &Messages, new: &Messages) -> Vec<String> {
    let mut lines = Vec::new();
    let mut others = 0;
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before.is_some_and(|before| after.is_some_and(|after| !before.is_disjoint(after))) {
            continue;
        }
        if !is_stored(name) {
            others += 1;
            continue;
        }
        let first = |all: Option<&BTreeSet<Fields>>| all.and_then(|all| all.first().cloned());
        match (first(before), first(after)) {
            (Some(before), Some(after)) => lines.extend(field_changes(name, &before, &after)),
            (None, Some(after)) => lines.push(format!("+ {name}: {}", shown(&after))),
            (_, None) => lines.push(format!("- {name}")),
        }
    }
    lines.push(format!("{others} messages that are not stored changed, came or went"));
    lines
}

fn field_changes(name: &str, before: &Fields, after: &Fields) -> Vec<String> {
    let numbers: BTreeSet<&u32> = before.keys().chain(after.keys()).collect();
    let line = |number: &u32| match (before.get(number), after.get(number)) {
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => Some(format!("~ {name} {number}: {old} is now {new}")),
        (None, Some(new)) => Some(format!("+ {name} {number}: {new}")),
        (Some(old), None) => Some(format!("- {name} {number}: {old}")),
        (None, None) => None,
    };
    numbers.into_iter().filter_map(line).collect()
}

fn shown(fields: &Fields) -> String {
    fields.iter().map(|(number, field)| format!("{number} {field}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same message in the form of each generation, with one field more.
    #[test]
    fn both_forms_are_read_and_compared() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let package = folder.path().join(name).join("dist");
            fs::create_dir_all(&package).unwrap();
            fs::write(package.join("index.js"), text).unwrap();
            messages_in(&folder.path().join(name)).unwrap()
        };
        let old = write(
            "old",
            r#"ps.runtime=r,ps.typeName="agent.v1.TruncatedToolCall",ps.fields=r.proto3.util.newFieldList((()=>[{no:1,name:"original_step_blob_id",kind:"scalar",T:12},{no:2,name:"args",kind:"message",T:us,repeated:!0}]));x.typeName="agent.v1.PingRequest",x.fields=r.newFieldList((()=>[]));"#,
        );
        let new = write(
            "new",
            r#"static $(){return["TruncatedToolCall|1 original_step_blob_id 12|2 args #0*|5 preview #2",ao]}static $(){return["PiReadArgs|1 path 9?"]}"#,
        );
        assert_eq!(
            changes(&old, &new),
            [
                "+ PiReadArgs: 1 path 9",
                "+ TruncatedToolCall 5: preview message",
                "1 messages that are not stored changed, came or went"
            ]
        );
    }
}
