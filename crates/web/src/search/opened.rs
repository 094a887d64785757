//! Indexes that stay open between questions. Opening one reads its schema and makes every statement anew, which takes
//! longer than most answers. An index serves one thread at a time, so as many stand here as questions usually run at once; those
//! of an older edition are closed, because the file may have been replaced since.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use backscroll_history::Index;

/// How many stay open. Each has the file in its memory, as far as it was asked for it.
const MOST: usize = 3;

/// Indexes that nobody is asking just now.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<Standing>);

#[derive(Debug, Default)]
struct Standing {
    /// The edition that they know.
    edition: u64,
    free: Vec<Index>,
}

/// An index for one question; it is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Lent {
    /// `None` only while it is being given back.
    index: Option<Index>,
    /// Where it goes back to, and the edition that it knows; `None` if it is closed instead.
    back: Option<(Arc<Opened>, u64)>,
}

impl Opened {
    /// One that knows `edition`, if any is free.
    pub(super) fn lend(self: &Arc<Self>, edition: u64) -> Option<Lent> {
        let mut standing = self.standing();
        if standing.edition < edition {
            *standing = Standing { edition, free: Vec::new() };
        }
        let index = if standing.edition == edition { standing.free.pop() } else { None };
        index.map(|index| self.lent(index, edition))
    }

    /// `index`, newly opened, to be kept for `edition`.
    pub(super) fn lent(self: &Arc<Self>, index: Index, edition: u64) -> Lent {
        Lent { index: Some(index), back: Some((Arc::clone(self), edition)) }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// `index` for this question alone.
    pub(super) fn once(index: Index) -> Self {
        Self { index: Some(index), back: None }
    }
}

impl Deref for Lent {
    type Target = Index;

    fn deref(&self) -> &Index {
        self.index.as_ref().expect("it is taken out only when this is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(index), Some((opened, edition))) = (self.index.take(), self.back.take()) {
            let mut standing = opened.standing();
            if standing.edition == edition && standing.free.len() < MOST {
                standing.free.push(index);
            }
        }
    }
}
