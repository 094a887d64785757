//! A store without rows, for conversations that hold everything inline.

use std::borrow::Cow;

use crate::BlobId;
use crate::rows::{Blobs, Row, Rows, RowsError};

/// A store without rows.
pub(crate) struct Nothing;

impl Rows for Nothing {
    fn value(&self, _: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        Ok(None)
    }

    fn under(&self, _: &str, _: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        Ok(())
    }
}

impl Blobs for Nothing {
    fn blob(&self, _: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(None)
    }
}
