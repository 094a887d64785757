//! What `hooks.json` was before our entries came into it, kept with our data, so that `hooks uninstall` leaves what there was, byte
//! for byte. Where somebody changed the file since, our entries alone are removed.

use std::io;
use std::path::Path;

use backscroll_own_files::OwnFolder;
use serde_json::{Map, Value, json};

use crate::hooks_file;
use crate::settings_file::SettingsChange;

/// The file, below our folder for data.
const NAME: &str = "hooks-before.json";

/// A larger one is not ours.
const LARGEST: u64 = 16 << 20;

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Original {
    /// `None` if there was none.
    pub(crate) text: Option<String>,
    /// Whether its folder was there.
    pub(crate) had_folder: bool,
}

/// Remembers what `change` is about to replace. Of a file that has entries of ours already, what it was before them is known or not.
pub(crate) fn remember(data: &Path, change: &SettingsChange) -> io::Result<()> {
    let before = change.before.as_deref();
    let has_ours =
        before.is_some_and(|text| hooks_file::installed(text).is_ok_and(|has| !has.events.is_empty()));
    let original = match before.and_then(|now| original(data, &change.place, now)) {
        Some(known) => Some(known),
        None if has_ours => None,
        None => {
            let had_folder = change.place.parent().is_some_and(Path::is_dir);
            Some(Original { text: change.before.clone(), had_folder })
        }
    };
    let entry = original.map(|original| {
        json!({ "before": original.text, "had_folder": original.had_folder, "after": change.after })
    });
    put(data, &change.place, entry)
}

/// What the file at `place` was before us, if it is `now` what we made of it.
pub(crate) fn original(data: &Path, place: &Path, now: &str) -> Option<Original> {
    let all = read(data).ok()?;
    let entry = all.get(&*place.to_string_lossy()).filter(|entry| entry["after"] == now)?;
    let text = entry["before"].as_str().map(str::to_owned);
    Some(Original { text, had_folder: entry["had_folder"] == true })
}

/// Forgets what the file at `place` was.
pub(crate) fn forget(data: &Path, place: &Path) -> io::Result<()> {
    put(data, place, None)
}

fn read(data: &Path) -> io::Result<Map<String, Value>> {
    let folder = OwnFolder::find_private(data)?;
    let bytes = folder.map(|folder| folder.read(NAME, LARGEST)).transpose()?.flatten().unwrap_or_default();
    // One that is no JSON says nothing.
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

fn put(data: &Path, place: &Path, entry: Option<Value>) -> io::Result<()> {
    let mut all = read(data)?;
    let name = place.to_string_lossy().into_owned();
    let is_other = match entry {
        Some(entry) => all.insert(name, entry.clone()) != Some(entry),
        None => all.remove(&name).is_some(),
    };
    if !is_other {
        return Ok(());
    }
    let folder = OwnFolder::private(data)?;
    if all.is_empty() {
        folder.remove(NAME)
    } else {
        folder.write(NAME, Value::Object(all).to_string().as_bytes())
    }
}
