//! Plans and spilled output, attached to the messages that name them.

use backscroll_model::{
    AttachmentKind, Conversation, Fact, FactOrigin, Fragment, Message, Part, Payload, ToolCall, file_name,
};

/// The ending of a plan's file.
const PLAN: &str = backscroll_index::ANY_PLAN;

/// Whether the conversation may have made or may name a plan: only then are plans worth reading.
pub(crate) fn may_have_plans(whole: &Conversation) -> bool {
    let names_plan = |part: &Part| match part {
        Part::ToolCall(call) if call.name == "plan" => true,
        part => texts(part).any(|text| text.contains(PLAN)),
    };
    !whole.messages.is_empty()
        && (!whole.facts.plans.is_empty() || whole.messages.iter().flat_map(|m| &m.parts).any(names_plan))
}

/// The names of text files that calls mention, each once.
pub(crate) fn text_files(whole: &Conversation) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let outputs = whole.messages.iter().flat_map(|message| &message.parts).filter_map(named_output);
    let calls = whole.messages.iter().flat_map(Message::tool_calls).flat_map(ToolCall::text_files);
    for name in calls.chain(outputs) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The name of the file that a part says a call's output is in, without having read it.
fn named_output(part: &Part) -> Option<&str> {
    match part {
        Part::Attachment(output) if output.kind == AttachmentKind::Output && output.text.is_none() => {
            output.path.as_deref().map(file_name)
        }
        _ => None,
    }
}

/// The names of files whose content is, or would be, attached; one name stands for any plan.
pub(crate) fn mentions(whole: &Conversation) -> Vec<String> {
    let mut names = text_files(whole);
    names.extend(may_have_plans(whole).then(|| PLAN.to_owned()));
    names
}

/// Whether a file with this name is a plan.
pub(crate) fn is_plan(name: &str) -> bool {
    name.ends_with(PLAN)
}

/// Attaches a plan to the message that made it, or to the first that names it, or to the last one where the record names
/// it. A plan that none does is not the conversation's.
pub(crate) fn attach_plan(whole: &mut Conversation, mut plan: Fragment) {
    let name = plan.summary.id.as_str().to_owned();
    let Some(Message { id, mut parts, .. }) = plan.messages.pop() else { return };
    let title = parts.iter().find_map(|part| match part {
        Part::Attachment(attachment) => attachment.title.clone(),
        _ => None,
    });
    let made = |message: &Message| {
        message.tool_calls().filter(|call| call.name == "plan").any(|call| {
            let given = [&call.arguments, &call.result].into_iter().flatten();
            given.clone().any(|payload| payload.as_str().contains(id.as_str()))
                || call.notes.iter().any(|note| note.contains(id.as_str()))
                || given
                    .flat_map(Payload::text_fields)
                    .any(|(key, value)| key == "name" && Some(value) == title)
        })
    };
    let names =
        |message: &Message| message.parts.iter().any(|part| texts(part).any(|text| text.contains(&name)));
    let messages = &whole.messages;
    let is_recorded = || whole.facts.plans.iter().any(|known| known.ends_with(&name));
    let place = messages.iter().position(made).or_else(|| messages.iter().position(names));
    let Some(at) = place.or_else(|| is_recorded().then(|| messages.len() - 1)) else { return };
    whole.messages[at].parts.append(&mut parts);
    whole.findings.append(&mut plan.findings);
    let is_known = |path: &String| file_name(path) == name;
    if !whole.facts.plans.iter().any(is_known) {
        whole.facts.plans.append(&mut plan.facts.plans);
    }
    if whole.facts.todos.is_empty() && !plan.facts.todos.is_empty() {
        let origin = plan.origin().clone();
        whole.fact_origins.push(FactOrigin { fact: Fact::Todos, call: None, origin });
        whole.facts.todos = plan.facts.todos;
    }
}

/// Attaches spilled output behind each call that names it.
pub(crate) fn attach_output(whole: &mut Conversation, mut output: Fragment) {
    let name = output.summary.id.as_str().to_owned();
    let Some(Part::Attachment(attachment)) = output.messages.pop().and_then(|mut file| file.parts.pop())
    else {
        return;
    };
    for message in &mut whole.messages {
        let names =
            |part: &Part| matches!(part, Part::ToolCall(call) if call.text_files().any(|n| n == name));
        if let Some(at) = message.parts.iter().position(|part| named_output(part) == Some(&name)) {
            message.parts[at] = Part::Attachment(attachment.clone());
        } else if let Some(at) = message.parts.iter().position(names) {
            message.parts.insert(at + 1, Part::Attachment(attachment.clone()));
        }
    }
    whole.findings.append(&mut output.findings);
}

/// The words of a part in which a plan may be named.
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
