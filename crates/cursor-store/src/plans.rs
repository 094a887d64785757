//! Plans: `plans/*.plan.md` of a Cursor home, attached to the conversations that made or name them.

use std::path::{Path, PathBuf};

use backscroll_cursor_format::plan_file::{self, Plan};
use backscroll_model::{
    Attachment, AttachmentKind, Conversation, Finding, FindingKind, Message, Origin, Part, Payload,
};

use crate::feed::stamp;
use crate::folder_listing::{beginning, children, name_of};

/// The plans of one Cursor home.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plans {
    folder: Option<PathBuf>,
}

/// Longer plans are not loaded.
const LONGEST: u64 = 4 * 1024 * 1024;

impl Plans {
    /// The `plans` folder of the Cursor home that `place` lies in.
    pub(crate) fn beside(place: &Path) -> Self {
        let is_home = |home: &&Path| {
            let is_named = matches!(name_of(home).as_str(), ".cursor" | "cursor");
            is_named || home.join("chats").is_dir() || home.join("ai-tracking").is_dir()
        };
        let mut plans = place.ancestors().take(6).filter(is_home).map(|home| home.join("plans"));
        Self { folder: plans.find(|folder| folder.is_dir()) }
    }

    /// The `plans` folder of this Cursor home.
    pub(crate) fn of_home(home: &Path) -> Self {
        Self { folder: Some(home.join("plans")).filter(|folder| folder.is_dir()) }
    }

    /// What the plans look like from outside: another number, and one of them was written.
    pub(crate) fn stamp(&self) -> u64 {
        self.folder.as_deref().map_or(stamp::ABSENT, stamp::folder)
    }

    /// The files of plans that there are.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.folder.as_deref().map(plan_files).unwrap_or_default()
    }

    /// Attaches each plan that `conversation` made or names to the message that did.
    pub(crate) fn attach(&self, conversation: &mut Conversation) {
        let Some(folder) = self.folder.as_deref().filter(|_| speaks_of_plans(conversation)) else { return };
        for file in plan_files(folder) {
            let Ok((bytes, is_all)) = beginning(&file, LONGEST) else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let plan = plan_file::read(&text);
            let Some(at) = place_of(&file, &plan, conversation) else { continue };
            if !is_all {
                let origin =
                    Origin { file: file.as_path().into(), ..conversation.messages[at].origin.with_key("") };
                let says = format!("the plan is longer than {LONGEST} bytes and is cut off");
                conversation.findings.push(Finding::new(FindingKind::TooLarge, origin, says));
            }
            take_in(conversation, at, &file, plan, text);
        }
    }
}

fn plan_files(folder: &Path) -> Vec<PathBuf> {
    children(folder).into_iter().filter(|path| name_of(path).ends_with(".plan.md")).collect()
}

fn take_in(conversation: &mut Conversation, at: usize, file: &Path, plan: Plan, text: String) {
    let path = file.to_string_lossy().into_owned();
    let mut attachment = Attachment::new(AttachmentKind::Plan).at(path.clone()).saying(text);
    attachment.title = plan.name;
    conversation.messages[at].parts.push(Part::Attachment(Box::new(attachment)));
    if !conversation.facts.plans.iter().any(|known| name_of(Path::new(known)) == name_of(file)) {
        conversation.facts.plans.push(path);
    }
    if conversation.facts.todos.is_empty() {
        conversation.facts.todos = plan.todos;
    }
}

/// Whether it is worth looking at plans at all.
fn speaks_of_plans(conversation: &Conversation) -> bool {
    !conversation.messages.is_empty()
        && (!conversation.facts.plans.is_empty()
            || conversation.messages.iter().flat_map(|message| &message.parts).any(|part| match part {
                Part::ToolCall(call) => {
                    call.name == "plan" || texts(part).any(|text| text.contains(".plan.md"))
                }
                _ => texts(part).any(|text| text.contains(".plan.md")),
            }))
}

/// The message that made the plan in `file`, or the first that names it, or the last one where the record names it.
fn place_of(file: &Path, plan: &Plan, conversation: &Conversation) -> Option<usize> {
    let name = name_of(file);
    let id = plan_file::plan_id(&name);
    let made = |message: &Message| {
        message.tool_calls().filter(|call| call.name == "plan").any(|call| {
            let given = [&call.arguments, &call.result].into_iter().flatten();
            given.clone().any(|payload| id.is_some_and(|id| payload.as_str().contains(id)))
                || given
                    .flat_map(Payload::text_fields)
                    .any(|(key, value)| key == "name" && Some(value) == plan.name)
        })
    };
    let names =
        |message: &Message| message.parts.iter().any(|part| texts(part).any(|text| text.contains(&name)));
    let messages = &conversation.messages;
    let is_recorded = || conversation.facts.plans.iter().any(|known| known.ends_with(&name));
    messages
        .iter()
        .position(made)
        .or_else(|| messages.iter().position(names))
        .or_else(|| is_recorded().then(|| messages.len() - 1))
}

/// The words of a part, of whatever kind.
fn texts(part: &Part) -> impl Iterator<Item = &str> {
    let (one, two) = match part {
        Part::Text(text) | Part::Thinking { text, .. } | Part::Summary(text) => (Some(text.as_str()), None),
        Part::ToolCall(call) => {
            (call.arguments.as_ref().map(Payload::as_str), call.result.as_ref().map(Payload::as_str))
        }
        Part::Attachment(attachment) if attachment.kind != AttachmentKind::Plan => {
            (attachment.path.as_deref(), attachment.text.as_deref())
        }
        _ => (None, None),
    };
    one.into_iter().chain(two)
}
