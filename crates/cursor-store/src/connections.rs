//! Connections to one database, kept between questions and shared by threads, each used by one at a time.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::door::Manners;
use crate::file_state::FileState;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// Connections to one database.
#[derive(Debug)]
pub(crate) struct Connections {
    path: PathBuf,
    idle: Mutex<Vec<ReadOnlyDb>>,
}

/// A file that changes while it is read is read again at most this often.
const MOST_TRIES: usize = 8;
/// From this try on, a writer has to wait for us where it can.
const PATIENT_TRIES: usize = 3;

impl Connections {
    pub(crate) fn to(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    /// Asks `question` inside one short read transaction, again if somebody wrote meanwhile.
    pub(crate) fn ask<T>(
        &self,
        mut question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        for tries in 1..=MOST_TRIES {
            let manners = if tries < PATIENT_TRIES { Manners::Unnoticed } else { Manners::Insisting };
            let before = FileState::of(&self.path).ok();
            let idle = self.idle().pop().filter(ReadOnlyDb::is_still_true);
            let opened = idle.map_or_else(|| ReadOnlyDb::open_with(&self.path, manners), Ok);
            let (db, answer, is_true) = match opened {
                Ok(db) => {
                    let (answer, is_true) = db.in_transaction(&mut question);
                    (Some(db), answer, is_true)
                }
                // What looks damaged may have been half written.
                Err(error) => (None, Err(error), before == FileState::of(&self.path).ok()),
            };
            match answer {
                Err(error) if error.is_busy() && tries < MOST_TRIES => {}
                answer if is_true => {
                    self.idle().extend(db.filter(|_| answer.is_ok()));
                    return answer;
                }
                _ => {}
            }
        }
        Err(ReadError::KeepsChanging { path: self.path.clone() })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<ReadOnlyDb>> {
        // A thread that panicked while holding the lock left a list of connections, which is still one.
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
