//! Answers that were given lately, kept until something changes: a question that is asked again, by another client or by the
//! way back, costs nothing. Many who ask the same at once are answered by one search. Facets are the same on every page of an answer and in every order: they are kept apart.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use backscroll_history::{Facets, Request};
use jiff::Zoned;
use jiff::civil::Date;

use super::{Answer, Asked};

/// How many are kept.
const KEPT: usize = 256;
/// Newer matches weigh more, so an answer grows old: after so many minutes it is found anew.
const MINUTES: i64 = 10;

/// The answers; the last used stands last.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<Standing>);

#[derive(Debug, Default)]
struct Standing {
    edition: u64,
    kept: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    asked: Asked,
    /// Words such as "yesterday" mean something else on another day.
    on: Date,
    at: i64,
    slot: Arc<Slot>,
}

type Slot = OnceLock<Arc<Answer>>;

impl Answers {
    /// The answer to `asked`, if it is known for `edition`.
    pub(crate) fn known(&self, edition: u64, asked: &Asked, now: &Zoned) -> Option<Arc<Answer>> {
        let mut standing = self.standing();
        let at = standing.place(edition, asked, now)?;
        let answer = standing.kept[at].slot.get().cloned();
        let used = standing.kept.remove(at);
        standing.kept.push(used);
        answer
    }

    /// The answer to `asked`, found by `find` if nobody has asked before; that also says whether it is to be kept.
    pub(crate) fn get(
        &self,
        edition: u64,
        asked: &Asked,
        now: &Zoned,
        find: impl FnOnce() -> (Answer, bool),
    ) -> Arc<Answer> {
        let slot = self.slot(edition, asked, now);
        let mut is_final = true;
        let answer = slot.get_or_init(|| {
            let (answer, is_whole) = find();
            is_final = is_whole;
            Arc::new(answer)
        });
        if !is_final {
            self.standing().kept.retain(|kept| !Arc::ptr_eq(&kept.slot, &slot));
        }
        Arc::clone(answer)
    }

    fn slot(&self, edition: u64, asked: &Asked, now: &Zoned) -> Arc<Slot> {
        let mut standing = self.standing();
        if standing.edition < edition {
            *standing = Standing { edition, kept: Vec::new() };
        }
        if standing.edition > edition {
            // Whoever still works with an older edition finds for itself.
            return Arc::default();
        }
        if let Some(at) = standing.place(edition, asked, now) {
            return Arc::clone(&standing.kept[at].slot);
        }
        standing.kept.retain(|kept| kept.asked != *asked);
        if standing.kept.len() >= KEPT {
            standing.kept.remove(0);
        }
        let slot = Arc::<Slot>::default();
        let at = now.timestamp().as_second();
        standing.kept.push(Kept { asked: asked.clone(), on: now.date(), at, slot: Arc::clone(&slot) });
        slot
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    fn place(&self, edition: u64, asked: &Asked, now: &Zoned) -> Option<usize> {
        let seconds = now.timestamp().as_second();
        let is_it = |kept: &Kept| {
            let age = seconds.saturating_sub(kept.at);
            kept.asked == *asked && kept.on == now.date() && (0..MINUTES * 60).contains(&age)
        };
        if self.edition == edition { self.kept.iter().position(is_it) } else { None }
    }
}

/// How many are kept.
const FACETS_KEPT: usize = 64;

/// The facets that were counted last; the last used stands last.
#[derive(Debug, Default)]
pub(crate) struct CountedFacets(Mutex<FacetsStanding>);

#[derive(Debug, Default)]
struct FacetsStanding {
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
            *standing = FacetsStanding { edition, kept: Vec::new() };
        }
        let is_known = standing.kept.iter().any(|(known, _)| asks_the_same(known, request));
        if standing.edition != edition || is_known {
            return;
        }
        if standing.kept.len() >= FACETS_KEPT {
            standing.kept.remove(0);
        }
        standing.kept.push((request.clone(), facets.clone()));
    }

    fn standing(&self) -> MutexGuard<'_, FacetsStanding> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether both are answered by the same conversations. Days such as "yesterday" stand in the question as times, so what
/// was asked on another day is another question.
fn asks_the_same(one: &Request, other: &Request) -> bool {
    one.ask == other.ask && one.all == other.all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Asked {
        Asked { q: words.to_owned(), ..Asked::default() }
    }

    fn answer(total: usize) -> Answer {
        Answer { total, ..Answer::default() }
    }

    #[test]
    fn an_answer_holds_for_its_question_its_edition_its_day_and_a_while() {
        let answers = Answers::default();
        let now: Zoned = "2026-03-01T12:00[UTC]".parse().unwrap();
        let later = |text: &str| -> Zoned { text.parse().unwrap() };
        answers.get(1, &asked("tide"), &now, || (answer(1), true));
        answers.get(1, &asked("behind"), &now, || (answer(9), false));
        let known = |edition, words: &str, now: &Zoned| {
            answers.known(edition, &asked(words), now).map(|answer| answer.total)
        };
        assert_eq!(known(1, "tide", &now), Some(1));
        assert_eq!(known(1, "tide", &later("2026-03-01T12:09[UTC]")), Some(1));
        assert_eq!(known(1, "tide", &later("2026-03-01T12:10[UTC]")), None);
        assert_eq!(known(1, "tide", &later("2026-03-02T12:00[UTC]")), None);
        assert_eq!(known(1, "ebb", &now), None);
        assert_eq!(known(2, "tide", &now), None);
        assert_eq!(known(1, "behind", &now), None, "what is not the whole is not kept");
        assert_eq!(answers.get(1, &asked("tide"), &now, || (answer(2), true)).total, 1);
        assert_eq!(answers.get(2, &asked("tide"), &now, || (answer(3), true)).total, 3);
        assert_eq!(answers.get(1, &asked("tide"), &now, || (answer(4), true)).total, 4, "an older edition");
        assert_eq!(known(2, "tide", &now), Some(3));
        for number in 0..=KEPT {
            answers.get(2, &asked(&number.to_string()), &now, || (answer(number), true));
        }
        assert_eq!(known(2, "tide", &now), None, "only so many are kept");
        assert_eq!(known(2, "1", &now), Some(1));
    }
}
