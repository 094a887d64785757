//! The tools: their names, what they take and give, and the function that answers. The order is fixed, so that clients can keep
//! the list.

use std::sync::{Arc, LazyLock};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Room, ToolError};
use crate::arguments::{Argument, Arguments, Kind, schema};
use crate::asking::Asking;
use crate::memory::{Memory, Wait};
use crate::{conversations, read, search};

#[derive(Debug)]
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    title: &'static str,
    says: &'static str,
    arguments: &'static [Argument],
    /// The largest answer, unless `max_bytes` is given.
    most_bytes: usize,
    /// The fields of the structured answer: a text, or of the kind after the colon; `name?` may be null, `~name` may be absent,
    /// `name*` is a list, `name{ … }` an object with these fields, `name*{ … }` a list of such.
    gives: &'static str,
    answer: fn(&Call<'_>) -> Result<Answer, ToolError>,
}

pub(crate) struct Call<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) arguments: Arguments,
    pub(crate) asking: Asking,
    pub(crate) wait: &'a Wait,
    pub(crate) room: Room,
}

/// A search answer is at most this large, any other at most that: round numbers below 4 and 32 KB.
const SMALL: usize = 4_000;
const LARGE: usize = 32_000;

const ID: Argument = argument("id", Kind::Required, "Id of the conversation, or the beginning of it.");
const CURSOR: Argument = argument("cursor", Kind::Text, "`next_cursor` of the answer before, to go on.");
const SINCE: Argument = argument("since", Kind::Time, "2026-01-19, 2026-01, 7d, yesterday.");
const UNTIL: Argument = argument("until", Kind::Time, "Until then, that day or month included.");
const WORKSPACE: Argument =
    argument("workspace", Kind::Text, "Absolute path of the project, or part of its path.");
const MAX_BYTES: Argument = argument(
    "max_bytes",
    Kind::Number { least: 1_000, most: 1_000_000, default: None },
    "Allow a larger answer, or ask for a smaller one.",
);

const fn argument(name: &'static str, kind: Kind, says: &'static str) -> Argument {
    Argument { name, kind, says }
}

const fn limit(default: usize) -> Argument {
    argument("limit", Kind::Number { least: 1, most: 1_000, default: Some(default) }, "How many at most.")
}

const fn number(name: &'static str, says: &'static str) -> Argument {
    argument(name, Kind::Number { least: 1, most: 10_000_000, default: None }, says)
}

/// The tools, in the order in which they are listed.
static TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "search_history",
        title: "Search past conversations",
        says: "Find where something was said in past Cursor conversations: decisions, commands, errors, code. Start here. \
               Give a few telling words, not a sentence. `match` says how well a hit fits: all words in one message, all in \
               the conversation, or only some. Pages go by conversation, with at most 3 messages of each; `id:ID` in the query \
               gives more of one. Read around a hit with read_conversation.",
        arguments: &[
            argument(
                "query",
                Kind::Required,
                "Telling words. \"two words\" together, a OR b, -without, begin*, and fields such as title: model: has:diff.",
            ),
            limit(10),
            WORKSPACE,
            SINCE,
            UNTIL,
            argument(
                "role",
                Kind::Word { words: &["user", "assistant", "system", "tool"], has_default: false },
                "Only what this role said.",
            ),
            argument("tool", Kind::Text, "Only conversations that used this tool: shell, edit, mcp:github."),
            argument("path", Kind::Text, "Only conversations that touched this file."),
            CURSOR,
            MAX_BYTES,
        ],
        most_bytes: SMALL,
        gives: "hits*{ conversation message? title workspace?{ path ~remote } at? role? part snippet match:all|conversation|some|meaning \
                n:integer ~reply{ message role snippet } } total:integer next_cursor?",
        answer: search::search,
    },
    ToolSpec {
        name: "list_conversations",
        title: "List conversations",
        says: "List past conversations, last changed first: what was worked on, where and when.",
        arguments: &[
            WORKSPACE,
            SINCE,
            UNTIL,
            limit(20),
            argument("all", Kind::Flag, "Hidden ones too: empty, draft, archived, deleted, subagents."),
            CURSOR,
            MAX_BYTES,
        ],
        most_bytes: LARGE,
        gives: "conversations*{ schema id surface title? workspace?{ path uri? remote? ~by } created_at? updated_at? mode? models* \
                messages:integer? flags* parent? } total:integer next_cursor?",
        answer: conversations::list,
    },
    ToolSpec {
        name: "read_conversation",
        title: "Read a conversation",
        says: "Read messages of one conversation. `prompts` gives an outline of what the user asked; `talk` what was said; \
               `full` also thinking, tool arguments and results. Read a range (`from`, `to`) or `around` a message that a \
               search found.",
        arguments: &[
            ID,
            argument(
                "detail",
                Kind::Word { words: &["talk", "prompts", "full"], has_default: true },
                "How much.",
            ),
            number("from", "First message, counted from 1."),
            number("to", "Last message, counted from 1."),
            argument("around", Kind::Text, "Id of a message in the middle."),
            argument(
                "count",
                Kind::Number { least: 1, most: 1_000, default: Some(10) },
                "How many messages, with `around`.",
            ),
            CURSOR,
            MAX_BYTES,
        ],
        most_bytes: LARGE,
        gives: "conversation title? messages*{ n:integer id role at? text \
                tools*{ name status ~about ~arguments ~result ~error } ~cut:boolean } total:integer \
                next_cursor?",
        answer: read::read,
    },
    ToolSpec {
        name: "find_by_file",
        title: "Find conversations by file",
        says: "Find the conversations that read or changed a file, latest first, with the messages that did: why is it as it is?",
        arguments: &[
            argument(
                "path",
                Kind::Required,
                "Name, end of a path, or whole path; with a slash at its end, a folder.",
            ),
            argument("edited", Kind::Flag, "Only those that changed it."),
            limit(10),
            MAX_BYTES,
        ],
        most_bytes: LARGE,
        gives: "conversations*{ conversation title at? messages* edited:boolean }",
        answer: conversations::by_file,
    },
    ToolSpec {
        name: "related_conversations",
        title: "Find related conversations",
        says: "Find conversations about the same as one that you know: they share rare words or files. Close ones come first.",
        arguments: &[ID, limit(5), MAX_BYTES],
        most_bytes: LARGE,
        gives: "conversations*{ conversation title at? workspace? files* words* close:boolean }",
        answer: conversations::related,
    },
    ToolSpec {
        name: "handoff_brief",
        title: "Brief of a conversation",
        says: "A brief to continue from: goal, decisions, what was found, files, commands, open errors, to-dos, last exchange. \
               Every line names its message by number: read it with read_conversation (`from`, `to`).",
        arguments: &[
            ID,
            argument(
                "budget",
                Kind::Number { least: 100, most: 1_000_000, default: Some(4_000) },
                "Size in tokens at most.",
            ),
            MAX_BYTES,
        ],
        most_bytes: LARGE,
        gives: "markdown citations*{ conversation message n:integer } tokens_estimated:integer",
        answer: read::handoff,
    },
];

/// The names of the tools, in order.
pub static TOOL_NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| TOOLS.iter().map(|tool| tool.name).collect());

pub(crate) fn named(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(crate) fn listed() -> Vec<Tool> {
    TOOLS.iter().map(ToolSpec::listed).collect()
}

impl ToolSpec {
    fn listed(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let gives = object(&mut self.gives.split_whitespace());
        Tool::new(self.name, self.says, Arc::new(schema(self.arguments)))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(gives))
            .with_annotations(annotations)
    }

    pub(crate) fn check(&self, given: Map<String, Value>) -> Result<Arguments, ToolError> {
        Arguments::check(self.name, self.arguments, given)
    }

    /// Answers a call with these arguments and this `_meta`.
    pub(crate) fn call(
        &self,
        memory: &Memory,
        arguments: Arguments,
        meta: &Map<String, Value>,
        wait: &Wait,
    ) -> Result<Answer, ToolError> {
        let asking = Asking::new(self.name, arguments.given(), meta, memory.now().timestamp());
        let room = Room::new(arguments.number("max_bytes").unwrap_or(self.most_bytes));
        (self.answer)(&Call { memory, arguments, asking, wait, room })
    }
}

/// The schema of an object with the fields that `words` name.
fn object(words: &mut dyn Iterator<Item = &'static str>) -> Map<String, Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    while let Some(word) = words.next().filter(|word| *word != "}") {
        let (word, is_always) = word.strip_prefix('~').map_or((word, true), |word| (word, false));
        let (name, schema) = if let Some(name) = word.strip_suffix("*{") {
            (name, json!({ "type": "array", "items": object(words) }))
        } else if let Some(name) = word.strip_suffix("?{") {
            let mut fields = object(words);
            fields.insert("type".to_owned(), json!(["object", "null"]));
            (name, Value::Object(fields))
        } else if let Some(name) = word.strip_suffix('{') {
            (name, Value::Object(object(words)))
        } else if let Some(name) = word.strip_suffix('*') {
            (name, json!({ "type": "array", "items": { "type": "string" } }))
        } else {
            let stated = word.strip_suffix('?').unwrap_or(word);
            let (name, kind) = stated.split_once(':').unwrap_or((stated, "string"));
            let schema = match (kind.contains('|'), stated == word) {
                (true, _) => json!({ "enum": kind.split('|').collect::<Vec<_>>() }),
                (false, true) => json!({ "type": kind }),
                (false, false) => json!({ "type": [kind, "null"] }),
            };
            (name, schema)
        };
        properties.insert(name.to_owned(), schema);
        required.extend(is_always.then_some(name));
    }
    let schema =
        [("type", json!("object")), ("properties", properties.into()), ("required", json!(required))];
    schema.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
