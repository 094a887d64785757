//! Paths without the machine they lie on: those of the workspace become relative, homes become `~`, the rest of the
//! system's keep only their last name. What is not plainly a path of a machine, such as a route of a server, stays.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use backscroll_model::{Conversation, Payload};
use regex::{Captures, Regex};
use serde_json::value::RawValue;

use crate::redact::slots::{Slot, of_conversation};

/// A name in a path.
const NAME: &str = r#"[^/\\\s"'<>:|,;()\[\]{}]+"#;

/// Folders that stand at the root of some system.
const ROOTS: &str = "usr|etc|var|opt|tmp|private|mnt|media|srv|Volumes|Applications|Library|System|nix|snap|data\
                     |workspaces?|work|builds?|proc|sys|dev|run|bin|sbin|lib|lib64|boot|cygdrive|code|projects|src|app";

static HOME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"(?:/(?:home|Users)/{NAME}|[A-Za-z]:(?:/|\\{{1,4}})Users(?:/|\\{{1,4}}){NAME})"))
});
static ROOT_HOME: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|[^\w.~/-])/root(/|\b)"));
static SYSTEM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r#"(^|[\s"'`(=\[,;>+:-])(?:file://)?/(?:{ROOTS})(?:/{NAME})*/({NAME})"#))
});
static DRIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r#"(^|[\s"'`(=\[,;>+:-])[A-Za-z]:(?:/|\\{{1,4}})(?:{NAME}(?:/|\\{{1,4}}))*({NAME})"#))
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is written above, and a test uses it")
}

/// The home that the conversation's workspace lies in, where its path tells one.
pub fn home_of(conversation: &Conversation) -> Option<String> {
    let path = &conversation.summary.workspace.as_ref()?.path;
    HOME.find(path).filter(|home| home.start() == 0).map(|home| home.as_str().to_owned())
}

/// Takes the machine out of every path of `conversation`.
pub fn shorten_paths(conversation: &mut Conversation) {
    let workspace = conversation.summary.workspace.as_ref().map(|workspace| workspace.path.clone());
    let shortener = Shortener::new(workspace.as_deref());
    of_conversation(conversation, true, &mut |_, slot| shortener.shorten(slot));
    if let (Some(workspace), Some(path)) = (&mut conversation.summary.workspace, workspace) {
        let name = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
        name.clone_into(&mut workspace.path);
        (workspace.uri, workspace.remote) = (None, None);
    }
}

struct Shortener {
    /// The workspace's folder with what separates it from what lies in it, and by itself.
    inside: Option<(Regex, Regex)>,
}

impl Shortener {
    fn new(workspace: Option<&str>) -> Self {
        let folder = workspace.map(|path| path.trim_end_matches(['/', '\\'])).filter(|path| path.len() > 1);
        let inside = folder.map(|folder| {
            let names: Vec<String> = folder.split(['/', '\\']).map(regex::escape).collect();
            let spelled = names.join(r"(?:/|\\{1,4})");
            (
                pattern(&format!(r"(?:file://)?{spelled}(?:/|\\{{1,4}})")),
                pattern(&format!(r"{spelled}([^\w.-]|$)")),
            )
        });
        Self { inside }
    }

    fn shorten(&self, slot: Slot<'_>) {
        match slot {
            Slot::Text(text) => *text = self.text(text),
            Slot::File(file) => *file = Path::new(&self.text(&file.to_string_lossy())).into(),
            Slot::Payload(payload) => {
                let short = self.text(payload.as_str());
                *payload = match payload {
                    Payload::Json(_) => {
                        RawValue::from_string(short.clone()).map_or(Payload::Text(short), Payload::Json)
                    }
                    Payload::Text(_) => Payload::Text(short),
                };
            }
        }
    }

    fn text(&self, text: &str) -> String {
        let mut short = Cow::Borrowed(text);
        let mut replace = |pattern: &Regex, by: &dyn Fn(&Captures<'_>) -> String| {
            if let Cow::Owned(changed) = pattern.replace_all(&short, |found: &Captures<'_>| by(found)) {
                short = Cow::Owned(changed);
            }
        };
        if let Some((within, itself)) = &self.inside {
            replace(within, &|_| String::new());
            replace(itself, &|found| format!(".{}", &found[1]));
        }
        replace(&HOME, &|_| "~".to_owned());
        replace(&ROOT_HOME, &|found| format!("{}~{}", &found[1], &found[2]));
        replace(&SYSTEM, &|found| format!("{}…/{}", &found[1], &found[2]));
        replace(&DRIVE, &|found| format!("{}…/{}", &found[1], &found[2]));
        short.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_go_and_names_stay() {
        let unix = Shortener::new(Some("/home/mira/app"));
        let windows = Shortener::new(Some(r"c:\work\app"));
        let table = [
            (&unix, "in /home/mira/app/src/x.rs:3", "in src/x.rs:3"),
            (&unix, "cd /home/mira/app && ls", "cd . && ls"),
            (&unix, "/home/mira/application", "~/application"),
            (&unix, r#"{"path":"/home/mira/.ssh/config"}"#, r#"{"path":"~/.ssh/config"}"#),
            (&unix, "/Users/mira/Library/x", "~/Library/x"),
            (&unix, "+include /usr/lib/gcc/12/x.h", "+include …/x.h"),
            (&unix, "GET /api/v1/users and https://a.org/usr/x", "GET /api/v1/users and https://a.org/usr/x"),
            (&unix, concat!("cat /", "root/.bashrc"), "cat ~/.bashrc"),
            (&windows, r#"{"p":"c:\\work\\app\\src\\x.rs"}"#, r#"{"p":"src\\x.rs"}"#),
            (&windows, r"D:\games\doom\doom.exe", "…/doom.exe"),
            (&windows, r"C:\Users\mira\x", r"~\x"),
        ];
        for (shortener, stored, expected) in table {
            assert_eq!(shortener.text(stored), expected, "{stored}");
        }
    }
}
