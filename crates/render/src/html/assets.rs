//! The one style and the one script of all pages. Both are our own.

/// The style sheet, for light and dark, screen and paper.
pub const STYLE: &str = include_str!("../../assets/page.css");

/// The script: filter, folding, copying, keys. Pages can be read without it.
pub const SCRIPT: &str = include_str!("../../assets/page.js");
