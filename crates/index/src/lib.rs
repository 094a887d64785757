//! A full-text and facet index over all conversations: a cache, which may be deleted at any time.

pub mod tokens;
