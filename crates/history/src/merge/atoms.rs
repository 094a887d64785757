//! Messages taken apart into what can be compared between layers.
//!
//! One layer has a message for each thought, text and call; another puts a whole turn into one. So layers are compared
//! piece by piece. A piece is known by who said it, what kind it is, and its words without white space; a call by
//! its id where both layers have it, else by its tool and what it was about.

use std::collections::HashSet;

use backscroll_model::{Message, MessageId, Part, Payload, Role, ToolCall};

/// One piece of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) message: usize,
    pub(super) part: usize,
    /// What makes two pieces the same.
    pub(super) mark: Mark,
}

/// What makes two pieces the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mark {
    Said { by: Speaker, words: String },
    SaidAs { id: String },
    Thought { words: String },
    CalledAs { id: String },
    Called { tool: String, about: String },
}

/// Who said it, as far as layers agree on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Speaker {
    User,
    Agent,
    Editor,
}

/// The ids of all calls.
fn call_ids(messages: &[Message]) -> HashSet<&str> {
    messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.id.as_deref()).collect()
}

/// Shorter ids are places in a file, and say nothing outside of it.
const SHORTEST_ID: usize = 20;

/// What both sides know by the same id.
#[derive(Debug)]
pub(super) struct Shared {
    calls: HashSet<String>,
    messages: HashSet<MessageId>,
}

impl Shared {
    pub(super) fn between(left: &[Message], right: &[Message]) -> Self {
        let calls = call_ids(left).intersection(&call_ids(right)).map(|id| (*id).to_owned()).collect();
        let ids = |messages: &[Message]| -> HashSet<MessageId> {
            let ids = messages.iter().map(|message| message.id.clone());
            ids.filter(|id| id.as_str().len() >= SHORTEST_ID).collect()
        };
        Self { calls, messages: ids(left).intersection(&ids(right)).cloned().collect() }
    }
}

/// Takes messages apart. Calls and messages whose id the other side has too are known by it.
pub(super) fn atoms(messages: &[Message], shared: &Shared) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let mut is_named = shared.messages.contains(&message.id);
        for (part_at, part) in message.parts.iter().enumerate() {
            let named = is_named && matches!(part, Part::Text(_));
            is_named &= !named;
            let mark = if named {
                Some(Mark::SaidAs { id: message.id.as_str().to_owned() })
            } else {
                mark(message.role, part, &shared.calls)
            };
            if let Some(mark) = mark {
                atoms.push(Atom { message: at, part: part_at, mark });
            }
        }
    }
    atoms
}

fn mark(role: Role, part: &Part, shared_ids: &HashSet<String>) -> Option<Mark> {
    let by = match role {
        Role::User => Speaker::User,
        Role::Assistant | Role::Tool => Speaker::Agent,
        Role::System => Speaker::Editor,
    };
    Some(match part {
        Part::Text(text) => Mark::Said { by, words: bare(text) },
        Part::Thinking { text, .. } => Mark::Thought { words: bare(text) },
        Part::ToolCall(call) => match &call.id {
            Some(id) if shared_ids.contains(id.as_str()) => Mark::CalledAs { id: id.clone() },
            _ => Mark::Called { tool: call.name.clone(), about: about(call) },
        },
        Part::Image(_)
        | Part::Attachment(_)
        | Part::Code(_)
        | Part::Summary(_)
        | Part::Error(_)
        | Part::Todos(_) => return None,
    })
}

/// Words without white space, which layers treat differently.
pub(super) fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Arguments that say what a call is about, in the spellings of all layers, most telling first.
const ABOUT: [&str; 18] = [
    "command",
    "pattern",
    "query",
    "search_term",
    "searchTerm",
    "url",
    "glob_pattern",
    "globPattern",
    "prompt",
    "target_file",
    "targetFile",
    "file_path",
    "path",
    "relativeWorkspacePath",
    "filePath",
    "target_directory",
    "targetDirectory",
    "relative_workspace_path",
];

/// What a call is about: a command, a pattern, or the name of a file without its folders, which layers spell
/// differently.
fn about(call: &ToolCall) -> String {
    let Some(arguments) = &call.arguments else { return String::new() };
    if let Payload::Text(text) = arguments {
        return bare(text).chars().take(80).collect();
    }
    let fields = arguments.text_fields();
    let found = ABOUT.iter().find_map(|key| fields.iter().find(|(name, _)| name == key));
    match found {
        Some((key, value)) if key.to_lowercase().contains("path") || key.contains("arget") => {
            value.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
        }
        Some((_, value)) => bare(value),
        None => String::new(),
    }
}
