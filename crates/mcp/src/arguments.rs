//! The arguments of a tool: one table says which there are, makes the schema that clients are given, and checks what they send.

use std::str::FromStr as _;

use backscroll_history::{Ask, When};
use backscroll_model::Named;
use jiff::Zoned;
use serde_json::{Map, Value, json};

use crate::answer::{ToolError, cut};

#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// For the model that decides what to send.
    pub(crate) says: &'static str,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// Text that must be given.
    Required,
    /// Text.
    Text,
    /// A point in time as people write it.
    Time,
    /// A whole number from `least` to `most`.
    Number { least: usize, most: usize, default: Option<usize> },
    /// Yes or no; no unless it is given.
    Flag,
    /// One of these words; the first unless it is given and `has_default`.
    Word { words: &'static [&'static str], has_default: bool },
}

impl Argument {
    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            Kind::Required => json!({ "type": "string", "minLength": 1 }),
            Kind::Text | Kind::Time => json!({ "type": "string" }),
            Kind::Number { least, most, default } => {
                let mut schema = json!({ "type": "integer", "minimum": least, "maximum": most });
                if let Some(default) = default {
                    schema["default"] = json!(default);
                }
                schema
            }
            Kind::Flag => json!({ "type": "boolean", "default": false }),
            Kind::Word { words, has_default } => {
                let mut schema = json!({ "type": "string", "enum": words });
                if *has_default {
                    schema["default"] = json!(words[0]);
                }
                schema
            }
        };
        schema["description"] = json!(self.says);
        schema
    }

    /// What would be right.
    fn expected(&self) -> String {
        match &self.kind {
            Kind::Required => "text that is not empty".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Time => "a time such as 2026-01-19, 2026-01, 7d, 12h, yesterday or monday".to_owned(),
            Kind::Number { least, most, .. } => format!("a whole number from {least} to {most}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Word { words, .. } => format!("one of {}", words.join(", ")),
        }
    }

    fn takes(&self, value: &Value) -> bool {
        match &self.kind {
            Kind::Required => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Kind::Text => value.is_string(),
            Kind::Time => value.as_str().is_some_and(|text| When::from_str(text).is_ok()),
            Kind::Number { least, most, .. } => {
                whole(value).is_some_and(|number| (*least..=*most).contains(&number))
            }
            Kind::Flag => value.is_boolean(),
            Kind::Word { words, .. } => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }
}

/// The length at which an error repeats what a client sent, in characters.
const SHOWN: usize = 80;

/// A whole number, also if it was written as `10.0`.
fn whole(value: &Value) -> Option<usize> {
    let text = value.as_number()?.to_string();
    text.strip_suffix(".0").unwrap_or(&text).parse().ok()
}

pub(crate) fn schema(all: &[Argument]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        all.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let required: Vec<&str> = all
        .iter()
        .filter(|argument| matches!(argument.kind, Kind::Required))
        .map(|argument| argument.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// Arguments that were checked.
#[derive(Debug)]
pub(crate) struct Arguments {
    all: &'static [Argument],
    given: Map<String, Value>,
}

impl Arguments {
    /// What was given, if it is right. `null` is the same as nothing, and so is an empty text where none is required.
    pub(crate) fn check(
        tool: &str,
        all: &'static [Argument],
        given: Map<String, Value>,
    ) -> Result<Self, ToolError> {
        let is_optional = |name: &str| {
            all.iter().any(|argument| argument.name == name && !matches!(argument.kind, Kind::Required))
        };
        let is_given = |(name, value): &(String, Value)| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty() || !is_optional(name),
            _ => true,
        };
        let given: Map<String, Value> = given.into_iter().filter(is_given).collect();
        for (name, value) in &given {
            let Some(argument) = all.iter().find(|argument| argument.name == name) else {
                return Err(unknown(tool, all, name));
            };
            if !argument.takes(value) {
                let shown = cut(&value.to_string(), SHOWN);
                return Err(ToolError::new(format!(
                    "`{name}` must be {}, not {shown}.",
                    argument.expected()
                )));
            }
        }
        let is_missing = |argument: &&Argument| {
            matches!(argument.kind, Kind::Required) && !given.contains_key(argument.name)
        };
        if let Some(missing) = all.iter().find(is_missing) {
            return Err(ToolError::new(format!("`{tool}` needs `{}`: {}", missing.name, missing.says)));
        }
        Ok(Self { all, given })
    }

    pub(crate) fn given(&self) -> &Map<String, Value> {
        &self.given
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// The text of this name, which must be given.
    pub(crate) fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// The number of this name, or its default.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.given.get(name).and_then(whole).or_else(|| {
            self.all.iter().find(|argument| argument.name == name).and_then(|argument| match argument.kind {
                Kind::Number { default, .. } => default,
                _ => None,
            })
        })
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.given.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The word of this name as an enum's value.
    pub(crate) fn word<T: Named>(&self, name: &str) -> Option<T> {
        self.text(name).and_then(T::from_name)
    }

    /// `ask`, of which what was given must hold besides.
    pub(crate) fn narrow(&self, ask: Ask, now: &Zoned) -> Result<Ask, ToolError> {
        // Names of arguments that are none of fields are passed over.
        let given = self.all.iter().filter_map(|argument| Some((argument.name, self.text(argument.name)?)));
        ask.given(given, now).map_err(|error| ToolError::new(format!("{error}; {}.", error.trouble.hint())))
    }
}

fn unknown(tool: &str, all: &[Argument], name: &str) -> ToolError {
    let names: Vec<&str> = all.iter().map(|argument| argument.name).collect();
    let near = names
        .iter()
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let meant = near.map(|(_, known)| format!(" Did you mean `{known}`?")).unwrap_or_default();
    ToolError::new(format!(
        "`{tool}` has no argument `{}`.{meant} It takes {}.",
        cut(name, SHOWN),
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[Argument] = &[
        Argument { name: "query", kind: Kind::Required, says: "What to look for." },
        Argument {
            name: "limit",
            kind: Kind::Number { least: 1, most: 100, default: Some(10) },
            says: "How many.",
        },
        Argument { name: "since", kind: Kind::Time, says: "Since then." },
        Argument { name: "all", kind: Kind::Flag, says: "Hidden ones too." },
        Argument {
            name: "detail",
            kind: Kind::Word { words: &["talk", "full"], has_default: true },
            says: "How much.",
        },
    ];

    fn check(given: Value) -> Result<Arguments, ToolError> {
        let Value::Object(given) = given else { panic!("an object") };
        Arguments::check("search_history", ALL, given)
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence_that_helps() {
        let table = [
            (json!({}), "`search_history` needs `query`: What to look for."),
            (json!({ "query": " " }), "`query` must be text that is not empty, not \" \"."),
            (json!({ "query": 7 }), "`query` must be text that is not empty, not 7."),
            (json!({ "query": "a", "limit": 0 }), "`limit` must be a whole number from 1 to 100, not 0."),
            (json!({ "query": "a", "limit": 1.5 }), "`limit` must be a whole number from 1 to 100, not 1.5."),
            (
                json!({ "query": "a", "limit": "3" }),
                "`limit` must be a whole number from 1 to 100, not \"3\".",
            ),
            (json!({ "query": "a", "all": "yes" }), "`all` must be true or false, not \"yes\"."),
            (json!({ "query": "a", "detail": "most" }), "`detail` must be one of talk, full, not \"most\"."),
            (
                json!({ "query": "a", "since": "soon" }),
                "`since` must be a time such as 2026-01-19, 2026-01, 7d, 12h, yesterday or monday, not \"soon\".",
            ),
            (
                json!({ "qurey": "a" }),
                "`search_history` has no argument `qurey`. Did you mean `query`? It takes query, limit, since, all, detail.",
            ),
            (
                json!({ "query": "a", "zebra": 1 }),
                "`search_history` has no argument `zebra`. It takes query, limit, since, all, detail.",
            ),
        ];
        for (given, says) in table {
            assert_eq!(check(given.clone()).unwrap_err().to_string(), says, "{given}");
        }
        let huge = check(json!({ "query": ["x".repeat(1_000_000)] })).unwrap_err().to_string();
        assert!(huge.len() < 300, "{huge}");
    }

    #[test]
    fn defaults_are_those_of_the_schema() {
        let right = check(json!({ "query": "a", "since": null, "limit": 7.0 })).unwrap();
        assert_eq!((right.number("limit"), right.flag("all"), right.text("since")), (Some(7), false, None));
        assert_eq!(check(json!({ "query": "a" })).unwrap().number("limit"), Some(10));
        let empty =
            check(json!({ "query": "a", "since": "", "limit": "", "all": " ", "detail": "" })).unwrap();
        assert_eq!((empty.number("limit"), empty.flag("all"), empty.text("since")), (Some(10), false, None));
        assert!(check(json!({ "query": "a", "zebra": "" })).is_err(), "a name that is wrong stays wrong");
        let schema = Value::Object(schema(ALL));
        assert_eq!(schema["properties"]["limit"]["default"], 10);
        assert_eq!(schema["properties"]["detail"]["default"], "talk");
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["additionalProperties"], false);
    }
}
