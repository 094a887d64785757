//! Conversations made of the documentation in other people's source files: a file is a conversation, a comment a message.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use backscroll_fixtures::{Composer, Speaks as _, uuid_from};
use jiff::Zoned;
use serde_json::json;

use crate::arguments::Trouble;

/// How many conversations there are at most.
const MOST: usize = 500;
/// Of one crate at most so many, so that no subject outweighs the others.
const MOST_OF_ONE: usize = 5;
/// A file with less documentation than this is no conversation.
const SHORTEST: usize = 1_500;
/// The maximum number of messages.
const MESSAGES: usize = 14;

const DAY: i64 = 86_400_000;

/// One conversation.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) workspace: String,
    pub(super) file: String,
    pub(super) started: i64,
    /// Said in turns by user and assistant.
    pub(super) said: Vec<String>,
    /// What a tool read.
    pub(super) code: String,
}

/// The day on which everything is asked.
pub(super) fn now() -> Zoned {
    "2026-11-16T12:00:00Z[UTC]".parse().expect("a time")
}

pub(super) fn title_of<'a>(talks: &'a [Talk], id: &str) -> &'a str {
    talks.iter().find(|talk| talk.id == id).map_or("?", |talk| &talk.title)
}

/// The conversations in the source files below `folder`, in an order that does not depend on the machine.
pub(super) fn talks(folder: &Path) -> Result<Vec<Talk>, Trouble> {
    let mut files = Vec::new();
    collect(folder, 0, &mut files)?;
    files.sort();
    let mut talks: Vec<Talk> = Vec::new();
    let mut titles = HashSet::new();
    let mut of_one = (String::new(), 0);
    for file in files {
        let package = package(folder, &file);
        if of_one.0 != package {
            of_one = (package.clone(), 0);
        }
        if of_one.1 >= MOST_OF_ONE || talks.len() >= MOST {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        // Of two versions of one crate, one is enough: nobody could say which of them was meant.
        if let Some(talk) =
            talk(&package, &file, &text, talks.len()).filter(|talk| titles.insert(talk.title.clone()))
        {
            of_one.1 += 1;
            talks.push(talk);
        }
    }
    if talks.len() < 300 {
        return Err(
            format!("only {} conversations could be made of {}", talks.len(), folder.display()).into()
        );
    }
    Ok(talks)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if depth < 7 && !matches!(name, "tests" | "benches" | "examples" | "target") {
                collect(&path, depth + 1, files)?;
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") && name != "tests.rs" {
            files.push(path);
        }
    }
    Ok(())
}

/// The folder of the crate, by name.
fn package(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap_or(file);
    let names: Vec<&str> = inside.iter().filter_map(|name| name.to_str()).collect();
    let at = names.iter().position(|name| *name == "src").unwrap_or(1).max(1);
    names.get(at - 1).copied().unwrap_or_default().to_owned()
}

fn talk(package: &str, file: &Path, text: &str, number: usize) -> Option<Talk> {
    let mut said: Vec<String> = vec![String::new()];
    let mut code = String::new();
    for line in text.lines() {
        let line = line.trim();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        if let Some(comment) = comment {
            let last = said.last_mut()?;
            last.push_str(comment.strip_prefix(' ').unwrap_or(comment));
            last.push('\n');
            continue;
        }
        if said.last().is_some_and(|last| last.len() > 200) {
            said.push(String::new());
        }
        if code.len() < 4_000 && !line.starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    said.retain(|one| one.trim().len() > 40);
    said.truncate(MESSAGES);
    if said.iter().map(String::len).sum::<usize>() < SHORTEST {
        return None;
    }
    let first = said.first()?.lines().find(|line| line.split_whitespace().count() > 2)?;
    let title: String = first.trim_matches(['#', ' ', '.', '*', '=']).chars().take(70).collect();
    let inside: PathBuf = file.iter().skip_while(|name| *name != "src").collect();
    let now = now().timestamp().as_millisecond();
    Some(Talk {
        id: uuid_from(&format!("quality/{package}/{}", inside.display())),
        title: title.trim().to_owned(),
        workspace: format!("/home/dev/{package}"),
        file: format!("/home/dev/{package}/{}", inside.display()),
        started: now - i64::try_from(number % 600).ok()? * DAY - DAY,
        said,
        code,
    })
}

/// The conversation as the editor stores it.
pub(super) fn composer(talk: &Talk) -> Composer {
    let mut composer = Composer::new(talk.id.as_str())
        .started(talk.started)
        .in_workspace(&uuid_from(&talk.workspace), &talk.workspace);
    if !talk.title.is_empty() {
        composer = composer.titled(&talk.title);
    }
    for (number, text) in talk.said.iter().enumerate() {
        composer = if number % 2 == 0 { composer.user(text) } else { composer.assistant(text) };
        if number == 0 && !talk.code.is_empty() {
            let contents = json!({ "contents": talk.code });
            composer = composer.tool("read_file_v2", json!({ "targetFile": talk.file }), contents);
        }
    }
    composer
}
