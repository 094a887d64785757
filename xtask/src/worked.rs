//! Writes a home with one long conversation in which an agent works on files, and beside it what each file holds after
//! each entry: for the tests of the replay, which must come to the same by their own way.

use std::fs;

use backscroll_fixtures::{
    Composer, CursorHome, HeaderTable, Speaks, StateDatabase, WorkspaceFolder, uuid_from,
};
use serde_json::{Value as Json, json};

use crate::arguments::{Arguments, Trouble};
use crate::chance::Chance;
use crate::words::Words;

const WORKSPACE: (&str, &str) = ("77d0c7be2f94c1f8d3e6b7a90c4e2155", "/home/mira/harbour");

/// When it begins.
const BEGINS: i64 = 1_783_497_600_000;

/// Writes the home to `--out`, with about `--messages` messages.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let out = arguments.path("out").ok_or("worked needs --out DIR")?;
    let entries: usize = arguments.number("messages", 120)?;
    let mut work = Work::new(entries);
    while work.expected.len() < entries {
        work.turn();
    }
    let composer = work.composer;
    let global = StateDatabase::new().composer(&composer).head_list([composer.head()]);
    let global = global.header_table(HeaderTable::new().composer(&composer));
    let folder = WorkspaceFolder::new(WORKSPACE.0).folder("file:///home/mira/harbour").head(&composer);
    CursorHome::at(out.join("home")).workspace(folder).global(global).write()?;
    fs::write(
        out.join("expected.json"),
        json!({ "id": composer.id(), "entries": work.expected }).to_string(),
    )?;
    Ok(())
}

struct Work {
    composer: Composer,
    chance: Chance,
    words: Words,
    files: Vec<(String, Option<Vec<String>>)>,
    now: i64,
    /// For each entry the kind of step, and where it tells of a file, its path and text.
    expected: Vec<Json>,
}

impl Work {
    fn new(entries: usize) -> Self {
        let mut chance = Chance::new(7);
        let words = Words::new(&mut chance);
        let files = (0..8 + entries / 200).map(|number| (format!("src/part_{number}.rs"), None)).collect();
        let composer = Composer::new(uuid_from("worked"))
            .titled("Rebuild the harbour, pier by pier")
            .started(BEGINS)
            .in_workspace(WORKSPACE.0, WORKSPACE.1);
        Self { composer, chance, words, files, now: BEGINS, expected: Vec::new() }
    }

    /// A prompt, and what the agent does about it.
    fn turn(&mut self) {
        // Now and then nobody is there for hours.
        self.now += if self.expected.len() % 5 == 4 { 3 * 3_600_000 } else { 40_000 };
        let prompt = self.prose(160);
        self.say("prompt", |composer| composer.user(&prompt));
        let thought = self.prose(300);
        self.say("thinking", |composer| composer.thinking(&thought));
        let number = self.chance.below(self.files.len());
        self.read(number);
        for _ in 0..=self.chance.below(3) {
            self.edit(number);
        }
        self.command();
        let code = self.words.code(&mut self.chance, 200);
        let answer = format!(
            "{}\n\n```rust\n{code}\n```\n\n- {}\n- {}",
            self.prose(400),
            self.prose(60),
            self.prose(60)
        );
        self.say("text", |composer| composer.assistant(&answer));
    }

    fn prose(&mut self, size: usize) -> String {
        self.words.prose(&mut self.chance, size)
    }

    /// The same without line breaks.
    fn line(&mut self, size: usize) -> String {
        self.prose(size).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn say(&mut self, kind: &str, entry: impl FnOnce(Composer) -> Composer) {
        self.now += 2_000 + i64::try_from(self.chance.below(9_000)).unwrap_or(0);
        let composer = std::mem::replace(&mut self.composer, Composer::new(""));
        self.composer = entry(composer).at(self.now);
        self.expected.push(json!({ "kind": kind }));
    }

    fn read(&mut self, number: usize) {
        let lines = match self.files[number].1.clone() {
            Some(lines) => lines,
            None => (0..60 + self.chance.below(200))
                .map(|line| format!("line {line} of {}", self.line(30)))
                .collect(),
        };
        let (path, text) = (self.path(number), lines.join("\n") + "\n");
        let result = json!({ "contents": text, "totalLinesInFile": lines.len() });
        self.say("tool", |composer| composer.tool("read_file_v2", json!({ "targetFile": path }), result));
        self.files[number].1 = Some(lines);
        self.tell(number);
    }

    fn edit(&mut self, number: usize) {
        let before = self.files[number].1.clone().unwrap_or_default();
        let mut after = before.clone();
        for _ in 0..=self.chance.below(4) {
            let at = self.chance.below(after.len());
            match self.chance.below(3) {
                0 => drop(after.remove(at)),
                1 => after[at] = format!("    let pier = {};", self.line(20)),
                _ => after.insert(at, format!("    // {}", self.line(40))),
            }
        }
        let (path, old, new) = (self.path(number), before.join("\n") + "\n", after.join("\n") + "\n");
        self.say("edit", |composer| composer.edits(&path, &old, &new));
        self.files[number].1 = Some(after);
        self.tell(number);
    }

    fn command(&mut self) {
        let fails = self.chance.below(6) == 0;
        let output = self.prose(500);
        let mut result = json!({ "output": output, "rejected": false, "notInterrupted": true });
        if fails {
            result["exitCode"] = json!(1);
        }
        let arguments = json!({ "command": "cargo test --workspace", "cwd": WORKSPACE.1 });
        self.say("shell", |composer| composer.tool("run_terminal_command_v2", arguments, result));
        if let Some(last) = self.expected.last_mut() {
            last["failed"] = json!(fails);
        }
    }

    fn path(&self, number: usize) -> String {
        format!("{}/{}", WORKSPACE.1, self.files[number].0)
    }

    fn tell(&mut self, number: usize) {
        let (path, lines) = &self.files[number];
        if let Some(last) = self.expected.last_mut() {
            last["path"] = json!(path);
            last["lines"] = json!(lines);
        }
    }
}
