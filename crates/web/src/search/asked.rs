//! What is asked, as it stands in the address.

use std::ops::Range;

use backscroll_history::{Query, Sort};
use backscroll_model::{Named as _, Summary, Surface};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::link;

/// The parameters of the search page. All of them may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    /// Words, in the query language of the command line.
    pub(crate) q: String,
    /// `exact` or `regex` where these very characters, or what a pattern matches, is looked for instead of words.
    pub(crate) how: String,
    /// The last word is still being typed, if anything stands here: what begins with it is found, too.
    pub(crate) typing: String,
    /// `newest`, or `relevance` where there are words.
    pub(crate) sort: String,
    pub(crate) workspace: String,
    pub(crate) surface: String,
    pub(crate) model: String,
    pub(crate) mode: String,
    pub(crate) tool: String,
    pub(crate) role: String,
    /// A day, or a month such as `2026-01`.
    pub(crate) on: String,
    /// A day, the first that counts.
    pub(crate) after: String,
    /// A day, the first that does not count any more.
    pub(crate) before: String,
    /// Hidden ones too, if anything stands here.
    pub(crate) all: String,
    /// How many to skip.
    pub(crate) from: usize,
    /// How many to show.
    pub(crate) limit: usize,
}

impl Asked {
    /// Every parameter by name, the place in the results left out.
    pub(crate) fn pairs(&self) -> [(&'static str, &str); 13] {
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
            ("on", &self.on),
            ("after", &self.after),
            ("before", &self.before),
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
        !self.q.trim().is_empty() || !self.tool.is_empty() || !self.role.is_empty()
    }

    /// Whether anything but words narrows the answer.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.pairs()
            .iter()
            .any(|(name, value)| !matches!(*name, "q" | "how" | "sort" | "all") && !value.is_empty())
    }

    /// Whether `summary` is asked for, as far as the listing can tell.
    pub(crate) fn wants(&self, summary: &Summary, time_zone: &TimeZone) -> bool {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let query = Query {
            workspace: given(&self.workspace),
            surfaces: Surface::from_name(&self.surface).into_iter().collect(),
            mode: given(&self.mode),
            model: given(&self.model),
            title: None,
            all: !self.all.is_empty(),
            sort: Sort::Updated,
            ..Query::default()
        };
        query.wants(summary)
            && (self.model.is_empty() || !summary.models.is_empty())
            && self.wants_day(summary, time_zone)
    }

    fn wants_day(&self, summary: &Summary, time_zone: &TimeZone) -> bool {
        let day = |text: &str| text.parse::<Date>().ok();
        let (on, after, before) = (days_of(&self.on), day(&self.after), day(&self.before));
        if on.is_none() && after.is_none() && before.is_none() {
            return true;
        }
        summary.recency().is_some_and(|at| {
            let was = at.to_zoned(time_zone.clone()).date();
            on.as_ref().is_none_or(|on| on.contains(&was))
                && after.is_none_or(|after| was >= after)
                && before.is_none_or(|before| was < before)
        })
    }
}

/// The days that a day or a month is made of.
pub(super) fn days_of(text: &str) -> Option<Range<Date>> {
    let is_month = text.len() == "2026-01".len();
    let first: Date = if is_month { format!("{text}-01").parse().ok()? } else { text.parse().ok()? };
    let end = if is_month { first.last_of_month() } else { first }.tomorrow().ok()?;
    Some(first..end)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_day_and_a_month_are_days() {
        for (text, days) in [
            ("2026-02-28", Some(date(2026, 2, 28)..date(2026, 3, 1))),
            ("2026-02", Some(date(2026, 2, 1)..date(2026, 3, 1))),
            ("2025-12", Some(date(2025, 12, 1)..date(2026, 1, 1))),
            ("2026-13", None),
            ("9999-12", None),
            ("2026-ü", None),
            ("", None),
        ] {
            assert_eq!(days_of(text), days, "{text}");
        }
    }
}
