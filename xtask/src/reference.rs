//! `docs/cli.md`: the command reference, written from the program's own definitions, so that it cannot say anything else.

use std::fmt::Write;
use std::fs;

use backscroll_cli::Exit;

use crate::arguments::{Arguments, Trouble};

const INTRODUCTION: &str = "\
# The command line

<!-- Written by `cargo run -p xtask -- reference --out docs/cli.md`. A test compares; do not edit by hand. -->

Data goes to standard output, everything else (progress, warnings, hints) to standard error. Colour, progress and the
pager appear only on a terminal. Away from a terminal `list` and `sources` print tab-separated columns; with `--json`
they print one JSON object a line. A closed pipe ends the program quietly.
";

const EXITS: [(Exit, &str); 7] = [
    (Exit::Done, "done"),
    (Exit::NothingMatched, "nothing matched"),
    (Exit::Usage, "wrong usage; also an id that means several conversations"),
    (Exit::Unreadable, "a store that you named could not be read, or none at all could"),
    (Exit::Refused, "refused: it would overwrite something, or the output could not be written"),
    (Exit::Findings, "done, but with findings, under `--strict`"),
    (Exit::Bug, "a bug in backscroll"),
];

/// Variables that are asked for. A test compares the names with the one file that asks.
const VARIABLES: &[(&str, &str)] = &[
    ("HOME", "the home to look in"),
    ("USERPROFILE", "the same on Windows"),
    (
        "XDG_CONFIG_HOME",
        "where the editor's folder and our own `config.toml` are looked for on Linux, besides `~/.config`",
    ),
    ("APPDATA", "the same on Windows"),
    ("XDG_CACHE_HOME", "where the index is kept on Linux, instead of `~/.cache`"),
    ("LOCALAPPDATA", "where the index is kept on Windows"),
    ("XDG_DATA_HOME", "where our own data is kept on Linux, instead of `~/.local/share`"),
    ("CURSOR_CONFIG_DIR", "where Cursor's command line agent keeps its files, besides `~/.cursor`"),
    ("CURSOR_DATA_DIR", "where Cursor's SDK writes transcripts, besides `~/.cursor`"),
    ("VSCODE_PORTABLE", "the folder of a portable editor"),
    ("CLAUDE_CONFIG_DIR", "where `mcp config claude` finds the settings"),
    ("CODEX_HOME", "where `mcp config codex` finds the settings"),
    ("WSL_DISTRO_NAME", "set by WSL: the Windows side's users are looked at too"),
    (
        "CURSOR_AGENT",
        "set by an agent for what it starts: secrets are removed unless `--no-redact`, no colour, no pager, no progress",
    ),
    ("CLAUDECODE", "as `CURSOR_AGENT`"),
    ("CODEX_SANDBOX", "as `CURSOR_AGENT`"),
    ("GEMINI_CLI", "as `CURSOR_AGENT`"),
    ("AI_AGENT", "as `CURSOR_AGENT`"),
    ("NO_COLOR", "no colour, unless `--color always`"),
    ("TERM", "no colour on a `dumb` terminal"),
    ("COLUMNS", "the width, instead of the terminal's"),
    ("BACKSCROLL_CONFIG", "the configuration, instead of `config.toml` in the system's folder for them"),
    ("BACKSCROLL_DATA_DIR", "where our own data is kept, instead of the system's folder for data"),
    ("BACKSCROLL_PAGER", "the pager of `show`; `cat` for none"),
    ("PAGER", "the same, for every program"),
    ("LESS", "options of `less`; where it is not set, `RFX`"),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let out = arguments.path("out").ok_or("reference needs --out FILE")?;
    Ok(fs::write(out, reference()?)?)
}

fn reference() -> Result<String, Trouble> {
    let mut root = backscroll_cli::command().term_width(100);
    root.build();
    let mut page = INTRODUCTION.to_owned();
    section(&mut page, "backscroll", &root.render_long_help().to_string())?;
    for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let heading = format!("backscroll {}", command.get_name());
        section(&mut page, &heading, &command.render_long_help().to_string())?;
    }
    page += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
    for (exit, meaning) in EXITS {
        writeln!(page, "| {} | {meaning} |", exit.code())?;
    }
    page += "\n## Environment\n\n| variable | what it does |\n|---|---|\n";
    for (name, meaning) in VARIABLES {
        writeln!(page, "| `{name}` | {meaning} |")?;
    }
    Ok(page)
}

fn section(page: &mut String, heading: &str, help: &str) -> Result<(), Trouble> {
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    Ok(write!(page, "\n## `{heading}`\n\n```text\n{}\n```\n", lines.join("\n"))?)
}
