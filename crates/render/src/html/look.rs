//! How a conversation looks on a page.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::highlighting::Highlighting;
use super::stored::in_a_line;
use crate::Detail;

/// The title of another conversation may be a whole prompt.
const LONGEST_TITLE: usize = 60;

/// How much of an id tells conversations apart.
const SHORT_ID: usize = 12;

/// How messages look. One `Look` serves one page: what may still be coloured on it is counted here.
#[derive(Debug)]
pub struct Look {
    /// The zone in which times are told.
    pub time_zone: TimeZone,
    /// How much is shown.
    pub detail: Detail,
    /// Addresses of other conversations, by their ids. What is not in here is named but not linked.
    pub links: BTreeMap<String, String>,
    /// Titles of other conversations, by their ids. What is not in here is called by the beginning of its id.
    pub titles: BTreeMap<String, String>,
    /// Where pictures are fetched from, as `<here>/m<message>/<part>`; without it they stand in the page itself.
    pub pictures: Option<String>,
    /// How much code may still be coloured.
    pub(super) highlighting: Highlighting,
}

impl Look {
    /// This much detail, times in this zone, no links to other conversations.
    pub fn new(detail: Detail, time_zone: TimeZone) -> Self {
        Self {
            time_zone,
            detail,
            links: BTreeMap::new(),
            titles: BTreeMap::new(),
            pictures: None,
            highlighting: Highlighting::default(),
        }
    }

    /// What another conversation is called.
    pub(super) fn called(&self, id: &str) -> String {
        match self.titles.get(id).filter(|title| !title.trim().is_empty()) {
            Some(title) => in_a_line(title, LONGEST_TITLE),
            None => in_a_line(id, SHORT_ID),
        }
    }

    /// How many characters of one result or attachment are shown; `None` for all of them.
    pub(super) fn longest(&self) -> Option<usize> {
        (self.detail < Detail::Full).then_some(12_000)
    }
}

/// How a whole page looks.
#[derive(Debug)]
pub struct PageLook {
    /// How its messages look.
    pub look: Look,
    /// The address of the list of conversations, where there is one.
    pub index: Option<String>,
}

impl PageLook {
    /// A page that stands alone.
    pub fn alone(look: Look) -> Self {
        Self { look, index: None }
    }
}
