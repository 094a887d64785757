//! Facets that were counted, kept until something changes: they are the same on every page of an answer, and in every
//! order, but counting them looks at each conversation of the answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use backscroll_history::{Facets, Request};

/// How many are kept.
const KEPT: usize = 64;

/// The facets that were counted last; the last used stands last.
#[derive(Debug, Default)]
pub(crate) struct CountedFacets(Mutex<Standing>);

#[derive(Debug, Default)]
struct Standing {
    edition: u64,
    kept: Vec<(Request, Facets)>,
}

impl CountedFacets {
    /// Those of the answer to `request`, if they are known for `edition`.
    pub(super) fn get(&self, edition: u64, request: &Request) -> Option<Facets> {
        let mut standing = self.standing();
        if standing.edition != edition {
            return None;
        }
        let at = standing.kept.iter().position(|(known, _)| asks_the_same(known, request))?;
        let used = standing.kept.remove(at);
        let facets = used.1.clone();
        standing.kept.push(used);
        Some(facets)
    }

    /// Keeps `facets` as those of the answer to `request`.
    pub(super) fn keep(&self, edition: u64, request: &Request, facets: &Facets) {
        let mut standing = self.standing();
        if standing.edition < edition {
            *standing = Standing { edition, kept: Vec::new() };
        }
        let is_known = standing.kept.iter().any(|(known, _)| asks_the_same(known, request));
        if standing.edition != edition || is_known {
            return;
        }
        if standing.kept.len() >= KEPT {
            standing.kept.remove(0);
        }
        standing.kept.push((request.clone(), facets.clone()));
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether both are answered by the same conversations. Days such as "yesterday" stand in the question as times, so what
/// was asked on another day is another question.
fn asks_the_same(one: &Request, other: &Request) -> bool {
    one.ask == other.ask && one.all == other.all
}
