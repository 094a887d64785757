//! The words that stand for values, and how a field's values become a filter.

use std::ops::Range;

use backscroll_model::{Flag, Role, Surface};
use jiff::Zoned;

use super::error::{QueryError, Trouble};
use super::filter::{Field, Filter, Has, PartName};
use super::nearest::nearest;
use super::when::When;

/// Words, each with what it stands for. The first word for a thing is the one that people are told.
pub(super) type Words<T> = &'static [(&'static str, T)];

pub(super) const ROLES: Words<Role> =
    &[("user", Role::User), ("assistant", Role::Assistant), ("system", Role::System), ("tool", Role::Tool)];

pub(super) const SURFACES: Words<Surface> = &[
    ("ide", Surface::Ide),
    ("ide-chat", Surface::IdeChat),
    ("cli", Surface::Cli),
    ("sdk", Surface::Sdk),
    ("transcript", Surface::Transcript),
];

pub(super) const PARTS: Words<PartName> = &[
    ("text", PartName::Text),
    ("thinking", PartName::Thinking),
    ("tool_call", PartName::ToolCall),
    ("arguments", PartName::Arguments),
    ("result", PartName::Result),
    ("code", PartName::Code),
    ("attachment", PartName::Attachment),
    ("path", PartName::Path),
    ("title", PartName::Title),
    ("summary", PartName::Summary),
    ("error", PartName::Error),
    ("todos", PartName::Todos),
    ("image", PartName::Image),
];

pub(super) const HAS: Words<Has> = &[
    ("thinking", Has::Thinking),
    ("tools", Has::Tools),
    ("images", Has::Images),
    ("diff", Has::Diff),
    ("code", Has::Code),
    ("attachments", Has::Attachments),
    ("todos", Has::Todos),
    ("error", Has::Error),
];

pub(super) const FLAGS: Words<Flag> = &[
    ("empty", Flag::Empty),
    ("draft", Flag::Draft),
    ("archived", Flag::Archived),
    ("subagent", Flag::Subagent),
    ("best-of-n", Flag::BestOfN),
    ("worktree", Flag::Worktree),
    ("background", Flag::Background),
    ("deleted", Flag::Deleted),
];

/// The words alone.
pub(super) fn names<T>(words: Words<T>) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

/// One typed value and where it stood.
pub(super) type Value = (String, Range<usize>);

/// The filter that `field` with these values means.
pub(super) fn filter(field: Field, values: Vec<Value>, now: &Zoned) -> Result<Filter, QueryError> {
    let plain = |values: Vec<Value>| values.into_iter().map(|(value, _)| value).collect::<Vec<_>>();
    Ok(match field {
        Field::Role => Filter::Role(known(field, ROLES, &values)?),
        Field::Surface => Filter::Surface(known(field, SURFACES, &values)?),
        Field::Part => Filter::Part(known(field, PARTS, &values)?),
        Field::Has => Filter::Has(known(field, HAS, &values)?),
        Field::Flag => Filter::Flag(known(field, FLAGS, &values)?),
        Field::Tool => Filter::Tool(plain(values)),
        Field::Path => Filter::Path(plain(values)),
        Field::Workspace => Filter::Workspace(plain(values)),
        Field::Model => Filter::Model(plain(values)),
        Field::Mode => Filter::Mode(plain(values)),
        Field::Title => Filter::Title(plain(values)),
        Field::Id => Filter::Id(plain(values)),
        Field::After => Filter::From(time(field, &values, now, When::begins)?),
        Field::Before => Filter::Before(time(field, &values, now, When::begins)?),
        Field::Until => Filter::Before(time(field, &values, now, When::ends)?),
    })
}

fn known<T: Copy>(field: Field, words: Words<T>, values: &[Value]) -> Result<Vec<T>, QueryError> {
    let meaning = |(value, at): &Value| {
        let asked = value.to_lowercase().replace('-', "_");
        let found = words.iter().find(|(word, _)| word.replace('-', "_") == asked);
        found.map(|(_, meant)| *meant).ok_or_else(|| {
            let nearest = nearest(&asked, words.iter().map(|(word, _)| *word));
            let trouble = Trouble::UnknownValue { field, value: value.clone(), nearest };
            QueryError { trouble, at: at.clone() }
        })
    };
    values.iter().map(meaning).collect()
}

/// The earliest of the given times would widen the question, the latest narrow it: only one may be given.
fn time(
    field: Field,
    values: &[Value],
    now: &Zoned,
    edge: fn(&When, &Zoned) -> jiff::Timestamp,
) -> Result<jiff::Timestamp, QueryError> {
    let unknown = |value: &Value| {
        let trouble = Trouble::UnknownValue { field, value: value.0.clone(), nearest: None };
        QueryError { trouble, at: value.1.clone() }
    };
    match values {
        [only] => only.0.parse::<When>().map(|when| edge(&when, now)).map_err(|_| unknown(only)),
        [_, second, ..] => Err(QueryError { trouble: Trouble::SeveralTimes, at: second.1.clone() }),
        [] => Err(QueryError { trouble: Trouble::NoValue(field), at: 0..0 }),
    }
}
