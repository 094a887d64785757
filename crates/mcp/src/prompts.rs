//! Prompts that a person picks: what did we decide, continue from there, why is this file like this. Each brings the first answer
//! along, so that the model need not ask for it.

use rmcp::model::{Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value, json};

use crate::answer::ToolError;
use crate::memory::{Memory, Wait};
use crate::tools;

/// One prompt: its argument is given to a tool, and its words stand above what the tool answers.
pub(crate) struct PromptSpec {
    pub(crate) name: &'static str,
    title: &'static str,
    says: &'static str,
    pub(crate) argument: &'static str,
    argument_says: &'static str,
    tool: &'static str,
    /// The argument of the tool.
    given: &'static str,
    /// `{}` stands for the argument.
    words: &'static str,
}

static PROMPTS: &[PromptSpec] = &[
    PromptSpec {
        name: "recall_decision",
        title: "What did we decide about …",
        says: "Find what was decided about a topic in past conversations, and why.",
        argument: "topic",
        argument_says: "What the decision was about.",
        tool: "search_history",
        given: "query",
        words: "What did we decide about {}? Answer from past conversations alone, name the conversation and message of each \
                decision, and say if there is none. Read around promising hits with read_conversation. A first search found:",
    },
    PromptSpec {
        name: "continue_from",
        title: "Continue from …",
        says: "Continue where another conversation ended.",
        argument: "id",
        argument_says: "The conversation: its id, the beginning of it, or its title.",
        tool: "handoff_brief",
        given: "id",
        words: "Continue the work of conversation {}. Here is a brief of it; read more with read_conversation where it is not enough:",
    },
    PromptSpec {
        name: "explain_file",
        title: "Why is this file like this?",
        says: "Explain why a file is as it is, from the conversations that changed it.",
        argument: "path",
        argument_says: "The file: its name, the end of its path, or all of it.",
        tool: "find_by_file",
        given: "path",
        words: "Why is {} as it is? Read the messages that changed it with read_conversation (`around` a message), and explain \
                from them, naming conversation and message. These conversations touched it:",
    },
];

pub(crate) fn listed() -> Vec<Prompt> {
    let each = PROMPTS.iter().map(|prompt| {
        let argument =
            PromptArgument::new(prompt.argument).with_description(prompt.argument_says).with_required(true);
        Prompt::new(prompt.name, Some(prompt.says), Some(vec![argument])).with_title(prompt.title)
    });
    each.collect()
}

pub(crate) fn named(name: &str) -> Option<&'static PromptSpec> {
    PROMPTS.iter().find(|prompt| prompt.name == name)
}

impl PromptSpec {
    pub(crate) fn messages(
        &self,
        memory: &Memory,
        given: &Map<String, Value>,
        wait: &Wait,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        let missing =
            || ToolError::new(format!("`{}` needs `{}`: {}", self.name, self.argument, self.argument_says));
        let value = given.get(self.argument).and_then(Value::as_str).map(str::trim);
        let value = value.filter(|value| !value.is_empty()).ok_or_else(missing)?;
        if let Some(other) = given.keys().find(|name| *name != self.argument) {
            let says = format!("`{}` has no argument `{other}`; it takes `{}`.", self.name, self.argument);
            return Err(ToolError::new(says));
        }
        let tool = tools::named(self.tool).ok_or_else(|| ToolError::new("There is no such tool."))?;
        let wanted = Map::from_iter([(self.given.to_owned(), json!(value))]);
        let found = tool.call(memory, tool.check(wanted)?, &Map::new(), wait)?;
        let words = self.words.replace("{}", value);
        Ok(vec![PromptMessage::new_text(Role::User, format!("{words}\n\n{}", found.text))])
    }
}
