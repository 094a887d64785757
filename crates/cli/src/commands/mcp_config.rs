//! `backscroll mcp config`: what a client's settings must say, printed or written.

use std::path::{Path, PathBuf};

use backscroll_model::named;
use clap::Args;
use serde_json::json;

use crate::args::GlobalArgs;
use crate::error::{CommandError, Exit, Result};
use crate::filters::names_with_help;
use crate::settings_file::{SettingsChange, with_json, with_toml_table};
use crate::ui::Ui;

named! {
    /// A program that starts servers.
    pub(crate) enum Client {
        /// Cursor, editor and command line.
        Cursor = "cursor",
        /// Claude Code.
        Claude = "claude",
        /// Visual Studio Code.
        Vscode = "vscode",
        /// Codex.
        Codex = "codex",
    }
}

const HELP: [&str; 4] = [
    "Cursor: ~/.cursor/mcp.json",
    "Claude Code: ~/.claude.json, or below `CLAUDE_CONFIG_DIR`",
    "Visual Studio Code: mcp.json in its user folder",
    "Codex: ~/.codex/config.toml, or below `CODEX_HOME`",
];

/// Print what a client needs to start it, or write that into the client's settings
///
/// With --write the difference is shown and then written. Other entries, comments and formatting stay as they are, and so do
/// variables and arguments of an entry that is there already.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArgs {
    /// The client
    #[arg(value_name = "CLIENT", value_parser = names_with_help::<Client>(&HELP))]
    client: Client,

    /// Write it
    #[arg(long)]
    write: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll mcp config cursor
  backscroll mcp config cursor --write
  backscroll mcp config codex --write";

/// The name under which clients know the server.
const NAME: &str = "backscroll";

pub(crate) fn run(ui: &mut Ui<'_>, global: &GlobalArgs, args: &ConfigArgs) -> Result<Exit> {
    let program = ui.environment.program.clone();
    let place = place(ui, global, args.client)?;
    if !args.write {
        let text = args.client.changed("", &program).unwrap_or_default();
        ui.data(text.as_bytes())?;
        ui.flush()?;
        ui.note(&format!("this belongs into {}; --write puts it there", place.display()));
        return Ok(Exit::Done);
    }
    let change = SettingsChange::plan(&place, |text| args.client.changed(text, &program))?;
    if change.is_none() {
        ui.note(&format!("{} has it already", place.display()));
        return Ok(Exit::Done);
    }
    let shown = change.shown();
    ui.data(shown.as_bytes())?;
    ui.flush()?;
    change.write()?;
    ui.note(&format!("written to {}", place.display()));
    Ok(Exit::Done)
}

impl Client {
    /// The client's settings `text`, in which it starts `program`.
    fn changed(self, text: &str, program: &Path) -> Result<String, String> {
        let command = program.to_string_lossy();
        let plain = json!({ "command": command, "args": ["mcp"] });
        let typed = json!({ "type": "stdio", "command": command, "args": ["mcp"] });
        match self {
            Self::Cursor => with_json(text, &["mcpServers", NAME], &plain),
            Self::Claude => with_json(text, &["mcpServers", NAME], &typed),
            Self::Vscode => with_json(text, &["servers", NAME], &typed),
            Self::Codex => with_toml_table(text, &["mcp_servers", NAME], &plain),
        }
    }
}

/// Where the client keeps its settings.
fn place(ui: &Ui<'_>, global: &GlobalArgs, client: Client) -> Result<PathBuf> {
    let around = &ui.environment.surroundings;
    let home = global.home.as_ref().or(around.home.as_ref());
    let unknown = || CommandError::new(Exit::Usage, "no home is known").hinted("--home DIR names one");
    let home = home.ok_or_else(unknown)?;
    let is_other = global.home.is_some();
    let named = |folder: &Option<PathBuf>| folder.clone().filter(|_| !is_other);
    Ok(match client {
        Client::Cursor => home.join(".cursor/mcp.json"),
        Client::Claude => {
            named(&ui.environment.claude_config_dir).as_ref().unwrap_or(home).join(".claude.json")
        }
        Client::Codex => {
            named(&ui.environment.codex_home).unwrap_or_else(|| home.join(".codex")).join("config.toml")
        }
        Client::Vscode => {
            let folder = if cfg!(windows) {
                named(&around.appdata).unwrap_or_else(|| home.join("AppData/Roaming"))
            } else if cfg!(target_os = "macos") {
                home.join("Library/Application Support")
            } else {
                named(&around.xdg_config_home).unwrap_or_else(|| home.join(".config"))
            };
            folder.join("Code/User/mcp.json")
        }
    })
}
