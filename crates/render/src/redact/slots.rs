//! Every text of a conversation, one after the other, always in the same order. What a text means is nothing to this file.

use std::path::Path;
use std::sync::Arc;

use backscroll_model::{
    Conversation, Facts, Finding, Message, Origin, Part, Payload, Summary, Todo, ToolCall,
};

use super::place::Place;

/// One text of a conversation, to read and to change.
pub(crate) enum Slot<'a> {
    Text(&'a mut String),
    Payload(&'a mut Payload),
    File(&'a mut Arc<Path>),
}

/// Who is shown the texts.
type Visit<'v> = &'v mut dyn FnMut(Place, Slot<'_>);

/// Shows every text of `conversation`. Places on disk are shown only on demand: they hold a home's name, and no secret.
pub(crate) fn of_conversation(conversation: &mut Conversation, with_origins: bool, visit: Visit<'_>) {
    of_summary(&mut conversation.summary, with_origins, visit);
    of_facts(&mut conversation.facts, visit);
    let facts = conversation.fact_origins.iter_mut().map(|told| &mut told.origin);
    of_origins(facts, Place::beside("origin"), with_origins, visit);
    for (is_orphan, messages) in [(false, &mut conversation.messages), (true, &mut conversation.orphans)] {
        for (number, message) in messages.iter_mut().enumerate() {
            of_message(
                message,
                Place { message: Some(number + 1), is_orphan, field: "" },
                with_origins,
                visit,
            );
        }
    }
    for state in &mut conversation.kept_files.states {
        visit(Place::beside("file name"), Slot::Text(&mut state.path));
        optional(&mut state.text, Place::beside("checkpoint"), visit);
    }
    for Finding { at, says, .. } in &mut conversation.findings {
        visit(Place::beside("finding"), Slot::Text(says));
        of_origins(std::slice::from_mut(at), Place::beside("origin"), with_origins, visit);
    }
}

/// Shows every text of `summary`.
pub(super) fn of_summary(summary: &mut Summary, with_origins: bool, visit: Visit<'_>) {
    optional(&mut summary.title, Place::beside("title"), visit);
    if let Some(workspace) = &mut summary.workspace {
        visit(Place::beside("workspace"), Slot::Text(&mut workspace.path));
        optional(&mut workspace.uri, Place::beside("workspace"), visit);
        optional(&mut workspace.remote, Place::beside("workspace"), visit);
    }
    of_origins(&mut summary.origins, Place::beside("origin"), with_origins, visit);
}

fn of_facts(facts: &mut Facts, visit: Visit<'_>) {
    optional(&mut facts.branch, Place::beside("branch"), visit);
    each(&mut facts.branches, Place::beside("branch"), visit);
    each(&mut facts.pull_requests, Place::beside("pull request"), visit);
    of_todos(&mut facts.todos, Place::beside("to do"), visit);
    each(&mut facts.files, Place::beside("file name"), visit);
    optional(&mut facts.draft, Place::beside("draft"), visit);
    each(&mut facts.plans, Place::beside("plan"), visit);
    for request in &mut facts.requests {
        each(&mut request.files, Place::beside("file name"), visit);
    }
}

fn of_message(message: &mut Message, at: Place, with_origins: bool, visit: Visit<'_>) {
    for part in &mut message.parts {
        of_part(part, at, visit);
    }
    of_origins(std::slice::from_mut(&mut message.origin), at.field("origin"), with_origins, visit);
    of_origins(&mut message.also, at.field("origin"), with_origins, visit);
    let facts = message.fact_origins.iter_mut().map(|told| &mut told.origin);
    of_origins(facts, at.field("origin"), with_origins, visit);
}

fn of_part(part: &mut Part, at: Place, visit: Visit<'_>) {
    match part {
        Part::Text(text) => visit(at.field("text"), Slot::Text(text)),
        Part::Thinking { text, .. } => visit(at.field("thinking"), Slot::Text(text)),
        Part::ToolCall(call) => of_tool_call(call, at, visit),
        // The picture itself is not text.
        Part::Image(image) => {
            optional(&mut image.path, at.field("image"), visit);
            optional(&mut image.description, at.field("image"), visit);
        }
        Part::Attachment(attachment) => {
            for text in [&mut attachment.path, &mut attachment.title, &mut attachment.text] {
                optional(text, at.field("attachment"), visit);
            }
        }
        Part::Code(code) => {
            optional(&mut code.path, at.field("code"), visit);
            visit(at.field("code"), Slot::Text(&mut code.text));
            optional(&mut code.diff, at.field("diff"), visit);
        }
        Part::Summary(text) => visit(at.field("summary"), Slot::Text(text)),
        Part::Error(text) => visit(at.field("error"), Slot::Text(text)),
        Part::Todos(todos) => of_todos(todos, at.field("to do"), visit),
    }
}

fn of_tool_call(call: &mut ToolCall, at: Place, visit: Visit<'_>) {
    if let Some(arguments) = &mut call.arguments {
        visit(at.field("tool arguments"), Slot::Payload(arguments));
    }
    if let Some(result) = &mut call.result {
        visit(at.field("tool result"), Slot::Payload(result));
    }
    optional(&mut call.error, at.field("tool error"), visit);
    optional(&mut call.decision, at.field("decision"), visit);
    optional(&mut call.diff, at.field("diff"), visit);
}

fn of_todos(todos: &mut [Todo], at: Place, visit: Visit<'_>) {
    for todo in todos {
        visit(at, Slot::Text(&mut todo.content));
    }
}

fn of_origins<'a>(
    origins: impl IntoIterator<Item = &'a mut Origin>,
    at: Place,
    wanted: bool,
    visit: Visit<'_>,
) {
    for origin in origins.into_iter().filter(|_| wanted) {
        visit(at, Slot::File(&mut origin.file));
        visit(at, Slot::Text(&mut origin.key));
    }
}

fn optional(text: &mut Option<String>, at: Place, visit: Visit<'_>) {
    if let Some(text) = text {
        visit(at, Slot::Text(text));
    }
}

fn each(texts: &mut [String], at: Place, visit: Visit<'_>) {
    for text in texts {
        visit(at, Slot::Text(text));
    }
}
