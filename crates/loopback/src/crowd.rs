//! How many connections there may be. Strangers, who have not presented the token, are counted apart and can be closed, so that
//! they never keep the owner out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use backscroll_model::locked;
use tokio::task::AbortHandle;

/// Connections that have presented the token. A browser opens half a dozen; this leaves room for many tabs and for programs.
const MOST_KNOWN: usize = 512;
/// Connections that have not. A new one takes the place of the one that asked least recently.
const MOST_STRANGERS: usize = 256;

/// All connections.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// How many are the owner's.
    known: usize,
    /// The others with their numbers, the one that asked least recently first.
    strangers: VecDeque<(u64, AbortHandle)>,
}

impl Crowd {
    /// Takes in a new connection, and closes the one that asked least recently if there are too many.
    pub(crate) fn add(&mut self, number: u64, connection: AbortHandle) {
        self.strangers.push_back((number, connection));
        if self.strangers.len() > MOST_STRANGERS
            && let Some((_, longest_idle)) = self.strangers.pop_front()
        {
            longest_idle.abort();
        }
    }

    fn remove(&mut self, number: u64) -> Option<(u64, AbortHandle)> {
        let at = self.strangers.iter().position(|(known, _)| *known == number)?;
        self.strangers.remove(at)
    }

    /// Notes that a stranger asked. One that presented the token becomes known, if there is room; gives whether it did.
    fn asked(&mut self, number: u64, presented_token: bool) -> bool {
        let Some(stranger) = self.remove(number) else { return false };
        let becomes_known = presented_token && self.known < MOST_KNOWN;
        if becomes_known {
            self.known += 1;
        } else {
            self.strangers.push_back(stranger);
        }
        becomes_known
    }
}

/// One connection. It leaves the crowd when this is dropped.
#[derive(Debug)]
pub(crate) struct Member {
    number: u64,
    is_known: AtomicBool,
    crowd: Arc<Mutex<Crowd>>,
}

impl Member {
    pub(crate) fn new(number: u64, crowd: Arc<Mutex<Crowd>>) -> Self {
        Self { number, is_known: AtomicBool::default(), crowd }
    }

    /// Notes that a request came.
    pub(crate) fn asked(&self, presented_token: bool) {
        let is_known = || self.is_known.load(Ordering::Relaxed);
        if !is_known() && locked(&self.crowd).asked(self.number, presented_token) {
            self.is_known.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut crowd = locked(&self.crowd);
        if self.is_known.load(Ordering::Relaxed) {
            crowd.known -= 1;
        } else {
            crowd.remove(self.number);
        }
    }
}
