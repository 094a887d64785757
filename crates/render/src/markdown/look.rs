//! How a Markdown document is written.

use std::collections::BTreeMap;
use std::fmt;

use backscroll_model::Image;
use jiff::tz::TimeZone;

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

/// No other conversation has an address.
static NO_LINKS: BTreeMap<String, String> = BTreeMap::new();

impl Look<'static> {
    /// A document that stands alone: this much detail, times in this zone.
    pub fn alone(detail: Detail, time_zone: TimeZone) -> Self {
        Self { detail, time_zone, front_matter: true, links: &NO_LINKS, picture: &|_| None }
    }
}
