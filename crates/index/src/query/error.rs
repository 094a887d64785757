//! What is wrong with a query, where, and what was probably meant.

use std::ops::Range;

use backscroll_model::Named as _;

use super::ask::Order;
use super::field::Field;

/// A query that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{trouble}")]
pub struct QueryError {
    /// What is wrong.
    pub trouble: Trouble,
    /// Where, in bytes of the query. Never reaches beyond it, and lies between characters.
    pub at: Range<usize>,
}

/// What is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A quotation mark opens and none closes.
    #[error("this quotation mark is never closed")]
    OpenQuote,
    /// A parenthesis opens and none closes.
    #[error("this parenthesis is never closed")]
    OpenParenthesis,
    /// A parenthesis closes and none is open.
    #[error("this parenthesis closes nothing")]
    StrayParenthesis,
    /// Empty parentheses.
    #[error("there is nothing between these parentheses")]
    EmptyParentheses,
    /// `AND`, `OR` or `NOT` lacks what it joins.
    #[error("`{0}` needs something on this side")]
    Lonely(&'static str),
    /// No such field.
    #[error("there is no field `{name}:`")]
    UnknownField {
        /// What was typed.
        name: String,
        /// What was probably meant.
        nearest: Option<Field>,
    },
    /// A field without a value.
    #[error("`{}:` needs a value", .0.name())]
    NoValue(Field),
    /// A field with a value that it does not know.
    #[error("{}", unknown(*field, value))]
    UnknownValue {
        /// The field.
        field: Field,
        /// What was typed.
        value: String,
        /// What was probably meant.
        nearest: Option<&'static str>,
    },
    /// An option with a value that it does not know.
    #[error("`{name}` does not know `{value}`")]
    UnknownOption {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// Several times where one is meant.
    #[error("only one time can be meant here")]
    SeveralTimes,
    /// A `*` without the beginning of a word.
    #[error("`*` needs the beginning of a word before it")]
    BareStar,
    /// Nothing in the query is ever indexed.
    #[error("nothing here is a word")]
    NoWords,
    /// Parentheses or negations nest too deeply.
    #[error("this nests too deeply")]
    TooDeep,
    /// More words and fields than anybody types.
    #[error("this query is too long")]
    TooLong,
    /// A `-` behind a command.
    #[error("this is an option of a command")]
    Option,
    /// A `-` and nothing besides.
    #[error("there is nothing to exclude this from")]
    NothingToExcludeFrom,
}

/// A field of time has several names: which of them was typed, its place says.
fn unknown(field: Field, value: &str) -> String {
    if field.is_time() {
        format!("`{value}` is not a time")
    } else {
        format!("`{}:` does not know `{value}`", field.name())
    }
}

impl Trouble {
    /// Whether what stands there is taken as text instead.
    pub(super) fn is_text(&self) -> bool {
        match self {
            Self::OpenQuote
            | Self::OpenParenthesis
            | Self::StrayParenthesis
            | Self::EmptyParentheses
            | Self::Lonely(_)
            | Self::UnknownField { .. }
            | Self::NoValue(_)
            | Self::BareStar
            | Self::TooDeep => true,
            // What is not near to anything that the field knows was hardly meant for it.
            Self::UnknownValue { field, nearest, .. } => nearest.is_none() && !field.is_time(),
            Self::SeveralTimes
            | Self::UnknownOption { .. }
            | Self::NoWords
            | Self::TooLong
            | Self::Option
            | Self::NothingToExcludeFrom => false,
        }
    }

    /// What would be right.
    pub fn hint(&self) -> String {
        match self {
            Self::OpenQuote => "add a closing `\"`; a quotation mark itself is written `\\\"`".to_owned(),
            Self::OpenParenthesis => "add a closing `)`, or put the text in quotation marks".to_owned(),
            Self::StrayParenthesis => "take it away, or put the text in quotation marks".to_owned(),
            Self::EmptyParentheses => "put words between them, or take them away".to_owned(),
            Self::Lonely(word) => {
                format!("to search for the word itself, write it in quotation marks: \"{word}\"")
            }
            Self::UnknownField { name, nearest: Some(field) } => {
                format!(
                    "did you mean `{}:`? To search for the text, put it in quotation marks: \"{name}:…\"",
                    field.name()
                )
            }
            Self::UnknownField { nearest: None, .. } => {
                let names: Vec<String> =
                    Field::ALL.iter().map(|field| format!("{}:", field.name())).collect();
                format!("there are {}; to search for the text, put it in quotation marks", names.join(" "))
            }
            Self::NoValue(field) => format!("for example `{}:{}`", field.name(), field.example()),
            Self::UnknownValue { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownValue { field, .. } if field.is_time() => format!("try {}", super::when::TIMES),
            Self::UnknownValue { field, .. } => format!("it knows {}", field.values().join(", ")),
            Self::UnknownOption { name: "sort", .. } => {
                let names: Vec<&str> = Order::ALL.iter().map(|order| order.name()).collect();
                format!("it takes {}", names.join(", "))
            }
            Self::UnknownOption { .. } => "it takes a number".to_owned(),
            Self::SeveralTimes => {
                "keep one of them; `after:` and `before:` together make a stretch".to_owned()
            }
            Self::BareStar => "for example `deserial*`".to_owned(),
            Self::NoWords => "--exact finds any characters, such as `=>`".to_owned(),
            Self::TooDeep => "write it with fewer parentheses".to_owned(),
            Self::TooLong => "leave some words out".to_owned(),
            Self::Option => "to exclude it, write `NOT` before it".to_owned(),
            Self::NothingToExcludeFrom => "to exclude it from everything, write `NOT` before it".to_owned(),
        }
    }
}

/// The candidate that differs least from `typed`, if it differs little.
pub(crate) fn nearest<T: AsRef<str>>(typed: &str, candidates: impl IntoIterator<Item = T>) -> Option<T> {
    let typed: String = typed.chars().take(40).collect();
    let length = typed.chars().count();
    let allowed = length.div_ceil(3).min(3);
    let begins_alike = |candidate: &str| {
        length >= 3 && candidate.chars().zip(typed.chars()).all(|(a, b)| a == b) && candidate.len() > length
    };
    let measured = candidates.into_iter().map(|candidate| {
        let name = candidate.as_ref();
        (if begins_alike(name) { 1 } else { strsim::osa_distance(&typed, name) }, candidate)
    });
    measured
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_finger_are_understood() {
        let names = ["role", "workspace", "tool", "model", "mode", "after"];
        let table = [
            ("rol", Some("role")),
            ("rloe", Some("role")),
            ("workspcae", Some("workspace")),
            ("work", Some("workspace")),
            ("modle", Some("model")),
            ("xyz", None),
            ("http", None),
        ];
        for (typed, expected) in table {
            assert_eq!(nearest(typed, names), expected, "{typed}");
        }
    }
}
