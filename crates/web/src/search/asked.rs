//! What is asked, as it stands in the address.

use backscroll_history::{Order, Query, Sort, When};
use backscroll_model::{Named, Role};
use jiff::Zoned;
use serde::Deserialize;

use super::Wrong;
use crate::link;

/// The parameters of the search page. All of them may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    /// Words, in the query language of the command line.
    pub(crate) q: String,
    /// `exact` or `regex` where these very characters, or what a pattern matches, is looked for instead of words.
    pub(crate) how: String,
    /// The last word is still being typed, if anything stands here: what begins with it is found, too.
    pub(crate) typing: String,
    /// With words: `relevance`, `newest` or `oldest`; without: the orders of a listing.
    pub(crate) sort: String,
    pub(crate) workspace: String,
    pub(crate) surface: String,
    pub(crate) model: String,
    pub(crate) mode: String,
    pub(crate) tool: String,
    pub(crate) role: String,
    /// In the title.
    pub(crate) title: String,
    /// What the conversation holds, several between commas.
    pub(crate) has: String,
    /// A day, a month such as `2026-01`, or any other time that the command line takes.
    pub(crate) on: String,
    /// The first time that counts.
    pub(crate) after: String,
    /// The same, by the name that the command line has for it.
    pub(crate) since: String,
    /// The first time that does not count any more.
    pub(crate) before: String,
    /// The last time that counts.
    pub(crate) until: String,
    /// Hidden ones too, if anything stands here.
    pub(crate) all: String,
    /// How many to skip; `offset` on the command line.
    #[serde(alias = "offset")]
    pub(crate) from: usize,
    /// How many to show.
    pub(crate) limit: usize,
}

impl Asked {
    /// Every parameter by name, the place in the results left out.
    pub(crate) fn pairs(&self) -> [(&'static str, &str); 17] {
        [
            ("q", &self.q),
            ("how", &self.how),
            ("sort", &self.sort),
            ("workspace", &self.workspace),
            ("surface", &self.surface),
            ("model", &self.model),
            ("mode", &self.mode),
            ("tool", &self.tool),
            ("role", &self.role),
            ("title", &self.title),
            ("has", &self.has),
            ("on", &self.on),
            ("after", &self.after),
            ("since", &self.since),
            ("before", &self.before),
            ("until", &self.until),
            ("all", &self.all),
        ]
    }

    /// The address of the same question with `name` set to `value`, from the beginning.
    pub(crate) fn address_with(&self, name: &str, value: &str) -> String {
        let replaced = self.pairs().map(|(known, old)| (known, if known == name { value } else { old }));
        link::with("/search", replaced)
    }

    /// The address of what follows after `from` results.
    pub(crate) fn address_from(&self, from: usize) -> String {
        self.address_under("/search", from)
    }

    /// The same below another path.
    pub(crate) fn address_under(&self, path: &str, from: usize) -> String {
        let (from, limit) = (from.to_string(), self.limit.to_string());
        let limit = if self.limit == 0 { "" } else { &limit };
        link::with(path, self.pairs().into_iter().chain([("from", from.as_str()), ("limit", limit)]))
    }

    /// How many to show, where `usual` is meant if nothing is said.
    pub(crate) fn limit_of(&self, usual: usize) -> usize {
        if self.limit == 0 { usual } else { self.limit.min(200) }
    }

    /// Whether characters are looked for, not words.
    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.how.as_str(), "exact" | "regex") && !self.q.is_empty()
    }

    /// Whether the listing alone cannot answer.
    pub(crate) fn needs_index(&self) -> bool {
        !self.q.trim().is_empty() || !self.role.is_empty()
    }

    /// Whether anything but words narrows the answer.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.pairs()
            .iter()
            .any(|(name, value)| !matches!(*name, "q" | "how" | "sort" | "all") && !value.is_empty())
    }

    /// The question that these parameters ask: the same as the options of the command line ask, by the same names and values.
    pub(crate) fn query(&self, now: &Zoned) -> Result<Query, Wrong> {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let time = |name: &str, text: &str| -> Result<Option<When>, Wrong> {
            let unknown = |_| Wrong::parameter(name, text, "a day, a month, `7d`, `yesterday` or the like");
            (!text.is_empty()).then(|| text.parse().map_err(unknown)).transpose()
        };
        let (on, after, since) =
            (time("on", &self.on)?, time("after", &self.after)?, time("since", &self.since)?);
        let (before, until) = (time("before", &self.before)?, time("until", &self.until)?);
        let begins = [&on, &after, &since].into_iter().flatten().map(|when| when.begins(now));
        let ends = [&on, &until].into_iter().flatten().map(|when| when.ends(now));
        Ok(Query {
            workspace: given(&self.workspace),
            surfaces: named("surface", &self.surface)?,
            mode: given(&self.mode),
            model: given(&self.model),
            tool: given(&self.tool),
            title: given(&self.title),
            has: named("has", &self.has)?,
            since: begins.max(),
            until: ends.chain(before.map(|when| when.begins(now))).min(),
            all: !self.all.is_empty(),
            sort: if self.needs_index() { Sort::Updated } else { self.listing_order()? },
            ..Query::default()
        })
    }

    fn listing_order(&self) -> Result<Sort, Wrong> {
        match self.sort.as_str() {
            "" | "newest" | "relevance" => Ok(Sort::Updated),
            other => Sort::from_name(other).ok_or_else(|| Wrong::parameter("sort", other, &names::<Sort>())),
        }
    }

    /// The order of what is found by words.
    pub(super) fn search_order(&self) -> Result<Order, Wrong> {
        match self.sort.as_str() {
            "" if self.is_literal() => Ok(Order::Newest),
            "" => Ok(Order::Relevance),
            other => {
                Order::from_name(other).ok_or_else(|| Wrong::parameter("sort", other, &names::<Order>()))
            }
        }
    }

    /// Who speaks, if that is asked for.
    pub(super) fn roles(&self) -> Result<Vec<Role>, Wrong> {
        named("role", &self.role)
    }
}

/// The values that stand between commas.
fn named<T: Named>(name: &str, text: &str) -> Result<Vec<T>, Wrong> {
    let values = text.split(',').map(str::trim).filter(|value| !value.is_empty());
    values
        .map(|value| T::from_name(value).ok_or_else(|| Wrong::parameter(name, value, &names::<T>())))
        .collect()
}

fn names<T: Named>() -> String {
    T::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}
