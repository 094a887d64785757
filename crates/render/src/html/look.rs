//! How a conversation looks on a page.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::highlighting::Highlighting;
use crate::Detail;

/// How messages look. One `Look` serves one page: what may still be coloured on it is counted here.
#[derive(Debug)]
pub struct Look {
    /// The zone in which times are told.
    pub time_zone: TimeZone,
    /// How much is shown.
    pub detail: Detail,
    /// Addresses of other conversations, by their ids. What is not in here is named but not linked.
    pub links: BTreeMap<String, String>,
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
            pictures: None,
            highlighting: Highlighting::default(),
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
