//! Which call of a parent started which subagent: by the very prompt, never by guessing.

use backscroll_model::{ConversationId, Message, Part, Role};

use crate::wire_json::Object;

/// Names, in the `task` calls of `parent`, the subagents that they started; gives how many were found.
///
/// A subagent is told by its id and its messages. Calls with the same prompt are taken in order.
pub fn link_subagents<'a>(
    parent: &mut [Message],
    subagents: impl IntoIterator<Item = (&'a ConversationId, &'a [Message])>,
) -> usize {
    let mut linked = 0;
    for (id, messages) in subagents {
        let Some(prompt) = first_prompt(messages) else {
            continue;
        };
        let parts = parent.iter_mut().flat_map(|message| &mut message.parts);
        let calls = parts.filter_map(|part| match part {
            Part::ToolCall(call) if call.name == "task" && call.child.is_none() => Some(call),
            _ => None,
        });
        let mut calls = calls.filter(|call| {
            let json = call.arguments.as_ref().map(backscroll_model::Payload::as_str);
            let given = json.and_then(Object::read).and_then(|given| given.text("prompt"));
            given.is_some_and(|given| given.trim() == prompt.trim())
        });
        if let Some(call) = calls.next() {
            call.child = Some(id.as_str().to_owned());
            linked += 1;
        }
    }
    linked
}

fn first_prompt(messages: &[Message]) -> Option<String> {
    let typed = messages.iter().filter(|message| message.role == Role::User && !message.simulated);
    typed.map(Message::text).find(|text| !text.trim().is_empty())
}
