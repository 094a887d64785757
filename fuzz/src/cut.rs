//! A store made of nothing but the fuzzer's bytes, cut at a mark: whatever is asked for, one piece of it answers.

use std::borrow::Cow;
use std::path::Path;

use backscroll_cursor_format::{BlobId, Blobs, Row, Rows, RowsError};
use backscroll_model::{Layer, Origin};

/// Where one piece ends and the next begins.
const MARK: &[u8] = b"\n<cut>\n";

/// Where all fuzzed bytes are said to come from.
pub fn origin() -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("fuzzed"), "key")
}

/// Pieces of the fuzzer's bytes.
pub struct Cut<'a> {
    pieces: Vec<&'a [u8]>,
}

impl<'a> Cut<'a> {
    /// `bytes`, cut at every mark.
    pub fn of(bytes: &'a [u8]) -> Self {
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK) {
            pieces.push(&rest[..at]);
            rest = &rest[at + MARK.len()..];
        }
        pieces.push(rest);
        Self { pieces }
    }

    /// The piece to begin with.
    pub fn first(&self) -> &'a [u8] {
        self.pieces.first().copied().unwrap_or_default()
    }

    fn answer(&self, question: &str) -> Option<&'a [u8]> {
        let sum = question.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        self.pieces.get(sum % (self.pieces.len() + 1)).copied()
    }
}

impl Blobs for Cut<'_> {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.answer(&id.to_string()).map(Cow::Borrowed))
    }
}

impl Rows for Cut<'_> {
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        Ok(self.answer(key).map(|piece| (!piece.is_empty()).then(|| piece.to_vec())))
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        for (rowid, piece) in (1_i64..).zip(&self.pieces) {
            let key = format!("{prefix}b{rowid}");
            each(Row { key: key.as_bytes(), value: (!piece.is_empty()).then_some(*piece), rowid });
        }
        Ok(())
    }
}
