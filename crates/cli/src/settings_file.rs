//! Settings of other programs: one entry is changed, everything else stays as it is, comments and formatting included. The change is
//! shown as a difference before it is written, and written at once.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use backscroll_own_files::{OutputFile, OwnFolder};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
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
    pub(crate) after: String,
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
        Ok(Self { place: place.to_owned(), before, after })
    }

    /// Whether the file is as it should be already.
    pub(crate) fn is_none(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }

    pub(crate) fn shown(&self) -> String {
        let name = self.place.display().to_string();
        let (before, old_name) = match &self.before {
            Some(text) => (text.as_str(), name.as_str()),
            None => ("", "/dev/null"),
        };
        TextDiff::from_lines(before, &self.after).unified_diff().header(old_name, &name).to_string()
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
        let mut file = OutputFile::create(&place, true)?;
        file.write_all(self.after.as_bytes())?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        if read(&self.place)? != self.before {
            return Err(refused(SettingsError::Changed(self.place.clone())).hinted("try again"));
        }
        file.keep()?;
        Ok(())
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

/// `text`, JSON with or without comments, in which `value` stands under these names.
pub(crate) fn with_json(text: &str, names: &[&str], value: &Value) -> Result<String, String> {
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
    match object.get(last) {
        Some(known) if known.value().and_then(|known| known.to_serde_value()).as_ref() == Some(value) => {
            return Ok(text.to_owned());
        }
        Some(known) => known.set_value(input(value)),
        None => drop(object.append(last, input(value))),
    }
    Ok(root.to_string())
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

/// `text`, TOML, in which the table `name` has just these lines.
pub(crate) fn with_toml_table(text: &str, name: &str, lines: &str) -> Result<String, String> {
    toml::from_str::<toml::Table>(text).map_err(|error| error.message().to_owned())?;
    let header = format!("[{name}]");
    let begins_table = |line: &str| line.trim_start().starts_with('[');
    let wanted = format!("{header}\n{lines}");
    let mut offset = 0;
    let mut found: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        match &mut found {
            None if line.trim() == header => found = Some((offset, text.len())),
            Some((_, end)) if *end == text.len() && begins_table(line) => *end = offset,
            _ => {}
        }
        offset += line.len();
    }
    let changed = if let Some((begin, end)) = found {
        // Empty lines and comments before the next table belong to that one.
        let body = &text[begin..end];
        let rest = if end == text.len() { "" } else { trailing(body) };
        format!("{}{wanted}{rest}{}", &text[..begin], &text[end..])
    } else {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        format!("{text}{gap}{wanted}")
    };
    toml::from_str::<toml::Table>(&changed)
        .map_err(|_| format!("`{name}` is written in a way that cannot be changed; change it yourself"))?;
    Ok(changed)
}

/// The empty lines and comments at the end of a table.
fn trailing(body: &str) -> &str {
    let mut begin = body.len();
    for line in body.split_inclusive('\n').collect::<Vec<_>>().into_iter().rev() {
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            break;
        }
        begin -= line.len();
    }
    &body[begin..]
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
        for wrong in ["[]", "{\"mcpServers\": []}", "{", "7"] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_table_changes_and_everything_else_stays() {
        let with = |text: &str| with_toml_table(text, "mcp_servers.backscroll", "command = \"backscroll\"\n");
        let table = [
            ("", "[mcp_servers.backscroll]\ncommand = \"backscroll\"\n"),
            ("a = 1", "a = 1\n\n[mcp_servers.backscroll]\ncommand = \"backscroll\"\n"),
            (
                "# mine\n[mcp_servers.backscroll]\ncommand = \"old\"\n\n# next\n[b]\nc = 2\n",
                "# mine\n[mcp_servers.backscroll]\ncommand = \"backscroll\"\n\n# next\n[b]\nc = 2\n",
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
