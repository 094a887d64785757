//! `backscroll mcp plugin`: a folder that agents load: the server, a skill that teaches the command line, and hooks.

use std::io;
use std::path::{Path, PathBuf};

use backscroll_own_files::{OutputError, OwnFolder};
use clap::Args;
use serde_json::{Value, json};

use crate::error::{CommandError, Exit, Result};
use crate::hooks_file;
use crate::ui::Ui;
use crate::wiring::HookLedger;

/// Write a plugin folder for agents: the server, a skill, and hooks for Cursor
///
/// An Agent Plugins 1.0.0 folder (`plugin.json`, `mcp.json`, `skills/`), which is a Cursor plugin as well (`.cursor-plugin/`,
/// `hooks/`). The program is started as `backscroll`, so it must be in the PATH of the agent.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PluginArgs {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Overwrite files of an older version
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll mcp plugin ~/.cursor/plugins/local/backscroll
  backscroll mcp plugin ./backscroll-plugin --force";

const DESCRIPTION: &str = "Search, read and cite every past Cursor conversation on this machine.";

#[derive(Debug, thiserror::Error)]
#[error("cannot write into the folder {}", .0.display())]
struct CannotWrite(PathBuf, #[source] io::Error);

/// No file of the folder is larger.
const LARGEST: u64 = 1024 * 1024;

pub(crate) fn run(ui: &mut Ui<'_>, args: &PluginArgs) -> Result<Exit> {
    let place = ui.environment.current_folder.join(&args.folder);
    let refused = |error| CommandError::new(Exit::Refused, CannotWrite(place.clone(), error));
    let folder = OwnFolder::make(&place).map_err(refused)?;
    for (name, text) in files() {
        match folder.read(name, LARGEST).map_err(refused)? {
            Some(there) if there == text.as_bytes() => continue,
            Some(_) if !args.force => return Err(OutputError::Exists(place.join(name)).into()),
            _ => folder.write(name, text.as_bytes()).map_err(refused)?,
        }
        writeln!(ui.out(), "{}", Path::new(name).display())?;
    }
    ui.flush()?;
    ui.note(&format!("the plugin is in {}", place.display()));
    Ok(Exit::Done)
}

/// The files of the folder, by their paths in it.
fn files() -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let server = json!({ "type": "stdio", "command": "backscroll", "args": ["mcp"] });
    let keywords = json!(["cursor", "history", "memory", "search"]);
    let license = env!("CARGO_PKG_LICENSE");
    // The same as `backscroll hooks install` writes for a project.
    let hook = hooks_file::command(Path::new("backscroll"), None, false);
    let hooks = hooks_file::with_entries("", &HookLedger::EVENTS, &hook).unwrap_or_default();
    vec![
        (
            "plugin.json",
            pretty(&json!({
                "$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
                "name": "backscroll", "version": version, "description": DESCRIPTION, "license": license,
                "keywords": keywords,
            })),
        ),
        (
            "mcp.json",
            pretty(&json!({
                "$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
                "mcpServers": { "backscroll": server },
            })),
        ),
        ("skills/backscroll/SKILL.md", SKILL.to_owned()),
        (
            ".cursor-plugin/plugin.json",
            pretty(&json!({
                "name": "backscroll", "displayName": "Backscroll", "version": version, "description": DESCRIPTION,
                "license": license, "keywords": keywords, "skills": "./skills/", "mcpServers": "./mcp.json",
                "hooks": "./hooks/hooks.json",
            })),
        ),
        ("hooks/hooks.json", hooks),
    ]
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

const SKILL: &str = "\
---
name: backscroll
description: Find what was said, decided, run or changed in past Cursor conversations on this machine, with the `backscroll` command. Use it when the user refers to earlier work, asks why something is as it is, or wants to continue a conversation.
---

# Past conversations with `backscroll`

If the tools `search_history` and `read_conversation` are there (MCP), prefer them. Otherwise use the command line; it only reads.

| to | run |
|---|---|
| find where something was said | `backscroll search --json 'telling words' \\| head -20` |
| narrow it | `role:user`, `tool:shell`, `path:src/auth.py`, `after:2026-01`, `\"two words\"`, `-without` in the query; `--workspace .` |
| list recent work | `backscroll list --since 7d --limit 20` |
| read the gist, with message ids | `backscroll handoff ID --budget 4k` |
| read the conversation | `backscroll show ID \\| head -n 200`, then `sed -n 200,400p` and so on |
| know who touched a file | `backscroll files src/auth.py --edited --limit 10` |
| find similar work | `backscroll related ID --limit 5` |

- ID is the beginning of an id, `@1` for the latest, or part of a title.
- Search with two or three rare words, not with a sentence. In the JSON, `match` says how well a hit fits: `all`, `conversation` or `some`.
- Name conversation and message ids of what you use. If nothing matches (exit code 1), say so; do not guess.
- Without `head` or a limit an answer may have hundreds of kilobytes.
- Secrets are removed from everything that an agent reads (`‹kind·…›` stands in their place); do not pass `--no-redact`.
";
