//! Conversations of the editor, of every era, with everything that goes wrong in real ones.

use std::io;

use backscroll_fixtures::{Composer, Era, Speaks, Value};
use serde_json::{Value as Json, json};

use super::global::Global;
use super::referenced;
use crate::chance::Chance;
use crate::words::Words;

const MODELS: &[&str] = &["composer-2.5", "claude-4.5-sonnet", "gpt-5.2-codex", "default"];

/// Makes conversations, one after the other.
#[derive(Debug)]
pub(super) struct Conversations<'a> {
    words: &'a Words,
    chance: Chance,
    now: i64,
    ids: Vec<String>,
}

impl<'a> Conversations<'a> {
    pub(super) fn new(words: &'a Words, chance: Chance) -> Self {
        Self { words, chance, now: 1_730_000_000_000, ids: Vec::new() }
    }

    pub(super) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// A conversation with at least `wanted` messages, or as many as chance has it.
    pub(super) fn composer(&mut self, wanted: usize, workspace: &str, path: &str) -> Composer {
        let era = match self.chance.below(100) {
            _ if wanted > 0 => Era::V16,
            0..45 => Era::V16,
            45..75 => Era::V10,
            75..94 => Era::V3,
            _ => Era::Inline045,
        };
        let messages = if wanted > 0 { wanted } else { self.chance.size(25.0, 1.0).clamp(2, 2_500) };
        let title = self.words.prose(&mut self.chance, 30);
        let mut composer = self.start(era).titled(title.trim()).in_workspace(workspace, path);
        let mut said = 0;
        while said < messages {
            composer = self.turn(composer, path, &mut said);
        }
        if era == Era::V16 { composer.with_agent_blobs() } else { composer }
    }

    /// A conversation in which nothing was ever said.
    pub(super) fn empty(&mut self, workspace: &str, path: &str) -> Composer {
        let era = if self.chance.percent(50.0) { Era::V16 } else { Era::V10 };
        self.start(era).in_workspace(workspace, path)
    }

    /// Writes `composer` as Cursor does: some rows twice, some late, so that row ids have gaps and no order.
    pub(super) fn write(&mut self, global: &mut Global, composer: &Composer) -> io::Result<()> {
        let mut late = Vec::new();
        for (key, value) in composer.rows() {
            if key.starts_with("composerData:") {
                global.row(Some(&key), &Value::from("{\"_v\":3,\"fullConversationHeadersOnly\":[]}"))?;
                late.push((key, value));
            } else if key.starts_with("bubbleId:") && self.chance.percent(12.0) {
                global.row(Some(&key), &Value::from("{\"_v\":3,\"type\":2,\"text\":\"\"}"))?;
                late.push((key, value));
            } else {
                global.row(Some(&key), &value)?;
            }
        }
        while !late.is_empty() {
            let (key, value) = late.swap_remove(self.chance.below(late.len()));
            global.row(Some(&key), &value)?;
        }
        referenced::write_beside(global, self.words, &mut self.chance, composer)?;
        self.ids.push(composer.id().to_owned());
        Ok(())
    }

    /// Deleted conversations, bubbles that no conversation owns, rows without a key.
    pub(super) fn oddities(&mut self, global: &mut Global) -> io::Result<()> {
        for _ in 0..40 {
            global.row(Some(&format!("composerData:{}", self.chance.uuid())), &Value::Null)?;
        }
        for _ in 0..3 {
            global.row(None, &Value::from("{}"))?;
        }
        for _ in 0..5 {
            let forgotten = self.composer(0, "", "/home/dev/forgotten").era(Era::V10);
            let bubbles = forgotten.rows().into_iter().filter(|(key, _)| key.starts_with("bubbleId:"));
            bubbles.into_iter().try_for_each(|(key, value)| global.row(Some(&key), &value))?;
        }
        Ok(())
    }

    fn start(&mut self, era: Era) -> Composer {
        self.now += i64::try_from(self.chance.size(2_000_000.0, 1.2)).unwrap_or(0);
        let model = *self.chance.pick(MODELS);
        Composer::new(self.chance.uuid()).era(era).started(self.now).model(model)
    }

    fn turn(&mut self, mut composer: Composer, path: &str, said: &mut usize) -> Composer {
        let size = self.chance.size(180.0, 1.2);
        composer = composer.user(&self.words.prose(&mut self.chance, size)).under_id(&self.chance.uuid());
        *said += 1;
        for _ in 0..=self.chance.below(12) {
            composer = self.step(composer, path).under_id(&self.chance.uuid());
            composer = match self.chance.below(1_000) {
                0..100 => composer.orphaned(),
                100..104 => composer.nulled(),
                104..106 => composer.lost(),
                _ => composer,
            };
            *said += 1;
        }
        composer
    }

    fn step(&mut self, composer: Composer, path: &str) -> Composer {
        let chance = &mut self.chance;
        match chance.below(100) {
            0..25 => {
                let size = chance.size(600.0, 1.2);
                composer.assistant(&self.words.prose(chance, size))
            }
            25..40 => {
                let size = chance.size(500.0, 1.0);
                composer.thinking(&self.words.prose(chance, size))
            }
            40..44 => {
                let size = chance.size(4_000.0, 1.0);
                let before = self.words.code(chance, size);
                let after = before.replacen("let ", "let mut ", 3);
                composer.edits(&format!("{path}/src/file_{}.rs", chance.below(90)), &before, &after)
            }
            _ => {
                // One result in some thousands is megabytes long.
                let size = if chance.percent(0.02) {
                    chance.size(1_500_000.0, 0.6)
                } else {
                    chance.size(3_000.0, 1.2)
                };
                let (name, arguments, result) = tool(self.words, chance, path, size);
                composer.tool(name, arguments, result)
            }
        }
    }
}

fn tool(words: &Words, chance: &mut Chance, path: &str, size: usize) -> (&'static str, Json, Json) {
    let file = format!("{path}/src/file_{}.rs", chance.below(90));
    let code = words.code(chance, size);
    match chance.below(4) {
        0 => {
            let command = format!("cargo test {}", chance.below(900));
            let arguments = json!({ "command": command, "cwd": path, "options": { "timeout": 30_000 } });
            (
                "run_terminal_command_v2",
                arguments,
                json!({ "output": code, "rejected": false, "notInterrupted": true }),
            )
        }
        1 => {
            let arguments = json!({ "pattern": "let mut", "path": path, "outputMode": "content" });
            (
                "ripgrep_raw_search",
                arguments,
                json!({ "success": { "pattern": "let mut", "path": path, "text": code } }),
            )
        }
        _ => {
            let lines = code.lines().count();
            (
                "read_file_v2",
                json!({ "targetFile": file, "limit": lines }),
                json!({ "contents": code, "totalLinesInFile": lines }),
            )
        }
    }
}
