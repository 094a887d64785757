//! Many clients at once, each asking again as soon as it was answered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::running::Running;
use crate::arguments::Trouble;

/// How many ask at once, and until when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crowd {
    pub(super) clients: usize,
    pub(super) until: Until,
}

/// When a crowd ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// After so long.
    Time(Duration),
    /// When everything was asked for once.
    Once,
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct Asked {
    /// Paths, each with the number of its kind.
    pub(super) paths: Vec<(usize, String)>,
    /// The status that every answer must have.
    pub(super) expected: u16,
}

/// What a crowd waited for one kind of page.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    /// Until the first byte.
    pub(super) first: Vec<Duration>,
    /// Until the whole page was there.
    pub(super) whole: Vec<Duration>,
    /// Answers that were not what they should be.
    pub(super) wrong: usize,
}

impl Crowd {
    /// Asks in turn for what is `asked`; gives the waiting times of each of `kinds` kinds.
    pub(super) fn ask(self, server: &Running, asked: &Asked, kinds: usize) -> Result<Vec<Waits>, Trouble> {
        let next = AtomicUsize::new(0);
        let all = std::thread::scope(|scope| {
            let one = || self.one_client(server, asked, kinds, &next).map_err(|error| error.to_string());
            let threads: Vec<_> = (0..self.clients).map(|_| scope.spawn(one)).collect();
            let ends = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Err("a client fell over".to_owned())));
            ends.collect::<Result<Vec<_>, String>>()
        })?;
        let mut united = vec![Waits::default(); kinds];
        for (kind, wait) in all.into_iter().flat_map(|waits| waits.into_iter().enumerate()) {
            united[kind].first.extend(wait.first);
            united[kind].whole.extend(wait.whole);
            united[kind].wrong += wait.wrong;
        }
        Ok(united)
    }

    fn one_client(
        self,
        server: &Running,
        asked: &Asked,
        kinds: usize,
        next: &AtomicUsize,
    ) -> Result<Vec<Waits>, Trouble> {
        let begun = Instant::now();
        let mut waits = vec![Waits::default(); kinds];
        let mut client = server.client()?;
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let is_over = match self.until {
                Until::Time(time) => begun.elapsed() >= time,
                Until::Once => turn >= asked.paths.len(),
            };
            if is_over {
                return Ok(waits);
            }
            let (kind, path) = &asked.paths[turn % asked.paths.len()];
            let answer = client.ask(path, None).map_err(|error| format!("{path}: {error}"))?;
            let wait = &mut waits[*kind];
            wait.first.push(answer.first);
            wait.whole.push(answer.whole);
            wait.wrong += usize::from(answer.status != asked.expected);
        }
    }
}
