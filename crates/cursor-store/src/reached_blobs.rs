//! Which blobs a conversation reaches, noted while it is read, so that nothing is read twice to find out.

use std::cell::RefCell;
use std::collections::HashSet;

use backscroll_cursor_format::agent::references;
use backscroll_cursor_format::{Blobs, RowsError};

/// A store that remembers what it was asked for, and what that refers to.
pub(crate) struct ReachedBlobs<'a> {
    blobs: &'a dyn Blobs,
    reached: RefCell<HashSet<String>>,
    open: RefCell<Vec<String>>,
}

impl<'a> ReachedBlobs<'a> {
    pub(crate) fn in_store(blobs: &'a dyn Blobs) -> Self {
        Self { blobs, reached: RefCell::default(), open: RefCell::default() }
    }

    /// Everything that was reached, after following whatever nobody asked for yet: states of files, old summaries.
    pub(crate) fn all(self) -> Result<HashSet<String>, RowsError> {
        loop {
            let Some(id) = self.open.borrow_mut().pop() else { break };
            let is_known = self.reached.borrow().contains(&id);
            if !is_known {
                self.blob(&id)?;
            }
        }
        Ok(self.reached.into_inner())
    }
}

impl Blobs for ReachedBlobs<'_> {
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError> {
        let found = self.blobs.blob(id)?;
        if let Some(bytes) = &found
            && self.reached.borrow_mut().insert(id.to_owned())
        {
            self.open.borrow_mut().extend(references(bytes));
        }
        Ok(found)
    }
}
