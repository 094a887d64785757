//! A program that the system runs in the background for the user: a systemd user unit, a launchd agent, or a scheduled task.
//! Pure: what to write and what to run. The command that installs it does both.

use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// Who runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    Systemd,
    Launchd,
    TaskScheduler,
}

const UNIT: &str = "backscroll-watch.service";
const LABEL: &str = "backscroll.watch";
const TASK: &str = "backscroll-watch";

impl System {
    /// The one of this system.
    pub(crate) const HERE: Self = if cfg!(target_os = "macos") {
        Self::Launchd
    } else if cfg!(windows) {
        Self::TaskScheduler
    } else {
        Self::Systemd
    };

    /// The file that describes the service; `None` if no home is known.
    pub(crate) fn file(self, environment: &Environment) -> Option<PathBuf> {
        let home = environment.surroundings.home.as_ref();
        match self {
            Self::Systemd => {
                let config = environment.surroundings.xdg_config_home.clone();
                let config = config.or_else(|| home.map(|home| home.join(".config")))?;
                Some(config.join("systemd/user").join(UNIT))
            }
            Self::Launchd => {
                home.map(|home| home.join("Library/LaunchAgents").join(format!("{LABEL}.plist")))
            }
            Self::TaskScheduler => environment.cache.as_ref().map(|cache| cache.join(format!("{TASK}.xml"))),
        }
    }

    /// Its text: it runs the program and arguments of `command`.
    pub(crate) fn content(self, command: &[String]) -> String {
        match self {
            Self::Systemd => unit(command),
            Self::Launchd => agent(command),
            Self::TaskScheduler => task(command),
        }
    }

    /// The commands that start the service, now and after each login.
    pub(crate) fn start(self, file: &Path) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => vec![
                words(&["systemctl", "--user", "daemon-reload"]),
                words(&["systemctl", "--user", "enable", UNIT]),
                words(&["systemctl", "--user", "restart", UNIT]),
            ],
            Self::Launchd => vec![words(&["launchctl", "load", "-w", &file.to_string_lossy()])],
            Self::TaskScheduler => vec![
                words(&["schtasks", "/Create", "/F", "/TN", TASK, "/XML", &file.to_string_lossy()]),
                words(&["schtasks", "/Run", "/TN", TASK]),
            ],
        }
    }

    /// The commands that end it for good.
    pub(crate) fn stop(self, file: &Path) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => vec![words(&["systemctl", "--user", "disable", "--now", UNIT])],
            Self::Launchd => vec![words(&["launchctl", "unload", "-w", &file.to_string_lossy()])],
            Self::TaskScheduler => vec![
                words(&["schtasks", "/End", "/TN", TASK]),
                words(&["schtasks", "/Delete", "/F", "/TN", TASK]),
            ],
        }
    }

    /// The command that says whether it runs.
    pub(crate) fn ask(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Systemd => ("systemctl", &["--user", "is-active", UNIT]),
            Self::Launchd => ("launchctl", &["list", LABEL]),
            Self::TaskScheduler => ("schtasks", &["/Query", "/TN", TASK, "/FO", "CSV", "/NH"]),
        }
    }

    /// Whether it runs, by what that command said; `None` if it did not say.
    pub(crate) fn says_running(self, is_success: bool, said: &str) -> Option<bool> {
        match self {
            Self::Systemd => match said.trim() {
                "active" | "activating" | "reloading" => Some(true),
                "inactive" | "failed" | "deactivating" => Some(false),
                _ => None,
            },
            Self::Launchd => Some(is_success && said.contains("\"PID\"")),
            Self::TaskScheduler => is_success.then(|| said.contains("Running")),
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn unit(command: &[String]) -> String {
    let command: Vec<String> = command.iter().map(|word| unit_word(word)).collect();
    format!(
        "[Unit]
Description=Backscroll: keeps an export of Cursor conversations up to date

[Service]
ExecStart={}
Restart=on-failure
RestartSec=30
Nice=10

[Install]
WantedBy=default.target
",
        command.join(" ")
    )
}

/// A word of `ExecStart`: quoted, with what systemd would replace escaped.
fn unit_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let escaped = escaped.replace('\n', "\\n");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if !escaped.is_empty() && escaped.chars().all(is_plain) { escaped } else { format!("\"{escaped}\"") }
}

fn agent(command: &[String]) -> String {
    let arguments = command.iter().map(|word| format!("    <string>{}</string>\n", xml(word)));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{}  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"#,
        arguments.collect::<String>()
    )
}

fn task(command: &[String]) -> String {
    let (program, arguments) =
        command.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let arguments: Vec<String> = arguments.iter().map(|word| windows_word(word)).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Backscroll: keeps an export of Cursor conversations up to date</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>8</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>{}</Command>
      <Arguments>{}</Arguments>
    </Exec>
  </Actions>
</Task>
"#,
        xml(program),
        xml(&arguments.join(" "))
    )
}

/// A word as programs on Windows take their command lines apart.
fn windows_word(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '"']) {
        return word.to_owned();
    }
    let mut quoted = String::from("\"");
    let mut backslashes = 0;
    for c in word.chars() {
        match c {
            '\\' => backslashes += 1,
            '"' => {
                // Those before a quote would escape each other, and one more escapes the quote.
                quoted.push_str(&"\\".repeat(backslashes + 1));
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
        quoted.push(c);
    }
    quoted.push_str(&"\\".repeat(backslashes));
    quoted.push('"');
    quoted
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Vec<String> {
        let words = [
            "/opt/my tools/backscroll",
            "watch",
            "--export",
            "/home/ada/notes & \"more\" 100%",
            "--format",
            "md",
        ];
        words.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_systemd_unit() {
        insta::assert_snapshot!(System::Systemd.content(&command()));
    }

    #[test]
    fn a_launchd_agent() {
        insta::assert_snapshot!(System::Launchd.content(&command()));
    }

    #[test]
    fn a_scheduled_task() {
        insta::assert_snapshot!(System::TaskScheduler.content(&command()));
    }

    #[test]
    fn what_is_run_to_start_and_to_stop_each() {
        let commands = |system: System| {
            let file = Path::new("/place/of/the/file");
            let all: Vec<String> =
                system.start(file).iter().chain(&system.stop(file)).map(|words| words.join(" ")).collect();
            all.join("\n")
        };
        let all = [System::Systemd, System::Launchd, System::TaskScheduler].map(commands);
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn words_for_windows_are_taken_apart_as_they_were() {
        for (word, expected) in [
            ("plain", "plain"),
            ("two words", "\"two words\""),
            ("C:\\a b\\", "\"C:\\a b\\\\\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\\\"b", "\"a\\\\\\\"b\""),
            ("", "\"\""),
        ] {
            assert_eq!(windows_word(word), expected);
        }
    }

    #[test]
    fn whether_it_runs() {
        assert_eq!(System::Systemd.says_running(true, "active\n"), Some(true));
        assert_eq!(System::Systemd.says_running(false, "inactive\n"), Some(false));
        assert_eq!(System::Systemd.says_running(false, ""), None, "there is no systemd to ask");
        assert_eq!(System::Launchd.says_running(true, "{\n\t\"PID\" = 77;\n}"), Some(true));
        assert_eq!(System::Launchd.says_running(false, ""), Some(false));
        assert_eq!(
            System::TaskScheduler.says_running(true, "\"\\backscroll-watch\",\"N/A\",\"Running\""),
            Some(true)
        );
    }
}
