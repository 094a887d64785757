//! Answers that were given lately, by the state that they are true for and the question. A question that many ask at once is
//! answered once; what weighs too much together is dropped, the least used first.

use std::hash::Hash;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Answers of one kind.
pub(crate) struct AnswerCache<K, V>(Cache<(u64, K), Weighed<V>, ByWeight>);

/// An answer, and about how many bytes it takes.
#[derive(Debug, Clone)]
pub(crate) struct Weighed<V> {
    pub(crate) answer: V,
    pub(crate) bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct ByWeight;

impl<K, V> Weighter<(u64, K), Weighed<V>> for ByWeight {
    fn weight(&self, _: &(u64, K), kept: &Weighed<V>) -> u64 {
        // What weighs nothing would never be dropped.
        kept.bytes.max(1) as u64
    }
}

impl<K: Hash + Eq + Clone, V: Clone> AnswerCache<K, V> {
    /// A cache for about this many answers, which together take at most `bytes`.
    pub(crate) fn new(answers: usize, bytes: usize) -> Self {
        Self(Cache::with_weighter(answers, bytes as u64, ByWeight))
    }

    /// The answer to `question` in `state`, found by `find` if it is not known; `Err` is an answer that is not kept.
    pub(crate) fn get(&self, state: u64, question: &K, find: impl FnOnce() -> Result<Weighed<V>, V>) -> V {
        match self.0.get_or_insert_with(&(state, question.clone()), find) {
            Ok(kept) => kept.answer,
            Err(answer) => answer,
        }
    }

    pub(crate) fn known(&self, state: u64, question: &K) -> Option<V> {
        self.0.get(&(state, question.clone())).map(|kept| kept.answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_for_its_question_and_its_state() {
        let cache = AnswerCache::<&str, usize>::new(10, 1000);
        let found = |answer| move || Ok(Weighed { answer, bytes: 10 });
        assert_eq!(cache.get(1, &"tide", found(1)), 1);
        assert_eq!(cache.get(1, &"tide", found(2)), 1, "it is known");
        assert_eq!(cache.get(2, &"tide", found(3)), 3, "another state");
        assert_eq!(cache.get(1, &"behind", || Err(9)), 9);
        assert_eq!(cache.known(1, &"behind"), None, "what may still change is not kept");
        assert_eq!((cache.known(1, &"tide"), cache.known(2, &"tide")), (Some(1), Some(3)));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let cache = AnswerCache::<usize, usize>::new(10, 1000);
        for question in 0..100 {
            cache.get(1, &question, || Ok(Weighed { answer: question, bytes: 100 }));
        }
        let known = (0..100).filter(|question| cache.known(1, question).is_some()).count();
        assert!((1..=10).contains(&known), "{known}");
    }
}
