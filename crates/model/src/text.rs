//! Every text of a conversation, what it is, and how it is read or changed: the one walk for search, find in page, redaction
//! and everything else that reads or changes words.
//!
//! Every struct is taken apart field by field, so a new field does not compile until it is said here what it is. Ids,
//! times and numbers are no texts.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::{
    Attachment, Code, Conversation, FactOrigin, Facts, Finding, Image, KeptFiles, KeptState, Message, Origin,
    Part, Payload, RequestFact, Summary, Todo, ToolCall, Workspace,
};

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named like the field it stands in")]
pub enum TextKind {
    Title,
    Workspace,
    Mode,
    Model,
    /// The name of another agent that wrote a message.
    Sender,
    Branch,
    PullRequest,
    FileName,
    Draft,
    Plan,
    Checkpoint,
    Finding,
    /// A file or a key of an origin.
    Origin,
    Text,
    Thinking,
    /// A summary of what was said before.
    Summary,
    /// Why a turn failed.
    Error,
    Todo,
    /// How far a thing to do is.
    TodoStatus,
    ToolName,
    /// The name of a tool as stored.
    RawToolName,
    Arguments,
    Result,
    /// Why a tool failed.
    ToolError,
    Decision,
    /// What a tool or proposed code changed.
    Diff,
    ImagePath,
    MediaType,
    /// A picture in base64: no words.
    ImageData,
    ImageDescription,
    AttachmentPath,
    AttachmentTitle,
    AttachmentText,
    CodePath,
    Language,
    Code,
    /// What became of proposed code.
    CodeStatus,
}

/// The message that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOf {
    /// Its number among the listed messages or among the orphans, counted from zero.
    pub message: usize,
    /// Whether the conversation does not list it.
    pub is_orphan: bool,
}

/// One text, to read.
#[derive(Debug, Clone, Copy)]
pub enum TextRef<'a> {
    /// Plain text.
    Text(&'a str),
    /// What a tool was given or answered.
    Payload(&'a Payload),
    /// A file.
    File(&'a Path),
}

/// One text, to read and to change.
#[derive(Debug)]
pub enum TextMut<'a> {
    /// Plain text.
    Text(&'a mut String),
    /// What a tool was given or answered.
    Payload(&'a mut Payload),
    /// A file.
    File(&'a mut Arc<Path>),
}

impl<'a> TextRef<'a> {
    /// The text as it stands.
    pub fn as_str(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Payload(payload) => payload.as_str().into(),
            Self::File(file) => file.to_string_lossy(),
        }
    }
}

impl TextMut<'_> {
    /// The same text, to read.
    pub fn as_ref(&self) -> TextRef<'_> {
        match self {
            Self::Text(text) => TextRef::Text(text),
            Self::Payload(payload) => TextRef::Payload(payload),
            Self::File(file) => TextRef::File(file),
        }
    }

    /// Puts another text in its place. JSON stays JSON if the new text is.
    pub fn set(&mut self, new: String) {
        match self {
            Self::Text(text) => **text = new,
            Self::File(file) => **file = Path::new(&new).into(),
            Self::Payload(payload) => {
                **payload = match payload {
                    Payload::Json(_) => {
                        RawValue::from_string(new.clone()).map_or(Payload::Text(new), Payload::Json)
                    }
                    Payload::Text(_) => Payload::Text(new),
                }
            }
        }
    }
}

/// What each kind of text is made of.
macro_rules! from_each {
    ($($kind:ident($type:ty)),*) => { $(
        impl<'a> From<&'a $type> for TextRef<'a> {
            fn from(text: &'a $type) -> Self {
                Self::$kind(text)
            }
        }

        impl<'a> From<&'a mut $type> for TextMut<'a> {
            fn from(text: &'a mut $type) -> Self {
                Self::$kind(text)
            }
        }
    )* };
}
from_each!(Text(String), Payload(Payload), File(Arc<Path>));

/// The walk, for `&` and for `&mut`.
macro_rules! walk {
    ($module:ident, $text:ident, $visit:ident $(, $mut:tt)?) => {
        mod $module {
            use super::*;

            type Take<'t, 'a> = &'t mut dyn FnMut(TextKind, $text<'a>);

            impl Conversation {
                /// Shows every text with what it is, and the message that it belongs to.
                pub fn $visit<'a>(
                    &'a $($mut)? self,
                    mut take: impl FnMut(Option<TextOf>, TextKind, $text<'a>),
                ) {
                    let Self {
                        summary,
                        facts,
                        fact_origins,
                        messages,
                        orphans,
                        coverage: _,
                        findings,
                        kept_files,
                    } = self;
                    let beside = &mut |kind, text: $text<'a>| take(None, kind, text);
                    summary.$visit(&mut *beside);
                    of_facts(facts, beside);
                    of_fact_origins(fact_origins, beside);
                    for (is_orphan, messages) in [(false, messages), (true, orphans)] {
                        for (message, said) in messages.into_iter().enumerate() {
                            said.$visit(|kind, text| take(Some(TextOf { message, is_orphan }), kind, text));
                        }
                    }
                    let beside = &mut |kind, text: $text<'a>| take(None, kind, text);
                    let KeptFiles { states, checkpoints: _ } = kept_files;
                    for KeptState { path, text } in states {
                        beside(TextKind::FileName, path.into());
                        each(TextKind::Checkpoint, text, beside);
                    }
                    for Finding { kind: _, at, says } in findings {
                        beside(TextKind::Finding, says.into());
                        of_origin(at, beside);
                    }
                }
            }

            impl Summary {
                /// Shows every text with what it is.
                pub fn $visit<'a>(&'a $($mut)? self, mut take: impl FnMut(TextKind, $text<'a>)) {
                    let Self {
                        id: _,
                        surface: _,
                        title,
                        workspace,
                        created_at: _,
                        updated_at: _,
                        is_updated_by_file: _,
                        mode,
                        models,
                        messages: _,
                        flags: _,
                        parent: _,
                        children: _,
                        origins,
                    } = self;
                    let take: Take<'_, 'a> = &mut take;
                    each(TextKind::Title, title, take);
                    of_workspace(workspace, take);
                    each(TextKind::Mode, mode, take);
                    each(TextKind::Model, models, take);
                    of_origins(origins, take);
                }
            }

            impl Message {
                /// Shows every text with what it is.
                pub fn $visit<'a>(&'a $($mut)? self, mut take: impl FnMut(TextKind, $text<'a>)) {
                    let Self {
                        id: _,
                        role: _,
                        at: _,
                        model,
                        parts,
                        tokens: _,
                        request_id: _,
                        origin,
                        also,
                        fact_origins,
                        deleted: _,
                        sender,
                    } = self;
                    let take: Take<'_, 'a> = &mut take;
                    for part in parts {
                        part.$visit(&mut *take);
                    }
                    each(TextKind::Model, model, take);
                    if let Some(sender) = sender {
                        each(TextKind::Sender, & $($mut)? sender.name, take);
                    }
                    of_origin(origin, take);
                    of_origins(also, take);
                    of_fact_origins(fact_origins, take);
                }
            }

            impl Part {
                /// Shows every text with what it is.
                pub fn $visit<'a>(&'a $($mut)? self, mut take: impl FnMut(TextKind, $text<'a>)) {
                    let take: Take<'_, 'a> = &mut take;
                    match self {
                        Self::Text(text) => take(TextKind::Text, text.into()),
                        Self::Thinking { text, duration_ms: _ } => take(TextKind::Thinking, text.into()),
                        Self::ToolCall(call) => of_call(call, take),
                        Self::Image(image) => {
                            let Image { path, media_type, data, description } = & $($mut)? **image;
                            each(TextKind::ImagePath, path, take);
                            each(TextKind::ImageDescription, description, take);
                            each(TextKind::MediaType, media_type, take);
                            each(TextKind::ImageData, data, take);
                        }
                        Self::Attachment(attachment) => {
                            let Attachment { kind: _, path, text, title, lines: _ } = & $($mut)? **attachment;
                            each(TextKind::AttachmentPath, path, take);
                            each(TextKind::AttachmentTitle, title, take);
                            each(TextKind::AttachmentText, text, take);
                        }
                        Self::Code(code) => {
                            let Code { path, language, text, status, diff } = & $($mut)? **code;
                            each(TextKind::CodePath, path, take);
                            take(TextKind::Code, text.into());
                            each(TextKind::Diff, diff, take);
                            each(TextKind::Language, language, take);
                            each(TextKind::CodeStatus, status, take);
                        }
                        Self::Summary(text) => take(TextKind::Summary, text.into()),
                        Self::Error(text) => take(TextKind::Error, text.into()),
                        Self::Todos(todos) => of_todos(todos, take),
                    }
                }
            }

            fn of_call<'a>(call: &'a $($mut)? ToolCall, take: Take<'_, 'a>) {
                let ToolCall {
                    id: _,
                    name,
                    raw_name,
                    arguments,
                    result,
                    error,
                    status: _,
                    decision,
                    started_at: _,
                    ended_at: _,
                    diff,
                    child: _,
                    notes,
                } = call;
                take(TextKind::ToolName, name.into());
                take(TextKind::RawToolName, raw_name.into());
                each(TextKind::Arguments, arguments, take);
                each(TextKind::Result, result, take);
                each(TextKind::ToolError, error, take);
                each(TextKind::Decision, decision, take);
                each(TextKind::ToolError, notes, take);
                each(TextKind::Diff, diff, take);
            }

            fn of_facts<'a>(facts: &'a $($mut)? Facts, take: Take<'_, 'a>) {
                let Facts {
                    tokens: _,
                    lines: _,
                    context: _,
                    branch,
                    branches,
                    pull_requests,
                    todos,
                    files,
                    draft,
                    cost_cents: _,
                    time_zone: _,
                    plans,
                    requests,
                    held_in,
                } = facts;
                each(TextKind::Branch, branch, take);
                each(TextKind::Branch, branches, take);
                each(TextKind::PullRequest, pull_requests, take);
                of_todos(todos, take);
                each(TextKind::FileName, files, take);
                each(TextKind::Draft, draft, take);
                each(TextKind::Plan, plans, take);
                for RequestFact {
                    request_id: _,
                    model,
                    files,
                    tokens: _,
                    asked_at: _,
                    answered_at: _,
                    origin,
                } in requests {
                    each(TextKind::FileName, files, take);
                    each(TextKind::Model, model, take);
                    of_origins(origin, take);
                }
                of_workspace(held_in, take);
            }

            fn of_workspace<'a>(
                workspace: impl IntoIterator<Item = &'a $($mut)? Workspace>,
                take: Take<'_, 'a>,
            ) {
                for Workspace { path, uri, remote, by: _ } in workspace {
                    take(TextKind::Workspace, path.into());
                    each(TextKind::Workspace, uri, take);
                    each(TextKind::Workspace, remote, take);
                }
            }

            fn of_todos<'a>(todos: &'a $($mut)? [Todo], take: Take<'_, 'a>) {
                for Todo { id: _, content, status } in todos {
                    take(TextKind::Todo, content.into());
                    each(TextKind::TodoStatus, status, take);
                }
            }

            fn of_fact_origins<'a>(facts: &'a $($mut)? [FactOrigin], take: Take<'_, 'a>) {
                for FactOrigin { fact: _, call: _, origin } in facts {
                    of_origin(origin, take);
                }
            }

            fn of_origins<'a>(
                origins: impl IntoIterator<Item = &'a $($mut)? Origin>,
                take: Take<'_, 'a>,
            ) {
                for origin in origins {
                    of_origin(origin, take);
                }
            }

            fn of_origin<'a>(origin: &'a $($mut)? Origin, take: Take<'_, 'a>) {
                let Origin { layer: _, file, key } = origin;
                take(TextKind::Origin, file.into());
                take(TextKind::Origin, key.into());
            }

            fn each<'a, T: Into<$text<'a>>>(kind: TextKind, texts: impl IntoIterator<Item = T>, take: Take<'_, 'a>) {
                for text in texts {
                    take(kind, text.into());
                }
            }
        }
    };
}

walk!(read, TextRef, visit_texts);
walk!(change, TextMut, visit_texts_mut, mut);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, Payload, Role};
    use std::path::Path;

    #[test]
    fn reading_and_changing_meet_the_same_texts() {
        let call = ToolCall {
            name: "shell".into(),
            arguments: Some(Payload::from_text(r#"{"command":"ls"}"#.into())),
            result: Some(Payload::Text("a".into())),
            ..ToolCall::default()
        };
        let origin = Origin::new(Layer::IdeGlobal, Path::new("/db"), "k");
        let mut message = Message::new("m", Role::User, origin);
        message.parts = vec![Part::Text("hello".into()), Part::ToolCall(Box::new(call))];
        let mut read = Vec::new();
        message.visit_texts(|kind, text| read.push((kind, text.as_str().into_owned())));
        let mut changed = Vec::new();
        message.visit_texts_mut(|kind, mut text| {
            changed.push((kind, text.as_ref().as_str().into_owned()));
            text.set("[1]".into());
        });
        assert_eq!(read, changed);
        assert!(read.contains(&(TextKind::Arguments, r#"{"command":"ls"}"#.to_owned())));
        let call = message.tool_calls().next().unwrap();
        assert!(matches!(call.arguments, Some(Payload::Json(_))), "JSON stays JSON");
        assert_eq!(call.result, Some(Payload::Text("[1]".into())));
        message.visit_texts(|_, text| assert_eq!(text.as_str(), "[1]"));
    }
}
