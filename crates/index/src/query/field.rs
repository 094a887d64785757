//! The names of fields, what each may be given, and how its values become a filter.

use std::ops::Range;

use backscroll_model::{Flag, Named, Role, SenderKind, Surface, named};
use jiff::Zoned;

use super::ask::{Filter, Has, PartName};
use super::error::{QueryError, Trouble, nearest};
use super::when::When;

named! {
    /// The name before the colon.
    pub enum Field {
        /// Who speaks.
        Role = "role",
        /// Who wrote what was asked: a person, another agent, a voice call, the editor, a hook.
        From = "from",
        /// A tool that the conversation used.
        Tool = "tool",
        /// A file that the conversation touched.
        Path = "path",
        /// The workspace.
        Workspace = "workspace",
        /// Where it was held.
        Surface = "surface",
        /// A model.
        Model = "model",
        /// The mode.
        Mode = "mode",
        /// Words of the title.
        Title = "title",
        /// The kind of part in which the words stand.
        Part = "part",
        /// Said then or later.
        After = "after",
        /// Said before then.
        Before = "before",
        /// Said then or earlier.
        Until = "until",
        /// Something that the conversation holds.
        Has = "has",
        /// What the conversation is besides.
        Flag = "flag",
        /// The beginning of the conversation's id.
        Id = "id",
    }
}

/// Other names that may be typed.
const ALIASES: &[(&str, Field)] = &[("file", Field::Path), ("in", Field::Part), ("since", Field::After)];

impl Field {
    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, field)| *field);
        alias.or_else(|| Self::from_name(name))
    }

    /// Every name that may be typed.
    pub(super) fn typed_names() -> impl Iterator<Item = &'static str> {
        names::<Self>().into_iter().chain(ALIASES.iter().map(|(alias, _)| *alias))
    }

    /// What may stand behind the colon, where only a few words may.
    pub fn values(self) -> Vec<&'static str> {
        match self {
            Self::Role => names::<Role>(),
            Self::From => names::<SenderKind>(),
            Self::Surface => names::<Surface>(),
            Self::Part => names::<PartName>(),
            Self::Has => names::<Has>(),
            Self::Flag => names::<Flag>(),
            _ => Vec::new(),
        }
    }

    /// Something that may stand behind the colon.
    pub fn example(self) -> &'static str {
        match self {
            Self::Role => "user",
            Self::From => "person",
            Self::Tool => "shell",
            Self::Path => "src/auth.py",
            Self::Workspace => "app",
            Self::Surface => "cli",
            Self::Model => "opus",
            Self::Mode => "agent",
            Self::Title => "\"log in\"",
            Self::Part => "thinking",
            Self::After | Self::Until => "2026-01",
            Self::Before => "yesterday",
            Self::Has => "diff",
            Self::Flag => "archived",
            Self::Id => "98251e54",
        }
    }

    /// Whether it is given a time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::After | Self::Before | Self::Until)
    }
}

fn names<T: Named>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}

/// One typed value and where it stood.
pub(super) type Value = (String, Range<usize>);

/// A field may have this many values.
const MOST_VALUES: usize = 200;

/// The filter that `field` with these values means.
pub(super) fn filter(field: Field, values: Vec<Value>, now: &Zoned) -> Result<Filter, QueryError> {
    if let Some((_, at)) = values.get(MOST_VALUES) {
        return Err(QueryError { trouble: Trouble::TooLong, at: at.clone() });
    }
    let plain = |values: Vec<Value>| values.into_iter().map(|(value, _)| value).collect::<Vec<_>>();
    Ok(match field {
        Field::Role => Filter::Role(known(field, &values)?),
        Field::From => Filter::Sender(known(field, &values)?),
        Field::Surface => Filter::Surface(known(field, &values)?),
        Field::Part => Filter::Part(known(field, &values)?),
        Field::Has => Filter::Has(known(field, &values)?),
        Field::Flag => Filter::Flag(known(field, &values)?),
        Field::Tool => Filter::Tool(plain(values)),
        Field::Path => Filter::Path(plain(values)),
        Field::Workspace => Filter::Workspace(plain(values)),
        Field::Model => Filter::Model(plain(values)),
        Field::Mode => Filter::Mode(plain(values)),
        Field::Title => Filter::Title(plain(values)),
        Field::Id => Filter::Id(plain(values)),
        Field::After => Filter::After(time(field, &values, now, When::begins)?),
        Field::Before => Filter::Before(time(field, &values, now, When::begins)?),
        Field::Until => Filter::Before(time(field, &values, now, When::ends)?),
    })
}

fn known<T: Named>(field: Field, values: &[Value]) -> Result<Vec<T>, QueryError> {
    let meaning = |(value, at): &Value| {
        let asked = value.to_lowercase().replace('-', "_");
        let found = T::ALL.iter().find(|one| one.name().replace('-', "_") == asked);
        found.copied().ok_or_else(|| {
            let nearest = nearest(&asked, T::ALL.iter().map(|one| one.name()));
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
