//! The question in the parameters of an address.

use std::collections::BTreeMap;

use backscroll_history::{Ask, Order, parse};
use jiff::Zoned;
use serde::Deserialize;

use super::Wrong;
use crate::link;

/// The parameters of the search page, by name. All of them may be left out.
///
/// `q` are words in the query language of the command line; `how` is `exact` or `regex` where these very characters, or what a pattern
/// matches, is looked for instead; while `typing` is not empty, the last word also matches as a prefix. `from` (or
/// `offset`) and `limit` choose a page. All others are options as on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "Vec<(String, String)>")]
pub(crate) struct SearchParameters(BTreeMap<String, String>);

/// What narrows an answer, in the order in which it is shown.
const NARROWING: [&str; 18] = [
    "workspace",
    "surface",
    "model",
    "mode",
    "tool",
    "role",
    "title",
    "has",
    "path",
    "part",
    "flag",
    "id",
    "on",
    "after",
    "since",
    "before",
    "until",
    "all",
];

impl TryFrom<Vec<(String, String)>> for SearchParameters {
    type Error = String;

    fn try_from(pairs: Vec<(String, String)>) -> Result<Self, String> {
        let mut asked = BTreeMap::new();
        for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
            let name = if name == "offset" { "from".to_owned() } else { name };
            if matches!(name.as_str(), "from" | "limit") && value.parse::<usize>().is_err() {
                return Err(format!("`{value}` is not a number"));
            }
            asked.entry(name).and_modify(|known| *known = format!("{known},{value}")).or_insert(value);
        }
        Ok(Self(asked))
    }
}

impl SearchParameters {
    /// The value of a parameter; empty if it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Words, in the query language of the command line.
    pub(crate) fn q(&self) -> &str {
        self.get("q")
    }

    pub(crate) fn from(&self) -> usize {
        self.get("from").parse().unwrap_or(0)
    }

    /// Every parameter by name, the place in the results left out.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        ["q", "how", "sort"].into_iter().chain(NARROWING).map(|name| (name, self.get(name)))
    }

    /// What narrows the answer besides words.
    pub(crate) fn narrowing(&self) -> impl Iterator<Item = (&str, &str)> {
        NARROWING.into_iter().map(|name| (name, self.get(name))).filter(|(_, value)| !value.is_empty())
    }

    /// Whether anything but words narrows the answer.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.narrowing().any(|(name, _)| name != "all")
    }

    /// The same question with `name` set to `value`.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        let mut asked = self.clone();
        asked.0.insert(name.to_owned(), value.to_owned());
        asked
    }

    /// The address of the same question with `name` set to `value`, from the beginning.
    pub(crate) fn address_with(&self, name: &str, value: &str) -> String {
        link::with("/search", self.with(name, value).pairs())
    }

    /// The address below `path` of what follows after `from` results.
    pub(crate) fn address_under(&self, path: &str, from: usize) -> String {
        let from = from.to_string();
        link::with(path, self.pairs().chain([("from", from.as_str()), ("limit", self.get("limit"))]))
    }

    /// How many to show, where `usual` is meant if nothing is said.
    pub(crate) fn limit_of(&self, usual: usize) -> usize {
        self.get("limit").parse().ok().filter(|limit| *limit > 0).map_or(usual, |limit: usize| limit.min(200))
    }

    /// Whether characters are looked for, not words.
    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.get("how"), "exact" | "regex") && !self.q().is_empty()
    }

    /// Whether the listing alone cannot answer. What was typed is searched for, even if it has no words.
    pub(crate) fn needs_index(&self, now: &Zoned) -> bool {
        !self.q().trim().is_empty() || self.ask(now).is_ok_and(|ask| ask.needs_index())
    }

    /// The question that these parameters ask: the same as the options of the command line ask, by the same names and values.
    pub(crate) fn ask(&self, now: &Zoned) -> Result<Ask, Wrong> {
        let words = if self.is_literal() { "" } else { self.q() };
        let mut ask = parse(words, now)?;
        if !self.get("typing").is_empty() {
            ask = ask.still_typed(words);
        }
        if self.is_literal() {
            ask.order = Order::Newest;
        }
        Ok(ask.given(self.narrowing().chain([("sort", self.get("sort"))]), now)?)
    }
}

#[cfg(test)]
mod tests {
    use backscroll_history::Field;
    use backscroll_model::Named as _;

    use super::NARROWING;

    #[test]
    fn every_field_of_the_query_language_is_a_parameter() {
        // `from` says where a page begins; `q=from:agent` asks for who wrote it.
        let fields = Field::ALL.iter().filter(|field| **field != Field::From);
        let lacking: Vec<&str> =
            fields.map(|field| field.name()).filter(|name| !NARROWING.contains(name)).collect();
        assert_eq!(lacking, Vec::<&str>::new());
    }

    #[test]
    fn the_description_of_the_api_names_every_parameter() {
        let api: serde_json::Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
        for path in ["/api/v1/conversations", "/api/v1/search"] {
            let described = api["paths"][path]["get"]["parameters"].as_array().unwrap();
            for name in NARROWING.iter().chain(&["q", "sort", "from", "limit"]) {
                assert!(described.iter().any(|one| one["name"] == *name), "{path} lacks {name}");
            }
        }
    }
}
