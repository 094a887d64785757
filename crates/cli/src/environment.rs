//! What the surroundings say: the only file that asks for variables, the terminal, the clock and the current folder.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use backscroll_history::live::Clock;
use jiff::Zoned;

use crate::wiring::Surroundings;

/// What the surroundings say. Tests make their own.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the surroundings")]
pub struct Environment {
    /// Where this system and this user keep things.
    pub surroundings: Surroundings,
    /// The configuration, from `BACKSCROLL_CONFIG`.
    pub config: Option<PathBuf>,
    /// The folder for what may be made anew at any time: the system's own for caches, and ours in it.
    pub cache: Option<PathBuf>,
    /// Our folder for data, from `BACKSCROLL_DATA_DIR`.
    pub named_data: Option<PathBuf>,
    /// The folder for what must not be lost: the system's own for data, and ours in it.
    pub data: Option<PathBuf>,
    /// The folder of Claude Code's settings, from `CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    /// The folder of Codex, from `CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
    /// The file of this program, as another program may start it.
    pub program: PathBuf,
    /// The current folder.
    pub current_folder: PathBuf,
    /// No colour is wanted: `NO_COLOR`, or a terminal that has none.
    pub no_color: bool,
    /// The user's pager, from `BACKSCROLL_PAGER` or `PAGER`.
    pub pager: Option<String>,
    /// The user has set up `less` in the way they like.
    pub less_is_set_up: bool,
    /// The cells of a line of the terminal.
    pub width: Option<usize>,
    /// Standard input is a terminal.
    pub in_is_terminal: bool,
    /// Standard output is a terminal.
    pub out_is_terminal: bool,
    /// Standard error is a terminal.
    pub err_is_terminal: bool,
    /// An agent started this program, and reads what it prints.
    pub is_agent: bool,
    /// What time it is, and where.
    pub now: Zoned,
}

/// Variables that agents set for what they start.
const AGENTS: [&str; 5] = ["CURSOR_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT"];

impl Environment {
    /// What the surroundings of this process say.
    pub fn of_this_process() -> Self {
        let text = |name| variable(name).and_then(|value| value.into_string().ok());
        let is_agent = AGENTS.iter().any(|name| path(name).is_some());
        Self {
            surroundings: Surroundings {
                home: home(),
                xdg_config_home: path("XDG_CONFIG_HOME"),
                appdata: path("APPDATA"),
                cursor_config_dir: path("CURSOR_CONFIG_DIR"),
                cursor_data_dir: path("CURSOR_DATA_DIR"),
                user_data_dirs: path("VSCODE_PORTABLE")
                    .map(|folder| folder.join("user-data"))
                    .into_iter()
                    .collect(),
                windows_users: windows_users(),
                temp: std::env::temp_dir(),
            },
            config: path("BACKSCROLL_CONFIG"),
            cache: cache(),
            named_data: path("BACKSCROLL_DATA_DIR"),
            data: data(),
            claude_config_dir: path("CLAUDE_CONFIG_DIR"),
            codex_home: path("CODEX_HOME"),
            program: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("backscroll")),
            current_folder: std::env::current_dir().unwrap_or_default(),
            no_color: is_agent || path("NO_COLOR").is_some() || text("TERM").as_deref() == Some("dumb"),
            pager: is_agent
                .then(|| "cat".to_owned())
                .or_else(|| text("BACKSCROLL_PAGER"))
                .or_else(|| text("PAGER")),
            less_is_set_up: variable("LESS").is_some(),
            width: text("COLUMNS")
                .and_then(|columns| columns.parse::<u16>().ok())
                .map(usize::from)
                .or_else(terminal_width),
            in_is_terminal: std::io::stdin().is_terminal(),
            out_is_terminal: std::io::stdout().is_terminal(),
            err_is_terminal: std::io::stderr().is_terminal(),
            is_agent,
            now: Zoned::now(),
        }
    }
}

/// The clock of this process, for what runs so long that the time moves on.
pub(crate) fn clock() -> Clock {
    Clock::new(Zoned::now)
}

#[expect(clippy::disallowed_methods, reason = "this is the one file that asks")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// A variable that is set and not empty.
fn path(name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn home() -> Option<PathBuf> {
    path("HOME").or_else(|| path("USERPROFILE"))
}

/// Our folder in the first of the system's that is known: by a variable, or below the home.
fn own_folder(variable: Option<&str>, below_home: &str) -> Option<PathBuf> {
    let folder = variable.and_then(path).or_else(|| Some(home()?.join(below_home)));
    folder.map(|folder| folder.join("backscroll"))
}

fn cache() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        own_folder(None, "Library/Caches")
    } else if cfg!(windows) {
        own_folder(Some("LOCALAPPDATA"), "AppData/Local")
    } else {
        own_folder(Some("XDG_CACHE_HOME"), ".cache")
    }
}

/// Where each system keeps what programs must not lose.
fn data() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        own_folder(None, "Library/Application Support")
    } else if cfg!(windows) {
        own_folder(Some("APPDATA"), "AppData/Roaming")
    } else {
        own_folder(Some("XDG_DATA_HOME"), ".local/share")
    }
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(terminal_size::Width(cells), _)| usize::from(cells))
}

/// In WSL the editor runs on the Windows side, and its files lie under that side's users.
fn windows_users() -> Option<PathBuf> {
    let kernel_is_microsofts = || {
        let version = std::fs::read_to_string("/proc/version").unwrap_or_default();
        version.to_lowercase().contains("microsoft")
    };
    let is_wsl =
        cfg!(target_os = "linux") && (variable("WSL_DISTRO_NAME").is_some() || kernel_is_microsofts());
    let users = Path::new("/mnt/c/Users");
    (is_wsl && users.is_dir()).then(|| users.to_owned())
}
