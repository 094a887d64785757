//! What stores are made of, counted once for each state of their files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use backscroll_model::Contents;

use crate::contents::contents;
use crate::feed::stamp;
use crate::read_only_db::ReadError;

/// How many stores are kept in mind.
const MOST: usize = 1_000;

/// What was counted of each file, and the stamp that it had.
type Known = HashMap<PathBuf, (u64, Arc<Contents>)>;

/// Remembers what stores are made of, until they change.
#[derive(Debug, Default)]
pub struct ContentsKept(Mutex<Known>);

impl ContentsKept {
    /// What the store at `file` is made of; counted only if it has changed since the last time.
    pub fn of(&self, file: &Path) -> Result<Arc<Contents>, ReadError> {
        // Taken first: what changes meanwhile is counted again.
        let stamp = stamp::database(file);
        let known =
            self.known().get(file).filter(|(then, _)| *then == stamp).map(|(_, told)| Arc::clone(told));
        if let Some(told) = known {
            return Ok(told);
        }
        let told = Arc::new(contents(file)?);
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(file.to_owned(), (stamp, Arc::clone(&told)));
        Ok(told)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
