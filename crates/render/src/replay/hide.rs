//! What is not to be seen is taken out before anything is written, so that it is nowhere in the file.

use backscroll_model::{AttachmentKind, Conversation, KeptFiles, Part, Role};

use super::shorten_paths;

/// What is not to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four things that are hidden or not, each for itself")]
pub struct Hidden {
    /// What the model thought.
    pub thinking: bool,
    /// Tool calls, and what they did.
    pub tools: bool,
    /// What tools answered.
    pub results: bool,
    /// Where on the machine things lie.
    pub paths: bool,
}

/// Takes out of `conversation` what is `hidden`.
pub fn hide(conversation: &mut Conversation, hidden: Hidden) {
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        message.parts.retain(|part| stays(part, hidden));
        if hidden.results {
            message.parts.iter_mut().for_each(without_result);
        }
    }
    if hidden.tools || hidden.results {
        let is_answer = |role: Role| role == Role::Tool;
        conversation.messages.retain(|message| !is_answer(message.role));
        conversation.orphans.retain(|message| !is_answer(message.role));
        // They hold whole files, much as reading them would have told.
        conversation.kept_files = KeptFiles::default();
    }
    if hidden.paths {
        shorten_paths(conversation);
    }
    if hidden.tools {
        let facts = &mut conversation.facts;
        (facts.files, facts.todos, facts.requests) = (Vec::new(), Vec::new(), Vec::new());
        conversation.children.clear();
    }
}

fn stays(part: &Part, hidden: Hidden) -> bool {
    match part {
        Part::Thinking { .. } => !hidden.thinking,
        Part::ToolCall(_) | Part::Todos(_) => !hidden.tools,
        Part::Attachment(attached) if attached.kind == AttachmentKind::Output => {
            !hidden.tools && !hidden.results
        }
        _ => true,
    }
}

/// Reasons of failure are answers too: often they are the output of a command.
fn without_result(part: &mut Part) {
    if let Part::ToolCall(call) = part {
        (call.result, call.error) = (None, None);
    }
}
