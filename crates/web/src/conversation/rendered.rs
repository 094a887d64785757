//! Pages of conversations that were made lately, kept until something changes: colouring code takes longer than all the rest.
//! Bounded by their size.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use backscroll_model::ConversationId;

/// How many bytes of pages are kept.
const HEAVIEST: usize = 16 * 1024 * 1024;

/// The pages; the last used stands last.
#[derive(Debug, Default)]
pub(crate) struct Rendered(Mutex<Standing>);

#[derive(Debug, Default)]
struct Standing {
    edition: u64,
    kept: Vec<(ConversationId, usize, Arc<str>)>,
}

impl Rendered {
    /// The content of the page whose slice begins at `from`, if it is known for `edition`.
    pub(super) fn get(&self, edition: u64, id: &ConversationId, from: usize) -> Option<Arc<str>> {
        let mut standing = self.standing();
        if standing.edition != edition {
            return None;
        }
        let at = standing.kept.iter().position(|(known, begins, _)| (known, *begins) == (id, from))?;
        let used = standing.kept.remove(at);
        let content = Arc::clone(&used.2);
        standing.kept.push(used);
        Some(content)
    }

    /// Keeps `content` as that of the page whose slice begins at `from`.
    pub(super) fn keep(&self, edition: u64, id: &ConversationId, from: usize, content: String) {
        let mut standing = self.standing();
        if standing.edition < edition {
            *standing = Standing { edition, kept: Vec::new() };
        }
        if standing.edition != edition {
            return;
        }
        standing.kept.retain(|(known, begins, _)| (known, *begins) != (id, from));
        standing.kept.push((id.clone(), from, content.into()));
        while standing.kept.iter().map(|(_, _, content)| content.len()).sum::<usize>() > HEAVIEST {
            standing.kept.remove(0);
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_kept_for_its_edition_while_there_is_room() {
        let (pages, id) = (Rendered::default(), ConversationId::new("a"));
        let known = |edition, from| pages.get(edition, &id, from).map(|page| page.len());
        pages.keep(1, &id, 0, "x".repeat(HEAVIEST / 2));
        pages.keep(1, &id, 100, "x".repeat(HEAVIEST / 2));
        assert_eq!((known(1, 0), known(1, 100), known(2, 0)), (Some(HEAVIEST / 2), Some(HEAVIEST / 2), None));
        assert_eq!(pages.get(1, &ConversationId::new("b"), 0), None);
        assert!(known(1, 0).is_some(), "the first was used last");
        pages.keep(1, &id, 200, "x".to_owned());
        assert_eq!((known(1, 0).is_some(), known(1, 100), known(1, 200)), (true, None, Some(1)));
        pages.keep(2, &id, 0, "new".to_owned());
        pages.keep(1, &id, 300, "late".to_owned());
        assert_eq!((known(1, 300), known(2, 300), known(2, 0)), (None, None, Some(3)));
    }
}
