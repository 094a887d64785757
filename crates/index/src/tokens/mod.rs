//! How text becomes words: the one tokeniser of the index, for what is stored and for what is asked.
//!
//! The full-text table splits its input at anything that is not a letter, a digit, `_` or beyond ASCII, and folds the
//! case of ASCII letters; all else is done here, in one pass:
//!
//! | text | stream |
//! |---|---|
//! | `let fooBar = 1` | `let foo Bar 1` … `foobar` |
//! | `MAX_FILE_SIZE`, `parseHTTPHeader` | `MAX FILE SIZE`, `parse HTTP Header` … `maxfilesize parsehttpheader` |
//! | `src/sync_engine.rs` | `src sync engine rs` … `syncengine sync_engine_rs` |
//! | `v1.12.3`, `20.0f64` | `1_12_3`, `20_0f64` … `0f64` |
//! | `自动保存 x` | `自动 动保 保存 存 x` |
//! | `Über Größe` | `uber große` |
//!
//! **Pieces stay in the order of the text**, so that a phrase such as `"let foo bar"` or the query `src/sync_engine.rs`
//! finds them side by side. **Whole identifiers follow after the last piece** of a column (at `…` above), each once, so that
//! `foobar` and `github` find `fooBar` and `GitHub` without tearing phrases apart.
//!
//! **For the writer:** one [`Stream`] per column of the full-text table; [`Stream::add`] each text of that column;
//! [`Stream::finish`] gives what the column is to be filled with; [`Stream::clear`] before the next row. No column of its
//! own is needed for whole identifiers.
//!
//! **For the asker:** [`Typed::parse`] turns one typed word or phrase into the pieces that must stand side by side, and into the
//! whole identifier that may stand for them.
//!
//! What nobody types is not kept in full: a token is cut at [`LONGEST`] bytes (the query is cut likewise, so it still
//! finds it), a code such as base64 is one token, and of very long data only the beginning is kept.
//! An exact search reads the messages themselves and does not depend on this.

mod alphabet;
mod stream;
mod typed;
mod walk;

pub use alphabet::fold_into;
pub use stream::Stream;
pub use typed::Typed;
pub use walk::{LONGEST, Sink, walk};
