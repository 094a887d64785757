//! What each wrapper is, and the attachments that it becomes.

use backscroll_model::{Attachment, AttachmentKind, LineRange};

use super::tags::{self, Element};

/// What a wrapper says of the message that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The editor wrote it by itself, at the start of a conversation: text beside it is the editor's too.
    Environment,
    /// The editor wrote it by itself.
    Context,
    /// The user chose it.
    Chosen,
}

/// What the wrapper called `name` is, if it is known.
pub(super) fn meaning(name: &str) -> Option<(Meaning, AttachmentKind)> {
    use AttachmentKind as Kind;
    use Meaning::{Chosen, Environment};
    Some(match name {
        "user_info" | "project_layout" | "agent_transcripts" | "mcp_instructions" => {
            (Environment, Kind::Context)
        }
        "rules" => (Environment, Kind::Rule),
        "available_skills" | "agent_skills" | "agent_skill" => (Environment, Kind::Skill),
        "system_reminder"
        | "git_status"
        | "open_and_recently_viewed_files"
        | "additional_data"
        | "system_notification" => (Meaning::Context, Kind::Context),
        "manually_attached_skills" => (Chosen, Kind::Skill),
        "cursor_commands" => (Chosen, Kind::Command),
        "attached_files" | "file_contents" => (Chosen, Kind::File),
        "code_selection" => (Chosen, Kind::Selection),
        "terminal_selection" => (Chosen, Kind::Terminal),
        "git_diff_from_branch_to_main" | "git_diff" => (Chosen, Kind::Diff),
        _ if name.starts_with("mcp_") => (Meaning::Context, Kind::Context),
        _ => return None,
    })
}

/// The attachments that `element` becomes: selections inside attached files stand for themselves.
pub(super) fn attachments(element: &Element<'_>, kind: AttachmentKind) -> Vec<Attachment> {
    if element.name != "attached_files" {
        return vec![attachment(element, kind)];
    }
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    for inner in tags::elements(element.inner, "") {
        let Some((Meaning::Chosen, kind)) = meaning(inner.name) else {
            continue;
        };
        if inner.start >= at && inner.name != "attached_files" {
            rest.push_str(&element.inner[at..inner.start]);
            found.push(attachment(&inner, kind));
            at = inner.end;
        }
    }
    rest.push_str(&element.inner[at..]);
    if !rest.trim().is_empty() {
        let mut whole = Attachment::new(kind).titled(element.name).saying(rest.trim_matches('\n'));
        whole.path = diffed_file(&rest);
        found.push(whole);
    }
    found
}

fn attachment(element: &Element<'_>, kind: AttachmentKind) -> Attachment {
    let mut attachment = Attachment::new(kind).titled(element.name).saying(element.inner.trim_matches('\n'));
    attachment.path = path(element);
    attachment.lines = element.attribute("lines").and_then(lines);
    attachment
}

fn path(element: &Element<'_>) -> Option<String> {
    let mut attributes = ["path", "full_path", "fullPath", "file"].iter();
    let named = attributes.find_map(|name| element.attribute(name));
    named.map(str::to_owned).or_else(|| {
        let skill_file = || {
            let mut lines = element.inner.lines();
            lines.find_map(|line| line.strip_prefix("Path: "))
        };
        let is_skill = element.name.contains("skill");
        is_skill.then(skill_file).flatten().map(|path| path.trim().to_owned())
    })
}

/// The file of the first `--- path` line of a diff.
fn diffed_file(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix("--- "))?.trim();
    named.contains(['/', '\\']).then(|| named.to_owned())
}

fn lines(text: &str) -> Option<LineRange> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(LineRange { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? })
}
