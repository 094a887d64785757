//! `hooks.json`, which names the programs that Cursor runs as hooks: our entries added, removed and found. Everything that is not ours
//! stays as it is, to the letter.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use crate::settings_file::{doubled_key, split_marks};

/// What a file has of us.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Installed {
    /// The events that run our program, with the command of each.
    pub(crate) events: Vec<(String, String)>,
    /// How many entries are somebody else's.
    pub(crate) foreign: usize,
}

/// Why a file is not changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HooksFileError {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("`{0}` is not {1}")]
    Odd(String, &'static str),
    #[error("`{0}` is there twice")]
    Doubled(String),
    #[error("it is of version {0}, and only version 1 is known")]
    Newer(String),
}

/// The version that we can write.
const VERSION: &str = "1";

/// What a file looks like that does not exist yet.
const NEW: &str = "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n";

/// How long Cursor waits for us, in seconds.
const PATIENCE: &str = "5";

/// The file with an entry for each of `events` that runs `command`. An entry of ours that is there already is kept and gets the
/// command.
pub(crate) fn with_entries(text: &str, events: &[&str], command: &str) -> Result<String, HooksFileError> {
    let (marks, text) = split_marks(text);
    let text = if text.trim().is_empty() { NEW } else { text };
    let (root, file) = parsed(text)?;
    if file.get("version").is_none() {
        file.insert(0, "version", CstInputValue::Number(VERSION.to_owned()));
    }
    let hooks = match file.get("hooks") {
        Some(hooks) => hooks.object_value().ok_or(HooksFileError::Odd("hooks".to_owned(), "an object"))?,
        None => file.object_value_or_set("hooks"),
    };
    for event in events {
        let entries = match hooks.get(event) {
            Some(entries) => entries.array_value().ok_or_else(|| not_a_list(event))?,
            None => hooks.array_value_or_set(event),
        };
        put_entry(&entries, command);
    }
    Ok(format!("{marks}{root}"))
}

/// The file without our entries, and without lists that had no other.
pub(crate) fn without_entries(text: &str) -> Result<String, HooksFileError> {
    let (marks, rest) = split_marks(text);
    if rest.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (root, file) = parsed(rest)?;
    let hooks = file.get("hooks").and_then(|hooks| hooks.object_value());
    for list in hooks.iter().flat_map(CstObject::properties) {
        let Some(entries) = list.array_value() else { continue };
        let own: Vec<CstNode> =
            entries.elements().into_iter().filter(|entry| command_in(entry).is_some()).collect();
        if !own.is_empty() && own.len() == entries.elements().len() {
            list.remove();
        } else {
            own.into_iter().for_each(CstNode::remove);
        }
    }
    Ok(format!("{marks}{root}"))
}

pub(crate) fn installed(text: &str) -> Result<Installed, HooksFileError> {
    let (_, file) = parsed(split_marks(text).1)?;
    let mut found = Installed::default();
    let hooks = file.get("hooks").and_then(|hooks| hooks.object_value());
    for list in hooks.iter().flat_map(CstObject::properties) {
        let name = list.name().and_then(|name| name.decoded_value().ok()).unwrap_or_default();
        for entry in list.array_value().iter().flat_map(CstArray::elements) {
            match command_in(&entry) {
                Some(command) => found.events.push((name.clone(), command)),
                None => found.foreign += 1,
            }
        }
    }
    Ok(found)
}

fn parsed(text: &str) -> Result<(CstRootNode, CstObject), HooksFileError> {
    let root = CstRootNode::parse(text, &ParseOptions::default());
    let root = root.map_err(|error| HooksFileError::NotJson(error.to_string()))?;
    if let Some(key) = doubled_key(&root) {
        return Err(HooksFileError::Doubled(key));
    }
    let file = root.object_value().ok_or(HooksFileError::Odd("the file".to_owned(), "an object"))?;
    let version = file.get("version").and_then(|version| version.value()).map(|version| version.to_string());
    match version {
        Some(version) if version != VERSION => Err(HooksFileError::Newer(version)),
        _ => Ok((root, file)),
    }
}

fn not_a_list(event: &str) -> HooksFileError {
    HooksFileError::Odd(format!("hooks.{event}"), "a list")
}

/// Gives our first entry the command, and removes others of ours; adds one if there is none.
fn put_entry(entries: &CstArray, command: &str) {
    let mut own = entries.elements().into_iter().filter(|entry| command_in(entry).is_some());
    let Some(first) = own.next() else {
        let entry = [
            ("command", CstInputValue::String(command.to_owned())),
            ("timeout", CstInputValue::Number(PATIENCE.to_owned())),
        ];
        let entry = entry.map(|(name, value)| (name.to_owned(), value));
        entries.append(CstInputValue::Object(entry.into()));
        return;
    };
    own.for_each(CstNode::remove);
    if command_in(&first).as_deref() != Some(command)
        && let Some(known) = first.as_object().and_then(|entry| entry.get("command"))
    {
        known.set_value(CstInputValue::String(command.to_owned()));
    }
}

/// The command of an entry, if it runs our program.
fn command_in(entry: &CstNode) -> Option<String> {
    let command = entry.as_object()?.get("command")?.value()?.as_string_lit()?.decoded_value().ok()?;
    is_ours(&command).then_some(command)
}

/// Whether a command runs `backscroll hook`, wherever the program lies.
fn is_ours(command: &str) -> bool {
    // PowerShell calls what is quoted by `&`, and doubles the quotes in it.
    let command = command.trim_start().trim_start_matches('&').trim_start().replace("''", "’");
    let (program, rest) = match command.chars().next() {
        Some(quote @ ('"' | '\'')) => command[1..].split_once(quote).unwrap_or((&command[1..], "")),
        _ => command.split_once(' ').unwrap_or((&command, "")),
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "backscroll" | "backscroll.exe") && rest.split_whitespace().any(|word| word == "hook")
}

/// What Cursor is to run: by a shell, which on Windows is PowerShell.
pub(crate) fn command(program: &Path, data: Option<&Path>, with_content: bool) -> String {
    let program = program.to_string_lossy();
    let is_windows = program.contains('\\');
    let quoted = |path: &str| {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '-' | '_' | ':');
        match path.chars().all(is_plain) {
            true => path.to_owned(),
            false if is_windows => format!("'{}'", path.replace('\'', "''")),
            false => format!("\"{path}\""),
        }
    };
    let call = quoted(&program);
    let call = if call.starts_with('\'') { format!("& {call}") } else { call };
    let mut command = format!("{call} hook");
    if let Some(data) = data {
        command = format!("{command} --data {}", quoted(&data.to_string_lossy()));
    }
    if with_content {
        command.push_str(" --content");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [&str; 2] = ["stop", "beforeSubmitPrompt"];

    fn put(text: &str) -> String {
        with_entries(text, &EVENTS, "/bin/backscroll hook").unwrap()
    }

    #[test]
    fn a_file_that_is_not_there_is_made_and_again_nothing_changes() {
        let made = with_entries("", &EVENTS, "/bin/backscroll hook").unwrap();
        let read: serde_json::Value = serde_json::from_str(&made).unwrap();
        assert_eq!(read["version"], 1);
        assert_eq!(
            read["hooks"]["stop"],
            serde_json::json!([{"command": "/bin/backscroll hook", "timeout": 5}])
        );
        assert_eq!(put(&made), made);
        let found = installed(&made).unwrap();
        assert_eq!(found.events.len(), 2);
        assert_eq!(found.foreign, 0);
    }

    /// Files with entries, keys, comments, indents and line ends that are not ours, and what of them must stay to the letter.
    const FOREIGN: [(&str, &[&str]); 5] = [
        (
            "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [\n\t\t\t{ \"command\": \"./audit.sh\" , \"x\": [1,2] }\n\t\t]\n\t},\n\t\"mine\": {\"a\":1}\n}\n",
            &[
                "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [\n\t\t\t{ \"command\": \"./audit.sh\" , \"x\": [1,2] }",
                "\n\t},\n\t\"mine\": {\"a\":1}\n}\n",
            ],
        ),
        (
            "{ \"version\": 1, \"hooks\": { \"afterFileEdit\": [{\"command\":\"fmt\"}] } }",
            &["\"afterFileEdit\": [{\"command\":\"fmt\"}]"],
        ),
        (
            "{\r\n  // kept\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"stop\": [{ \"command\": \"other hook\" }]\r\n  }\r\n}\r\n",
            &[
                "{\r\n  // kept\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"stop\": [",
                "{ \"command\": \"other hook\" }",
                "\r\n  }\r\n}\r\n",
            ],
        ),
        ("{\"hooks\":{},\"version\":1}", &[",\"version\":1}"]),
        (
            "{\n    \"version\": 1,\n    \"hooks\": {\n        \"sessionEnd\": []\n    }\n}",
            &["{\n    \"version\": 1,\n    \"hooks\": {\n        \"sessionEnd\": []"],
        ),
    ];

    #[test]
    fn what_is_not_ours_stays_to_the_letter() {
        for (before, kept) in FOREIGN {
            let after = put(before);
            assert_eq!(put(&after), after, "again changes nothing: {after}");
            for kept in kept {
                assert!(after.contains(kept), "{kept} in {after}");
            }
            let foreign = |text: &str| installed(text).unwrap().foreign;
            assert_eq!(
                (foreign(&after), installed(&after).unwrap().events.len()),
                (foreign(before), 2),
                "{after}"
            );
            let gone = without_entries(&after).unwrap();
            assert_eq!(installed(&gone).unwrap(), installed(before).unwrap(), "{gone}");
            let values = |text: &str| {
                let text: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                serde_json::from_str::<serde_json::Value>(&text).unwrap()
            };
            assert_eq!(values(&gone), values(before), "nothing is left: {gone}");
        }
    }

    #[test]
    fn byte_order_marks_stay() {
        for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
            let before = format!("{marks}{}", FOREIGN[0].0);
            let after = put(&before);
            assert_eq!(after, format!("{marks}{}", put(FOREIGN[0].0)));
            assert_eq!(installed(&after).unwrap().events.len(), 2);
            assert!(without_entries(&after).unwrap().starts_with(marks));
        }
    }

    #[test]
    fn another_command_of_ours_is_replaced_and_doubles_go() {
        let before = r#"{"version":1,"hooks":{"stop":[{"command":"\"C:\\Program Files\\backscroll.exe\" hook","timeout":9},{"command":"backscroll --quiet hook"},{"command":"backscroll list"}]}}"#;
        assert_eq!(installed(before).unwrap().events.len(), 2);
        let after = with_entries(before, &["stop"], "backscroll hook --content").unwrap();
        let read: serde_json::Value = serde_json::from_str(&after).unwrap();
        let expected = serde_json::json!([{"command": "backscroll hook --content", "timeout": 9}, {"command": "backscroll list"}]);
        assert_eq!(read["hooks"]["stop"], expected);
    }

    #[test]
    fn what_is_odd_is_refused() {
        let table = [
            ("{\"version\":1,", "it is not JSON"),
            ("[]", "`the file` is not an object"),
            ("{\"version\":1,\"hooks\":[]}", "`hooks` is not an object"),
            ("{\"version\":1,\"hooks\":{\"stop\":{}}}", "`hooks.stop` is not a list"),
            ("{\"version\":2,\"hooks\":{}}", "it is of version 2"),
            ("{\"hooks\":{},\"hooks\":{}}", "`hooks` is there twice"),
            ("{\"hooks\":{},\"version\":1,\"ho\\u006fks\":{}}", "`hooks` is there twice"),
            ("{\"hooks\":{\"stop\":[],\"stop\":[]}}", "`hooks.stop` is there twice"),
            (
                "{\"hooks\":{\"stop\":[{\"command\":\"a\",\"command\":\"b\"}]}}",
                "`hooks.stop.command` is there twice",
            ),
        ];
        for (text, says) in table {
            let error = with_entries(text, &EVENTS, "backscroll hook").unwrap_err().to_string();
            assert!(error.starts_with(says), "{text}: {error}");
            let removed = without_entries(text);
            assert!(says.contains(" not ") || removed.unwrap_err().to_string() == error, "{text}");
        }
    }

    #[test]
    fn commands_are_quoted_where_they_must_be() {
        let plain = command(Path::new("/usr/bin/backscroll"), None, false);
        assert_eq!(plain, "/usr/bin/backscroll hook");
        let odd = command(Path::new("/my programs/backscroll"), Some(Path::new("/d")), true);
        assert_eq!(odd, "\"/my programs/backscroll\" hook --data /d --content");
        assert!(is_ours(&plain) && is_ours(&odd));
        let windows = command(Path::new(r"C:\a b\backscroll.exe"), Some(Path::new(r"D:\my data")), false);
        assert_eq!(windows, r"& 'C:\a b\backscroll.exe' hook --data 'D:\my data'");
        let name = command(Path::new(r"C:\Users\O'Brien\backscroll.exe"), None, true);
        assert_eq!(name, r"& 'C:\Users\O''Brien\backscroll.exe' hook --content");
        assert!(is_ours(&windows) && is_ours(&name));
        let short = command(Path::new(r"C:\bin\backscroll.exe"), Some(Path::new(r"D:\my data")), false);
        assert_eq!(short, r"C:\bin\backscroll.exe hook --data 'D:\my data'");
        for other in ["backscroll list hook.txt", "notbackscroll hook", "other --x backscroll hook", "", "\""]
        {
            assert!(!is_ours(other), "{other}");
        }
    }
}
