//! What fuzz targets share: a place that does not exist, and a store cut from the fuzzer's own bytes.

mod cut;

pub use cut::{Cut, origin};
