//! Threads for what takes time. The history is synchronous: asked on the threads that answer requests, one huge
//! conversation would keep everybody waiting. So a bounded number of questions runs beside them, heavy ones (whole
//! conversations) and searches apart from quick ones, and whoever waits too long is told so.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::problem::Problem;

/// How many conversations are loaded and rendered at once; more would only share the same processors.
const HEAVY: usize = 4;
/// How many searches run at once. Each may keep a processor busy for a while, and pages that need none must not wait.
const SEARCHES: usize = 2;
/// How many other questions run at once.
const QUICK: usize = 8;
/// What may take minutes is done one by one.
const SLOW: usize = 1;
/// Nobody looks at an empty page for longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The threads, by the number that may be busy.
#[derive(Debug)]
pub(crate) struct Workers {
    heavy: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

impl Workers {
    pub(crate) fn new() -> Self {
        let free = |number| Arc::new(Semaphore::new(number));
        Self { heavy: free(HEAVY), searches: free(SEARCHES), quick: free(QUICK), slow: free(SLOW) }
    }

    /// Does what may read a whole conversation.
    pub(crate) async fn heavy<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.heavy), work).await
    }

    /// Does what may go through a whole store. It goes on when nobody waits for it any more, and is remembered.
    pub(crate) async fn slow<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.slow), work).await
    }

    /// Does what asks the index for words.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.searches), work).await
    }

    /// Does what answers from memory.
    pub(crate) async fn quick<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.quick), work).await
    }
}

async fn run<T: Send + 'static>(
    free: Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let in_turn = async {
        let permit = free.acquire_owned().await;
        // The permit goes with the work: it is given back when the work ends, even if nobody waits for it any more.
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
    };
    match timeout(PATIENCE, in_turn).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Problem::bug()),
        Err(_) => Err(Problem::too_slow()),
    }
}
