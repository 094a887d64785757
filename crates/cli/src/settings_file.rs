//! Settings of other programs: one entry is changed, everything else stays as it is, comments and formatting included. The change is
//! shown as a difference before it is written, and written at once.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use backscroll_own_files::{OutputFile, OwnFolder};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;
use similar::TextDiff;

use crate::error::{CommandError, Exit, Result};
use crate::wiring::plain_file;

/// A settings file and what it will be.
#[derive(Debug)]
pub(crate) struct SettingsChange {
    pub(crate) place: PathBuf,
    /// `None` if there is no file.
    pub(crate) before: Option<String>,
    /// `None` if it is removed.
    pub(crate) after: Option<String>,
    /// Whether its folder goes with it, if nothing else is there.
    is_folder_removed: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{} is not what it should be: {says}", .place.display())]
    Malformed { place: PathBuf, says: String },
    #[error("cannot use the folder {}", .0.display())]
    NoFolder(PathBuf, #[source] io::Error),
    #[error("{} is read-only and was left as it is", .0.display())]
    ReadOnly(PathBuf),
    #[error("{} changed meanwhile", .0.display())]
    Changed(PathBuf),
}

impl SettingsChange {
    /// What `change` makes of the text at `place`; of an empty text if there is no file.
    pub(crate) fn plan(place: &Path, change: impl FnOnce(&str) -> Result<String, String>) -> Result<Self> {
        let before = read(place)?;
        let after = change(before.as_deref().unwrap_or_default())
            .map_err(|says| refused(SettingsError::Malformed { place: place.to_owned(), says }))?;
        Ok(Self { place: place.to_owned(), before, after: Some(after), is_folder_removed: false })
    }

    /// The file at `place`, which is `before`, as it was once, and its folder.
    pub(crate) fn back(place: &Path, before: String, text: Option<String>, had_folder: bool) -> Self {
        Self { place: place.to_owned(), before: Some(before), after: text, is_folder_removed: !had_folder }
    }

    /// Whether the file is as it should be already.
    pub(crate) fn is_none(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.text_after()
    }

    /// What the file will hold.
    pub(crate) fn text_after(&self) -> &str {
        self.after.as_deref().unwrap_or_default()
    }

    pub(crate) fn shown(&self) -> String {
        let name = self.place.display().to_string();
        let (before, old_name) = match &self.before {
            Some(text) => (text.as_str(), name.as_str()),
            None => ("", "/dev/null"),
        };
        let new_name = if self.after.is_some() { &name } else { "/dev/null" };
        TextDiff::from_lines(before, self.text_after()).unified_diff().header(old_name, new_name).to_string()
    }

    /// Writes the file, if it is still what it was. It keeps its permissions.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = self.place.parent().unwrap_or(&self.place);
        let no_folder = |error| refused(SettingsError::NoFolder(folder.to_owned(), error));
        let _made = OwnFolder::make(folder).map_err(no_folder)?;
        // A link stays a link: what it leads to is written.
        let place = fs::canonicalize(&self.place).unwrap_or_else(|_| self.place.clone());
        let permissions = fs::metadata(&place).map(|about| about.permissions()).ok();
        if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(
                refused(SettingsError::ReadOnly(place)).hinted("make it writable, or change it yourself")
            );
        }
        let Some(after) = &self.after else { return self.remove(&place) };
        let mut file = OutputFile::create(&place, true)?;
        file.write_all(after.as_bytes())?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        self.check_unchanged()?;
        file.keep()?;
        Ok(())
    }

    fn check_unchanged(&self) -> Result<()> {
        if read(&self.place)? != self.before {
            return Err(refused(SettingsError::Changed(self.place.clone())).hinted("try again"));
        }
        Ok(())
    }

    /// Removes the file, which lies at `place`.
    fn remove(&self, place: &Path) -> Result<()> {
        self.check_unchanged()?;
        let folder = place.parent().unwrap_or(place);
        let within = folder.parent().filter(|_| self.is_folder_removed).unwrap_or(folder);
        let name = place.strip_prefix(within).unwrap_or(place);
        let removed = OwnFolder::open(within).and_then(|within| within.remove(name));
        removed.map_err(|error| refused(SettingsError::NoFolder(folder.to_owned(), error)))
    }
}

fn refused(error: SettingsError) -> CommandError {
    CommandError::new(Exit::Refused, error)
}

/// What a settings file holds; `None` if there is none.
pub(crate) fn read(place: &Path) -> Result<Option<String>> {
    match plain_file::read_text(place) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(SettingsError::Unreadable(place.to_owned(), error))),
    }
}

/// The byte order marks at the beginning of a text, which programs on Windows write, and the text behind them.
pub(crate) fn split_marks(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches('\u{feff}').len())
}

/// Whether a field of an entry that is there already may stay: it says the same, or has further arguments.
fn is_kept(name: &str, known: &Value, wanted: &Value) -> bool {
    let has_all =
        |known: &Vec<Value>| wanted.as_array().is_some_and(|all| all.iter().all(|one| known.contains(one)));
    known == wanted || (name == "args" && known.as_array().is_some_and(has_all))
}

/// `text`, JSON with or without comments, in which an object with the fields of `value` stands under these names. What an object that
/// runs a command has besides stays.
pub(crate) fn with_json(text: &str, names: &[&str], value: &Value) -> Result<String, String> {
    let (marks, text) = split_marks(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    if let Some(key) = doubled_key(&root) {
        return Err(format!("`{key}` is there twice"));
    }
    let mut object = root.object_value_or_create().ok_or("it is not an object")?;
    let Some((last, above)) = names.split_last() else { return Ok(text.to_owned()) };
    for name in above {
        object = object.object_value_or_create(name).ok_or_else(|| format!("`{name}` is not an object"))?;
    }
    let known = object.get(last);
    let entry =
        known.as_ref().and_then(CstObjectProp::object_value).filter(|entry| entry.get("command").is_some());
    match (entry, known) {
        (Some(entry), _) => put_fields(&entry, value),
        (None, Some(known)) => known.set_value(input(value)),
        (None, None) => drop(object.append(last, input(value))),
    }
    Ok(format!("{marks}{root}"))
}

fn put_fields(entry: &CstObject, value: &Value) {
    for (name, wanted) in value.as_object().into_iter().flatten() {
        match entry.get(name) {
            Some(field) => {
                let known = field.value().and_then(|known| known.to_serde_value()).unwrap_or_default();
                if !is_kept(name, &known, wanted) {
                    field.set_value(input(wanted));
                }
            }
            None => drop(entry.append(name, input(wanted))),
        }
    }
}

/// A key that an object has twice, with those above it. Readers of JSON differ in which of the two they take.
pub(crate) fn doubled_key(root: &CstRootNode) -> Option<String> {
    let mut open: Vec<(String, CstNode)> =
        root.value().map(|value| (String::new(), value)).into_iter().collect();
    while let Some((above, value)) = open.pop() {
        let mut keys = BTreeSet::new();
        for property in value.as_object().iter().flat_map(CstObject::properties) {
            let key = property.name().and_then(|name| name.decoded_value().ok()).unwrap_or_default();
            let path = format!("{above}{key}");
            if !keys.insert(key) {
                return Some(path);
            }
            open.extend(property.value().map(|value| (format!("{path}."), value)));
        }
        let elements = value.as_array().iter().flat_map(CstArray::elements).collect::<Vec<_>>();
        open.extend(elements.into_iter().map(|element| (above.clone(), element)));
    }
    None
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// `text`, TOML, in which a table with the fields of `value` stands under these names. What it has besides stays.
pub(crate) fn with_toml_table(text: &str, names: &[&str], value: &Value) -> Result<String, String> {
    let parsed = |text: &str| toml::from_str::<toml::Table>(text).map_err(|error| error.message().to_owned());
    let known = serde_json::to_value(parsed(text)?).unwrap_or_default();
    let known = names.iter().try_fold(&known, |above, name| above.get(*name));
    let header = format!("[{}]", names.join("."));
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let begin = if let Some(at) = lines.iter().position(|line| line.trim() == header) {
        at
    } else {
        if let Some(last) = lines.last_mut() {
            let gap = if last.ends_with('\n') { "\n" } else { "\n\n" };
            last.push_str(gap);
        }
        lines.push(format!("{header}\n"));
        lines.len() - 1
    };
    if !lines[begin].ends_with('\n') {
        lines[begin].push('\n');
    }
    let body = lines[begin + 1..].iter().take_while(|line| !line.trim_start().starts_with('[')).count();
    let mut end = begin + 1 + body;
    let mut next = begin + 1;
    for (name, wanted) in value.as_object().into_iter().flatten() {
        // A JSON text is a TOML text, and a list of them a list.
        let line = format!("{name} = {wanted}\n");
        // One that goes over several lines is none here.
        let is_it = |line: &String| parsed(line).is_ok_and(|fields| fields.contains_key(name));
        match (known.and_then(|known| known.get(name)), lines[begin + 1..end].iter().position(is_it)) {
            (Some(known), _) if is_kept(name, known, wanted) => {}
            (_, Some(at)) => lines[begin + 1 + at] = line,
            (_, None) => {
                lines.insert(next, line);
                (next, end) = (next + 1, end + 1);
            }
        }
    }
    let changed = lines.concat();
    parsed(&changed).map_err(|_| {
        format!("`{}` is written in a way that cannot be changed; change it yourself", names.join("."))
    })?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_entry_changes_and_everything_else_stays() {
        let value = json!({ "command": "backscroll", "args": ["mcp"] });
        let with = |text: &str| with_json(text, &["mcpServers", "backscroll"], &value);
        let old = "// mine\n{\n    \"mcpServers\": {\n        \"other\": { \"command\": \"x\" }, // keep\n    },\n    \"z\": 1\n}\n";
        let new = with(old).unwrap();
        for kept in ["// mine", "\"other\": { \"command\": \"x\" }", "// keep", "    \"z\": 1\n}\n"] {
            assert!(new.contains(kept), "{kept}\n{new}");
        }
        assert!(new.contains("\"backscroll\""), "{new}");
        assert_eq!(with(&new).unwrap(), new, "a second time changes nothing");
        let made = with("").unwrap();
        let parsed: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(parsed["mcpServers"]["backscroll"], value);
        let own = "{\"mcpServers\":{\"backscroll\":{\"command\":\"/old\",\"args\":[\"mcp\",\"--no-redact\"],\"env\":{\"A\":\"b\"}}}}";
        assert_eq!(with(own).unwrap(), own.replace("/old", "backscroll"), "what it has besides stays");
        for wrong in ["[]", "{\"mcpServers\": []}", "{", "7"] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_table_changes_and_everything_else_stays() {
        let value = json!({ "command": "backscroll", "args": ["mcp"] });
        let with = |text: &str| with_toml_table(text, &["mcp_servers", "backscroll"], &value);
        let table = [
            ("", "[mcp_servers.backscroll]\nargs = [\"mcp\"]\ncommand = \"backscroll\"\n"),
            ("a = 1", "a = 1\n\n[mcp_servers.backscroll]\nargs = [\"mcp\"]\ncommand = \"backscroll\"\n"),
            (
                "# mine\n[mcp_servers.backscroll]\ncommand = \"old\"\n\n# next\n[b]\nc = 2\n",
                "# mine\n[mcp_servers.backscroll]\nargs = [\"mcp\"]\ncommand = \"backscroll\"\n\n# next\n[b]\nc = 2\n",
            ),
            (
                "[mcp_servers.backscroll]\nenv = { A = \"b\" }\nargs = [\n  \"mcp\", \"--no-redact\",\n]\ncommand = 'old'\n[mcp_servers.backscroll.env2]\nc = 2\n",
                "[mcp_servers.backscroll]\nenv = { A = \"b\" }\nargs = [\n  \"mcp\", \"--no-redact\",\n]\ncommand = \"backscroll\"\n[mcp_servers.backscroll.env2]\nc = 2\n",
            ),
        ];
        for (old, new) in table {
            assert_eq!(with(old).unwrap(), new);
            assert_eq!(with(new).unwrap(), new, "a second time changes nothing");
        }
        assert!(with("mcp_servers = { backscroll = { command = 'x' } }\n").is_err());
        assert!(with("a = ").is_err());
    }
}
