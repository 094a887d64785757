//! `--name value` and `--flag`, by hand: a chore needs no more.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

/// An error of a task: it is printed and ends the task.
pub(crate) type Trouble = Box<dyn Error>;

/// Flags that take no value.
const FLAGS: &[&str] = &[
    "cli",
    "cold",
    "dialogues",
    "markdown",
    "misses",
    "queries",
    "search",
    "search-quality",
    "serve",
    "shapes",
];

/// Options that take a value.
const OPTIONS: &[&str] = &[
    "messages",
    "out",
    "home",
    "half",
    "double",
    "gb",
    "seed",
    "biggest",
    "cli-stores",
    "cli-turns",
    "transcripts",
    "workspaces",
    "tabs",
    "sdk-stores",
    "sdk-agents",
    "checkpoints",
    "backups",
    "profiles",
    "runs",
    "clients",
    "seconds",
    "dir",
    "each",
    "only",
    "show",
];

/// What was typed behind the chore's name.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    given: BTreeMap<String, String>,
}

impl Arguments {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, Trouble> {
        let mut arguments = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").unwrap_or_default();
            let value = if FLAGS.contains(&name) {
                String::new()
            } else if OPTIONS.contains(&name) {
                words.next().ok_or_else(|| format!("--{name} needs a value"))?
            } else {
                return Err(format!("{word:?} is not an option").into());
            };
            arguments.given.insert(name.to_owned(), value);
        }
        Ok(arguments)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.given.get(name).map(PathBuf::from)
    }

    pub(crate) fn number<T: FromStr>(&self, name: &str, otherwise: T) -> Result<T, Trouble> {
        match self.given.get(name) {
            None => Ok(otherwise),
            Some(text) => text.parse().map_err(|_| format!("--{name} {text:?} is not a number").into()),
        }
    }
}
