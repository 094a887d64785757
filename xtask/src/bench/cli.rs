//! Measures `show` of the two longest sessions of the command line against SQLite alone handing over the same blobs.
//! Expects a home that was made with `generate --cli-turns 5000`.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use super::floor;
use super::measure::{Manner, peak_memory, silently, times};
use super::report::{Line, Promise};
use super::run::MEGABYTE;
use crate::arguments::Trouble;

/// What the sessions are, the largest first.
const SESSIONS: [&str; 2] = ["turns with a call", "turns without"];

/// One line for each session and way to show it.
pub(super) fn measure(program: &Path, home: &Path, manner: Manner) -> Result<Vec<Line>, Trouble> {
    let home_text = home.to_str().ok_or("the home's path is not text")?;
    let mut lines = Vec::new();
    for (store, session) in longest(home).into_iter().zip(SESSIONS) {
        let id = store.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let id = id.ok_or("the session's folder is not text")?;
        let blobs = times(manner, || floor::blobs(&store).map(drop))?;
        let questions = [("show", vec!["show", id]), ("show --json", vec!["show", id, "--json"])];
        for (what, mut words) in questions {
            words.extend(["--home", home_text]);
            lines.push(Line {
                what: format!("{what}, {session}"),
                program: times(manner, || silently(program, &words))?,
                floor: Some(blobs),
                promise: Promise::Milliseconds(300.0),
                peak: peak_memory(program, &words),
                peak_promise: 64 * MEGABYTE,
            });
        }
    }
    if lines.is_empty() {
        return Err("the home has no session of the command line".into());
    }
    Ok(lines)
}

/// Every `store.db` of the home, the largest first.
fn longest(home: &Path) -> Vec<PathBuf> {
    let chats = floor::folders(&home.join(".cursor/chats")).into_iter();
    let stores = chats.flat_map(|chats| floor::folders(&chats)).map(|chat| chat.join("store.db"));
    let mut stores: Vec<PathBuf> = stores.collect();
    stores.sort_by_key(|store| Reverse(store.metadata().map_or(0, |metadata| metadata.len())));
    stores
}
