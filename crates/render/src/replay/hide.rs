//! What a replay leaves out: steps before and after, kinds of parts, and the paths of this machine.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use backscroll_model::{AttachmentKind, Conversation, KeptFiles, Message, Part, Role, TextKind, named};
use jiff::Timestamp;
use regex::{Captures, Regex};

named! {
    /// What a replay can leave out.
    pub enum Hide {
        /// What the model thought.
        Thinking = "thinking",
        /// Tool calls, and what they did.
        Tools = "tools",
        /// What tools answered.
        Results = "results",
        /// Where on the machine things lie.
        Paths = "paths",
    }
}

/// Takes out of `conversation` what is `hidden`.
pub fn hide(conversation: &mut Conversation, hidden: &[Hide]) {
    let hides = |what: Hide| hidden.contains(&what);
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        message.parts.retain(|part| !hidden_by(part).iter().any(|what| hides(*what)));
        if hides(Hide::Results) {
            message.parts.iter_mut().for_each(without_result);
        }
    }
    if hides(Hide::Tools) || hides(Hide::Results) {
        let is_answer = |role: Role| role == Role::Tool;
        conversation.messages.retain(|message| !is_answer(message.role));
        conversation.orphans.retain(|message| !is_answer(message.role));
        // They hold whole files, much as reading them would have told.
        conversation.kept_files = KeptFiles::default();
    }
    if hides(Hide::Paths) {
        shorten_paths(conversation);
    }
    if hides(Hide::Tools) {
        let facts = &mut conversation.facts;
        (facts.files, facts.todos, facts.requests) = (Vec::new(), Vec::new(), Vec::new());
        conversation.summary.children.clear();
    }
}

/// What takes this part out.
fn hidden_by(part: &Part) -> &'static [Hide] {
    match part {
        Part::Thinking { .. } => &[Hide::Thinking],
        Part::ToolCall(_) | Part::Todos(_) => &[Hide::Tools],
        Part::Attachment(attached) if attached.kind == AttachmentKind::Output => {
            &[Hide::Tools, Hide::Results]
        }
        _ => &[],
    }
}

/// Reasons of failure are answers too: often they are the output of a command.
fn without_result(part: &mut Part) {
    if let Part::ToolCall(call) = part {
        (call.result, call.error) = (None, None);
    }
}

/// One end of what is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The message with this number, counted from one.
    Message(usize),
    /// The first or last message that is known to lie on the inner side of this moment.
    Moment(Timestamp),
}

/// Takes out the messages before `from` and behind `to`, both included in what stays, and all that is shown of the
/// conversation as a whole where something was taken out.
pub fn narrow(conversation: &mut Conversation, from: Option<End>, to: Option<End>) {
    let count = conversation.messages.len();
    let after = |moment: Timestamp, message: &Message| message.at.at.is_some_and(|at| at >= moment);
    let first = match from {
        None => 0,
        Some(End::Message(number)) => number.saturating_sub(1),
        Some(End::Moment(moment)) => {
            conversation.messages.iter().position(|message| after(moment, message)).unwrap_or(count)
        }
    };
    let before = |moment: Timestamp, message: &Message| message.at.at.is_some_and(|at| at <= moment);
    let end = match to {
        None => count,
        Some(End::Message(number)) => number.min(count),
        Some(End::Moment(moment)) => conversation
            .messages
            .iter()
            .rposition(|message| before(moment, message))
            .map_or(0, |last| last + 1),
    };
    if first == 0 && end == count {
        return;
    }
    conversation.messages.truncate(end);
    conversation.messages.drain(..first.min(end));
    let left: HashSet<&str> = conversation.messages.iter().map(|message| message.id.as_str()).collect();
    conversation.kept_files.retain(|checkpoint| left.contains(checkpoint.message.as_str()));
    // Sums, files, drafts and things to do of the whole conversation would tell of what was taken out.
    conversation.facts = backscroll_model::Facts::default();
    conversation.orphans.clear();
    conversation.findings.clear();
}

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
fn shorten_paths(conversation: &mut Conversation) {
    let workspace = conversation.summary.workspace.as_ref().map(|workspace| workspace.path.clone());
    let shortener = Shortener::new(workspace.as_deref());
    conversation.visit_texts_mut(|_, kind, mut text| {
        if kind != TextKind::ImageData {
            let short = shortener.text(&text.as_ref().as_str());
            text.set(short);
        }
    });
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
