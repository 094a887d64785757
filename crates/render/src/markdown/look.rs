//! How a Markdown document is written.

use std::collections::BTreeMap;
use std::fmt;

use backscroll_model::Image;
use jiff::tz::TimeZone;

use super::inline;
use crate::Detail;

/// How a Markdown document is written.
pub struct Look<'a> {
    /// How much is written.
    pub detail: Detail,
    /// The zone in which times are told.
    pub time_zone: TimeZone,
    /// Facts stand in front matter; else in a list below the title, as suits one of several conversations in a file.
    pub front_matter: bool,
    /// Addresses of other conversations, by their ids. What is not in here is named but not linked.
    pub links: &'a BTreeMap<String, String>,
    /// Titles of other conversations, by their ids. What is not in here is called by its id.
    pub titles: &'a BTreeMap<String, String>,
    /// Gives the address of a picture that lies beside the document.
    pub picture: &'a dyn Fn(&Image) -> Option<String>,
}

impl fmt::Debug for Look<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look")
            .field("detail", &self.detail)
            .field("front_matter", &self.front_matter)
            .finish()
    }
}

/// A title may be a whole prompt.
const LONGEST_TITLE: usize = 80;

impl Look<'_> {
    /// A link to another conversation, if it has an address.
    pub(super) fn link_to(&self, id: &str) -> Option<String> {
        let address = inline::destination(self.links.get(id)?);
        let title = self.titles.get(id).map(|title| inline::first_words(title, LONGEST_TITLE));
        let called = title.filter(|title| !title.is_empty()).unwrap_or_else(|| inline::words(id));
        Some(format!("[{called}]({address})"))
    }
}

/// No other conversation is known.
static NO_OTHERS: BTreeMap<String, String> = BTreeMap::new();

impl Look<'static> {
    /// A document that stands alone: this much detail, times in this zone.
    pub fn alone(detail: Detail, time_zone: TimeZone) -> Self {
        Self {
            detail,
            time_zone,
            front_matter: true,
            links: &NO_OTHERS,
            titles: &NO_OTHERS,
            picture: &|_| None,
        }
    }
}
